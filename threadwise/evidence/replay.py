"""Replaying traces in the reference semantics: the only way to an UNSAFE.

A trace replays if its initial store is an initial store of the program, every move is among the
transitions the reference interpreter offers, and the last state violates the property.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.source import Span
from threadwise.evidence.trace import Change, DescribedTrace, Trace, TraceStep, render_value
from threadwise.ir.layout import Cell
from threadwise.ir.printer import program_hash
from threadwise.ir.program import Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import NONE, EnumType, TidType, Value
from threadwise.semantics.evaluate import Region
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Cells, Move, State
from threadwise.semantics.step import Access, Interpreter


class ReplayFailure(Exception):  # noqa: N818 - the answer of a checker, not a fault
    """The trace is not what it claims to be."""


def replay(program: Program, trace: Trace) -> DescribedTrace:
    """Run a trace; raises ReplayFailure unless it violates its property as claimed."""
    if trace.program_hash != program_hash(program):
        raise ReplayFailure("the trace belongs to another program")
    checked = next((p for p in program.properties if p.name == trace.property), None)
    if checked is None:
        raise ReplayFailure(f"the program has no property `{trace.property}`")
    return Replay(program, trace, checked).run()


class Replay:
    """One run of one trace."""

    def __init__(self, program: Program, trace: Trace, checked: Property) -> None:
        unknown = set(trace.counts) - {t.name for t in program.templates if t.count is None}
        if unknown:
            raise ReplayFailure("the trace fixes the number of threads of a template it may not")
        instance = program.with_counts(trace.counts)
        if instance.has_any_number:
            raise ReplayFailure("the trace does not say how many threads there are")
        self.program = instance
        self.trace = trace
        self.property = checked
        self.interpreter = Interpreter(instance)
        self.layout = self.interpreter.layout
        self.checker = PropertyChecker(self.interpreter)

    def run(self) -> DescribedTrace:
        """Follow the moves and look at where they end."""
        state = self._initial()
        first = state
        steps: list[TraceStep] = []
        for number, move in enumerate(self.trace.moves, start=1):
            after = self._follow(state, move, number)
            steps.append(self._describe(number, move, state, after))
            state = after
        if not self.checker.violated(self.property, state):
            raise ReplayFailure(f"the last state does not violate `{self.property.name}`")
        violation, location = self._violation(state)
        numbers = self.layout.numbers
        return DescribedTrace(
            self.trace,
            tuple(numbers.name(t) for t in self.interpreter.threads),
            tuple(
                (cell.name, self._show(cell, value))
                for cell, value in zip(self.layout.globals.cells, first.g.cells, strict=True)
            ),
            tuple(steps),
            violation,
            location,
        )

    def _initial(self) -> State:
        for state in self.interpreter.initial_states():
            if state.g.cells == self.trace.initial:
                return state
        raise ReplayFailure("the trace does not start in an initial state")

    def _follow(self, state: State, move: Move, number: int) -> State:
        if move.thread not in self.interpreter.threads or self.interpreter.is_stopped(state):
            raise ReplayFailure(f"step {number} is not possible")
        for offered, after in self.interpreter.thread_successors(state, move.thread):
            if offered == move:
                return after
        name = self.layout.numbers.name(move.thread)
        raise ReplayFailure(f"step {number} of {name} is not possible")

    # -- description -----------------------------------------------------------------------------

    def _describe(self, number: int, move: Move, before: State, after: State) -> TraceStep:
        edges = [self.program.edges[choice.edge] for choice in move.choices]
        texts = list(dict.fromkeys(edge.text for edge in edges if edge.text))
        return TraceStep(
            number,
            move.thread,
            self.layout.numbers.name(move.thread),
            edges[0].span,
            "; ".join(texts),
            tuple(self._changes(move.thread, before, after)),
        )

    def _changes(self, thread: int, before: State, after: State) -> Iterator[Change]:
        template = self.layout.numbers.templates[thread]
        yield from self._differences(
            self.layout.globals.cells, before.g.cells, after.g.cells, shared=True
        )
        old, new = before.locals[thread], after.locals[thread]
        cells = self.layout.thread[template].cells
        yield from self._differences(cells, old.thread, new.thread, shared=False)
        procedures = [self.program.procedure_of[l.pc].name for l in (old, new)]
        cells = self.layout.local[procedures[1]].cells
        same = len(before.stacks[thread]) == len(after.stacks[thread])
        if same and procedures[0] == procedures[1]:
            yield from self._differences(cells, old.locals, new.locals, shared=False)
        elif len(before.stacks[thread]) < len(after.stacks[thread]):
            callee = self.program.procedure[procedures[1]]
            count = len(callee.parameters)
            for cell, value in zip(cells[:count], new.locals[:count], strict=True):
                yield Change(cell.name, "", self._show(cell, value), shared=False)
        else:
            saved = before.stacks[thread][-1].locals
            yield from self._differences(cells, saved, new.locals, shared=False)

    def _differences(
        self, cells: tuple[Cell, ...], old: Cells, new: Cells, *, shared: bool
    ) -> Iterator[Change]:
        for cell, before, after in zip(cells, old, new, strict=True):
            if before != after:
                yield Change(cell.name, self._show(cell, before), self._show(cell, after), shared)

    def _show(self, cell: Cell, value: Value) -> str:
        names: dict[Value, str] = {}
        if isinstance(cell.type, EnumType):
            names = dict(enumerate(cell.type.members))
        elif isinstance(cell.type, TidType):
            names = {t: self.layout.numbers.name(t) for t in self.interpreter.threads}
            names[NONE] = "none"
        return render_value(value, names)

    def _violation(self, state: State) -> tuple[str, Span | None]:
        """What is wrong in the last state, and where."""
        match self.property:
            case FailureProperty():
                return self._failed(state)
            case RaceProperty():
                return self._raced(self.property, state)
            case InvariantProperty():
                return f"invariant `{self.property.name}` is false", self.property.span
            case DeadlockProperty():
                return self._deadlocked(state)

    def _failed(self, state: State) -> tuple[str, Span | None]:
        for thread, l in enumerate(state.locals):
            location = self.program.locations[l.pc]
            if location.failure is not None and location.failure.property == self.property.name:
                name = self.layout.numbers.name(thread)
                return f"{location.failure.message} in {name}", location.span
        raise ReplayFailure("no thread has failed")

    def _raced(self, checked: RaceProperty, state: State) -> tuple[str, Span | None]:
        t, first, u, second = next(self.checker.races(checked, state))
        name = (
            self.layout.globals.cells[first.cell.slot].name
            if first.cell.region is Region.GLOBAL
            else f"heap object {first.cell.number}"
        )
        spans = [
            self._access_span(state, who, access) for who, access in ((t, first), (u, second))
        ]
        told = " and ".join(
            f"{self.layout.numbers.name(who)} can {'write' if access.write else 'read'} it"
            + (f" at {span}" if span is not None else "")
            for (who, access), span in zip(((t, first), (u, second)), spans, strict=True)
        )
        return f"data race on {name}: {told}", spans[0]

    def _access_span(self, state: State, thread: int, access: Access) -> Span | None:
        for step in self.interpreter.step(thread, state.g, state.locals[thread]):
            if access in step.accesses:
                return self.program.edges[step.choices[0].edge].span
        return None

    def _deadlocked(self, state: State) -> tuple[str, Span | None]:
        circle = sorted(self.checker.waiting_circle(state))
        stuck = circle or [
            t for t in self.interpreter.threads if not self.checker.is_finished(state, t)
        ]
        names = ", ".join(self.layout.numbers.name(t) for t in stuck)
        span = self.program.locations[state.locals[stuck[0]].pc].span
        kind = "wait for each other for ever" if circle else "cannot go on, and nobody else can"
        return f"deadlock: {names} {kind}", span
