"""Whether all threads of a pool have finished where that is claimed.

Let M be the one thread that creates the threads of the pool T, in its own body, P the program with
pools of any size, and κ the number of any thread of T. `threadwise.transforms.accounts.joins`
claims things of κ at each location of M. They are candidates, and verified here for every κ at
once:

    (1) M is a single thread that is there from the start, and its body is nobody else's. The
        number of creations changes there only. Claims are about it, about locals of M, about
        arrays that nobody else writes, and say of a status only that it is `finished`
    (2) where M begins, the claims of its entry hold
    (3) a step of M from where the claims of its source hold ends where those of its target do; it
        does not create more threads than the pool has slots
    (4) where all threads are claimed to have finished, the claims say so of κ if it was created
    (5) where a handle is claimed to be one of T, the claims say so: it is that of κ for some κ
        that was created

No other thread changes what claims are about, but for a status that becomes `finished`, and that
keeps them. So they hold whenever M is there, for every κ. That a status is `finished` for good
and only of threads that have finished is checked by `check`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from threadwise.backends.smt.handle import Term
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.fold import action_places
from threadwise.ir.pool_cells import FINISHED, PoolCells
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import ArrayType, IntType, MachineType, RangeType, TidType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import evaluated, variable_of
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations
from threadwise.proofs.transformed.parametric.any_size import AnySize
from threadwise.transforms.accounts.joins import Joins, Named
from threadwise.transforms.accounts.zones import Value


class Joined:
    """What is claimed of the pools of one program."""

    def __init__(
        self, before: Program, tick: Callable[[], object], *, second_solver: bool = False
    ) -> None:
        self.before = before
        self.any_size = AnySize(before)
        templates = [replace(t, count=None, pool=False) if t.pool else t for t in before.templates]
        self.widened = self.any_size.program(templates)
        self.obligations = Obligations(self.widened, tick, second=second_solver)

    def check(
        self, claims: Joins, done: Iterable[LocId], sure: Collection[tuple[LocId, Named]]
    ) -> None:
        """Raises Refuted unless all threads have finished, and handles are of the pool."""
        _Pool(self, claims).check(done, sure)


class _Pool:
    def __init__(self, joined: Joined, claims: Joins) -> None:
        self.before = joined.before
        self.any_size = joined.any_size
        self.widened = joined.widened
        self.obligations = joined.obligations
        self.logic = self.obligations.logic
        self.claims = claims
        self.kappa = self.logic.constant("κ", self.logic.integer_sort)
        declared = {d.variable.name: d.variable for d in self.widened.globals}
        cells = PoolCells(claims.pool)
        if cells.next not in declared or cells.status not in declared:
            raise Refuted(f"`{claims.pool}` is no pool")
        self.counter, self.status = declared[cells.next], declared[cells.status]
        self.first, self.end = self.obligations.environments.ranges[claims.pool]

    def check(self, done: Iterable[LocId], sure: Collection[tuple[LocId, Named]]) -> None:
        """Raises Refuted unless (1) to (5) hold."""
        self._check_creator()
        self._check_mentioned(sure)
        creator = self.claims.creator
        procedure = self.widened.procedure[self.widened.template[creator].body]
        slots, known = self.obligations.initial([creator])
        start = slots[0].env
        sizes = [self._slots(start, t.name) for t in self.any_size.pools]
        start_known = [known, *sizes]
        self._require(
            start_known, self._claimed(procedure.entry, start), "at the beginning"
        )  # (2)
        for edge in procedure.edges:
            self._step(edge)
        for here in done:
            env, known_here = self._at(here)
            goal = self.logic.implication(self._was_created(env), self._finished(env))
            self._require(known_here, goal, f"at {here}, where all threads were joined,")  # (4)
        for here, named in sure:  # (5)
            env, known_here = self._at(here)
            known_here.append(self.kappa == self._value(named.number, env))
            mine = self.logic.equal(env.value(named.handle), self.first + self.kappa)
            goal = self.logic.conjunction([self._was_created(env), mine])
            self._require(known_here, goal, f"at {here}, of `{named.handle.name}`,")

    # -- (1) -------------------------------------------------------------------------------------

    def _check_creator(self) -> None:
        creator = self.before.template.get(self.claims.creator)
        if creator is None or creator.pool or creator.count != 1:
            raise Refuted("threads are not created by a single one")
        if sum(t.body == creator.body for t in self.before.templates) != 1:
            raise Refuted("two templates with the same body")
        if any(isinstance(edge.action, Call) for edge in self.before.edges):
            raise Refuted("joins in a program with calls")
        if self._is_written_elsewhere(self.counter.name, creator.body):
            raise Refuted("threads are created elsewhere")

    def _is_written_elsewhere(self, name: str, body: str) -> bool:
        return any(
            variable_of(place).name == name and variable_of(place).scope is Scope.GLOBAL
            for procedure in self.before.procedures
            if procedure.name != body
            for edge in procedure.edges
            for place in action_places(edge.action)
        )

    def _check_mentioned(self, sure: Collection[tuple[LocId, Named]]) -> None:
        body = self.before.template[self.claims.creator].body
        own = {d.variable for d in self.before.procedure[body].locals}
        shared = {d.variable for d in self.before.globals}

        def integer(value: Value) -> bool:
            held = value[0]
            plain = held in own and isinstance(held.type, MachineType | RangeType | IntType)
            return held is None or held == self.counter or plain

        for told in self.claims.claims.values():
            values = [value for pair in told.differences for value in pair]
            values += [each.high for each in told.stored] + [each.number for each in told.named]
            values += [each.below for each in told.done]
            arrays = [each.array for each in told.stored]
            fine = all(map(integer, values))
            fine &= all(h.handle in own and _is_id(h.handle) for h in told.named)
            for array in arrays:
                mine = array in shared and not self._is_written_elsewhere(array.name, body)
                fine &= (array in own or mine) and _is_array(array)
            if not fine:
                raise Refuted("something is claimed of what others may change")
        if not all(n.handle in own and _is_id(n.handle) and integer(n.number) for _, n in sure):
            raise Refuted("a handle that others may change")

    # -- (3) -------------------------------------------------------------------------------------

    def _at(self, here: LocId) -> tuple[Environment, list[Term]]:
        slot = self.obligations.slot(0, self.claims.creator, here)
        env = slot.env
        sizes = [self._slots(env, t.name) for t in self.any_size.pools]
        return env, [self.obligations.known([slot]), *sizes, self._claimed(here, env)]

    def _slots(self, env: Environment, pool: str) -> Term:
        first, end = self.obligations.environments.ranges[pool]
        return self.logic.equal(env.value(self.any_size.size(pool)), end - first)

    def _step(self, edge: Edge) -> None:
        assert isinstance(edge.action, Command)
        failing = self.before.locations[edge.target].failure is not None
        if failing and not self.before.outgoing[edge.target]:
            return
        env, known = self._at(edge.source)
        encoder = self.obligations.encoder
        fired = self.obligations.walk.firing.fire(edge, env)
        known += [encoder.defined(expr, env) for expr in evaluated(edge.action)]
        known += [encoder.holds(edge.action.guard, env), fired.condition]
        self._require(known, self._claimed(edge.target, fired.after), f"along edge {edge.id}")

    def _require(self, known: list[Term], goal: Term, where: str) -> None:
        if not self.obligations.follows(self.logic.conjunction(known), goal):
            raise Refuted(
                f"threads of `{self.claims.pool}` may run: what is claimed fails {where}"
            )

    # -- claims ----------------------------------------------------------------------------------

    def _claimed(self, here: LocId, env: Environment) -> Term:
        told = self.claims.claims.get(here)
        if told is None:
            return self.logic.false
        created = env.value(self.counter)
        parts = [created >= 0, created <= self.end - self.first]
        parts += [self._value(a, env) <= self._value(b, env) for a, b in told.differences]
        of_kappa = self.logic.conjunction(list(self._of_kappa(here, env)))
        parts.append(self.logic.implication(self._was_created(env), of_kappa))
        return self.logic.conjunction(parts)

    def _of_kappa(self, here: LocId, env: Environment) -> Iterator[Term]:
        told = self.claims.claims[here]
        thread = self.first + self.kappa
        for each in told.stored:
            at = self.kappa + each.displacement
            element = self.obligations.environments.values.read(env.value(each.array), [at])
            inside = [self.kappa >= each.low, self.kappa < self._value(each.high, env)]
            stored = self.logic.equal(element, thread)
            yield self.logic.implication(self.logic.conjunction(inside), stored)
        for named in told.named:
            mine = self.logic.equal(env.value(named.handle), thread)
            yield self.logic.implication(self.kappa == self._value(named.number, env), mine)
        for done in told.done:
            below = self.kappa < self._value(done.below, env)
            yield self.logic.implication(below, self._finished(env))

    def _was_created(self, env: Environment) -> Term:
        inside = [self.kappa >= 0, self.kappa < env.value(self.counter)]
        return self.logic.conjunction(inside)

    def _finished(self, env: Environment) -> Term:
        read = self.obligations.environments.values.read
        status = read(env.value(self.status), [self.first + self.kappa])
        return self.logic.equal(status, self.obligations.encoder.value(FINISHED, env))

    def _value(self, value: Value, env: Environment) -> Term:
        variable, more = value
        if variable is None:
            return self.logic.integer(more)
        return env.value(self._widened(variable)) + more

    def _widened(self, variable: Variable) -> Variable:
        return self.any_size.counted(variable)


def _is_id(variable: Variable) -> bool:
    return variable.scope is Scope.LOCAL and isinstance(variable.type, TidType)


def _is_array(variable: Variable) -> bool:
    held = variable.type
    return isinstance(held, ArrayType) and isinstance(held.element, TidType)
