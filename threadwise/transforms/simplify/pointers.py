"""Dereferences whose targets are known become accesses to variables.

An edge that goes through a pointer with a few known targets (`points_to`) is split, one edge per
target:

    x := *p     becomes     when (p == &a): x := a
                            when (p == &b): x := b
                            when (p == null): …        (what `valid(p)` says there is known, too)

The edges exclude each other and cover every value p can have, so the program means the same. What
cannot be resolved (unknown targets, a heap, too many of them) stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from threadwise.analyses.points_to import PointsTo
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command, Operation
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_places,
    conjunction,
    negation,
    number,
    rebuild,
    root,
    subexpressions,
)
from threadwise.ir.layout import NO_THREADS, cells_of, field_offset, has_static_size, size_of
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import (
    Edge,
    EdgeId,
    Procedure,
    Program,
)
from threadwise.ir.types import (
    INTEGER_OBJECT,
    POINTER,
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    Value,
    fields_of,
)

MOST_TARGETS = 8
MOST_SPLITS = 16


def resolve_pointers(program: Program, uses: Uses | None = None) -> Program:
    """The program with known dereferences as accesses to variables."""
    uses = uses or Uses()
    analysis = PointsTo(program)
    program.found["pointers"] = analysis.sets
    procedures: list[Procedure] = []
    edges = 0
    for procedure in program.procedures:
        split: list[Edge] = []
        for edge in procedure.edges:
            used = uses.of(edge)
            if used.follows or used.computes:
                split += _Splitting(program, analysis, procedure.name, edge).run()
            else:
                split.append(edge)
        numbered = tuple(
            e.renumbered(EdgeId(edges + i), e.source, e.target) for i, e in enumerate(split)
        )
        edges += len(numbered)
        procedures.append(replace(procedure, edges=numbered))
    return replace(program, procedures=tuple(procedures))


class _Splitting:
    """One edge, split by the values of the pointers it goes through."""

    def __init__(self, program: Program, analysis: PointsTo, procedure: str, edge: Edge) -> None:
        self.program = program
        self.analysis = analysis
        self.procedure = procedure
        self.edge = edge

    def run(self) -> Iterator[Edge]:
        """The edges that replace it."""
        command = self.edge.action
        if not isinstance(command, Command):
            yield self.edge
            return
        pointers = list(self._pointers())
        if any(isinstance(each, PointerAdd) and each.pointer in pointers for each in pointers):
            yield self.edge  # from what is null nothing can be computed
            return
        choices: list[list[Value]] = []
        for pointer in pointers:
            found = self.analysis.of(pointer, self.procedure)
            if found is None or len(found) > MOST_TARGETS:
                yield self.edge
                return
            choices.append(sorted(found, key=_order))
        count = 1
        for values in choices:
            count *= len(values)
        if count > MOST_SPLITS or count == 0:
            yield self.edge
            return
        pieces: list[Edge] = []
        for chosen in product(*choices):
            piece = self._piece(command, dict(zip(pointers, chosen, strict=True)))
            if piece is None:
                yield self.edge
                return
            pieces.append(piece)
        yield from (piece for piece in pieces if piece.action.guard != FALSE)

    def _pointers(self) -> Iterator[Expr]:
        """The pointers, innermost ones that need no other first."""
        found: dict[Expr, None] = {}
        for place in action_places(self.edge.action):
            base = root(place)
            if isinstance(base, DerefPlace):
                found[base.pointer] = None
        for expr in edge_expressions(self.edge):
            for part in subexpressions(expr):
                match part:
                    case IsValid(pointer, _) | HoldsInteger(pointer) | PointerToInt(pointer):
                        found[pointer] = None
                    case IsAllocated(pointer):
                        found[pointer] = None
                    case Read(place) | IsWritten(place) | AddressOf(place):
                        base = root(place)
                        if isinstance(base, DerefPlace):
                            found[base.pointer] = None
                    case _:
                        pass
        return iter(found)

    def _piece(self, command: Command, known: dict[Expr, Value]) -> Edge | None:
        """The edge where the pointers have these values; None if that cannot be told."""
        resolver = _Resolver(self.program, known)
        try:
            guard = resolver.expr(command.guard)
            if guard == FALSE:
                return replace(self.edge, action=Command(FALSE))
            tests = [
                Binary(BinaryOp.EQ, resolver.expr(pointer, whole=False), Const(value, POINTER))
                for pointer, value in known.items()
                if any(isinstance(part, Read) for part in subexpressions(pointer))
            ]
            assignments = tuple(
                Assignment(resolver.place(a.target), resolver.expr(a.value))
                for a in command.assignments
            )
            havocs = tuple(map(resolver.place, command.havocs))
            operation = self._operation(resolver)
        except _Unresolved:
            if _never_evaluated(resolver, command):
                return replace(self.edge, action=Command(FALSE))
            return None
        whole = conjunction([guard, *tests])
        changed = Command(whole, assignments, havocs)
        return replace(self.edge, action=changed, operation=operation)

    def _operation(self, resolver: _Resolver) -> Operation | None:
        operation = self.edge.operation
        if operation is None or operation.subject is None:
            return operation
        try:
            return replace(operation, subject=resolver.expr(operation.subject))
        except _Unresolved:  # nothing is waited for where the subject does not exist
            return None


def _never_evaluated(resolver: _Resolver, command: Command) -> bool:
    """Whether the guard is false where the pointers have these values."""
    try:
        return resolver.expr(command.guard) == FALSE
    except _Unresolved:
        return False


def _order(value: Value) -> tuple[int, int]:
    return value if isinstance(value, Address) else (-3, 0)


class _Unresolved(Exception):  # noqa: N818 - says that a place has no name, no fault
    """A dereference that leads to no cell that could be named."""


class _Resolver:
    """Expressions where some pointers have known values."""

    def __init__(self, program: Program, known: dict[Expr, Value]) -> None:
        self.program = program
        self.known = known

    def expr(self, expr: Expr, *, whole: bool = True) -> Expr:
        """The expression with what is known put in; its own value only if `whole`."""
        if whole and expr in self.known:
            return Const(self.known[expr], POINTER)
        match expr:
            case IsValid(pointer, held) if pointer in self.known:
                return TRUE if self._place_at(self.known[pointer], held) is not None else FALSE
            case IsAllocated(pointer) if pointer in self.known:
                return FALSE  # what is known is never on the heap
            case HoldsInteger(pointer) if pointer in self.known:
                return TRUE if _holds_integer(self.known[pointer]) else FALSE
            case PointerToInt(pointer) if pointer in self.known:
                value = self.known[pointer]
                if not _holds_integer(value):
                    raise _Unresolved
                return number(value.offset if isinstance(value, Address) else 0)
            case Binary(BinaryOp.AND, left, right):
                first = self.expr(left)
                return FALSE if first == FALSE else conjunction([first, self.expr(right)])
            case Binary(BinaryOp.OR, left, right):
                first = self.expr(left)
                if first == TRUE:
                    return TRUE
                second = self.expr(right)
                return second if first == FALSE else Binary(BinaryOp.OR, first, second)
            case Read(place):
                return Read(self.place(place))
            case IsWritten(place):
                return IsWritten(self.place(place))
            case AddressOf(place):
                return constant_address(self.program, self.place(place))
            case _:
                return _negated(rebuild(expr, self.expr))

    def place(self, place: Place) -> Place:
        """The place with known pointers followed."""
        match place:
            case VariablePlace():
                return place
            case FieldPlace(base, field):
                return FieldPlace(self.place(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self.place(base), self.expr(index))
            case DerefPlace(pointer, held):
                if pointer not in self.known:
                    raise _Unresolved
                found = self._place_at(self.known[pointer], held)
                if found is None:
                    raise _Unresolved
                return found

    def _place_at(self, value: Value, held: Type | None) -> Place | None:
        """The part of a variable at an address that has the cells of a type."""
        if not isinstance(value, Address) or not 0 <= value.number < len(self.program.globals):
            return None
        variable = self.program.globals[value.number].variable
        if not has_static_size(variable.type):
            raise _Unresolved
        size = size_of(variable.type, NO_THREADS)
        if not 0 <= value.offset < size:
            return None
        if held is None:
            return VariablePlace(variable)
        found = part_at(VariablePlace(variable), value.offset, held)
        if found is not None:
            return found
        if _cells_fit(variable, value.offset, held):
            raise _Unresolved  # valid, but of another shape than any part
        return None


def constant_address(program: Program, place: Place) -> Expr:
    """`&place`, as a constant if no index has to be evaluated."""
    offset = 0
    inner = place
    while not isinstance(inner, VariablePlace):
        match inner:
            case FieldPlace(base, field) if has_static_size(base.type):
                assert isinstance(base.type, RecordType | MutexType)
                offset += field_offset(base.type, field, NO_THREADS)
                inner = base
            case IndexPlace(base, Const(int(position), _)) if has_static_size(base.type):
                offset += position * size_of(inner.type, NO_THREADS)
                inner = base
            case _:
                return AddressOf(place)
    names = [declaration.variable.name for declaration in program.globals]
    return Const(Address(names.index(inner.variable.name), offset), POINTER)


def _negated(expr: Expr) -> Expr:
    if isinstance(expr, Unary) and expr.op is UnaryOp.NOT:
        return negation(expr.operand)
    return expr


def _holds_integer(value: Value) -> bool:
    return not isinstance(value, Address) or value.number == INTEGER_OBJECT


def _cells_fit(variable: Variable, offset: int, held: Type) -> bool:
    cells = list(cells_of(variable, NO_THREADS))
    wanted = list(cells_of(Variable("", held, Scope.GLOBAL), NO_THREADS))
    return offset + len(wanted) <= len(cells) and all(
        cells[offset + i].type == cell.type for i, cell in enumerate(wanted)
    )


def part_at(place: Place, offset: int, held: Type) -> Place | None:
    """The part of a place at an offset that has the type."""
    if offset == 0 and place.type == held:
        return place
    match place.type:
        case ArrayType(element, _):
            size = size_of(element, NO_THREADS)
            if size == 0:
                return None
            position, rest = divmod(offset, size)
            return part_at(IndexPlace(place, number(position)), rest, held)
        case RecordType() | MutexType() as aggregate:
            for field, part in fields_of(aggregate):
                size = size_of(part, NO_THREADS)
                if offset < size:
                    return part_at(FieldPlace(place, field), offset, held)
                offset -= size
            return None
        case _:
            return None
