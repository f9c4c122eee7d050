"""Whether a condition holds, as far as a thread knows: yes, no or None.

Memory is taken to be used as the C standard requires: a pointer that is tested before it is
followed is valid if what it may point to has the right type. A proof that relies on this lists it
as an assumption.
"""

from __future__ import annotations

from itertools import product

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    COMPARISONS,
    COMPLEMENT,
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    HoldsInteger,
    IsInstance,
    IsValid,
    IsWritten,
    Place,
    Read,
    SameObject,
    SelfId,
    Unary,
    UnaryOp,
)
from threadwise.ir.fold import negation
from threadwise.ir.operations import NOBODY
from threadwise.ir.types import MutexType, TidType, Type, Value, is_scalar
from threadwise.proofs.locksets.ground import Ground, is_lasting
from threadwise.proofs.locksets.knowledge import CONSTANTS, Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.memory.cells import (
    INSIDE,
    UNKNOWN,
    Target,
    Values,
    is_site,
    pointed,
)
from threadwise.proofs.locksets.memory.contents import ANY_INTEGER, Memory
from threadwise.proofs.locksets.order import compared
from threadwise.proofs.locksets.tokens import compared_to_zero, known_number


def complement(expr: Expr) -> Expr:
    """The condition that holds where another does not."""
    if isinstance(expr, Binary) and expr.op in COMPLEMENT:
        return Binary(COMPLEMENT[expr.op], expr.left, expr.right)
    return negation(expr)


def lock_test(expr: Expr) -> tuple[Place, Expr, bool] | None:
    """The mutex whose owner is compared, with which thread, and whether for equality."""
    match expr:
        case Binary(BinaryOp.EQ | BinaryOp.NE as op, Read(FieldPlace(mutex, "owner")), who):
            if isinstance(mutex.type, MutexType) and who in (NOBODY, SelfId()):
                return mutex, who, op is BinaryOp.EQ
        case _:
            pass
    return None


@dataclass(frozen=True)
class Truth:
    """The conditions of one procedure."""

    ground: Ground
    procedure: str

    @property
    def memory(self) -> Memory:
        """What every cell may hold."""
        return self.ground.memory

    def of(self, expr: Expr, knowledge: Knowledge) -> bool | None:
        """Whether a condition holds."""
        match expr:
            case Const(value, _):
                return bool(value)
            case Unary(UnaryOp.NOT, operand):
                inner = self.of(operand, knowledge)
                return None if inner is None else not inner
            case Binary(BinaryOp.AND, left, right):
                return _both(self.of(left, knowledge), self.of(right, knowledge))
            case Binary(BinaryOp.OR, left, right):
                return _either(self.of(left, knowledge), self.of(right, knowledge))
            case Binary(BinaryOp.IMPLIES, left, right):
                return _either(_not(self.of(left, knowledge)), self.of(right, knowledge))
            case IsValid(pointer, held):
                return self._is_valid(named(pointer, knowledge.known), held)
            case IsWritten(place):
                return self._is_written(named_place(place, knowledge.known))
            case HoldsInteger(pointer):
                return self._holds_integer(named(pointer, knowledge.known))
            case SameObject(left, right):
                return self._same_object(*(named(p, knowledge.known) for p in (left, right)))
            case Binary(BinaryOp.EQ | BinaryOp.NE, Read(), SelfId() | Const(-1, TidType())):
                other = self._other_thread(expr.left, knowledge)
                return self._atom(expr, knowledge) if other is None else expr.op is BinaryOp.NE
            case IsInstance(handle, template):
                other = self._other_thread(handle, knowledge)
                return self._atom(expr, knowledge) if other is None else other == template
            case _:
                return self._atom(expr, knowledge)

    def _other_thread(self, handle: Expr, knowledge: Knowledge) -> str | None:
        """The template of the thread that a handle means, if this thread has started it."""
        name = named(handle, knowledge.known)
        event = knowledge.handles.get(name.place) if isinstance(name, Read) else None
        return None if event is None else self.ground.threads.starts[event.edge]

    def _atom(self, expr: Expr, knowledge: Knowledge) -> bool | None:
        test = lock_test(expr)
        if test is not None:
            mutex, who, equal = test
            if named_place(mutex, knowledge.known) not in knowledge.held:
                return None
            return equal == (who == SelfId())
        there = named(expr, knowledge.known)
        if isinstance(there, Const):
            return bool(there.value)
        zero = compared_to_zero(there)
        if zero is not None and not is_own(zero[1]):
            found = self._number(*zero, knowledge)
            if found is not None:
                return found
        if is_lasting(there):
            if there in knowledge.facts:
                return True
            if complement(there) in knowledge.facts:
                return False
        found = compared(there, knowledge.known, knowledge.facts)
        return self._compared(there, knowledge) if found is None else found

    def _number(self, op: BinaryOp, cell: Place, knowledge: Knowledge) -> bool | None:
        discipline = self.ground.discipline(cell, self.procedure)
        if discipline is None:
            return None
        return known_number(op, cell, discipline, knowledge, self.ground.companion(cell))

    def _compared(self, expr: Expr, knowledge: Knowledge) -> bool | None:
        """A comparison of values that are known for all time."""
        if not isinstance(expr, Binary) or expr.op not in COMPARISONS:
            return None
        left = _fixed(expr.left, knowledge) or self._values(expr.left)
        right = self._values(expr.right)
        if left is None or right is None:
            return None
        left = self._narrowed(expr.left, left, knowledge)
        found: set[bool] = set()
        for one, other in product(left, right):
            holds = self._one(expr, one, other)
            if holds is None:
                return None
            found.add(holds)
            if len(found) > 1:
                return None
        return found.pop() if found else None

    def _narrowed(
        self, expr: Expr, values: frozenset[Value | Target], knowledge: Knowledge
    ) -> frozenset[Value | Target]:
        """The values that are left of an expression by what is known not to equal it."""
        for fact in knowledge.facts:
            if isinstance(fact, Binary) and fact.op is BinaryOp.NE and fact.left == expr:
                other = self._values(fact.right)
                if other is not None and len(other) == 1 and all(map(self._is_exact, other)):
                    values -= other
        return values

    def _is_exact(self, value: Value | Target) -> bool:
        """Whether a value stands for itself alone."""
        if not isinstance(value, Target):
            return value != ANY_INTEGER
        held = self.memory.objects.types[value.object]
        return value.cell >= 0 and not is_site(value.object) and is_scalar(held)

    def _one(self, expr: Binary, left: Value | Target, right: Value | Target) -> bool | None:
        vague = isinstance(left, Target) or isinstance(right, Target)
        vague = vague or ANY_INTEGER in (left, right)
        if vague and left == right and self._is_exact(left):
            return {BinaryOp.EQ: True, BinaryOp.NE: False}.get(expr.op)
        if vague:
            if left != right and expr.op in (BinaryOp.EQ, BinaryOp.NE) and _apart(left, right):
                return expr.op is BinaryOp.NE
            return None
        constants = Const(left, expr.left.type), Const(right, expr.right.type)  # type: ignore[arg-type]  # no targets
        found = CONSTANTS.of(Binary(expr.op, *constants))
        return bool(found.value) if isinstance(found, Const) else None

    def _is_valid(self, pointer: Expr, held: Type | None) -> bool | None:
        targets = self._targets(pointer)
        if targets is None or any(target.object == UNKNOWN for target in targets):
            return None
        if not targets:
            return False
        if held is None or all(self.memory.has_type(target, held) for target in targets):
            return True
        return None

    def _is_written(self, place: Place) -> bool | None:
        """Memory that no step ever writes is not written; the rest may be."""
        return False if self._values(Read(place)) == frozenset() else None

    def _holds_integer(self, pointer: Expr) -> bool | None:
        values = self._values(pointer)
        if values is None:
            return None
        kinds = {isinstance(value, Target) for value in values}
        return not kinds.pop() if len(kinds) == 1 else None

    def _same_object(self, left: Expr, right: Expr) -> bool | None:
        """Whether two pointers, which surely lead somewhere, lead into one object."""
        objects: list[set[str]] = []
        for pointer in (left, right):
            values, targets = self._values(pointer), self._targets(pointer)
            if not targets or values is None or len(targets) != len(values):
                return None
            objects.append({target.object for target in targets})
        if objects[0].isdisjoint(objects[1]):
            return False
        (name, *others) = objects[0] | objects[1]
        return True if not others and not is_site(name) and not name.endswith("@") else None

    def _targets(self, pointer: Expr) -> list[Target] | None:
        """Where a pointer may lead to; None if that may be inside of a cell, or anywhere."""
        values = self._values(pointer)
        if values is None:
            return None
        found = [value for value in values if isinstance(value, Target)]
        if any(target.cell == INSIDE for target in found):
            return None
        return [target for target in map(pointed, found) if target.cell >= 0]

    def _values(self, expr: Expr) -> Values:
        return self.ground.values_of(expr, self.procedure)


def _fixed(expr: Expr, knowledge: Knowledge) -> frozenset[Value | Target] | None:
    """The number that an expression is known to equal."""
    for fact in knowledge.facts:
        match fact:
            case Binary(BinaryOp.EQ, left, Const(int(value), _)) if left == expr:
                return frozenset({value})
            case _:
                pass
    return None


def _apart(left: object, right: object) -> bool:
    """Whether two values, of which one is vague, are surely different."""
    if isinstance(left, Target) and isinstance(right, Target):
        return left.object != right.object
    return isinstance(left, Target) or isinstance(right, Target)


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return True if left and right else None


def _either(left: bool | None, right: bool | None) -> bool | None:
    if left or right:
        return True
    return False if left is False and right is False else None


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value
