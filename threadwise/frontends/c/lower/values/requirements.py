"""What must hold for expressions to have a value, and what is wrong if it does not.

The front end's counterpart of `ir.fold.definedness`, with a name for each kind of undefined
behaviour, and two requirements more: memory was written before it is read, and arithmetic on
pointers counts objects of the type that is really there (a `char *` into an `int` does not).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from threadwise.core.doubts import NEVER_WRITTEN
from threadwise.core.quick_dataclass import replace
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER, either, opposite
from threadwise.frontends.c.lower.values.types import ACTIVE, is_union
from threadwise.ir.commands import Action, Allocate, Assignment, Call, Command, Free, Return
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Read,
    SameObject,
    Unary,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import children, number, root, within
from threadwise.ir.types import BOOL, ArrayType, PerThread, PointerType, RecordType, Type

BEFORE = " before "
"""In the name of a type that is made of the members of a record before one of them."""

ORDERED = BOOL
"""The element type of a difference that only serves to order two pointers."""

Requirement = tuple[Expr, str]
"""A condition, and what happened if it does not hold."""

DIVISION = "division by zero"
SHIFT = "a shift by a negative count, or by the width or more"
INDEX = "an index out of bounds"
POINTER = "an invalid pointer is dereferenced (null, freed, or out of bounds)"
TYPE = "memory is accessed as another type"
UNWRITTEN = NEVER_WRITTEN
MEMBER = "a member of a union is read that is not the one written last"
ARITHMETIC = "arithmetic on a pointer that does not point into an array of that type"
OBJECTS = "pointers into two objects are subtracted or ordered"
ADDRESS = "the address of an object is used as an integer"
FREED = "free of a pointer that is not the start of a live heap object"
NULL_CALL = "a call through a null pointer"
NOT_A_THREAD = "a join of what is no thread that the program started"

NUMBER = "a number is used as an address"
BEYOND = "an index beyond the last member of a record"
ELEMENT = "the address of an element beyond its array"
ENDED = "a pointer to an object that has ended is compared with another pointer"

UNDEFINED = frozenset({DIVISION, SHIFT, UNWRITTEN, NOT_A_THREAD, NUMBER, BEYOND, ELEMENT, ENDED})
"""What C itself gives no meaning; the rest has one that is not modelled."""
MEMORY = frozenset({INDEX, POINTER, FREED, NULL_CALL})
"""The same, where a program leaves the memory that it has."""
COARSE = frozenset({TYPE, ARITHMETIC, OBJECTS, ADDRESS, MEMBER})
"""What C gives a meaning that cells of one type each do not show."""


class Requirements:
    """The requirements of expressions; `unset` are the variables whose memory may be unwritten.

    `ends`: whether objects end; `numbers`: whether pointers hold numbers.
    """

    def __init__(self, unset: set[Variable], *, ends: bool = True, numbers: bool = True) -> None:
        self._unset = unset
        self._ends = ends
        self._numbers = numbers

    def of_action(self, action: Action) -> list[Requirement]:
        """What an action needs, each requirement once, in the order of evaluation."""
        found: list[Requirement] = []
        match action:
            case Command(guard, assignments, havocs):
                found.extend(self.of(guard))
                for assignment in assignments:
                    found.extend(self.of(assignment.value))
                    found.extend(self.of_place(assignment.target))
                for place in havocs:
                    found.extend(self.of_place(place))
            case Allocate(guard, target, count=count):
                found.extend(self.of(guard))
                found.extend(self.of_place(target))
                if count is not None:
                    found.extend(self.of(count))
            case Free(guard, pointer):
                found.extend((*self.of(guard), *self.of(pointer)))
            case Call(_, arguments, _, guard):
                for argument in (guard, *arguments):
                    found.extend(self.of(argument))
            case Return(value, guard):
                found.extend(self.of(guard))
                if value is not None:
                    found.extend(self.of(value))
        return [item for item in dict.fromkeys(found) if item[0] != TRUE]

    def of(self, expr: Expr) -> Iterator[Requirement]:  # noqa: C901 - a case per node
        """What an expression needs to have a value."""
        match expr:
            case Read(place):
                yield from self.of_place(place)
                yield from self._written(place)
            case AddressOf(place):
                yield from _of_address(self.of_place(place))
            case Binary(BinaryOp.AND | BinaryOp.IMPLIES, left, right):
                yield from self.of(left)
                yield from _under(left, self.of(right))
            case Binary(BinaryOp.OR, left, right):
                yield from self.of(left)
                yield from _under(opposite(left), self.of(right))
            case Conditional(condition, then, otherwise):
                yield from self.of(condition)
                yield from _under(condition, self.of(then))
                yield from _under(opposite(condition), self.of(otherwise))
            case Binary(op, left, right):
                yield from self.of(left)
                yield from _arithmetic(op, right, self)
                yield from self._comparable(op, left, right)
            case PointerAdd(pointer, count, element):
                yield from self.of(pointer)
                yield from self.of(count)
                if is_before(element):
                    yield opposite(HoldsInteger(pointer)), POINTER
                elif not points_to(pointer, element):
                    yield _is_typed(pointer, element), ARITHMETIC
            case PointerDifference(left, right, element):
                yield from self.of(left)
                yield from self.of(right)
                yield SameObject(left, right), OBJECTS
                if element == ORDERED:
                    return
                if not points_to(left, element) and not points_to(right, element):
                    typed = either(_is_typed(left, element), _is_typed(right, element))
                    yield either(HoldsInteger(left), typed), ARITHMETIC
            case PointerToInt(pointer):
                yield from self.of(pointer)
                yield HoldsInteger(pointer), ADDRESS
            case IsWritten(place):
                yield from self.of_place(place)
            case _:
                for child in children(expr):
                    yield from self.of(child)

    def _comparable(self, op: BinaryOp, left: Expr, right: Expr) -> Iterator[Requirement]:
        """A pointer whose object has ended may equal one to a newer object, or not."""
        if not self._ends or op not in (BinaryOp.EQ, BinaryOp.NE):
            return
        fixed = any(isinstance(side, AddressOf | Const | IntToPointer) for side in (left, right))
        if isinstance(left.type, PointerType) and not fixed:
            same = Binary(BinaryOp.EQ, left, right)
            alive = Binary(BinaryOp.AND, _is_alive(left), _is_alive(right))
            yield either(same, alive), ENDED

    def of_place(self, place: Place) -> Iterator[Requirement]:
        """What must hold for a place to exist."""
        match place:
            case VariablePlace():
                return
            case FieldPlace(base, _):
                yield from self.of_place(base)
            case DerefPlace(pointer, held):
                yield from self.of(pointer)
                if self._numbers and not isinstance(pointer, PointerAdd | AddressOf):
                    yield holds_no_number(pointer), NUMBER
                yield (FALSE if pointer == NULL_POINTER else IsValid(pointer)), POINTER
                yield IsValid(pointer, held), TYPE
            case IndexPlace(base, index):
                yield from self.of_place(base)
                yield from self.of(index)
                array = base.type
                assert isinstance(array, ArrayType)
                if array.extent == 0 and isinstance(root(base), DerefPlace):
                    moved = PointerAdd(AddressOf(base), index, array.element)
                    yield Binary(BinaryOp.GE, index, number(0)), INDEX
                    yield IsValid(moved), INDEX
                    yield IsValid(moved, array.element), TYPE
                elif not isinstance(array.extent, PerThread):
                    what = BEYOND if _may_be_longer(base) else INDEX
                    yield within(index, 0, array.extent - 1), what

    def may_be_unset(self, place: Place) -> bool:
        """Whether a place may be memory that was never written."""
        base = root(place)
        return isinstance(base, DerefPlace) or base.variable in self._unset

    def _written(self, place: Place) -> Iterator[Requirement]:
        if self.may_be_unset(place):
            yield IsWritten(place), UNWRITTEN
        for tag, position in tags(place):
            holds = Binary(BinaryOp.EQ, Read(tag), number(position))
            yield either(Binary(BinaryOp.EQ, Read(tag), number(0)), holds), MEMBER


def tags(place: Place) -> Iterator[tuple[Place, int]]:
    """For each union around a place: the cell that names its active member, and which it is."""
    while isinstance(place, IndexPlace | FieldPlace):
        base = place.base
        if isinstance(place, FieldPlace) and place.field != ACTIVE and is_union(base.type):
            assert isinstance(base.type, RecordType)
            names = [name for name, _ in base.type.fields]
            yield FieldPlace(base, ACTIVE), names.index(place.field) + 1
        place = base


def with_marks(command: Command) -> Command:
    """A command that says which members of unions it writes, if it does not say that already."""
    places = (*(each.target for each in command.assignments), *command.havocs)
    found = {tag: position for place in places for tag, position in tags(place)}
    marks = tuple(Assignment(tag, number(at)) for tag, at in found.items() if tag not in places)
    return replace(command, assignments=(*command.assignments, *marks)) if marks else command


def is_before(element: Type) -> bool:
    """Whether a type stands for the members of a record before one of them."""
    return isinstance(element, RecordType) and BEFORE in element.name


def points_to(pointer: Expr, element: Type) -> bool:
    """Whether a pointer surely points to an element of an array of that type."""
    while isinstance(pointer, PointerAdd) and pointer.element == element:
        pointer = pointer.pointer
    match pointer:
        case AddressOf(place):
            return place.type in (element, ArrayType(element, 0))
        case _:
            return False


def _is_typed(pointer: Expr, element: Type) -> Expr:
    """Whether an object of a type is where a pointer points, or right before."""
    before = PointerAdd(pointer, number(-1), element)
    address = opposite(HoldsInteger(pointer))
    just_behind = Binary(BinaryOp.AND, address, IsValid(before, element))
    return either(IsValid(pointer, element), just_behind)


def holds_no_number(pointer: Expr) -> Expr:
    """Whether a pointer is null or an address; what is shifted is one, for it has to be typed."""
    is_null = Binary(BinaryOp.EQ, pointer, NULL_POINTER)
    return either(is_null, opposite(HoldsInteger(pointer)))


def is_address(condition: Expr) -> Expr | None:
    """The pointer that a condition says to hold no number."""
    match condition:
        case Binary(BinaryOp.OR, Binary(BinaryOp.EQ, pointer, Const()), Unary(_, HoldsInteger())):
            return pointer if condition == holds_no_number(pointer) else None
        case _:
            return None


def typed_element(condition: Expr) -> tuple[Expr, Type] | None:
    """The pointer, and the type of the array that a condition says it to lead into."""
    match condition:
        case Binary(BinaryOp.OR, IsValid(pointer, held), Binary(BinaryOp.AND)) if held is not None:
            return (pointer, held) if condition == _is_typed(pointer, held) else None
        case _:
            return None


def _may_be_longer(array: Place) -> bool:
    """Whether memory behind a record may belong to its last member, as code uses it."""
    if not isinstance(array, FieldPlace) or not isinstance(root(array), DerefPlace):
        return False
    record = array.base.type
    return not isinstance(record, RecordType) or record.fields[-1][0] == array.field


def _of_address(needed: Iterable[Requirement]) -> Iterator[Requirement]:
    """What an address needs: nothing is accessed behind the end of an array."""
    for requirement, what in needed:
        yield requirement, ELEMENT if what == INDEX else what


def _is_alive(pointer: Expr) -> Expr:
    """Whether a pointer leads to or right behind an object that has not ended, or to none."""
    behind = IsValid(PointerAdd(pointer, number(-1), ORDERED))
    return either(HoldsInteger(pointer), either(IsValid(pointer), behind))


def _arithmetic(op: BinaryOp, right: Expr, requirements: Requirements) -> Iterator[Requirement]:
    match op, right:
        case BinaryOp.SHL | BinaryOp.SHR, Conditional(fits, count, Const(-1)):
            yield from requirements.of(count)
            yield fits, SHIFT
        case BinaryOp.SHL | BinaryOp.SHR, Const(int() as count):
            yield (TRUE if count >= 0 else FALSE), SHIFT
        case BinaryOp.DIV | BinaryOp.MOD, Const(value):
            yield (TRUE if value else FALSE), DIVISION
        case BinaryOp.DIV | BinaryOp.MOD, _:
            yield from requirements.of(right)
            yield Binary(BinaryOp.NE, right, number(0)), DIVISION
        case _:
            yield from requirements.of(right)


def _under(condition: Expr, needed: Iterable[Requirement]) -> Iterator[Requirement]:
    for requirement, what in needed:
        if requirement != TRUE:
            yield either(opposite(condition), requirement), what
