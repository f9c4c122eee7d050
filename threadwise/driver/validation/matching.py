"""Which waypoints a step passes.

A waypoint is a place in the text; edges have stretches of text. A thread is at the place of a
statement if its next edge begins there, or with the condition behind `if (`, `while (` and the
like; it is at the place of a call if the place is within the edge's stretch.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from threadwise.core.source import SourceFile, Span
from threadwise.driver.witnesses.conditions import RESULT, Lookup, NotUnderstood, holds
from threadwise.ir.commands import Command, OperationKind
from threadwise.ir.program import Edge, Program
from threadwise.report.witnesses.model import Location, Waypoint, WaypointKind
from threadwise.report.witnesses.violation import text_before
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter
from threadwise.traces.own_text import own_edge
from threadwise.traces.schedule import chosen_input

_LEADING = re.compile(r"(?:(?:if|while|for|switch|do|else|return)\b|[\s({])*")


@dataclass(frozen=True)
class Step:
    """What a thread does next, where, and with which values from outside."""

    thread: int
    edge: Edge
    span: Span
    values: tuple[int, ...]
    starts: bool
    """Whether the thread comes to this place with this edge."""


class Matching:
    """Waypoints of one witness in one program."""

    def __init__(self, interpreter: Interpreter, sources: Mapping[str, SourceFile]) -> None:
        self.interpreter = interpreter
        self.program: Program = interpreter.program
        self.sources = sources
        self.ignored: dict[str, None] = {}
        """Conditions that were not understood; they restrict nothing."""
        self._given: dict[Waypoint, bool] = {}
        """Whether inputs that waypoints constrain were ever given a value that satisfies them."""
        self._near: dict[tuple[Location, Span], bool] = {}
        self._places: dict[Location, Sequence[Edge]] = {}

    # -- steps ---------------------------------------------------------------------------------

    def steps(self, state: State, move: Move) -> Iterator[Step]:
        """The edges of a move, at the user's own text."""
        for choice in move.choices:
            edge = self.program.edges[choice.edge]
            own = own_edge(self.program, state, move.thread, edge)
            if own is None or own.span is None:
                continue
            picked = chosen_input(self.program, edge)
            values = tuple(v for v in choice.values if type(v) is int)
            if picked is not None:
                values = (picked,)
            yield Step(move.thread, edge, own.span, values, self._starts(edge, own.span))

    def _starts(self, edge: Edge, span: Span) -> bool:
        """Whether no edge with the same text leads to where this one begins."""
        return all(
            before.span != span or before.id >= edge.id for before in self._incoming(edge.source)
        )

    def _incoming(self, location: int) -> Sequence[Edge]:
        return self._into.get(location, ())

    @cached_property
    def _into(self) -> dict[int, list[Edge]]:
        into: dict[int, list[Edge]] = {}
        for edge in self.program.edges:
            into.setdefault(edge.target, []).append(edge)
        return into

    def passes(self, waypoint: Waypoint, step: Step, before: State) -> bool:
        """Whether a step passes a waypoint, whichever thread takes it."""
        match waypoint.kind:
            case WaypointKind.ASSUMPTION:
                return (
                    step.starts
                    and self.is_at(waypoint.location, step.span)
                    and self._holds(waypoint, self.lookup(before, step.thread))
                )
            case WaypointKind.BRANCHING:
                return (
                    step.starts
                    and self.is_at(waypoint.location, step.span)
                    and self._branches(waypoint, step, before)
                )
            case WaypointKind.FUNCTION_ENTER:
                return self.is_within(waypoint.location, step.span) and (
                    _creates(step.edge) or not any(map(_creates, self._at(waypoint.location)))
                )
            case WaypointKind.FUNCTION_RETURN:
                return self.is_within(waypoint.location, step.span) and self._returns(
                    waypoint, step
                )
            case WaypointKind.TARGET:
                return False

    def _returns(self, waypoint: Waypoint, step: Step) -> bool:
        if waypoint.constraint is None:
            return True
        if not any(map(self._takes_input, self._at(waypoint.location))):
            self.ignored[f"line {waypoint.location.line}: {waypoint.constraint}"] = None
            return True
        if len(step.values) != 1:
            return False
        (value,) = step.values
        given = self._holds(waypoint, lambda name: value if name == RESULT else None)
        self._given[waypoint] = given or self._given.get(waypoint, False)
        return given

    @property
    def narrowed(self) -> bool:
        """Whether the witness asks for values of inputs that are not among those tried."""
        return not all(self._given.values())

    def _takes_input(self, edge: Edge) -> bool:
        havocs = isinstance(edge.action, Command) and bool(edge.action.havocs)
        return havocs or chosen_input(self.program, edge) is not None

    def _branches(self, waypoint: Waypoint, step: Step, before: State) -> bool:
        """Whether the condition of a statement has the value that the waypoint says."""
        text = self._condition(waypoint.location, step.span.path)
        wanted = waypoint.constraint
        if text is None or wanted not in ("true", "false"):
            self.ignored[f"line {waypoint.location.line}: {wanted}"] = None
            return True
        try:
            return holds(text, self.lookup(before, step.thread)) is (wanted == "true")
        except NotUnderstood:
            self.ignored[f"line {waypoint.location.line}: {text}"] = None
            return True

    def _condition(self, location: Location, path: str) -> str | None:
        """The text between the parentheses behind the keyword at a place."""
        source = self.sources.get(path)
        if source is None:
            return None
        text = source.text[len(text_before(source, _span(location, source))) :]
        opening = re.match(r"(?:if|while|switch)\s*\(", text)
        if opening is None:
            return None
        depth, position = 1, opening.end()
        while depth and position < len(text):
            depth += {"(": 1, ")": -1}.get(text[position], 0)
            position += 1
        return text[opening.end() : position - 1]

    def _holds(self, waypoint: Waypoint, lookup: Lookup) -> bool:
        text = waypoint.constraint or "1"
        try:
            return holds(text, lookup)
        except NotUnderstood:
            self.ignored[f"line {waypoint.location.line}: {text}"] = None
            return True

    def lookup(self, state: State, thread: int) -> Lookup:
        """The values of variables as a thread sees them."""
        layout = self.interpreter.layout

        def look(name: str) -> int | None:
            l = state.locals[thread]
            procedure = self.program.procedure_of[l.pc].name
            cells = layout.local[procedure].cells
            for cell, value in zip(cells, l.locals, strict=True):
                if cell.name == name:
                    return value if type(value) is int else None
            for cell, value in zip(layout.globals.cells, state.g.cells, strict=True):
                if cell.name == name:
                    return value if type(value) is int else None
            return None

        return look

    # -- places --------------------------------------------------------------------------------

    def is_at(self, location: Location, span: Span) -> bool:
        """Whether a statement begins at a place."""
        key = (location, span)
        if key not in self._near:
            self._near[key] = _same_file(location, span) and self._begins(location, span)
        return self._near[key]

    def _begins(self, location: Location, span: Span) -> bool:
        if location.column is None:
            return location.line == span.line
        if (location.line, location.column) == (span.line, span.column):
            return True
        if (location.line, location.column) > (span.line, span.column):
            return False
        source = self.sources.get(span.path)
        if source is None:
            return False
        start = len(text_before(source, _span(location, source)))
        between = source.text[start : len(text_before(source, span))]
        return _LEADING.fullmatch(between) is not None

    def _at(self, location: Location) -> Sequence[Edge]:
        """The edges that a place is within."""
        if location not in self._places:
            edges = [e for e in self.program.edges if e.span and self.is_within(location, e.span)]
            self._places[location] = edges
        return self._places[location]

    def is_within(self, location: Location, span: Span) -> bool:
        """Whether a place is inside of a stretch."""
        if not _same_file(location, span):
            return False
        if location.column is None:
            return span.line <= location.line <= span.end_line
        place = (location.line, location.column)
        return (span.line, span.column) <= place <= (span.end_line, span.end_column)


def _creates(edge: Edge) -> bool:
    return edge.operation is not None and edge.operation.kind is OperationKind.SPAWN


def _span(location: Location, source: SourceFile) -> Span:
    column = location.column
    if column is None:
        line = source.line(location.line)
        column = len(line) - len(line.lstrip()) + 1
    return Span.at(source.path, location.line, column)


def _same_file(location: Location, span: Span) -> bool:
    name = location.file_name
    return os.path.basename(name) == os.path.basename(span.path)
