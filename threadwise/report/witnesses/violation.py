"""An interleaving as waypoints.

Each turn of a thread, from one switch to the next, gives a waypoint at its first and at its last
statement; a call that starts a thread is one that names the thread; a value from outside is the
result of its call. What the program does between them follows. A statement that a thread has begun
before a switch is not told again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from threadwise.core.source import SourceFile, Span
from threadwise.report.witnesses.model import Location, Segment, Waypoint, WaypointKind
from threadwise.traces.events import Action, Event, Input, Schedule

_CALL_OF_INPUT = re.compile(r"__VERIFIER_nondet_\w+\s*\(\s*\)")
_BEFORE_CONDITION = re.compile(r"\b(?:if|while|switch)\s*\(\s*\Z")
_AFTER_STATEMENT = re.compile(r"(?:\A|[;{}:)]|\belse|\bdo)\s*\Z")
_SILENT = (Action.BEGIN, Action.FINISH)

Sources = Mapping[str, SourceFile]


@dataclass(frozen=True)
class Places:
    """Places in the format's way: names of files as the witness has them, starts of statements."""

    sources: Sources
    names: Mapping[str, str]
    """The names of files in the witness, by their paths."""

    def of(self, span: Span, line: int, column: int) -> Location:
        """A place in the file of a span."""
        return Location(self.names.get(span.path, span.path), line, column)

    def start(self, span: Span) -> Location | None:
        """Where the statement begins that a span is the start or the condition of."""
        source = self.sources.get(span.path)
        if source is None:
            return None
        before = text_before(source, span)
        condition = _BEFORE_CONDITION.search(before)
        if condition is not None:
            before = before[: condition.start()]
        elif not _AFTER_STATEMENT.search(before) or _is_in_parentheses(before):
            return None
        place = source.position(len(before))
        return self.of(span, place.line, place.column)

    def end_of_call(self, span: Span) -> Location:
        """The closing parenthesis of the call that a span is; or only the line."""
        source = self.sources.get(span.path)
        if source is not None:
            end = Span.at(span.path, span.end_line, span.end_column)
            last = len(text_before(source, end)) - 1
            if source.text[last : last + 1] == ")":
                place = source.position(last)
                return self.of(span, place.line, place.column)
        return Location(self.names.get(span.path, span.path), span.line)

    def input_in(self, span: Span) -> Location | None:
        """The closing parenthesis of the one call for a value from outside in a span."""
        source = self.sources.get(span.path)
        if source is None:
            return None
        start = len(text_before(source, span))
        end = len(text_before(source, Span.at(span.path, span.end_line, span.end_column)))
        found = list(_CALL_OF_INPUT.finditer(source.text, start, end))
        if len(found) != 1:
            return None
        place = source.position(found[0].end() - 1)
        return self.of(span, place.line, place.column)


def _is_in_parentheses(before: str) -> bool:
    """Whether a text ends inside of parentheses, as in the head of a `for`."""
    tail = before[max(before.rfind("{"), before.rfind("}")) + 1 :]
    return tail.count("(") > tail.count(")")


def text_before(source: SourceFile, span: Span) -> str:
    """The text of a file up to where a span starts."""
    lines = source.text.split("\n")[: span.line]
    lines[-1] = lines[-1][: span.column - 1]
    return "\n".join(lines)


def segments_of(schedule: Schedule, places: Places) -> tuple[Segment, ...]:
    """The waypoints of an interleaving; none if its end has no place in the text."""
    found = [Segment((each,)) for each in _waypoints(schedule, places)]
    targets = tuple(_targets(schedule, places, _numbers(schedule)))
    if not targets or len(targets) < len(schedule.end.spans):
        return ()
    return (*found, Segment(targets))


def _numbers(schedule: Schedule) -> dict[int, int]:
    """Threads by the numbers that waypoints give them: in the order in which they are started."""
    started = [e.child for e in schedule.events if e.action is Action.SPAWN]
    threads = [0, *(child for child in started if child is not None)]
    return {thread: number for number, thread in enumerate(dict.fromkeys(threads))}


def _waypoints(schedule: Schedule, places: Places) -> Iterator[Waypoint]:
    numbers = _numbers(schedule)
    told: set[int] = set()
    happened: list[Event | Input] = [e for e in schedule.events if e.action not in _SILENT]
    happened = [e for e in happened if not (isinstance(e, Event) and e.holds)]
    merged = sorted([*happened, *schedule.inputs], key=lambda each: each.step)
    for thread, turn in groupby(merged, key=lambda each: each.thread):
        yield from _turn(list(turn), numbers.get(thread), places, told)


def _turn(
    turn: Sequence[Event | Input], thread: int | None, places: Places, told: set[int]
) -> Iterator[Waypoint]:
    """The creations and inputs of a turn, and its first and last statement."""
    statements = [each for each in turn if isinstance(each, Event)]
    ends = {each.instance for each in (statements[:1] + statements[-1:])}
    for each in turn:
        if isinstance(each, Input):
            place = places.input_in(each.span)
            if place is not None:
                value = rf"\result == {each.value}"
                yield Waypoint(
                    WaypointKind.FUNCTION_RETURN, place, constraint=value, thread=thread
                )
        elif each.action is Action.SPAWN:
            told.add(each.instance)
            yield Waypoint(
                WaypointKind.FUNCTION_ENTER, places.end_of_call(each.span), thread=thread
            )
        elif each.instance in ends and each.instance not in told:
            told.add(each.instance)
            place = places.start(each.span)
            if place is not None:
                yield Waypoint(WaypointKind.ASSUMPTION, place, constraint="1", thread=thread)


def _targets(schedule: Schedule, places: Places, numbers: Mapping[int, int]) -> Iterator[Waypoint]:
    for thread, span in zip(schedule.end.threads, schedule.end.spans, strict=True):
        place = None
        if span is not None:
            place = places.start(span) or places.of(span, span.line, span.column)
        if place is not None:
            yield Waypoint(WaypointKind.TARGET, place, thread=numbers.get(thread))
