"""The meaning of expressions and places: a direct recursion over their structure.

`resolve` finds the cells a place denotes, `evaluate` the value of an expression, both seen by one
thread. Every cell read is reported to `on_read`, which is how accesses are computed: exactly the
cells that evaluation touches, short-circuits included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from itertools import product
from typing import NamedTuple

from threadwise.core.errors import InternalError
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import (
    AddressOf,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsInstance,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Quantified,
    Quantifier,
    Read,
    SameObject,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.layout import ProgramLayout, extent_of, field_offset, size_of
from threadwise.ir.program import Program
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    Value,
)
from threadwise.semantics.state import GlobalStore, LocalStore


class Undefined(Exception):  # noqa: N818 - a condition of the evaluated program, not a fault
    """An expression without value: division by zero, a bad index, a bad pointer."""


class Region(Enum):
    """The part of memory a cell lies in."""

    GLOBAL = "global"
    HEAP = "heap"
    THREAD = "thread"
    LOCAL = "local"


class CellRef(NamedTuple):
    """One cell; `number` distinguishes heap objects and is 0 elsewhere."""

    region: Region
    number: int
    slot: int


def _nothing(_: CellRef) -> None:
    pass


@dataclass
class View:
    """What one thread sees; `others` and `bound` serve the formulas of invariants."""

    program: Program
    layout: ProgramLayout
    thread: int
    g: GlobalStore
    l: LocalStore
    on_read: Callable[[CellRef], None] = _nothing
    others: tuple[LocalStore, ...] = ()
    bound: Mapping[str, int] = field(default_factory=dict)

    def resolve(self, place: Place) -> CellRef:
        """The first cell of a place."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable):
                match variable.scope:
                    case Scope.GLOBAL:
                        slot = self.layout.globals.offset[variable.name]
                        return CellRef(Region.GLOBAL, 0, slot)
                    case Scope.THREAD:
                        template = numbers.templates[self.thread]
                        slot = self.layout.thread[template].offset[variable.name]
                        return CellRef(Region.THREAD, 0, slot)
                    case Scope.LOCAL:
                        procedure = self.program.procedure_of[self.l.pc].name
                        slot = self.layout.local[procedure].offset[variable.name]
                        return CellRef(Region.LOCAL, 0, slot)
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                region, number, slot = self.resolve(base)
                return CellRef(region, number, slot + field_offset(held, name, numbers))
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                if held.extent == 0 and self.integer(index) >= 0:  # as long as the object
                    moved = PointerAdd(AddressOf(base), index, held.element)
                    return self.resolve(DerefPlace(moved, held.element))
                region, number, slot = self.resolve(base)
                position = self.integer(index)
                if isinstance(held.extent, PerThread):
                    position -= numbers.ranges[held.extent.template].start
                if not 0 <= position < extent_of(held, numbers):
                    raise Undefined("index out of bounds")
                return CellRef(region, number, slot + position * size_of(held.element, numbers))
            case DerefPlace(pointer, held):
                address = self.evaluate(pointer)
                if not isinstance(address, Address) or not self.is_valid(address, held):
                    raise Undefined("invalid pointer")
                return self.cell_at(address)

    def cell_at(self, address: Address) -> CellRef:
        """The cell an address names."""
        declared = len(self.program.globals)
        if address.number >= declared:
            return CellRef(Region.HEAP, address.number - declared, address.offset)
        name = self.program.globals[address.number].variable.name
        return CellRef(Region.GLOBAL, 0, self.layout.globals.offset[name] + address.offset)

    def is_valid(self, address: Address, held: Type | None = None) -> bool:
        """Whether an address names a cell of a live object, and the cells there fit `held`."""
        declared = len(self.program.globals)
        if address.number >= declared:
            target = self.g.heap[address.number - declared]
            if not target.alive or not 0 <= address.offset < len(target.cells):
                return False
            owner: str | Type = target.site
            length = len(target.cells)
        elif address.number >= 0:
            variable = self.program.globals[address.number].variable
            owner = variable.type
            length = len(self.layout.cells_of_type(owner))
            if not 0 <= address.offset < length:
                return False
        else:
            return False
        if held is None:
            return True
        end = address.offset + len(self.layout.cells_of_type(held))
        return end <= length and self.layout.fits(owner, address.offset, held)

    def is_allocated(self, address: Address) -> bool:
        """Whether an address is that of a live heap object."""
        number = address.number - len(self.program.globals)
        return number >= 0 and address.offset == 0 and self.g.heap[number].alive

    def address_of(self, place: Place) -> Address:
        """The address of a place in shared memory."""
        region, number, slot = self.resolve(place)
        if region is Region.HEAP:
            return Address(len(self.program.globals) + number, slot)
        if region is not Region.GLOBAL:
            raise InternalError("address of a variable that is not in shared memory")
        offsets = list(self.layout.globals.offset.values())
        owner = max(i for i, offset in enumerate(offsets) if offset <= slot)
        return Address(owner, slot - offsets[owner])

    def _difference(self, left: Expr, right: Expr, size: int) -> int:
        first, second = self.evaluate(left), self.evaluate(right)
        if object_of(first) != object_of(second):
            raise Undefined("the difference of pointers into two objects")
        offsets = [v.offset if isinstance(v, Address) else 0 for v in (first, second)]
        return _quotient(offsets[0] - offsets[1], size)

    def load(self, cell: CellRef) -> Value:
        """The value of a cell; one never written has none."""
        self.on_read(cell)
        value = self._content(cell)
        if value == UNSET:
            raise Undefined("memory that was never written")
        return value

    def _content(self, cell: CellRef) -> Value:
        match cell.region:
            case Region.GLOBAL:
                return self.g.cells[cell.slot]
            case Region.HEAP:
                return self.g.heap[cell.number].cells[cell.slot]
            case Region.THREAD:
                return self.l.thread[cell.slot]
            case Region.LOCAL:
                return self.l.locals[cell.slot]

    def integer(self, expr: Expr) -> int:
        """The value of an expression known to be an int or a tid."""
        value = self.evaluate(expr)
        if not isinstance(value, int):
            raise InternalError(f"{expr} is not an integer")
        return value

    def holds(self, expr: Expr) -> bool:
        """The value of a formula."""
        return bool(self.evaluate(expr))

    def evaluate(self, expr: Expr) -> Value:  # noqa: C901, PLR0911, PLR0912 - a case per node
        """The value of an expression."""
        numbers = self.layout.numbers
        match expr:
            case Const(value, _):
                return value
            case Read(place):
                return self.load(self.resolve(place))
            case Unary(op, operand):
                return _unary(op, self.integer(operand))
            case Binary(op, left, right):
                return self._combined(op, left, right)
            case Conditional(condition, then, otherwise):
                return self.evaluate(then if self.holds(condition) else otherwise)
            case Wrap(low, high, operand):
                return low + (self.integer(operand) - low) % (high - low + 1)
            case Clamp(low, high, operand):
                return min(max(self.integer(operand), low), high)
            case SelfId():
                return self.thread
            case SelfIndex():
                return self.thread - numbers.ranges[numbers.templates[self.thread]].start
            case ThreadAt(template, position):
                return numbers.ranges[template].start + self.integer(position)
            case IsInstance(operand, template):
                return self.integer(operand) in numbers.ranges[template]
            case AddressOf(place):
                return self.address_of(place)
            case PointerAdd(pointer, count, element):
                address = self.evaluate(pointer)
                if holds_integer(address):
                    raise Undefined("arithmetic on what is no address")
                assert isinstance(address, Address)
                moved = self.integer(count) * size_of(element, numbers)
                return Address(address.number, address.offset + moved)
            case PointerDifference(left, right, element):
                return self._difference(left, right, size_of(element, numbers))
            case IntToPointer(operand):
                number = self.integer(operand)
                return Address(INTEGER_OBJECT, number) if number else NULL
            case PointerToInt(pointer):
                address = self.evaluate(pointer)
                if not holds_integer(address):
                    raise Undefined("the address of an object as an integer")
                return address.offset if isinstance(address, Address) else 0
            case IsValid(pointer, held):
                address = self.evaluate(pointer)
                return isinstance(address, Address) and self.is_valid(address, held)
            case IsAllocated(pointer):
                address = self.evaluate(pointer)
                return isinstance(address, Address) and self.is_allocated(address)
            case HoldsInteger(pointer):
                return holds_integer(self.evaluate(pointer))
            case SameObject(left, right):
                return object_of(self.evaluate(left)) == object_of(self.evaluate(right))
            case IsWritten(place):
                return self._content(self.resolve(place)) != UNSET
            case ThreadVariable(name, _):
                return self.bound[name]
            case AtLabel(ThreadVariable(name, _), procedure, label):
                pc = self.others[self.bound[name]].pc
                return (
                    self.program.procedure_of[pc].name == procedure
                    and label in self.program.locations[pc].labels
                )
            case ThreadRead(ThreadVariable(name, _), place):
                return self._seen_by(self.bound[name], place)
            case Quantified(quantifier, variables, body):
                names = [variable.name for variable in variables]
                choices = product(*(numbers.ranges[v.template] for v in variables))
                results = (
                    self._binding(dict(zip(names, chosen, strict=True))).holds(body)
                    for chosen in choices
                )
                return all(results) if quantifier is Quantifier.FORALL else any(results)

    def _combined(self, op: BinaryOp, left: Expr, right: Expr) -> Value:
        """The value of an operator applied to two operands; connectives may need only the left."""
        match op:
            case BinaryOp.AND:
                return self.holds(left) and self.holds(right)
            case BinaryOp.OR:
                return self.holds(left) or self.holds(right)
            case BinaryOp.IMPLIES:
                return not self.holds(left) or self.holds(right)
            case BinaryOp.EQ:
                return self.evaluate(left) == self.evaluate(right)
            case BinaryOp.NE:
                return self.evaluate(left) != self.evaluate(right)
            case _:
                return _binary(op, self.integer(left), self.integer(right))

    def _binding(self, extra: Mapping[str, int]) -> View:
        bound = {**self.bound, **extra}
        return View(
            self.program,
            self.layout,
            self.thread,
            self.g,
            self.l,
            self.on_read,
            self.others,
            bound,
        )

    def _seen_by(self, thread: int, place: Place) -> Value:
        """The value of a place among another thread's own variables, indices read from here."""
        remote = View(
            self.program,
            self.layout,
            thread,
            self.g,
            self.others[thread],
            self.on_read,
            self.others,
            self.bound,
        )
        return remote.load(remote.resolve(place))


def holds_integer(value: Value) -> bool:
    """Whether a pointer is the address of no object."""
    return not isinstance(value, Address) or value.number == INTEGER_OBJECT


def object_of(value: Value) -> int:
    """The object a pointer points into; `INTEGER_OBJECT` if into none."""
    return value.number if isinstance(value, Address) else INTEGER_OBJECT


def _quotient(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _unary(op: UnaryOp, value: int) -> Value:
    match op:
        case UnaryOp.NEG:
            return -value
        case UnaryOp.NOT:
            return not value
        case UnaryOp.BIT_NOT:
            return ~value


def _binary(op: BinaryOp, left: int, right: int) -> Value:
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.DIV | BinaryOp.MOD:
            if right == 0:
                raise Undefined("division by zero")
            quotient = _quotient(left, right)
            return quotient if op is BinaryOp.DIV else left - quotient * right
        case BinaryOp.SHL | BinaryOp.SHR:
            if right < 0:
                raise Undefined("negative shift")
            return left << right if op is BinaryOp.SHL else left >> right
        case BinaryOp.BIT_AND:
            return left & right
        case BinaryOp.BIT_OR:
            return left | right
        case BinaryOp.BIT_XOR:
            return left ^ right
        case BinaryOp.LT:
            return left < right
        case BinaryOp.LE:
            return left <= right
        case BinaryOp.GT:
            return left > right
        case BinaryOp.GE:
            return left >= right
        case _:
            raise InternalError(f"operator {op.value} needs its own case")
