"""The *story* of a trace of a C program: the dynamic slice that explains the violation.

A line is one visit of a thread to one statement: what it read and wrote of shared memory, under
the user's names, and the locks it then holds. Steps without effect on others have no line.

Which lines *matter* is decided by `dependence`: the violation, what it was computed from, and how
threads led each other there. With a line that matters go the locks that its thread holds there,
where they are taken and given back; with a thread that has such lines, that it is started and
joined. In a deadlock, what others wait for matters where it was got.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.commands import OperationKind
from threadwise.traces.dependence import Dependence
from threadwise.traces.events import Action, Allocated, EndKind, EndRow, Event, Schedule

_THREADS = (Action.SPAWN, Action.JOIN)
_VERBS = {Action.SPAWN: "starts", Action.JOIN: "joins"}
_WAKING = (OperationKind.WAKE,)
_NUMBERED = re.compile(r"(.*)\[(\d+)\]")
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
    threads: tuple[str, ...] = ()
    """The threads that it starts or joins."""


@dataclass(frozen=True)
class Story:
    """A trace for its reader."""

    threads: tuple[str, ...]
    lines: tuple[StoryLine, ...]
    end: tuple[EndRow, ...] = ()
    why: str = ""
    """The last sentence."""
    objects: tuple[Allocated, ...] = ()
    """The heap objects of the run, by age."""

    @property
    def full(self) -> tuple[StoryLine, ...]:
        """All lines."""
        return tuple(_joined(self.lines))

    @property
    def slice(self) -> tuple[StoryLine, ...]:
        """The lines that matter, repeated rounds folded."""
        return tuple(_folded(list(_joined(line for line in self.lines if line.matters))))


@dataclass
class _Visit:
    """Events of one thread in one statement, with nothing of others in between."""

    events: list[Event] = field(default_factory=list)

    @property
    def first(self) -> Event:
        return self.events[0]

    def accesses(self) -> Iterator[Event]:
        """All accesses, those of operations one by one."""
        for event in self.events:
            yield from event.parts or (event,)

    def is_about(self, objects: Sequence[str]) -> bool:
        """Whether one of them is to a part of one of these objects."""
        keys = [event.key for event in self.accesses() if event.key]
        return any(
            key == name or key.startswith((f"{name}.", f"{name}["))
            for key in keys
            for name in objects
        )


def story_of(schedule: Schedule) -> Story:
    """The story of what happens."""
    end = schedule.end
    visits = list(_visits([event for event in schedule.events if not event.holds]))
    kept = _mattering(schedule, visits)
    waking = {
        event.instance
        for visit in visits
        for event in visit.accesses()
        if event.operation in _WAKING
    }
    waking |= _waiting_at_end(schedule)
    lines = [
        _line(visit, schedule.threads, kept[n], waking=visit.first.instance in waking)
        for n, visit in enumerate(visits)
    ]
    return Story(schedule.threads, tuple(lines), end.rows, end.why, schedule.objects)


def _waiting_at_end(schedule: Schedule) -> set[int]:
    """The last visits of threads that wait in the end, if they are where they wait."""
    found = set()
    for row in schedule.end.rows if schedule.end.kind is EndKind.DEADLOCK else ():
        own = [event for event in schedule.events if event.thread == row.thread]
        if own and own[-1].span == row.span:
            found.add(own[-1].instance)
    return found


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
    shown = _slice(schedule)
    end = schedule.end
    kept = [
        any(event.occurrence in shown for event in visit.accesses())
        or (end.kind is EndKind.DEADLOCK and visit.is_about(end.objects))
        for visit in visits
    ]
    _keep_taken(schedule, visits, kept)
    _keep_locks(schedule, visits, kept)
    _keep_threads(schedule, visits, kept)
    return kept


def _slice(schedule: Schedule) -> frozenset[int]:
    run = Dependence(schedule.program, schedule.run)
    reached = schedule.reached
    if reached.failing is not None:
        return run.slice_of(reached.failing)
    return run.slice_of_places(reached.occurrences, reached.places)


def _keep_taken(schedule: Schedule, visits: Sequence[_Visit], kept: list[bool]) -> None:
    """In a deadlock, the last visits to the places where threads got what others wait for."""
    left = set(schedule.end.taken)
    for number in reversed(range(len(visits))):
        first = visits[number].first
        if (first.thread, first.span) in left:
            left.remove((first.thread, first.span))
            kept[number] = True


def _keep_locks(schedule: Schedule, visits: Sequence[_Visit], kept: list[bool]) -> None:
    """Where the locks are taken and given back that a thread holds in a line that matters."""
    at_end = {(row.thread, lock) for row in schedule.end.rows for lock in row.held}
    taken: dict[tuple[int, str], int] = {}
    used: set[tuple[int, str]] = set()
    before: dict[int, set[str]] = {}
    for number, visit in enumerate(visits):
        thread = visit.first.thread
        had, has = before.get(thread, set()), set(visit.events[-1].held)
        before[thread] = has
        for lock in sorted(has - had):
            taken[thread, lock] = number
        if kept[number]:
            used |= {(thread, lock) for lock in had | has}
        for lock in sorted(had - has):
            section = (thread, lock)
            if section in used and section in taken:
                kept[taken[section]] = kept[number] = True
            used.discard(section)
            taken.pop(section, None)
    for section, number in taken.items():
        if section in used or section in at_end:
            kept[number] = True


def _keep_threads(schedule: Schedule, visits: Sequence[_Visit], kept: list[bool]) -> None:
    """Threads that act are started, and joined."""
    acting = {v.first.thread for v, matters in zip(visits, kept, strict=True) if matters}
    acting.update(schedule.end.threads)
    for number, visit in enumerate(visits):
        if visit.first.action in _THREADS and visit.first.child in acting:
            kept[number] = True


# -- lines -------------------------------------------------------------------------------------


def _line(visit: _Visit, threads: Sequence[str], matters: bool, *, waking: bool) -> StoryLine:
    first = visit.first
    child = (threads[first.child],) if first.child is not None else ()
    effects = _wait(visit) if waking else _effects(visit)
    return StoryLine(
        first.step,
        first.thread,
        first.span,
        _VERBS[first.action] + " " + "".join(child) if first.action in _VERBS else first.text,
        tuple(effects),
        visit.events[-1].held,
        matters,
        threads=child if first.action in _VERBS else (),
    )


def _wait(visit: _Visit) -> Iterator[str]:
    """How far a thread is in an operation that gives back a lock, waits, and takes it again."""
    if any(event.operation in _WAKING for event in visit.accesses()):
        yield "woken"
    actions = [event.action for event in visit.events]
    if Action.RELEASE in actions and Action.ACQUIRE not in actions:
        yield "waits"


def _effects(visit: _Visit) -> Iterator[str]:
    """What is read and written; a cell that is read and then written as one change."""
    if visit.first.action in (*_VERBS, *_LOCKING):
        return
    known: dict[str, str] = {}
    written: dict[str, str] = {}
    for event in visit.accesses():
        if not event.cell or event.shown is None or event.frees:
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
    for freed in dict.fromkeys(event.frees for event in visit.accesses() if event.frees):
        yield f"frees {freed}"


def _joined(lines: Iterable[StoryLine]) -> Iterator[StoryLine]:
    """Threads that are started, or joined, one after the other in one line."""
    last: StoryLine | None = None
    for line in lines:
        if last is not None and last.threads and line.threads and _same(last, line):
            last = replace(last, threads=(*last.threads, *line.threads))
            continue
        if last is not None:
            yield _with_threads(last)
        last = line
    if last is not None:
        yield _with_threads(last)


def _same(one: StoryLine, other: StoryLine) -> bool:
    return (one.thread, _verb(one)) == (other.thread, _verb(other))


def _verb(line: StoryLine) -> str:
    return line.text.partition(" ")[0]


def _with_threads(line: StoryLine) -> StoryLine:
    return replace(line, text=f"{_verb(line)} {named(line.threads)}") if line.threads else line


def named(threads: Sequence[str]) -> str:
    """Threads in a row; three or more with numbers that follow each other by the ends."""
    parts: list[str] = []
    position = 0
    while position < len(threads):
        end = position
        while end + 1 < len(threads) and _follows(threads[end], threads[end + 1]):
            end += 1
        if end - position >= 2:
            parts.append(f"{threads[position]} to {threads[end]}")
        else:
            parts.extend(threads[position : end + 1])
        position = end + 1
    return ", ".join(parts)


def _follows(one: str, other: str) -> bool:
    first, second = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(other)
    if first is None or second is None or first[1] != second[1]:
        return False
    return int(second[2]) == int(first[2]) + 1


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
