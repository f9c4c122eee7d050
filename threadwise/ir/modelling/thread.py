"""The body of a thread, statement by statement.

The graph grows as in `threadwise.ir.builder`: `_current` is the node reached so far, None where
control cannot arrive; sequencing is done with jumps, which cost no step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from threadwise.ir import operations
from threadwise.ir.builder import Node, ProcedureBuilder
from threadwise.ir.commands import Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import TRUE, Expr, Scope, Variable, VariablePlace
from threadwise.ir.fold import conjunction, definedness, negation, place_definedness
from threadwise.ir.modelling.caller import calling_line
from threadwise.ir.modelling.python_formulas import Cell, Formula, Lock, Operand, ThreadChoice
from threadwise.ir.operations import Synchronisation
from threadwise.ir.program import DEFAULT, Declaration, Failure, FailureKind, FillValue
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.ir.text.terms import Terms
from threadwise.ir.types import BOOL, TID, Overflow, RangeType, Type, Value

RANGE = "range"
MUTEX = "mutex"
Checks: TypeAlias = "Sequence[tuple[Expr, Failure]]"


class Thread:
    """A thread template under construction; each method adds a statement."""

    def __init__(
        self, name: str, builder: ProcedureBuilder, assertions: list[FailureProperty]
    ) -> None:
        self.name = name
        self.variables: list[Declaration] = []
        self._assertions = assertions
        """Those of the whole program so far."""
        self._builder = builder
        self._current: Node | None = builder.node()
        self._pending_else: tuple[Node, Node | None] | None = None
        """After an `if_`: where control is if the condition fails, and where it is if not."""
        self._atomic = False

    # Variables.

    def integer(
        self,
        name: str,
        low: int,
        high: int,
        initial: int | None = None,
        *,
        overflow: Overflow = Overflow.ERROR,
    ) -> Cell:
        """A number of the thread's own."""
        return self._own(name, RangeType(low, high, overflow), initial)

    def boolean(self, name: str, initial: bool | None = None) -> Cell:
        """A truth value of the thread's own."""
        return self._own(name, BOOL, initial)

    def thread_id(self, name: str) -> Cell:
        """A thread-local variable for the id of a thread, initially `none`."""
        return self._own(name, TID, None)

    def _own(self, name: str, held: Type, initial: Value) -> Cell:
        variable = Variable(name, held, Scope.THREAD)
        start = DEFAULT if initial is None else FillValue(initial)
        self.variables.append(Declaration(variable, start))
        return Cell(VariablePlace(variable))

    def any_of(self, *names: str) -> list[ThreadChoice]:
        """Quantified threads of this template, for `forall`."""
        return [ThreadChoice(name, self.name) for name in names]

    # Statements that are one step.

    def skip(self) -> None:
        """Do nothing."""
        self._step(Command(), "skip")

    def assign(self, target: Cell, value: Operand) -> None:
        """`target = value`; a value outside the target's range is a `range` failure."""
        self.assign_all((target, value))

    def assign_all(self, *pairs: tuple[Cell, Operand]) -> None:
        """A parallel assignment: everything is evaluated before anything is written."""
        evaluated: list[tuple[Expr, Failure]] = []
        fitting: list[tuple[Expr, Failure]] = []
        assignments: list[Assignment] = []
        for target, value in pairs:
            stored, fits = target.stored(value)
            held = Terms().type(target.place.type)
            evaluated += [*_defined(stored), *_exists(target)]
            fitting.append((fits, _range(f"value of `{_text(stored)}` outside {held}")))
            assignments.append(Assignment(target.place, stored))
        left = ", ".join(_text(target.expr) for target, _ in pairs)
        right = ", ".join(_text(assignment.value) for assignment in assignments)
        command = Command(assignments=tuple(assignments))
        self._step(command, f"{left} = {right}", [*evaluated, *fitting])

    def havoc(self, target: Cell) -> None:
        """Give the target any value of its type."""
        command = Command(havocs=(target.place,))
        self._step(command, f"havoc {_text(target.expr)}", _exists(target))

    def assume(self, condition: Formula) -> None:
        """Wait until the condition holds."""
        text = f"assume({_text(condition.expr)})"
        self._step(Command(condition.expr), text, _defined(condition.expr))

    def check(self, condition: Formula, name: str | None = None) -> None:
        """Assert the condition; the property is called `name`, else `assert:1`, `assert:2`, …"""
        property_name = name or f"assert:{len(self._assertions) + 1}"
        kind = PropertyKind.ASSERTION
        self._assertions.append(FailureProperty(property_name, kind, calling_line()))
        text = _text(condition.expr)
        message = f"assertion `{text}` failed"
        failed = Failure(FailureKind.ASSERTION, property_name, message)
        checks = [*_defined(condition.expr), (condition.expr, failed)]
        self._step(Command(), f"assert({text})", checks, Operation(OperationKind.ASSERT))

    def acquire(self, lock: Lock) -> None:
        """Wait for a mutex and take it."""
        self._synchronise(operations.acquire(lock.place), f"acquire({lock.text})", lock)

    def release(self, lock: Lock) -> None:
        """Give a mutex back; one that the thread does not hold is a `mutex` failure."""
        self._synchronise(operations.release(lock.place), f"release({lock.text})", lock)

    def _synchronise(self, done: Synchronisation, text: str, lock: Lock) -> None:
        checks = [(place_definedness(lock.place), _range(f"there is no `{lock.text}`"))]
        if done.requires is not None:
            message = f"release of `{lock.text}` which the thread does not hold"
            checks.append((done.requires, Failure(FailureKind.MUTEX, MUTEX, message)))
        self._step(done.command, text, checks, done.operation)

    def label(self, name: str) -> None:
        """Name the location of the next statement; takes no step."""
        node = self._node()
        self._jump(node)
        self._builder.label(node, name)
        self._current = node

    # Statements with statements inside.

    @contextmanager
    def holding(self, lock: Lock) -> Iterator[None]:
        """Acquire, the statements inside, release."""
        self.acquire(lock)
        yield
        self.release(lock)

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """The statements inside are one step."""
        if self._atomic:
            yield
            return
        before = self._here()
        self._atomic = True
        self._current = self._node()
        self._builder.jump(before, self._current)
        yield
        self._settle()
        self._atomic = False
        after = self._node()
        self._jump(after)
        self._current = after

    @contextmanager
    def loop(self) -> Iterator[None]:
        """Repeat the statements inside for ever; the loop itself takes no step."""
        head = self._here()
        yield
        self._jump(head)

    @contextmanager
    def while_(self, condition: Formula) -> Iterator[None]:
        """Repeat the statements inside as long as the condition holds."""
        head = self._here()
        self._current, after = self._branch(condition)
        yield
        self._jump(head)
        self._current = after

    @contextmanager
    def if_(self, condition: Formula) -> Iterator[None]:
        """The statements inside are for the case that the condition holds."""
        self._current, otherwise = self._branch(condition)
        yield
        self._settle()
        self._pending_else = otherwise, self._current

    @contextmanager
    def else_(self) -> Iterator[None]:
        """The statements inside are for the case that the `if_` just before did not apply."""
        if self._pending_else is None:
            raise ValueError("`else_` must follow directly on `if_`")
        self._current, end = self._pending_else
        self._pending_else = None
        yield
        self._settle()
        self._meet(end, self._current)

    @contextmanager
    def either(self) -> Iterator[Branches]:
        """One of several branches: `with choice.branch():` for each, where this gives `choice`."""
        branches = Branches(self, self._here())
        yield branches
        self._meet(*branches.ends)

    def finish(self) -> None:
        """The end of the body."""
        self._jump(self._builder.node(final=True))

    # The graph.

    def branch_from(self, source: Node) -> None:
        """Continue with a branch that is offered at a node."""
        self._current = self._node()
        self._builder.jump(source, self._current)

    def branch_end(self) -> Node | None:
        """Where the branch at hand ends, if control arrives there."""
        self._settle()
        return self._current

    def _node(self) -> Node:
        return self._builder.node(atomic=self._atomic)

    def _here(self) -> Node:
        """The location where a statement starts."""
        self._settle()
        if self._current is None:
            self._current = self._node()
        self._builder.place_at(self._current, calling_line())
        return self._current

    def _settle(self) -> None:
        """No `else_` follows on the last `if_`."""
        if self._pending_else is not None:
            ends, self._pending_else = self._pending_else, None
            self._meet(*ends)

    def _meet(self, *ends: Node | None) -> None:
        """Continue where several ways meet."""
        arriving = [end for end in ends if end is not None]
        self._current = None
        if arriving:
            self._current = self._node()
            for end in arriving:
                self._builder.jump(end, self._current)

    def _jump(self, target: Node) -> None:
        self._settle()
        if self._current is not None:
            self._builder.jump(self._current, target)
        self._current = None

    def _branch(self, condition: Formula) -> tuple[Node, Node]:
        """The two edges of a condition; where they lead if it holds and if not."""
        source = self._here()
        then, otherwise = self._node(), self._node()
        expr, text = condition.expr, _text(condition.expr)
        self._edge(source, then, Command(expr), f"[{text}]", _defined(expr))
        refused = Command(conjunction((definedness(expr), negation(expr))))
        self._edge(source, otherwise, refused, f"[!({text})]")
        return then, otherwise

    def _step(
        self, command: Command, text: str, checks: Checks = (), purpose: Operation | None = None
    ) -> None:
        source = self._here()
        target = self._node()
        self._edge(source, target, command, text, checks, purpose)
        self._current = target

    def _edge(
        self,
        source: Node,
        target: Node,
        command: Command,
        text: str,
        checks: Checks = (),
        purpose: Operation | None = None,
    ) -> None:
        self._builder.checked_edge(
            source,
            target,
            command,
            checks,
            span=calling_line(),
            operation=purpose,
            sync=self._atomic,
            text=text,
        )


class Branches:
    """The alternatives of an `either`."""

    def __init__(self, thread: Thread, source: Node) -> None:
        self.ends: list[Node | None] = []
        self._thread = thread
        self._source = source

    @contextmanager
    def branch(self) -> Iterator[None]:
        """One alternative: its first step is offered where the `either` stands."""
        self._thread.branch_from(self._source)
        yield
        self.ends.append(self._thread.branch_end())


def _text(expr: Expr) -> str:
    return Terms().expr(expr)


def _range(message: str) -> Failure:
    return Failure(FailureKind.RANGE, RANGE, message)


def _defined(expr: Expr) -> list[tuple[Expr, Failure]]:
    needed = definedness(expr)
    return [] if needed == TRUE else [(needed, _range(f"`{_text(expr)}` has no value"))]


def _exists(target: Cell) -> list[tuple[Expr, Failure]]:
    needed = place_definedness(target.place)
    return [] if needed == TRUE else [(needed, _range(f"there is no `{_text(target.expr)}`"))]
