"""Threads one by one, the cells of their variables, and expressions over these.

A cell is a scalar part of a variable; it is known by a name. Expressions of a thread are
*resolved*: cells become variables that have these names, so that what is known of intervals
applies (`transforms.simplify.intervals`), and ids of threads become constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from threadwise.engines.tallies.equations import Form, variable
from threadwise.ir.commands import Command, OperationKind
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number, rebuild, root
from threadwise.ir.folding import folded
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import (
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    MutexType,
    PerThread,
    RangeType,
    RecordType,
    TidType,
    Type,
    fields_of,
)
from threadwise.transforms.simplify.intervals import bounds

MOST_CELLS = 12
"""Arrays with more elements than this have no cells."""
OWN = "~"
"""In front of the names of what a thread has for itself."""
UNKNOWN = "?"

Bounds = tuple[int | None, int | None]
Known = dict[str, Bounds]
Values = Mapping[str, Expr]


class Thread(NamedTuple):
    """One of the threads of a template."""

    template: str
    position: int

    @property
    def id(self) -> ThreadAt:
        """Its id."""
        return ThreadAt(self.template, number(self.position))


@dataclass(frozen=True)
class Cell:
    """A scalar part of a variable."""

    name: str
    place: Place
    type: Type

    @property
    def is_number(self) -> bool:
        """Whether it holds an integer."""
        return isinstance(self.type, IntType | RangeType | MachineType)

    @property
    def is_shared(self) -> bool:
        """Whether other threads see it."""
        return not self.name.startswith(OWN)

    @property
    def limits(self) -> Bounds:
        """The bounds of its type."""
        held = self.type
        return (held.low, held.high) if isinstance(held, RangeType | MachineType) else (None, None)


def threads_of(program: Program) -> list[Thread]:
    """All threads of a program; of a template with any number of them, one."""
    counts = ((t.name, 1 if t.count is None else t.count) for t in program.templates)
    return [Thread(name, k) for name, count in counts for k in range(count)]


def cells_of(program: Program, whole: Variable) -> Iterator[Cell]:
    """The cells of a variable that may be known."""
    counts = {t.name: t.count or 0 for t in program.templates}

    def parts(place: Place, name: str) -> Iterator[Cell]:
        match place.type:
            case ArrayType(_, int(extent)) if extent <= MOST_CELLS:
                for k in range(extent):
                    yield from parts(IndexPlace(place, number(k)), f"{name}[{k}]")
            case ArrayType(_, PerThread(template)):
                for k in range(counts[template]):
                    mine = ThreadAt(template, number(k))
                    yield from parts(IndexPlace(place, mine), f"{name}[{template}.{k}]")
            case RecordType() | MutexType() as held:
                for field, _ in fields_of(held):
                    yield from parts(FieldPlace(place, field), f"{name}.{field}")
            case (
                BoolType() | EnumType() | TidType() | IntType() | RangeType() | MachineType()
            ) as held:
                yield Cell(name, place, held)
            case _:
                pass

    start = whole.name if whole.scope is Scope.GLOBAL else OWN + whole.name
    yield from parts(VariablePlace(whole), start)


class Resolving:
    """Expressions of a thread, in a state."""

    def __init__(
        self, thread: Thread, known: Known, values: Values, held: Callable[[str], bool]
    ) -> None:
        self.thread = thread
        self.known = known
        self.values = values
        self.held = held

    def of(self, expr: Expr) -> Expr:
        """An expression over cells."""
        match expr:
            case SelfId():
                return self.thread.id
            case SelfIndex():
                return number(self.thread.position)
            case Read(place):
                return self._read(place)
            case ThreadAt(template, position):
                return ThreadAt(template, self._number(self.of(position)))
            case IsInstance(operand, template):
                return self._instance(self.of(operand), template)
            case Binary(BinaryOp.EQ | BinaryOp.NE as op, left, right) if isinstance(
                left.type, TidType
            ):
                return self._same(op, left, right)
            case _:
                return folded(rebuild(expr, self.of))

    def _number(self, expr: Expr) -> Expr:
        """An integer as a constant, if it is known."""
        low, high = bounds(expr, self.known)
        return number(low) if low is not None and low == high else expr

    def _read(self, place: Place) -> Expr:
        name = self.name(place)
        if name is None:
            return Read(VariablePlace(Variable(UNKNOWN, place.type, Scope.LOCAL)))
        if name in self.values:
            return self.values[name]
        return Read(VariablePlace(Variable(name, place.type, Scope.LOCAL)))

    def _instance(self, operand: Expr, template: str) -> Expr:
        match operand:
            case ThreadAt(known, Const()):
                return TRUE if known == template else FALSE
            case Const():
                return FALSE
            case _:
                return IsInstance(operand, template)

    def _same(self, op: BinaryOp, left: Expr, right: Expr) -> Expr:
        a, b = self.of(left), self.of(right)
        if all(isinstance(e, Const) or _is_thread(e) for e in (a, b)):
            return TRUE if (a == b) == (op is BinaryOp.EQ) else FALSE
        for one, other in ((a, b), (b, a)):
            if other == self.thread.id and isinstance(one, Read):
                cell = one.place
                if isinstance(cell, VariablePlace) and is_owner(cell.variable.name):
                    mine = self.held(cell.variable.name)
                    return TRUE if mine == (op is BinaryOp.EQ) else FALSE
        return Binary(op, a, b)

    def name(self, place: Place) -> str | None:
        """The name of a cell; None if it is not known which."""
        match place:
            case VariablePlace(whole):
                return whole.name if whole.scope is Scope.GLOBAL else OWN + whole.name
            case FieldPlace(base, field):
                inner = self.name(base)
                return None if inner is None else f"{inner}.{field}"
            case IndexPlace(base, index):
                inner, at = self.name(base), self.of(index)
                if not isinstance(index.type, TidType):
                    at = self._number(at)
                match at:
                    case _ if inner is None:
                        return None
                    case Const(int(position), _):
                        return f"{inner}[{position}]"
                    case ThreadAt(template, Const(position, _)):
                        return f"{inner}[{template}.{position}]"
                    case _:
                        return None
            case _:
                return None

    def names(self, place: Place, cells: Mapping[str, Cell]) -> list[str]:
        """The cells that a place may be."""
        name = self.name(place)
        if name is not None:
            return [name] if name in cells else []
        base = root(place)
        return [n for n, cell in cells.items() if root(cell.place) == base]


def is_owner(name: str) -> bool:
    """Whether a cell is the owner of a mutex."""
    return name.endswith(".owner")


def _is_thread(expr: Expr) -> bool:
    return isinstance(expr, ThreadAt) and isinstance(expr.position, Const)


def linear(expr: Expr) -> Form | None:
    """A resolved expression as a linear one, as if nothing wrapped."""
    match expr:
        case Const(value, _) if type(value) is int:
            return Form({}, value)
        case Read(VariablePlace(cell)) if cell.name != UNKNOWN:
            return variable(cell.name)
        case Wrap(_, _, operand):
            return linear(operand)
        case Unary(UnaryOp.NEG, operand):
            inner = linear(operand)
            return None if inner is None else inner.times(-1)
        case Binary(BinaryOp.ADD | BinaryOp.SUB as op, left, right):
            a, b = linear(left), linear(right)
            if a is None or b is None:
                return None
            return a.plus(b, 1 if op is BinaryOp.ADD else -1)
        case Binary(BinaryOp.MUL, left, right):
            a, b = linear(left), linear(right)
            if a is None or b is None or (a.factors and b.factors):
                return None
            return b.times(a.constant) if b.factors else a.times(b.constant)
        case _:
            return None


def locks_of(edge: Edge, value: Expr) -> list[Place]:
    """The owners of mutexes that an edge gives a value."""
    action = edge.action
    if not isinstance(action, Command):
        return []
    return [
        each.target
        for each in action.assignments
        if each.value == value
        and isinstance(each.target, FieldPlace)
        and each.target.field == "owner"
        and isinstance(each.target.base.type, MutexType)
    ]


def acquired(edge: Edge) -> list[Place]:
    """Owners that become the thread itself."""
    return locks_of(edge, SelfId())


def released(edge: Edge) -> list[Place]:
    """Owners that become nobody."""
    return locks_of(edge, NOBODY)


def kind_of(edge: Edge) -> OperationKind | None:
    """What an edge is for."""
    return None if edge.operation is None else edge.operation.kind
