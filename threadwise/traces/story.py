"""A trace of a C program as a story: what a reader needs to understand the violation.

A line is one visit of a thread to one statement: what it read and wrote of shared memory, under
the user's names, and the locks it then holds. Steps without effect on others have no line.

Which lines *matter* is decided on variables, backwards from the violation:

    the cells of the violation matter
    a thread writes a cell that matters     what it read up to then matters, too
    a lock is held at a line that matters   taking it and giving it back matters
    a thread has lines that matter          that it is started, and joined, matters

In a deadlock, what others wait for matters where it was got; locks that were given back do not.

It may keep too much, and never leaves out a write that somebody read whose reading matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from threadwise.core.source import Span
from threadwise.traces.schedule import Action, EndKind, EndRow, Event, Schedule

_THREADS = (Action.SPAWN, Action.JOIN)
_UNTOLD = (Action.BEGIN, Action.FINISH)
_LOCKING = (Action.ACQUIRE, Action.RELEASE)
_LONGEST_ROUND = 8


@dataclass(frozen=True)
class StoryLine:
    """What a thread does in one statement."""

    step: int
    """The number of its first step in the trace."""
    thread: int
    span: Span
    text: str
    effects: tuple[str, ...]
    held: tuple[str, ...]
    """The locks it holds afterwards."""
    matters: bool = True
    rounds: int = 0
    """How often this line and those before it were done again; the others are left out."""
    round_lines: int = 0


@dataclass(frozen=True)
class Story:
    """A trace for its reader."""

    threads: tuple[str, ...]
    lines: tuple[StoryLine, ...]
    end: tuple[EndRow, ...] = ()
    why: str = ""
    """The last sentence."""

    @property
    def slice(self) -> tuple[StoryLine, ...]:
        """The lines that matter, repeated rounds folded."""
        return tuple(_folded([line for line in self.lines if line.matters]))


@dataclass
class _Visit:
    """Events of one thread in one statement, with nothing of others in between."""

    events: list[Event] = field(default_factory=list)

    @property
    def first(self) -> Event:
        return self.events[0]

    @property
    def reads(self) -> Iterator[str]:
        return (e.key for e in self.accesses() if e.action is Action.READ and e.key)

    @property
    def writes(self) -> Iterator[str]:
        return (e.key for e in self.accesses() if e.action is Action.WRITE and e.key)

    def accesses(self) -> Iterator[Event]:
        for event in self.events:
            yield from event.parts or (event,)


def story_of(schedule: Schedule) -> Story:
    """The story of what happens."""
    end = schedule.end
    visits = list(_visits([event for event in schedule.events if not event.holds]))
    kept = _mattering(schedule, visits)
    lines = [_line(visit, schedule.threads, kept[n]) for n, visit in enumerate(visits)]
    return Story(schedule.threads, tuple(_joined(lines, visits)), end.rows, end.why)


def _visits(events: Iterable[Event]) -> Iterator[_Visit]:
    current = _Visit()
    for event in events:
        if event.action in _UNTOLD:
            continue
        same = current.events and (current.first.thread, current.first.instance) == (
            event.thread,
            event.instance,
        )
        if current.events and not same:
            yield current
            current = _Visit()
        current.events.append(event)
    if current.events:
        yield current


# -- what matters ------------------------------------------------------------------------------


def _mattering(schedule: Schedule, visits: Sequence[_Visit]) -> list[bool]:
    cells = set(_cells_of_end(schedule, visits))
    while True:
        more = set(cells)
        read: dict[int, set[str]] = {}
        for visit in visits:
            up_to_now = read.setdefault(visit.first.thread, set())
            up_to_now.update(visit.reads)
            if not cells.isdisjoint(visit.writes):
                more |= up_to_now
        if more == cells:
            break
        cells = more
    kept = [bool(cells.intersection((*visit.reads, *visit.writes))) for visit in visits]
    return _with_locks_and_threads(schedule, visits, kept)


def _cells_of_end(schedule: Schedule, visits: Sequence[_Visit]) -> Iterator[str]:
    """The cells that the violation is about."""
    for event in schedule.events:
        if event.holds and event.key:
            yield event.key
    if schedule.end.kind is EndKind.RACE:
        racing = [visit for visit in visits if visit.first.thread in schedule.end.threads]
        yield from (cell for visit in racing for cell in visit.reads)
    if schedule.end.kind is EndKind.DEADLOCK:
        keys = (key for visit in visits for key in (*visit.reads, *visit.writes))
        yield from (key for key in keys if _is_part(key, schedule.end.objects))
    if schedule.end.kind in (EndKind.RACE, EndKind.DEADLOCK):
        return
    failing = schedule.end.threads[0]
    own = [visit for visit in visits if visit.first.thread == failing]
    last = list(own[-1].reads) if own else []
    yield from last or [cell for visit in own for cell in visit.reads]


def _is_part(key: str, objects: Sequence[str]) -> bool:
    return any(key == name or key.startswith((f"{name}.", f"{name}[")) for name in objects)


def _with_locks_and_threads(
    schedule: Schedule, visits: Sequence[_Visit], kept: list[bool]
) -> list[bool]:
    if schedule.end.kind is EndKind.DEADLOCK:
        _keep_taken(schedule, visits, kept)
    else:
        _keep_locks(schedule, visits, kept)
    acting = {v.first.thread for v, matters in zip(visits, kept, strict=True) if matters}
    acting.update(schedule.end.threads)
    for number, visit in enumerate(visits):
        if visit.first.action in _THREADS and visit.first.child in acting:
            kept[number] = True
    return kept


def _keep_taken(schedule: Schedule, visits: Sequence[_Visit], kept: list[bool]) -> None:
    """The last visits of those who hold something to the places where they got it."""
    left = set(schedule.end.taken)
    for number in reversed(range(len(visits))):
        first = visits[number].first
        if (first.thread, first.span) in left:
            left.remove((first.thread, first.span))
            kept[number] = True


def _keep_locks(schedule: Schedule, visits: Sequence[_Visit], kept: list[bool]) -> None:
    """Locks that are held where something matters: where they are taken and given back."""
    locks = {lock for row in schedule.end.rows for lock in row.held}
    for visit, matters in zip(visits, kept, strict=True):
        if matters:
            locks.update(visit.first.held)
    for number, visit in enumerate(visits):
        changed = set(_locks_changed(visit, _held_before(visits, number)))
        kept[number] = kept[number] or bool(changed & locks)


def _held_before(visits: Sequence[_Visit], number: int) -> tuple[str, ...]:
    thread = visits[number].first.thread
    for visit in reversed(visits[:number]):
        if visit.first.thread == thread:
            return visit.events[-1].held
    return ()


def _locks_changed(visit: _Visit, before: tuple[str, ...]) -> Iterator[str]:
    """Locks that a visit takes or gives back."""
    for event in visit.events:
        if event.action in _LOCKING:
            yield from set(event.held) ^ set(before)
            before = event.held


# -- lines -------------------------------------------------------------------------------------


def _line(visit: _Visit, threads: Sequence[str], matters: bool) -> StoryLine:
    first = visit.first
    return StoryLine(
        first.step,
        first.thread,
        first.span,
        _text(visit, threads),
        tuple(_effects(visit)),
        visit.events[-1].held,
        matters,
    )


def _text(visit: _Visit, threads: Sequence[str]) -> str:
    first = visit.first
    child = threads[first.child] if first.child is not None else ""
    match first.action:
        case Action.SPAWN:
            return f"starts {child}"
        case Action.JOIN:
            return f"joins {child}"
        case _:
            return first.text


def _effects(visit: _Visit) -> Iterator[str]:
    """What is read and written; a cell that is read and then written as one change."""
    if visit.first.action in (*_THREADS, *_LOCKING):
        return
    known: dict[str, str] = {}
    written: dict[str, str] = {}
    for event in visit.accesses():
        if not event.cell or event.shown is None:
            continue
        target = written if event.action is Action.WRITE else known
        if event.action is Action.WRITE or event.cell not in written:
            target[event.cell] = event.shown
    for cell in dict.fromkeys((*known, *written)):
        before, after = known.get(cell), written.get(cell)
        if after is None:
            yield f"{cell} is {before}"
        elif before is None or before == after:
            yield f"{cell} = {after}"
        else:
            yield f"{cell}: {before} → {after}"


def _joined(lines: Sequence[StoryLine], visits: Sequence[_Visit]) -> Iterator[StoryLine]:
    """Threads started, or joined, one after the other in one line."""
    result: list[StoryLine] = []
    last: Event | None = None
    for line, visit in zip(lines, visits, strict=True):
        first = visit.first
        follows = last is not None and first.action in _THREADS and first.action is last.action
        if follows and result and result[-1].thread == line.thread:
            one, name = result[-1], line.text.partition(" ")[2]
            if one.matters == line.matters:
                result[-1] = replace(one, text=f"{one.text}, {name}")
                continue
        result.append(line)
        last = first
    yield from result


def _folded(lines: Sequence[StoryLine]) -> Iterator[StoryLine]:
    """Rounds of the same statements by the same thread: the first and how many more."""
    position = 0
    while position < len(lines):
        length, times = _rounds(lines, position)
        chunk = lines[position : position + length]
        yield from chunk[:-1]
        yield replace(chunk[-1], rounds=times, round_lines=length)
        position += length * (times + 1)


def _rounds(lines: Sequence[StoryLine], start: int) -> tuple[int, int]:
    """The shortest stretch from here that is repeated at least twice more, and how often."""
    for length in range(1, _LONGEST_ROUND + 1):
        pattern = [_key(line) for line in lines[start : start + length]]
        times = 0
        at = start + length
        while pattern == [_key(line) for line in lines[at : at + length]]:
            times += 1
            at += length
        if times >= 2:
            return length, times
    return 1, 0


def _key(line: StoryLine) -> tuple[int, Span, str]:
    return line.thread, line.span, line.text
