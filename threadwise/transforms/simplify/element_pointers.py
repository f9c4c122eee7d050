"""Pointers to the elements of one array become indices.

    static struct job jobs[10000];                jobs[mine].result := …
    struct job *mine = argument;       becomes    with  mine: int
    mine->result = …;

A thread is often told what is its own by a pointer: `pthread_create(&t, 0, worker, &jobs[i])`. If
every pointer of a program is null or leads to an element of one array, and pointers are only
copied, tested for validity and followed to whole elements or their fields, then a pointer is the
index of its element, and null is -1: both that and an element outside the array may be copied, and
neither may be followed. Arrays of any size are treated so, and the index that a thread was given
is visible to engines that know nothing of memory.

Not treated: comparisons of pointers (null and the element -1 would be equal), pointers that are
moved, pointers to parts of elements, inputs, a heap.
"""

from __future__ import annotations

from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerExpr,
    Read,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import allocates, number, rebuild
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    Initial,
    ListedValues,
    Program,
)
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.rewriting import Rewriting
from threadwise.ir.types import (
    INT,
    NULL,
    Address,
    ArrayType,
    PointerType,
    RecordType,
    Type,
    Value,
    parts_of,
)
from threadwise.transforms.simplify.opaque_pointers import constant_addresses

PASS = "element pointers"
"""The name of the pass in certificates."""
NOWHERE = -1
"""The index of a pointer that is null."""


def pointers_to_indices(program: Program, uses: Uses | None = None) -> Program:
    """The program with indices instead of pointers, if they lead into one array."""
    array = _array(program, uses or Uses())
    if array is None:
        return program
    try:
        return _Indices(*array).program(program)
    except _MoreThanIndices:
        return program


class _MoreThanIndices(Exception):  # noqa: N818 - an answer
    """A pointer is more than the index of an element."""


def _array(program: Program, uses: Uses) -> tuple[int, Variable] | None:
    """The only array that addresses name."""
    if allocates(program):
        return None
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return None
    named = {address.number for address in constant_addresses(program, uses)}
    if len(named) != 1:
        return None
    (found,) = named
    if not 0 <= found < len(program.globals):
        return None
    variable = program.globals[found].variable
    is_array = isinstance(variable.type, ArrayType) and has_static_size(variable.type)
    return (found, variable) if is_array else None


def _holds_pointers(held: Type) -> bool:
    return any(isinstance(part, PointerType) for part in parts_of(held))


class _Indices:
    def __init__(self, number_: int, array: Variable) -> None:
        held = array.type
        assert isinstance(held, ArrayType)
        assert isinstance(held.extent, int)
        self.number = number_
        self.array = array
        self.element = held.element
        self.extent = held.extent
        self.size = size_of(held.element, NO_THREADS)

    def program(self, program: Program) -> Program:
        """The whole program."""
        rewriting = Rewriting(self._place, self.expr)
        for action in program.actions:
            if isinstance(action, Command) and any(_holds_pointers(p.type) for p in action.havocs):
                raise _MoreThanIndices
        return replace(
            program,
            globals=tuple(map(self._declaration, program.globals)),
            templates=tuple(
                replace(t, variables=tuple(map(self._declaration, t.variables)))
                for t in program.templates
            ),
            procedures=tuple(
                replace(
                    p,
                    parameters=tuple(map(self._variable, p.parameters)),
                    result=None if p.result is None else self._type(p.result),
                    locals=tuple(map(self._declaration, p.locals)),
                    edges=tuple(map(rewriting.edge, p.edges)),
                )
                for p in program.procedures
            ),
        )

    # -- variables -------------------------------------------------------------------------------

    def _type(self, held: Type) -> Type:
        match held:
            case PointerType():
                return INT
            case ArrayType(element, extent):
                return ArrayType(self._type(element), extent)
            case RecordType(name, fields) if _holds_pointers(held):
                return RecordType(name, tuple((f, self._type(part)) for f, part in fields))
            case _:
                return held

    def _variable(self, variable: Variable) -> Variable:
        if not _holds_pointers(variable.type):
            return variable
        return replace(variable, type=self._type(variable.type))

    def _declaration(self, declaration: Declaration) -> Declaration:
        if not _holds_pointers(declaration.variable.type):
            return declaration
        initial: Initial = declaration.initial
        match initial:
            case FillValue(value):
                initial = FillValue(self._value(value))
            case ListedValues(values):
                initial = ListedValues(tuple(map(self._value, values)))
            case DefaultValue():
                if not _is_of_pointers(declaration.variable.type):
                    raise _MoreThanIndices
                initial = FillValue(NOWHERE)
            case AnyValue():
                raise _MoreThanIndices
        return Declaration(self._variable(declaration.variable), initial)

    def _value(self, value: Value) -> Value:
        if value is NULL:
            return NOWHERE
        if not isinstance(value, Address):
            return value
        if value.number != self.number or value.offset % self.size:
            raise _MoreThanIndices
        return value.offset // self.size

    # -- expressions -----------------------------------------------------------------------------

    def _place(self, place: Place) -> Place:
        match place:
            case VariablePlace(variable):
                return VariablePlace(self._variable(variable))
            case FieldPlace(base, field):
                return FieldPlace(self._place(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self._place(base), self.expr(index))
            case DerefPlace(pointer, held) if held == self.element:
                whole = VariablePlace(self._variable(self.array))
                return IndexPlace(whole, self.expr(pointer))
            case DerefPlace():
                raise _MoreThanIndices

    def expr(self, expr: Expr) -> Expr:
        """An expression of the new program."""
        match expr:
            case Const(value, PointerType()):
                return Const(self._value(value), INT)
            case Read(place):
                return Read(self._place(place))
            case IsWritten(place):
                return IsWritten(self._place(place))
            case PointerAdd(Const(Address() as base), count, element):
                if not has_static_size(element) or size_of(element, NO_THREADS) != self.size:
                    raise _MoreThanIndices
                first, moved = self._value(base), self.expr(count)
                assert isinstance(first, int)
                return moved if first == 0 else Binary(BinaryOp.ADD, number(first), moved)
            case IsValid(pointer, held) if held is None or held == self.element:
                index = self.expr(pointer)
                above = Binary(BinaryOp.GE, index, number(0))
                below = Binary(BinaryOp.LE, index, number(self.extent - 1))
                return Binary(BinaryOp.AND, above, below)
            case Binary(_, left, _) if isinstance(left.type, PointerType):
                raise _MoreThanIndices
            case _ if isinstance(expr, PointerExpr):
                raise _MoreThanIndices
            case _:
                return rebuild(expr, self.expr)


def _is_of_pointers(held: Type) -> bool:
    """Whether a type is that of a pointer, or of an array of pointers."""
    while isinstance(held, ArrayType):
        held = held.element
    return isinstance(held, PointerType)
