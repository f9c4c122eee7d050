"""Pointers as indices: an address of an element of one array becomes the number of the element.

Let A be a global array of n elements, each of s cells. The map of values is

    address of A, offset k * s    ↦  k        for every integer k, inside the array or not
    null                          ↦  -1

and all that is not a pointer stays as it is. By induction over steps every pointer is a value on
the left: at first (`_value`), and because an edge makes pointers of constants, of a constant
moved by elements of s cells, and of other pointers, and of nothing else. Null and the element -1
have one image. What an edge does with pointers does not tell them apart:

    valid(p), valid(p, element)   0 <= k <= n - 1: offsets k * s are inside A if and only if k is,
                                  and there the cells of an element begin; null and -1 are not
    deref(p, element)             A[k]: the same cells if k is inside, without a value otherwise
    copies                        k

Everything else is refused: comparisons, differences and moves of pointers, conversions, addresses
of places, views as another type, pointers as inputs, unset pointers, a heap. So the map is a
bisimulation, and accesses are to the same cells: races, failures and waits are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Allocate, Command, Free
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
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
from threadwise.ir.fold import rebuild
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    FillValue,
    Initial,
    ListedValues,
    Program,
)
from threadwise.ir.types import (
    INT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    PointerType,
    RecordType,
    Type,
    Value,
    parts_of,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.shared import Shared
from threadwise.proofs.simplified.translations import Translation


@dataclass
class Elements(Translation):
    """Pointers into an array as indices."""

    number: int
    array: Variable
    element: Type
    extent: int
    size: int

    def edge(self, edge: Edge) -> Edge:
        """The edge; raises Refuted if a pointer is an input, or what an operation is about."""
        action, operation = edge.action, edge.operation
        if isinstance(action, Allocate | Free):
            raise Refuted("there is a heap")
        if isinstance(action, Command) and any(_has_pointers(p.type) for p in action.havocs):
            raise Refuted("a pointer is an input")
        subject = None if operation is None else operation.subject
        if subject is not None and _has_pointers(subject.type):
            raise Refuted("an operation is about a pointer")
        return super().edge(edge)

    def type(self, held: Type) -> Type:
        """The type with integers in place of pointers."""
        match held:
            case PointerType():
                return INT
            case ArrayType(element, extent):
                return ArrayType(self.type(element), extent)
            case RecordType(name, fields):
                return RecordType(name, tuple((field, self.type(part)) for field, part in fields))
            case _:
                return held

    def variable(self, variable: Variable) -> Variable:
        """The variable with another type."""
        return replace(variable, type=self.type(variable.type))

    def declaration(self, declaration: Declaration) -> Iterator[Declaration]:
        """The declaration with other initial values: pointers are null if nothing is said."""
        held = declaration.variable.type
        if not _has_pointers(held):
            yield declaration
            return
        initial: Initial = declaration.initial
        if isinstance(initial, FillValue):
            initial = FillValue(self._value(initial.value))
        elif isinstance(initial, ListedValues):
            initial = ListedValues(tuple(map(self._value, initial.values)))
        elif initial == DEFAULT and all(isinstance(p, PointerType) for p in parts_of(held)):
            initial = FillValue(self._value(NULL))
        else:
            raise Refuted(f"`{declaration.variable.name}` holds pointers, and starts otherwise")
        yield Declaration(self.variable(declaration.variable), initial)

    def _value(self, value: Value) -> Value:
        if value is NULL:
            return -1
        if value == UNSET:
            raise Refuted("a pointer may be unset")
        if not isinstance(value, Address):
            return value
        if value.number != self.number or value.offset % self.size != 0:
            raise Refuted("an address of something else than an element")
        return value.offset // self.size

    def place(self, place: Place) -> Place:
        """What a pointer leads to is an element."""
        if not isinstance(place, DerefPlace):
            return super().place(place)
        if place.type != self.element:
            raise Refuted("a pointer leads to something else than an element")
        return IndexPlace(VariablePlace(self.variable(self.array)), self.expr(place.pointer))

    def expr(self, expr: Expr) -> Expr:
        """The expression over indices."""
        match expr:
            case Const(value, PointerType()):
                return Const(self._value(value), INT)
            case Read(place):
                return Read(self.place(place))
            case IsWritten(place):
                return IsWritten(self.place(place))
            case PointerAdd(Const(Address() as start), count, element):
                if not has_static_size(element) or size_of(element, NO_THREADS) != self.size:
                    raise Refuted("a pointer is moved by something else than elements")
                first, times = self._value(start), self.expr(count)
                return times if first == 0 else Binary(BinaryOp.ADD, Const(first, INT), times)
            case IsValid(pointer, held):
                if held not in (None, self.element):
                    raise Refuted("a pointer leads to something else than an element")
                index = self.expr(pointer)
                above = Binary(BinaryOp.GE, index, Const(0, INT))
                below = Binary(BinaryOp.LE, index, Const(self.extent - 1, INT))
                return Binary(BinaryOp.AND, above, below)
            case Binary(_, left, right):
                if _has_pointers(left.type) or _has_pointers(right.type):
                    raise Refuted("pointers are compared")
                return rebuild(expr, self.expr)
            case _ if isinstance(expr, PointerExpr):
                raise Refuted("a pointer is more than copied and followed")
            case _:
                return rebuild(expr, self.expr)


def element_pointers(before: Program, after: Program, shared: Shared) -> Elements:
    """The array that all pointers lead into; raises Refuted if there is no such array."""
    del after
    if UNSET in shared.addresses:
        raise Refuted("a pointer may be unset")
    numbers = {address.number for address in shared.addresses}
    if len(numbers) != 1:
        raise Refuted("pointers lead to several objects, or to none")
    (number,) = numbers
    if not 0 <= number < len(before.globals):
        raise Refuted("a pointer leads to no variable")
    array = before.globals[number].variable
    held = array.type
    if not isinstance(held, ArrayType) or not has_static_size(held):
        raise Refuted(f"`{array.name}` is no array")
    size = size_of(held.element, NO_THREADS)
    if not isinstance(held.extent, int) or size < 1:
        raise Refuted(f"`{array.name}` has no elements")
    return Elements(number, array, held.element, held.extent, size)


def _has_pointers(held: Type) -> bool:
    return any(isinstance(part, PointerType) for part in parts_of(held))
