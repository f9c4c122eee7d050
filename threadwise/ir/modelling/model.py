"""Declarations, threads and properties of a program written in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.errors import InputError
from threadwise.core.source import Span
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.check.validate import validate
from threadwise.ir.expr import VariablePlace
from threadwise.ir.fold import conjunction, definedness
from threadwise.ir.modelling.caller import calling_line
from threadwise.ir.modelling.python_formulas import Cell, Formula, Lock
from threadwise.ir.modelling.thread import MUTEX as MUTEX_PROPERTY
from threadwise.ir.modelling.thread import RANGE, Thread
from threadwise.ir.program import DEFAULT, AnyValue, FillValue, Initial, Program, Template
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.types import (
    BOOL,
    MUTEX,
    TID,
    ArrayType,
    EnumType,
    Overflow,
    RangeType,
    Type,
    Value,
)

ANY = AnyValue()
"""As an initial value: any value of the type."""


class Model:
    """A program under construction."""

    def __init__(self, name: str) -> None:
        self._program = ProgramBuilder(name)
        self._assertions: list[FailureProperty] = []
        self._stated: list[InvariantProperty | RaceProperty] = []
        self._deadlock_free = False
        self._deadlock_span: Span | None = None

    # Shared variables; with a size they are arrays, and an initial value is that of each element.

    def integer(
        self,
        name: str,
        low: int,
        high: int,
        initial: int | AnyValue | None = None,
        *,
        size: int | None = None,
        overflow: Overflow = Overflow.ERROR,
    ) -> Cell:
        """A shared number; without initial value 0 if that is in range, else the lowest."""
        return self._shared(name, RangeType(low, high, overflow), initial, size)

    def boolean(
        self, name: str, initial: bool | AnyValue | None = None, *, size: int | None = None
    ) -> Cell:
        """A shared truth value, false unless said otherwise."""
        return self._shared(name, BOOL, initial, size)

    def enumeration(
        self, name: str, members: Sequence[str], initial: str | AnyValue | None = None
    ) -> Cell:
        """A shared variable with named values, the first of them unless said otherwise."""
        held = self._program.enum(EnumType(f"{name}.type", tuple(members)))
        start = held.members.index(initial) if isinstance(initial, str) else initial
        return self._shared(name, held, start, None)

    def thread_id(self, name: str) -> Cell:
        """A shared variable for the id of a thread, initially `none`."""
        return self._shared(name, TID, None, None)

    def mutex(self, name: str, *, size: int | None = None) -> Lock:
        """A lock, or an array of locks."""
        return Lock(VariablePlace(self._program.shared(name, _sized(MUTEX, size))))

    def _shared(self, name: str, held: Type, initial: Value | AnyValue, size: int | None) -> Cell:
        start: Initial = DEFAULT
        if isinstance(initial, AnyValue):
            start = initial
        elif initial is not None:
            start = FillValue(initial)
        return Cell(VariablePlace(self._program.shared(name, _sized(held, size), start)))

    # Threads.

    @contextmanager
    def thread(self, name: str, count: int | None = 1) -> Iterator[Thread]:
        """A kind of thread, `count` of them; None stands for any number."""
        span = calling_line()
        thread = Thread(name, self._program.procedure(name, span=span), self._assertions)
        yield thread
        thread.finish()
        variables = tuple(thread.variables)
        self._program.template(Template(name, count, name, variables, span=span))

    # Properties.

    def invariant(self, name: str, formula: Formula) -> None:
        """The formula holds in every state; where it has no value it counts as false."""
        whole = conjunction((definedness(formula.expr), formula.expr))
        self._stated.append(InvariantProperty(name, whole, calling_line()))

    def race_free(self, variable: Cell) -> None:
        """No two threads can access the same cell of the variable, one of them writing."""
        name = variable.variable.name
        self._stated.append(RaceProperty(f"race_free {name}", (name,), calling_line()))

    def deadlock_free(self) -> None:
        """Check for deadlocks by default; without this they are checked on request only."""
        self._deadlock_free = True
        self._deadlock_span = calling_line()

    def build(self) -> Program:
        """The finished program; raises InputError if it is not well formed."""
        properties: tuple[Property, ...] = (
            FailureProperty(RANGE, PropertyKind.RANGE),
            FailureProperty(MUTEX_PROPERTY, PropertyKind.MUTEX),
            *self._assertions,
            *self._stated,
            RaceProperty("races", None, default=False),
            DeadlockProperty("deadlocks", self._deadlock_span, default=self._deadlock_free),
        )
        program = replace(self._program.build(), properties=properties)
        violations = validate(program)
        if violations:
            raise InputError(Diagnostic(Severity.ERROR, str(found)) for found in violations)
        return program


def _sized(held: Type, size: int | None) -> Type:
    return held if size is None else ArrayType(held, size)
