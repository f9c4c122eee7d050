"""Events of a schedule as the runtime reads them: with kinds of points, lines and addresses.

What the machine code does not have is left out: an access that the compiler did not make, the
steps of a library function that is one call here. What must be there and is not, is a reason why
the schedule cannot be forced.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from threadwise.core.source import Span
from threadwise.reproduction.machine_code import MachineCode, Site
from threadwise.reproduction.points import BARRIER, SYNCHRONISATION, EventFlag, PointKind
from threadwise.traces.events import Action, Event, Input, Schedule

_SIZES = (1, 2, 4, 8)
_DIGITS = re.compile(r"(\d+)$")
_REFUSABLE = ("__wrap_malloc", "__wrap_calloc", "__wrap_pthread_create")
_WANTS = {
    Action.SPAWN: PointKind.CREATE,
    Action.JOIN: PointKind.JOIN,
    Action.ACQUIRE: PointKind.LOCK | PointKind.WAIT,
    Action.RELEASE: PointKind.UNLOCK | PointKind.WAIT,
    Action.SYNCHRONISE: SYNCHRONISATION,
    Action.READ: PointKind.READ | PointKind.MEMORY,
    Action.WRITE: PointKind.WRITE | PointKind.MEMORY,
    Action.BEGIN: PointKind.BEGIN,
    Action.FINISH: PointKind.FINISH,
}


class NotForcedError(Exception):
    """A step cannot be forced; `step` is its number in the trace."""

    def __init__(self, step: int, reason: str) -> None:
        super().__init__(reason)
        self.step = step
        self.reason = reason


@dataclass(frozen=True)
class ForcedEvent:
    """An event with what the runtime needs to recognise it."""

    event: Event
    wants: PointKind
    flags: EventFlag
    low: int = 0
    high: int = 0
    size: int = 0
    value: int = 0


@dataclass(frozen=True)
class Forcing:
    """The input of the runtime."""

    events: tuple[ForcedEvent, ...]
    inputs: tuple[Input, ...]
    free: tuple[int, ...]
    text: str


def library_inputs(schedule: Schedule, code: MachineCode) -> dict[str, int]:
    """Library functions whose results the trace chooses, and the step where it first does."""
    found: dict[str, int] = {}
    for given in schedule.inputs:
        for callee in _called(given, code):
            found.setdefault(callee, given.step)
    return found


def of_several_values(schedule: Schedule, code: MachineCode) -> dict[str, int]:
    """Those that take several values in one call, and where: one is a result, the others not."""
    found: dict[str, int] = {}
    for before, given in pairwise(schedule.inputs):
        if given.instance == before.instance:
            for callee in _called(given, code):
                found.setdefault(callee, before.step)
    return found


def without_library(schedule: Schedule, code: MachineCode) -> Schedule:
    """A schedule that leaves to the library what the library returns."""
    kept = tuple(given for given in schedule.inputs if not any(_called(given, code)))
    return replace(schedule, inputs=kept)


def _called(given: Input, code: MachineCode) -> Iterator[str]:
    for site in code.inside(given.span):
        if site.is_external and not site.callee.startswith("__"):
            yield site.callee


def forcing_of(
    schedule: Schedule, code: MachineCode, *, may_refuse: bool = False, compares: bool = True
) -> Forcing:
    """The input of the runtime; raises NotForcedError.

    `compares`: values are those of the trace, and a run with others has diverged.
    """
    planned = _Planning(code, compares).plan(schedule.events)
    inputs = tuple(i for i in schedule.inputs if may_refuse or not _refuses(i, code))
    text = "\n".join(_lines(planned, inputs, schedule.end.threads, code))
    return Forcing(tuple(planned), inputs, schedule.end.threads, text)


def _refuses(given: Input, code: MachineCode) -> bool:
    return any(site.callee in _REFUSABLE for site in code.inside(given.span))


@dataclass
class _Planning:
    code: MachineCode
    compares: bool
    told: set[str] = field(default_factory=set)
    """Variables whose values library functions have chosen: their numbers need not be ours."""

    def plan(self, events: Sequence[Event]) -> list[ForcedEvent]:
        result: list[ForcedEvent] = []
        for event in events:
            result.extend(self._planned(event))
        return list(_without_inner_steps(result, self.code))

    def _planned(self, event: Event) -> Iterator[ForcedEvent]:
        match event.action:
            case Action.BEGIN | Action.FINISH:
                yield ForcedEvent(event, _WANTS[event.action], EventFlag.HARD)
            case Action.READ | Action.WRITE:
                yield from self._access(event)
            case _:
                yield from self._operation(event)

    def _operation(self, event: Event) -> Iterator[ForcedEvent]:
        kinds = self._kinds(event.span)
        wants = _WANTS[event.action]
        for part in event.parts:
            self._note_write(part, PointKind.NOTHING)
        if not kinds & wants and event.action in (Action.ACQUIRE, Action.RELEASE):
            wants = SYNCHRONISATION
        if kinds & wants:
            forced = ForcedEvent(event, wants, EventFlag.HARD)
            if event.result is not None and not kinds & PointKind.ATOMIC:
                flags = EventFlag.HARD | EventFlag.RESULT
                forced = replace(forced, flags=flags, value=event.result)
            yield forced
        elif event.parts:
            for part in event.parts:
                yield from self._access(part)
        else:
            raise NotForcedError(event.step, f"there is no call there that {event.action.value}")

    def _access(self, event: Event) -> Iterator[ForcedEvent]:
        kinds = self._kinds(event.span)
        wants = _WANTS[event.action]
        self._note_write(event, kinds)
        if not kinds & wants:
            wants = PointKind.ATOMIC | (SYNCHRONISATION if event.holds else PointKind.NOTHING)
        if not kinds & wants:
            if event.holds:
                raise NotForcedError(event.step, "the compiled program has no such access there")
            return
        flags = EventFlag.HOLD | EventFlag.HARD if event.holds else EventFlag.NONE
        forced = ForcedEvent(event, wants, flags)
        symbol = self.code.symbols.get(event.variable or "")
        if symbol is not None:
            forced = replace(forced, low=symbol.address, high=symbol.address + symbol.size)
            known = event.whole and event.value is not None and symbol.size in _SIZES
            known = known and self.compares and event.variable not in self.told
            if known and not event.holds and not wants & PointKind.ATOMIC:
                forced = replace(forced, size=symbol.size, value=event.value or 0)
        if event.supplies and event.value is not None:
            size = self._size(event.span)
            flags |= EventFlag.SUPPLIES
            forced = replace(forced, flags=flags, size=size, value=event.value)
        yield forced

    def _note_write(self, event: Event, kinds: PointKind) -> None:
        """Who has written a variable last: the program, or a function of the library."""
        if event.action is not Action.WRITE or event.variable is None:
            return
        if kinds & (PointKind.WRITE | PointKind.ATOMIC):
            self.told.discard(event.variable)
        else:
            self.told.add(event.variable)

    def _kinds(self, span: Span) -> PointKind:
        kinds = PointKind.NOTHING
        for site in self.code.inside(span):
            kinds |= site.kind
        return kinds

    def _size(self, span: Span) -> int:
        for site in self.code.inside(span):
            digits = _DIGITS.search(site.callee)
            if site.kind is PointKind.READ and digits and int(digits[1]) in _SIZES:
                return int(digits[1])
        return 0


def _without_inner_steps(
    events: Sequence[ForcedEvent], code: MachineCode
) -> Iterator[ForcedEvent]:
    """Calls have one event; waiting has two, giving the lock back and having it again."""
    groups: dict[tuple[int, int], list[int]] = {}
    for position, forced in enumerate(events):
        if forced.event.parts and forced.flags & EventFlag.HARD:
            key = (forced.event.thread, forced.event.instance)
            groups.setdefault(key, []).append(position)
    left_out: set[int] = set()
    for positions in groups.values():
        silent = [p for p in positions if events[p].event.action is Action.SYNCHRONISE]
        if len(silent) < len(positions):
            left_out.update(silent)
        elif any(s.callee.endswith(BARRIER) for s in code.inside(events[silent[0]].event.span)):
            left_out.update(silent[1:-1])
        else:
            left_out.update(silent[1:])
    for position, forced in enumerate(events):
        if position not in left_out:
            yield forced


# -- the text that the runtime reads -----------------------------------------------------------


def _lines(
    events: Sequence[ForcedEvent], inputs: Sequence[Input], free: Sequence[int], code: MachineCode
) -> Iterator[str]:
    files: dict[str, int] = {}

    def number(path: str) -> int:
        return files.setdefault(_same_name(path, files), len(files) + 1)

    sites = sorted(code.sites, key=lambda site: site.address)
    yield f"{len(sites)} {len(events)} {len(inputs)}"
    for site in sites:
        yield _site(site, number(site.path))
    for forced in events:
        yield _event(forced, number(forced.event.span.path))
    for given in inputs:
        span = given.span
        place = f"{number(span.path)} {span.line} {span.end_line}"
        yield f"{given.thread} {place} {_signed(given.value)}"
    yield " ".join(map(str, (len(free), *free)))
    yield ""


def _same_name(path: str, known: dict[str, int]) -> str:
    real = os.path.realpath(path)
    if real in known or os.path.exists(real):
        return real
    base = os.path.basename(path)
    return next((other for other in known if os.path.basename(other) == base), real)


def _site(site: Site, file: int) -> str:
    return f"{site.address:#x} {int(site.kind)} {file} {site.line}"


def _event(forced: ForcedEvent, file: int) -> str:
    event = forced.event
    child = -1 if event.child is None else event.child
    return (
        f"{event.thread} {int(forced.wants)} {int(forced.flags)} {file} {event.span.line} "
        f"{event.span.end_line} {event.instance} {forced.low:#x} {forced.high:#x} {forced.size} "
        f"{_signed(forced.value)} {child}"
    )


def _signed(value: int) -> int:
    """A number of 64 bits, as the runtime reads it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
