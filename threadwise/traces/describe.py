"""Steps and violations in words: what traces show their reader.

Used by replay, for traces, and by simulation, for the steps it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.errors import InternalError
from threadwise.core.source import Span
from threadwise.ir.commands import Free
from threadwise.ir.layout import Cell
from threadwise.ir.program import Edge, FailureKind
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.text.values import ValueRenderer
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Cells, GlobalStore, Move, State
from threadwise.semantics.step import Access, Interpreter
from threadwise.traces.failing import failing
from threadwise.traces.naming import Naming
from threadwise.traces.trace import Change, TraceStep
from threadwise.traces.waiting import WaitingTold


class Describer:
    """Describes what happens in one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.checker = PropertyChecker(interpreter)
        self.render = ValueRenderer(interpreter.layout)
        self.naming = Naming(interpreter.program, interpreter.layout)

    def threads(self) -> tuple[str, ...]:
        """The names of all threads, by id."""
        return tuple(self.layout.numbers.name(t) for t in self.interpreter.threads)

    def shared(self, g: GlobalStore) -> tuple[tuple[str, str], ...]:
        """The shared variables with their values."""
        return tuple(
            (cell.name, self.render(cell, value))
            for cell, value in zip(self.layout.globals.cells, g.cells, strict=True)
        )

    def step(self, number: int, move: Move, before: State, after: State) -> TraceStep:
        """One step: who, where, what, and what it changed."""
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
                yield Change(cell.name, "", self.render(cell, value), shared=False)
        else:
            saved = before.stacks[thread][-1].locals
            yield from self._differences(cells, saved, new.locals, shared=False)

    def _differences(
        self, cells: tuple[Cell, ...], old: Cells, new: Cells, *, shared: bool
    ) -> Iterator[Change]:
        for cell, before, after in zip(cells, old, new, strict=True):
            if before != after:
                yield Change(
                    cell.name, self.render(cell, before), self.render(cell, after), shared
                )

    def violation(self, checked: Property, state: State) -> tuple[str, Span | None]:
        """What is wrong in a state that violates a property, and where."""
        match checked:
            case FailureProperty():
                return self._failed(checked, state)
            case RaceProperty():
                return self._raced(checked, state)
            case InvariantProperty():
                return f"invariant `{checked.name}` is false", checked.span
            case DeadlockProperty():
                return self._deadlocked(state)

    def _failed(self, checked: FailureProperty, state: State) -> tuple[str, Span | None]:
        for thread, l in enumerate(state.locals):
            location = self.program.locations[l.pc]
            if location.failure is not None and location.failure.property == checked.name:
                name = self.layout.numbers.name(thread)
                message = location.failure.message
                if location.failure.kind is FailureKind.ASSERTION:
                    message = failing(message)
                return f"{message} in {name}", location.span
        raise InternalError("no thread has failed")

    def _raced(self, checked: RaceProperty, state: State) -> tuple[str, Span | None]:
        t, first, u, second = next(self.checker.races(checked, state))
        name = self.naming.cell(first.cell, state.g) or "memory of the library"
        edges = [
            self._access_edge(state, who, access) for who, access in ((t, first), (u, second))
        ]
        home = edges[0].span
        told = " and ".join(
            f"{self.layout.numbers.name(who)} can {_verb(edge, access)} it"
            + _place(edge.span, home)
            + self._holding(state, who)
            for (who, access), edge in zip(((t, first), (u, second)), edges, strict=True)
        )
        return f"data race on {name}: {told}", home

    def _holding(self, state: State, thread: int) -> str:
        """Which locks a thread holds, in words; nothing if it holds none."""
        held = list(self.naming.held(thread, state.g))
        return f" holding {', '.join(held)}" if held else ""

    def _access_edge(self, state: State, thread: int, access: Access) -> Edge:
        for step in self.interpreter.step(thread, state.g, state.locals[thread]):
            if access in step.accesses:
                return self.program.edges[step.choices[0].edge]
        raise InternalError("the racing access is no access of its thread")

    def _deadlocked(self, state: State) -> tuple[str, Span | None]:
        stuck = WaitingTold(self.checker.deadlocks, state).threads()
        home = next((each.span for each in stuck if each.span), None)
        names = ", ".join(each.thread + _place(each.span, home) for each in stuck)
        return f"deadlock: {names} {'wait' if len(stuck) > 1 else 'waits'} forever", home


def _verb(edge: Edge, access: Access) -> str:
    if isinstance(edge.action, Free):
        return "free"
    return "write" if access.write else "read"


def _place(span: Span | None, home: Span | None) -> str:
    """Where something happens; the file is said if it is not the one at home."""
    if span is None:
        return ""
    return f" at line {span.line}" if home and home.path == span.path else f" at {span}"
