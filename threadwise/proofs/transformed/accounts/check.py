"""Whether a program is another one with accounts (`threadwise.transforms.accounts`).

Let T be a pool that is accounted for, M the thread that creates its threads, and P the program
with pools of any size.

    (1) the cells of T are used as `threadwise.ir.pool` says. At first no thread was created and no
        status is set. An edge of M that adds one to the number of creations sets the status of
        that thread to `started`. A thread leaves its entry only if its status is `started`, and
        never returns. It sets its own status to `finished` along edges that lead to where nothing
        follows. Nothing else changes these cells

So the created threads are those that wait at their entries, those that run, and those whose status
is `finished`; the latter do nothing any more. The ghosts of T start with 0, and

    (2) an edge that creates adds one to `count`, one from an entry adds one to `running`, and one
        that finishes moves one from `running` to `finished`
    (3) edges from an entry ask for `count - running - finished > 0`: the thread itself waits

For a sum x:

    (4) x is a machine integer, its first value is known; it is written only by M and by threads of
        pools that are accounted for, one assignment at a time, and not along edges that finish
    (5) an assignment of e adds d - x, where d is e modulo the size of x, to the `own` of the
        thread, which starts with 0; an edge along which a thread of a pool finishes adds `own` to
        `settled`

So x is, modulo its size, its first value plus `settled` plus the `own` of M and of all threads
that run.

    (6) where M has the conditions `running == 0`, `finished == count`, all threads of T have
        finished (`joined`); where it has `x == first + settled + own`, all threads that write x
    (7) where an edge of M to a limit asks whether a handle is one of T, it is (`joined`)
    (8) nothing else differs: the ghosts are new, and without them it is the program before

By (3), (6) and (7) the new conditions always hold, so the programs have the same behaviours. What
threads read is not the same: the proof is about failures only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from threadwise.ir.commands import Assignment, Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
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
    Wrap,
)
from threadwise.ir.fold import action_places, conjunction, conjuncts
from threadwise.ir.pool_cells import FINISHED, STARTED, PoolCells
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    FillValue,
    ListedValues,
    LocId,
    Program,
)
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.types import INT, MachineType, RangeType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import refuse_memory, variable_of
from threadwise.proofs.transformed.accounts.joined import Joined
from threadwise.transforms.accounts.accounts import Accounts, PoolGhosts, Sum, accounts
from threadwise.transforms.accounts.joins import Named, joins


def check_accounts(
    before: Program,
    after: Program,
    claimed: Sequence[Property],
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> None:
    """Raises Refuted unless a program with accounts has the failures of the program before."""
    if not all(isinstance(checked, FailureProperty) for checked in claimed):
        raise Refuted("accounts keep failures only")
    refuse_memory(before)
    if any(isinstance(edge.action, Call) for edge in before.edges):
        raise Refuted("accounts in a program with calls")
    told = accounts(before)
    check_ghosts(before, after, told)
    joined = Joined(before, tick, second_solver=second_solver)
    found = joins(before)
    for pool in told.pools:
        claims = found.get(pool)
        if claims is None or claims.creator != told.creator:
            raise Refuted(f"nothing is known about where `{pool}` is joined")
        done = [here for here, pools in told.known.items() if pool in pools]
        sure: list[tuple[LocId, Named]] = []
        for number, handles in told.sure.items():
            for handle in (h for h, p in handles if p == pool):
                here = before.edges[number].source
                every = [n for n in claims.sure.get(here, ()) if n.handle == handle]
                if not every:
                    raise Refuted(f"`{handle.name}` may be something else")
                sure.append((here, every[0]))
        joined.check(claims, done, sure)  # (6), (7)


def check_ghosts(before: Program, after: Program, told: Accounts) -> None:
    """Raises Refuted unless a program is the one before with accounts: (1) to (5), (8)."""
    checking = _Accounts(before, told)
    for pool in told.pools:
        checking.pool(pool)
    for each in told.sums:
        checking.sum(each)
    checking.compare(after)


class _Accounts:
    def __init__(self, before: Program, told: Accounts) -> None:
        self.before = before
        self.told = told
        bodies = [t.body for t in before.templates]
        names = [told.creator, *told.pools]
        if len(set(names)) != len(names) or not set(names) <= before.template.keys():
            raise Refuted("accounts of threads that there are not")
        if any(bodies.count(before.template[name].body) != 1 for name in names):
            raise Refuted("two templates with the same body")
        self.body = {name: before.template[name].body for name in names}
        if not set().union(*told.known.values()) <= set(told.pools):
            raise Refuted("threads are joined that are not counted")

    # -- (1) -------------------------------------------------------------------------------------

    def pool(self, pool: str) -> None:
        """Raises Refuted unless the cells of a pool are used as they have to be."""
        if not self.before.template[pool].pool:
            raise Refuted(f"`{pool}` is no pool")
        for name in (PoolCells(pool).next, PoolCells(pool).status):
            declared = [d for d in self.before.globals if d.variable.name == name]
            if len(declared) != 1 or declared[0].initial != DEFAULT:
                raise Refuted(f"`{name}` starts with something else")
        body = self.before.procedure[self.body[pool]]
        for procedure in self.before.procedures:
            for edge in procedure.edges:
                self._check_cells(pool, procedure.name, edge)
        for edge in body.edges:
            if edge.target == body.entry:
                raise Refuted(f"a thread of `{pool}` begins twice")
            begins = edge.source == body.entry
            started = Binary(BinaryOp.EQ, Read(self._status(pool, SelfId())), STARTED)
            if begins and started not in set(conjuncts(edge.action.guard)):
                raise Refuted(f"a thread of `{pool}` does not wait to be started")
            finishes = self._finishes(pool, edge)
            if finishes and (begins or self.before.outgoing[edge.target]):
                raise Refuted(f"a thread of `{pool}` goes on when it has finished")

    def _check_cells(self, pool: str, procedure: str, edge: Edge) -> None:
        cells = PoolCells(pool)
        written = [p for p in action_places(edge.action) if self._is_cell(cells, p)]
        if not written:
            return
        if self._creates(pool, edge):
            allowed = [VariablePlace(self._counter(pool)), self._status(pool, self._next(pool))]
            inside = procedure == self.body[self.told.creator]
        else:
            allowed = [self._status(pool, SelfId())]
            inside = procedure == self.body[pool] and self._finishes(pool, edge)
        if not inside or Counter(written) != Counter(allowed):
            raise Refuted(f"edge {edge.id} changes the cells of `{pool}`")

    def _is_cell(self, cells: PoolCells, place: Place) -> bool:
        variable = variable_of(place)
        return variable.scope is Scope.GLOBAL and variable.name in (cells.next, cells.status)

    def _counter(self, pool: str) -> Variable:
        name = PoolCells(pool).next
        return next(d.variable for d in self.before.globals if d.variable.name == name)

    def _next(self, pool: str) -> Expr:
        return ThreadAt(pool, Read(VariablePlace(self._counter(pool))))

    def _status(self, pool: str, thread: Expr) -> Place:
        name = PoolCells(pool).status
        whole = next(d.variable for d in self.before.globals if d.variable.name == name)
        return IndexPlace(VariablePlace(whole), thread)

    def _creates(self, pool: str, edge: Edge) -> bool:
        if not isinstance(edge.action, Command):
            return False
        counter = VariablePlace(self._counter(pool))
        grown = Assignment(counter, Binary(BinaryOp.ADD, Read(counter), Const(1, INT)))
        started = Assignment(self._status(pool, self._next(pool)), STARTED)
        return {grown, started} <= set(edge.action.assignments)

    def _finishes(self, pool: str, edge: Edge) -> bool:
        if not isinstance(edge.action, Command):
            return False
        return Assignment(self._status(pool, SelfId()), FINISHED) in edge.action.assignments

    # -- (4) -------------------------------------------------------------------------------------

    def sum(self, each: Sum) -> None:
        """Raises Refuted unless all writes to a sum can be accounted for."""
        variable = each.variable
        declared = [d for d in self.before.globals if d.variable == variable]
        if not isinstance(variable.type, MachineType) or len(declared) != 1:
            raise Refuted(f"`{variable.name}` is no sum")
        match declared[0].initial:
            case FillValue(value) | ListedValues((value,)):
                first: object = value
            case initial:
                first = 0 if initial == DEFAULT else None
        if type(first) is not int or first != each.first:
            raise Refuted(f"`{variable.name}` starts with something else")
        if not each.pools <= set(self.told.pools):
            raise Refuted(f"`{variable.name}` is written by threads that are not counted")
        if each.writers - {self.told.creator} != each.pools:
            raise Refuted(f"`{variable.name}` is written by others")
        writers = {self.body[name] for name in each.writers}
        for procedure in self.before.procedures:
            for edge in procedure.edges:
                places = [p for p in action_places(edge.action) if variable_of(p) == variable]
                if not places:
                    continue
                plain = isinstance(edge.action, Command) and not edge.action.havocs.count(
                    places[0]
                )
                finishes = any(self._finishes(pool, edge) for pool in self.told.pools)
                if procedure.name not in writers or len(places) != 1 or not plain or finishes:
                    raise Refuted(f"edge {edge.id} changes `{variable.name}` in another way")
                if places[0] != VariablePlace(variable):
                    raise Refuted(f"edge {edge.id} changes a part of `{variable.name}`")

    # -- (2), (3), (5), (8) ----------------------------------------------------------------------

    def compare(self, after: Program) -> None:
        """Raises Refuted unless a program is the one before with ghosts."""
        told, before = self.told, self.before
        ghosts = [v for pool in told.pools for v in PoolGhosts.of(pool).all]
        ghosts += [each.settled for each in told.sums]
        local = {name: [s.own for s in told.sums if name in s.writers] for name in self.body}
        every = [*ghosts, *(own for each in local.values() for own in each)]
        taken = {d.variable.name for d, _ in before.declarations}
        taken |= {p.name for procedure in before.procedures for p in procedure.parameters}
        names = [ghost.name for ghost in ghosts]
        if taken & {g.name for g in every} or len(set(names)) != len(names):
            raise Refuted("a ghost is called as something else is")
        if any(ghost.type != INT for ghost in every):
            raise Refuted("a ghost that is not an integer")
        if len(after.procedures) != len(before.procedures):
            raise Refuted("more or fewer procedures")
        template_of = {body: name for name, body in self.body.items()}
        procedures = []
        for old, new in zip(before.procedures, after.procedures, strict=True):
            template = template_of.get(old.name, "")
            if len(old.edges) != len(new.edges):
                raise Refuted(f"more or fewer steps in `{old.name}`")
            more = tuple(map(Declaration, local.get(template, ())))
            edges = tuple(
                self._expected(template, old.entry, one, other)
                for one, other in zip(old.edges, new.edges, strict=True)
            )
            procedures.append(replace(old, locals=(*old.locals, *more), edges=edges))
        wanted = replace(
            before,
            globals=(*before.globals, *map(Declaration, ghosts)),
            procedures=tuple(procedures),
            properties=tuple(p for p in before.properties if isinstance(p, FailureProperty)),
        )
        if after != wanted:
            raise Refuted("accounts change the program")

    def _expected(self, template: str, entry: int, edge: Edge, other: Edge) -> Edge:
        """What an edge has to be; `other` is what it is, and says what it adds to sums."""
        action = edge.action
        if not isinstance(action, Command) or not isinstance(other.action, Command):
            return edge
        conditions = list(self._conditions(template, entry, edge))
        more = list(self._additions(edge, other.action))
        for pool in self.told.pools:
            more += self._counted(pool, template, entry, edge)
        if not conditions and not more:
            return edge
        guard = conjunction([action.guard, *conditions])
        changed = replace(action, guard=guard, assignments=(*action.assignments, *more))
        return replace(edge, action=changed)

    def _counted(self, pool: str, template: str, entry: int, edge: Edge) -> Iterator[Assignment]:
        """(2), and the end of (5)."""
        ghosts = PoolGhosts.of(pool)
        if self._creates(pool, edge):
            yield _plus(ghosts.count, Const(1, INT))
        if template == pool and edge.source == entry:
            yield _plus(ghosts.running, Const(1, INT))
        if template == pool and self._finishes(pool, edge):
            yield _plus(ghosts.running, Const(-1, INT))
            yield _plus(ghosts.finished, Const(1, INT))
            for each in self.told.sums:
                if pool in each.pools:
                    yield _plus(each.settled, _value(each.own))

    def _additions(self, edge: Edge, made: Command) -> Iterator[Assignment]:
        """(5)"""
        assert isinstance(edge.action, Command)
        for each in self.told.sums:
            place = VariablePlace(each.variable)
            total = each.own
            for value in [a.value for a in edge.action.assignments if a.target == place]:
                added = [a.value for a in made.assignments if a.target == VariablePlace(total)]
                if len(added) != 1 or not self._is_change(added[0], each, value):
                    raise Refuted(f"edge {edge.id} is not accounted for")
                yield Assignment(VariablePlace(total), added[0])

    def _is_change(self, expr: Expr, each: Sum, value: Expr) -> bool:
        """Whether an expression is `own` plus what a value adds, modulo the size of a sum."""
        held = each.variable.type
        assert isinstance(held, MachineType)
        size = held.high - held.low + 1
        match expr:
            case Binary(BinaryOp.ADD, left, change) if left == _value(each.own):
                if isinstance(change, Wrap):
                    if (change.high - change.low + 1) % size:
                        return False
                    change = change.operand
                match change:
                    case Binary(BinaryOp.SUB, new, right) if right == _value(each.variable):
                        return _plain(new, size) == _plain(value, size)
        return False

    def _conditions(self, template: str, entry: int, edge: Edge) -> Iterator[Expr]:
        """(3), and the conditions of (6) and (7)."""
        told = self.told
        if template in told.pools and edge.source == entry:
            ghosts = PoolGhosts.of(template)
            left = Binary(BinaryOp.SUB, _value(ghosts.count), _value(ghosts.running))
            waiting = Binary(BinaryOp.SUB, left, _value(ghosts.finished))
            yield Binary(BinaryOp.GT, waiting, Const(0, INT))
        if template != told.creator:
            return
        done = told.known.get(edge.source, frozenset())
        for pool in sorted(done):
            ghosts = PoolGhosts.of(pool)
            yield Binary(BinaryOp.EQ, _value(ghosts.running), Const(0, INT))
            yield Binary(BinaryOp.EQ, _value(ghosts.finished), _value(ghosts.count))
        for each in told.sums:
            if each.pools <= done:
                held = each.variable.type
                assert isinstance(held, MachineType)
                total = Binary(BinaryOp.ADD, Const(each.first, INT), _value(each.settled))
                if told.creator in each.writers:
                    total = Binary(BinaryOp.ADD, total, _value(each.own))
                yield Binary(BinaryOp.EQ, _value(each.variable), Wrap(held.low, held.high, total))
        for handle, pool in told.sure.get(edge.id, ()):
            yield IsInstance(_value(handle), pool)


def _value(variable: Variable) -> Expr:
    return Read(VariablePlace(variable))


def _plus(variable: Variable, change: Expr) -> Assignment:
    return Assignment(VariablePlace(variable), Binary(BinaryOp.ADD, _value(variable), change))


def _plain(expr: Expr, size: int) -> Expr:
    """An expression without what does not matter modulo a size; raises Refuted if it may have no
    value."""
    match expr:
        case Const(value, _) if type(value) is int:
            return expr
        case Read(VariablePlace(variable)) if isinstance(variable.type, MachineType | RangeType):
            return expr
        case Wrap(low, high, operand):
            values = high - low + 1
            if values % size == 0:
                return _plain(operand, size)
            return Wrap(low, high, _plain(operand, values))
        case Unary(UnaryOp.NEG, operand):
            return Unary(UnaryOp.NEG, _plain(operand, size))
        case Binary(BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL as op, left, right):
            return Binary(op, _plain(left, size), _plain(right, size))
        case _:
            raise Refuted("a sum of what may have no value")
