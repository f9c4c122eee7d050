"""What an edge of the program after has to do in a case, and whether one does it (3), (4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Call, Command, Return
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    Place,
    Read,
    Unary,
    UnaryOp,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    conjuncts,
    rebuild,
    root,
    subexpressions,
)
from threadwise.ir.program import (
    Edge,
    LocId,
    Program,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    NULL,
    UNSET,
    PointerType,
    default_value,
    is_scalar,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.normal import Normal, negated, parts
from threadwise.proofs.simplified.resolved.tables import Target
from threadwise.proofs.simplified.resolved.words import (
    Case,
    Nowhere,
    Words,
    leaves,
)


class Known:
    """Normal forms where some terms have known values."""

    def __init__(self, known: dict[Expr, Const]) -> None:
        self.known = known
        self._plain = Normal()
        self._given = Normal(case=known)

    def of(self, expr: Expr) -> Expr:
        """The normal form of an expression."""
        return collapsed(self._given.of(self._plain.of(expr)))

    def place(self, place: Place) -> Place:
        """The normal form of a place."""
        return self._given.place(self._plain.place(place))

    def parts(self, guard: Expr) -> frozenset[Expr]:
        """The parts of a condition."""
        return frozenset(conjuncts(self.of(guard)))


def collapsed(expr: Expr) -> Expr:
    """The expression without what a part that is false, or true, decides.

    What is left out may be evaluated in one program and not in the other: accesses are compared
    apart from it.
    """
    changed = rebuild(expr, collapsed)
    match changed:
        case Binary(BinaryOp.AND, left, right):
            if FALSE in (left, right):
                return FALSE
            return right if left == TRUE else left if right == TRUE else changed
        case Binary(BinaryOp.OR, left, right):
            if TRUE in (left, right):
                return TRUE
            return right if left == FALSE else left if right == FALSE else changed
        case Unary(UnaryOp.NOT, Const(value, _)):
            return FALSE if value else TRUE
        case _:
            return changed


def guard_of(words: Words, guard: Expr, normal: Known) -> frozenset[Expr]:
    """The parts of a guard; Nowhere if one of them has no value."""
    found: set[Expr] = set()
    for part in conjuncts(guard):
        found |= normal.parts(words.expr(part))
        if FALSE in found:
            break
    return frozenset(found)


@dataclass(frozen=True)
class Wanted:
    """What an edge of the program after has to do in a case."""

    after: Program
    normal: Known
    guard: frozenset[Expr]
    stores: tuple[tuple[Place, Expr], ...]
    havocs: tuple[Place, ...]
    reads: frozenset[Place]
    operation: object
    call: tuple[object, ...] | None = None
    returned: tuple[Expr | None] | None = None
    ways: tuple[tuple[tuple[Place, Expr], ...], ...] | None = None
    limit: bool = False
    ended: tuple[Target, Words] | None = None

    def is_done_by(self, edge: Edge, target: LocId | None) -> bool:
        """Whether an edge of the program after does it."""
        action, normal = edge.action, self.normal
        if normal.parts(action.guard) != self.guard:
            return False
        there = self.after.locations[edge.target]
        if self.limit and there.origin is None:
            return isinstance(action, Command)
        if not self._is_annotated(edge) or not self.reads <= self._read_by(edge):
            return False
        if isinstance(action, Return):
            handed = None if action.value is None else normal.of(action.value)
            return self.returned == (handed,)
        if edge.target != target:
            return False
        if isinstance(action, Call):
            given = tuple(map(normal.of, action.arguments))
            to = None if action.result is None else normal.place(action.result)
            return self.call == (action.procedure, given, to)
        if not isinstance(action, Command) or self.call or self.returned:
            return False
        stores = tuple((normal.place(a.target), normal.of(a.value)) for a in action.assignments)
        if self.ended is not None:
            return not action.havocs and self._ends(stores)
        if self.ways is not None:
            return not action.havocs and stores in self.ways
        return stores == self.stores and tuple(map(normal.place, action.havocs)) == self.havocs

    def _ends(self, stores: Sequence[tuple[Place, Expr]]) -> bool:
        assert self.ended is not None
        target, words = self.ended
        *cells_, (state, value) = stores
        if (state, value) != (VariablePlace(target.state), Const(2, INT)):
            return False
        written = [place for place, _ in cells_]
        return sorted(map(str, written)) == sorted(map(str, leaves(words, target)))

    def _is_annotated(self, edge: Edge) -> bool:
        operation = edge.operation
        if operation is not None and operation.subject is not None:
            operation = replace(operation, subject=self.normal.of(operation.subject))
        return bool(operation == self.operation)

    def _read_by(self, edge: Edge) -> frozenset[Place]:
        return frozenset(
            self.normal.place(part.place)
            for expr in action_expressions(edge.action)
            for part in subexpressions(expr)
            if isinstance(part, Read)
        )


def stores_of(words: Words, assignment: Assignment, normal: Known) -> Iterator[tuple[Place, Expr]]:
    """What an assignment becomes; raises Refuted if a cell without a flag becomes unwritten, or a
    pointer without an offset gets one."""
    target, value = assignment.target, assignment.value
    flag = words.flag(target)
    unset = isinstance(value, Const) and value.value == UNSET
    if unset and flag is None:
        raise Refuted("a cell without a flag is made unwritten")
    if isinstance(target.type, PointerType):
        pair = words.tables.pair(NULL) if unset else words.pair(value)
        item, offset = words.halves(target)
        yield item, pair[0]
        if offset is not None:
            yield offset, pair[1]
        elif normal.of(pair[1]) != Const(0, INT):
            raise Refuted("a pointer gets an offset")
    elif unset:
        held = target.type
        assert is_scalar(held)
        yield words.place(target), Const(default_value(held), held)  # type: ignore[arg-type]  # scalar
    else:
        yield words.place(target), words.expr(value)
    if flag is not None:
        yield flag, Const(not unset, BOOL)


def is_contradictory(guard: frozenset[Expr]) -> bool:
    """Whether every alternative of some part is excluded by another one."""
    return any(all(negated(one) in guard for one in parts(BinaryOp.OR, part)) for part in guard)


def changes_nothing(
    store: tuple[Place, Expr], stores: Sequence[tuple[Place, Expr]], guard: frozenset[Expr]
) -> bool:
    """Whether true is stored where the guard says that it is, and nothing else is stored as
    truth."""
    true = Const(value=True, type=BOOL)
    others = (value for place, value in stores if place.type == BOOL)
    return store[1] == true and Read(store[0]) in guard and all(v == true for v in others)


def reads(words: Words, edge: Edge) -> Iterator[Place]:
    """What an edge reads; of a pointer, the object. Pointers that are followed are read, too."""
    for expr in action_expressions(edge.action):
        for part in subexpressions(expr):
            if isinstance(part, Read) and _is_shared(part.place):
                try:
                    if isinstance(part.type, PointerType):
                        yield words.halves(part.place)[0]
                    else:
                        yield words.place(part.place)
                except Nowhere:  # not evaluated, or the edge is not taken
                    continue


def _is_shared(place: Place) -> bool:
    base = root(place)
    return isinstance(base, DerefPlace) or base.variable.scope.value == "global"


def told_of(case: Case) -> str:
    """A case in words."""
    return ", ".join(
        "nothing" if leads is None else f"{leads[0].variable.name}+{leads[1]}"
        for leads in case.values()
    )
