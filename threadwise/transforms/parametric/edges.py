"""The abstraction of an edge when the threads of pools are parametric.

A condition is replaced by a weaker one, `over`: if the original is true, so is the result. Inside
a negation a stronger one, `under`, is taken: if the result is true, so was the original. An atom
that reads a removed cell is replaced by true and by false. Of handles only the pools are known:

    instance(h, T)      over: h is of T, or elsewhere       under: h is of T
    h == k              over: they are of the same pool, or one is elsewhere       under: false
    T.next < slots      true, both ways: pools have no bound

A limit whose condition is about a single handle is not reached if that handle is `elsewhere`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    Scope,
    SelfId,
    ThreadAt,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjunction,
    conjuncts,
    negation,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.pool_cells import STARTED, PoolCells, template_of_status
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import BOOL, NONE, TidType
from threadwise.transforms.parametric.names import ELSEWHERE, NOBODY, ParametricPools, created_name

_NEVER_FULL = {
    BinaryOp.LT: TRUE,
    BinaryOp.GE: FALSE,
    BinaryOp.EQ: FALSE,
    BinaryOp.NE: TRUE,
}
"""The result of comparing the number of creations with the size of the pool."""


class _Unknown(Exception):  # noqa: N818 - an answer: the value depends on a cell that is gone
    pass


@dataclass(frozen=True)
class ParametricEdges:
    """The edges of one procedure."""

    program: Program
    told: ParametricPools
    procedure: str
    owners: Sequence[str]
    """The templates whose body it is."""

    def refuse(self, edge: Edge) -> None:
        """Raises Unsupported if an edge that is no command reads a removed cell."""
        if any(map(self._is_about, self._all(edge))):
            raise Unsupported(
                "ids of threads beside calls or memory, in a parametric program", edge.span
            )

    def command(self, edge: Edge, action: Command) -> Command:
        """What the edge becomes."""
        parts = [self.over(part) for part in conjuncts(action.guard)]
        failure = self.program.locations[edge.target].failure
        if failure is not None and failure.kind.is_limit:
            parts += self._not_elsewhere(action.guard)
        given: dict[Place, Expr] = {}
        havocs: list[Place] = []
        writes: list[tuple[Place, Expr | None]] = [(a.target, a.value) for a in action.assignments]
        for target, value in [*writes, *((place, None) for place in action.havocs)]:
            for effect in self._assigned(edge, target, value, given):
                if isinstance(effect, Assignment):
                    given.pop(effect.target, None)
                    given[effect.target] = effect.value
                else:
                    havocs.append(effect)
        assignments = tuple(Assignment(target, value) for target, value in given.items())
        command = Command(conjunction(parts), assignments, tuple(havocs))
        self._check_accesses(edge, command)
        return command

    # -- conditions ------------------------------------------------------------------------------

    def over(self, expr: Expr) -> Expr:
        """A weaker condition."""
        return self._bound(expr, weaker=True)

    def under(self, expr: Expr) -> Expr:
        """A stronger condition."""
        return self._bound(expr, weaker=False)

    def _bound(self, expr: Expr, *, weaker: bool) -> Expr:
        if not self._is_about(expr):
            return expr
        match expr:
            case Unary(UnaryOp.NOT, operand):
                return negation(self._bound(operand, weaker=not weaker))
            case Binary(BinaryOp.AND, left, right):
                return conjunction([self._bound(part, weaker=weaker) for part in (left, right)])
            case Binary(BinaryOp.OR, left, right):
                return _either(*(self._bound(part, weaker=weaker) for part in (left, right)))
            case Binary(BinaryOp.IMPLIES, left, right):
                before = self._bound(left, weaker=not weaker)
                return _either(negation(before), self._bound(right, weaker=weaker))
            case _:
                try:
                    return self._atom(expr, weaker=weaker)
                except _Unknown:
                    return TRUE if weaker else FALSE

    def _atom(self, expr: Expr, *, weaker: bool) -> Expr:
        match expr:
            case IsInstance(operand, template) if template in self.told.pools:
                kind = self.kind(operand)
                exact = _equal(kind, self.told.member(template))
                return _either(exact, self._elsewhere(kind)) if weaker else exact
            case Binary(op, left, right) if isinstance(left.type, TidType):
                if weaker != (op is BinaryOp.EQ):
                    raise _Unknown
                kinds = [self.kind(left), self.kind(right)]
                same = _either(_equal(*kinds), *map(self._elsewhere, kinds))
                return same if weaker else negation(same)
            case Binary(op, Read(VariablePlace(variable)), Const(limit)) if op in _NEVER_FULL:
                sizes = {PoolCells(name).next: self._slots(name) for name in self.told.pools}
                if sizes.get(variable.name) == limit:
                    return _NEVER_FULL[op]
            case Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(variable), SelfId())), right):
                pool = template_of_status(variable)
                if pool is not None and pool in self.owners and right == STARTED and weaker:
                    created = Variable(created_name(pool), BOOL, Scope.GLOBAL, sync=True)
                    return Read(VariablePlace(created))
            case _:
                pass
        raise _Unknown

    def kind(self, expr: Expr) -> Expr:
        """The pool that an id is of, as an expression; raises _Unknown."""
        match expr:
            case Const(value) if value == NONE:
                return self.told.member(NOBODY)
            case ThreadAt(template, _):
                return self.told.member(template if template in self.told.pools else NOBODY)
            case SelfId() if len(self.owners) == 1:
                own = self.owners[0]
                return self.told.member(own if own in self.told.pools else NOBODY)
            case Read(VariablePlace(variable)):
                handle = self.told.handle(variable, self.procedure)
                if handle is not None:
                    return Read(VariablePlace(handle.variable))
            case Read(IndexPlace(VariablePlace(variable), index)):
                handle = self.told.handle(variable, self.procedure)
                if handle is not None and handle.kappa is not None and not self._is_about(index):
                    here = Binary(BinaryOp.EQ, index, Read(VariablePlace(handle.kappa)))
                    kept = Read(VariablePlace(handle.variable))
                    return Conditional(here, kept, self.told.member(ELSEWHERE))
            case Conditional(condition, then, otherwise) if not self._is_about(condition):
                return Conditional(condition, self.kind(then), self.kind(otherwise))
        raise _Unknown

    def _elsewhere(self, kind: Expr) -> Expr:
        return _equal(kind, self.told.member(ELSEWHERE))

    def _not_elsewhere(self, guard: Expr) -> Iterator[Expr]:
        """Where a limit is about a single handle: that it is known."""
        handles = {
            part
            for part in subexpressions(guard)
            if isinstance(part.type, TidType) and isinstance(part, Read) and self._is_about(part)
        }
        if len(handles) == 1:
            try:
                yield negation(self._elsewhere(self.kind(handles.pop())))
            except _Unknown:
                return

    def _slots(self, pool: str) -> int | None:
        return self.program.template[pool].count

    # -- effects ---------------------------------------------------------------------------------

    def _assigned(
        self, edge: Edge, target: Place, value: Expr | None, given: Mapping[Place, Expr]
    ) -> Iterator[Assignment | Place]:
        """What an assignment becomes, of any value if that is None: assignments, or havocs.

        `given` is what the edge assigned earlier: one cell stands for all elements of an array, so
        an assignment to another element leaves it what was assigned to the one that is kept.
        """
        base = root(target)
        variable = base.variable if isinstance(base, VariablePlace) else None
        if variable is not None and self.told.is_gone(variable):
            pool = template_of_status(variable)
            if value == STARTED and pool is not None and pool in self.told.pools:
                created = Variable(created_name(pool), BOOL, Scope.GLOBAL, sync=True)
                yield Assignment(VariablePlace(created), TRUE)
            return
        handle = None if variable is None else self.told.handle(variable, self.procedure)
        if handle is None:
            if any(self._is_about(part) for part in _inside(target)):
                raise Unsupported("an index that is about created threads", edge.span)
            known = None if value is None else self._passed(value)
            if value is None or (known is None and self._is_about(value)):
                yield target
            else:
                yield Assignment(target, value if known is None else known)
            return
        place = VariablePlace(handle.variable)
        before = given.get(place, Read(place))
        yield self._told(edge, target, value, place, before, handle.kappa)

    def _passed(self, value: Expr) -> Expr | None:
        """The argument of a new thread, if it is the same for all threads."""
        match value:
            case Read(IndexPlace(VariablePlace(variable), SelfId())):
                return self.told.passed.get(variable.name)
            case _:
                return None

    def _told(
        self,
        edge: Edge,
        target: Place,
        value: Expr | None,
        place: VariablePlace,
        before: Expr,
        kappa: Variable | None,
    ) -> Assignment | Place:
        """The abstraction of an assignment to a handle."""
        try:
            kind = None if value is None else self.kind(value)
        except _Unknown:
            kind = None
        if kind is None or value is None:
            return place
        if kappa is None:
            return Assignment(place, kind)
        if self.told.may_be_elsewhere(value, self.procedure):
            return place
        if not isinstance(target, IndexPlace) or self._is_about(target.index):
            raise Unsupported("an array of ids that is written in another way", edge.span)
        here = Binary(BinaryOp.EQ, target.index, Read(VariablePlace(kappa)))
        return Assignment(place, Conditional(here, kind, before))

    # -- what an edge is about -------------------------------------------------------------------

    def _is_about(self, expr: Expr) -> bool:
        """Whether an expression mentions a cell of a pool, a handle or a created thread."""
        for part in subexpressions(expr):
            if isinstance(part, ThreadAt | IsInstance):
                if part.template in self.told.pools:
                    return True
            elif isinstance(part, Read):
                base = root(part.place)
                if isinstance(base, VariablePlace) and (
                    self.told.is_gone(base.variable)
                    or self.told.handle(base.variable, self.procedure) is not None
                ):
                    return True
        return False

    def _all(self, edge: Edge) -> Iterator[Expr]:
        yield from action_expressions(edge.action)
        yield from (Read(place) for place in action_places(edge.action))

    def _check_accesses(self, edge: Edge, made: Command) -> None:
        """Raises Unsupported if an access that may race is lost."""
        if edge.sync:
            return
        before = self._accessed(action_expressions(edge.action), action_places(edge.action))
        after = self._accessed(action_expressions(made), action_places(made))
        if not before <= after:
            raise Unsupported("a condition about created threads and shared data", edge.span)

    def _accessed(
        self, exprs: Iterable[Expr], written: Iterable[Place]
    ) -> set[tuple[Place | str, bool]]:
        """The shared places that are read and written; of handles and their copies the names."""
        found: set[tuple[Place | str, bool]] = set()
        reads = ((place, False) for expr in exprs for place in read_places(expr))
        for place, writes in (*reads, *((place, True) for place in written)):
            base = root(place)
            if isinstance(base, VariablePlace):
                variable = base.variable
                if variable.scope is not Scope.GLOBAL or variable.sync:
                    continue
                handle = self.told.handle(variable, self.procedure)
                name = variable.name if handle is None else handle.variable.name
                is_handle = variable.type == self.told.kinds or handle is not None
                found.add((name if is_handle else place, writes))
            else:
                found.add((place, writes))
        return found


def _inside(place: Place) -> Iterator[Expr]:
    while not isinstance(place, VariablePlace):
        if isinstance(place, IndexPlace):
            yield place.index
            place = place.base
        elif hasattr(place, "base"):
            place = place.base
        else:
            yield place.pointer
            return


def _equal(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left == right else FALSE
    return Binary(BinaryOp.EQ, left, right)


def _either(*operands: Expr) -> Expr:
    found: Expr = FALSE
    for operand in operands:
        if TRUE in (found, operand):
            return TRUE
        if operand != FALSE:
            found = operand if found == FALSE else Binary(BinaryOp.OR, found, operand)
    return found
