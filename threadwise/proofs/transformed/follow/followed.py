"""Whether a program follows one thread of another one, and preserves its violations.

Let κ be an index, and P the program before, with pools of any size. The program after simulates P:
a state of it *describes* one of P if shared variables and those of threads are the same, of a
followed array there is the element of κ, the thread T is the κ-th, and each of `T.others` is the
one with its index. By the obligations a violation in P is one in the program after, for some κ:

    (1) locations, threads, variables and initial values correspond (`_frame`); each of the others
        chooses an index first, and never again
    (2) a step of P, along an edge that leads to no failure, is one of the program after, along an
        edge that was made of it, to a state that describes the one after the step
    (3) a failure of the κ-th thread: likewise. Those of other threads of T need not be there: κ is
        the index of the first that fails
    (4) a failure of a thread of another template: likewise, if the edge reads the element of κ of
        a followed array, or else if its flag `T.elsewhere` is not set. An edge that reads the
        element of κ clears the flag, one that reads no element leaves it cleared: κ is the index
        at which the thread last read
    (5) races: edges read and write the same variables as before; likewise elements of followed
        arrays, if that of κ is meant. Only accesses of `T.others` to other variables may count as
        synchronisation: κ is the index of the element, or of the thread whose access is plain
    (6) what is claimed of the arguments of others holds: see `claims`
    (7) a limit that is reached because a pool is full need not be there: the proof is about pools
        of any size, and says so
    (8) the index of a thread that is not unused is below the number of creations: see `claims`
    (9) races: an edge to a failure that accesses shared memory is there whatever κ is, unless that
        nothing fails there is claimed, too, or it is a limit: for the race κ may have to be
        another index than for the failure

(2) to (4) are formulas, decided by a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from threadwise.backends.smt.handle import Term
from threadwise.ir.commands import Command
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
    SelfIndex,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjuncts,
    rebuild,
    subexpressions,
)
from threadwise.ir.program import (
    Edge,
    EdgeId,
    Failure,
    FailureKind,
    LocId,
    Procedure,
    Program,
)
from threadwise.ir.properties import Property, RaceProperty
from threadwise.ir.types import INT, ArrayType, PerThread
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import (
    evaluated,
    is_shared,
    needed,
    places_read,
    surely_read,
    variable_of,
)
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations, Slot
from threadwise.proofs.toolbox.smt.values import Symbolic, terms_of
from threadwise.proofs.transformed.follow.words import KAPPA, SLOTS, Names, Retold, kappa


class Role(Enum):
    """Whose edge it is: κ's, that of another thread of the template, or of another template."""

    FOLLOWED = "followed"
    OTHER = "other"
    STRANGER = "stranger"


class Body(NamedTuple):
    """A procedure of the program before, and one that was made of it."""

    role: Role
    old: Procedure
    new: Procedure
    places: dict[LocId, LocId]
    """For locations of the new one those of the old one."""
    limit: LocId | None
    """Where a thread gets if a claim does not hold."""
    start: EdgeId | None
    """The edge that chooses an index."""


class Following:
    """Edges of two programs, compared."""

    def __init__(
        self,
        names: Names,
        after: Program,
        origins: Sequence[EdgeId],
        claims: Sequence[Variable],
        tick: Callable[[], object],
        *,
        claimed: Sequence[Property],
        second_solver: bool,
    ) -> None:
        self.names = names
        self.claimed = {checked.name for checked in claimed}
        self.before = names.program
        self.widened = names.widened()
        self.after = after
        self.origins = origins
        self.claims = claims
        self.used: Expr | None = None
        """That a thread is not unused: known to follow from its creation, if it is given."""
        self.races = any(isinstance(checked, RaceProperty) for checked in claimed)
        self.obligations = Obligations(self.widened, tick, second=second_solver)
        self.logic = self.obligations.logic
        self.encoder = self.obligations.encoder

    def check(self, body: Body) -> None:
        """Raises Refuted unless the steps of one procedure are steps of the other."""
        made: dict[EdgeId, list[Edge]] = {edge.id: [] for edge in body.old.edges}
        for edge in body.new.edges:
            if edge.id == body.start or edge.target == body.limit:
                continue
            old = self.before.edges[self.origins[edge.id]]
            ends = body.places.get(edge.source), body.places.get(edge.target)
            if ends != (old.source, old.target) or not isinstance(edge.action, Command):
                raise Refuted(f"edge {edge.id} was made of another one")
            made[old.id].append(edge)
        retold = Retold(
            self.names,
            body.old,
            stranger=body.role is Role.STRANGER,
            other=body.role is Role.OTHER,
        )
        for old in body.old.edges:
            _Step(self, body, old, made[old.id], retold).check()

    # -- states ----------------------------------------------------------------------------------

    def described(self, role: Role, slot: Slot) -> Iterator[Term]:
        """What is known where the program after describes the state, and of the thread's role."""
        env, logic, names = slot.env, self.logic, self.names
        yield self.obligations.known([slot])
        index = self.encoder.value(kappa(), env)
        yield index >= 0
        first, end = self.obligations.environments.ranges[names.template.name]
        yield logic.equal(env.shared[SLOTS], end - first)
        if names.counter is not None:
            created = env.shared[names.counted(names.counter)]
            yield logic.conjunction([created >= 0, created <= env.shared[SLOTS]])
            if role is not Role.STRANGER and self.used is not None:  # (8)
                used = self.encoder.holds(self.used, env)
                yield logic.implication(used, env.me - first < created)
        for array in names.arrays:
            if array in env.shared or array in env.own:
                same = self.same(self.cell(array, env), self.element(array, env))
                yield logic.implication(self.has_kappa(array, env), same)
        mine = logic.equal(env.me, self.encoder.value(names.followed_id, env))
        if role is Role.FOLLOWED:
            yield mine
        elif role is Role.OTHER:
            yield logic.negation(mine)
            for claimed in self.claims:  # (6)
                own = self.encoder.read(IndexPlace(VariablePlace(claimed), SelfId()), env)
                yield logic.equal(own, env.me - first)

    def cell(self, array: Variable, env: Environment) -> Symbolic:
        """The variable a@κ."""
        return env.value(self.cell_variable(array))

    def element(self, array: Variable, env: Environment) -> Symbolic:
        """The element of κ."""
        return self.encoder.read(self.names.at_kappa(array), env)

    def has_kappa(self, array: Variable, env: Environment) -> Term:
        """Whether κ is the index of an element."""
        held = array.type
        assert isinstance(held, ArrayType)
        if isinstance(held.extent, PerThread):
            template = self.names.template.name
            return self.encoder.value(IsInstance(self.names.followed_id, template), env)
        return self.encoder.value(Binary(BinaryOp.LT, kappa(), Const(held.extent, INT)), env)

    def same(self, one: Symbolic, other: Symbolic) -> Term:
        """Whether two values are the same, cell by cell."""
        pairs = zip(terms_of(one), terms_of(other), strict=True)
        return self.logic.conjunction([self.logic.equal(a, b) for a, b in pairs])

    def cell_variable(self, array: Variable) -> Variable:
        """The variable a@κ of a followed array."""
        cell = self.names.cell(array)
        return cell if array.scope is Scope.GLOBAL else replace(cell, scope=Scope.LOCAL)

    def with_elements(self, env: Environment) -> Environment:
        """A state, with the elements of κ that arrays have in it."""
        for array in self.names.arrays:
            if array in env.shared or array in env.own:
                env = env.with_value(self.cell_variable(array), self.element(array, env))
        return env


class _Step:
    """An edge of the program before, and those that were made of it."""

    def __init__(
        self, whole: Following, body: Body, old: Edge, made: Sequence[Edge], retold: Retold
    ) -> None:
        self.whole = whole
        self.names = whole.names
        self.logic = whole.logic
        self.encoder = whole.encoder
        self.body = body
        self.old = old
        self.edge = whole.widened.edges[old.id]
        self.made = made
        self.ways = [self._retold(edge, retold) for edge in made]

    def _retold(self, edge: Edge, retold: Retold) -> Command:
        action = edge.action
        assert isinstance(action, Command)
        return Command(
            retold.value(action.guard),
            tuple(
                replace(a, target=retold.place(a.target), value=retold.value(a.value))
                for a in action.assignments
            ),
            tuple(map(retold.place, action.havocs)),
        )

    def check(self) -> None:
        """Raises Refuted unless the step is preserved."""
        failure = self.names.program.locations[self.old.target].failure
        kind = None if failure is None else failure.kind
        role = self.body.role
        if kind is FailureKind.SLOTS:  # (7)
            return
        failing = kind is not None and kind is not FailureKind.END
        chosen = failing and not self._is_needed(failure)
        if chosen and role is Role.OTHER:  # (3)
            return
        for way in self.ways:
            if any(variable_of(place) == KAPPA for place in action_places(way)):
                raise Refuted("κ is written")
        for template in self._owners():
            slot = self.whole.obligations.slot(0, template, self.old.source)
            self._check_slot(slot, failing=failing, chosen=chosen)
        if self.whole.races:
            self._check_accesses()

    def _owners(self) -> list[str]:
        return [t.name for t in self.names.program.templates if t.body == self.body.old.name]

    def _is_needed(self, failure: Failure | None) -> bool:
        """Whether the accesses on the way to a failure count (9)."""
        if failure is None or failure.kind.is_limit or failure.property in self.whole.claimed:
            return False
        return self.whole.races and bool(self._plain_accesses())

    def _check_slot(self, slot: Slot, *, failing: bool, chosen: bool) -> None:
        premise = [
            *self.whole.described(self.body.role, slot),
            self.encoder.holds(self.edge.action.guard, slot.env),
        ]
        look = self._look() if self.body.role is Role.STRANGER else None
        flag = self.encoder.value(Read(VariablePlace(self.names.elsewhere)), slot.env)
        cases = [premise]
        if chosen and self.body.role is Role.STRANGER:  # (4)
            hit, valid = self._looks(slot.env, look)
            cleared = self.logic.negation(flag)
            cases = [[*premise, hit], [*premise, self.logic.negation(valid), cleared]]
        fired = self.whole.obligations.walk.firing.fire(self.edge, slot.env)
        taken = [self._taken(way, slot.env, fired.after) for way in self.ways]
        for case in cases:  # (2) and (3)
            known = self.logic.conjunction([*case, fired.condition])
            if not self.whole.obligations.follows(known, self.logic.disjunction(taken)):
                raise Refuted(f"edge {self.old.id} is lost for the {self.body.role.value} thread")
        if self.body.role is Role.STRANGER and not failing:
            self._check_flag(slot, premise, look, flag)

    def _taken(self, way: Command, env: Environment, target: Environment) -> Term:
        """Whether an edge made of it can be taken, and leads to what describes the target."""
        after = env
        writes = [
            (self.encoder.path(a.target, env), self.encoder.value(a.value, env))
            for a in way.assignments
        ]
        described = self.whole.with_elements(target)
        for place in way.havocs:
            variable, steps = self.encoder.path(place, env)
            value = self.encoder.values.read(described.value(variable), steps)
            writes.append(((variable, steps), value))
        for (variable, steps), value in writes:
            whole = self.encoder.values.write(after.value(variable), steps, value)
            after = after.with_value(variable, whole)
        conditions = [self.encoder.holds(way.guard, env)]
        cells = {self.whole.cell_variable(array): array for array in self.names.arrays}
        for variable in (*env.shared, *env.own):
            if variable in self.names.arrays or variable == self.names.elsewhere:
                continue
            one, other = after.value(variable), described.value(variable)
            if one is other:
                continue
            same = self.whole.same(one, other)
            if variable in cells:
                same = self.logic.implication(self.whole.has_kappa(cells[variable], target), same)
            conditions.append(same)
        return self.logic.conjunction(conditions)

    # -- (4) -------------------------------------------------------------------------------------

    def _look(self) -> IndexPlace | None:
        """The first element of a followed array that the edge reads, at an index without one."""
        for whole in action_expressions(self.edge.action):
            for part in subexpressions(whole):
                place = part.place if isinstance(part, Read) else None
                if isinstance(place, IndexPlace) and variable_of(place) in self.names.arrays:
                    inner = (variable_of(p) for p in places_read(place.index))
                    if not any(variable in self.names.arrays for variable in inner):
                        return place
        return None

    def _looks(self, env: Environment, look: IndexPlace | None) -> tuple[Term, Term]:
        """Whether an edge reads the element of κ, and whether it reads an element at all."""
        if look is None:
            return self.logic.false, self.logic.false
        held = variable_of(look).type
        assert isinstance(held, ArrayType)
        if isinstance(held.extent, PerThread):
            hit: Expr = Binary(BinaryOp.EQ, look.index, self.names.followed_id)
            valid: Expr = IsInstance(look.index, self.names.template.name)
        else:
            hit = Binary(BinaryOp.EQ, look.index, kappa())
            valid = Binary(BinaryOp.GE, look.index, Const(0, INT))
        defined = self.encoder.defined(look.index, env)
        looks = self.logic.conjunction([defined, self.encoder.value(valid, env)])
        return self.logic.conjunction([looks, self.encoder.value(hit, env)]), looks

    def _check_flag(
        self, slot: Slot, premise: list[Term], look: IndexPlace | None, flag: Term
    ) -> None:
        place = VariablePlace(self.names.elsewhere)
        hit, valid = self._looks(slot.env, look)
        cleared = self.logic.disjunction(
            [hit, self.logic.conjunction([self.logic.negation(valid), self.logic.negation(flag)])]
        )
        for way in self.ways:
            written = [a.value for a in way.assignments if a.target == place]
            if place in way.havocs or len(written) > 1:
                raise Refuted("a flag of any value")
            after = self.encoder.value(written[0], slot.env) if written else flag
            guard = self.encoder.holds(way.guard, slot.env)
            known = self.logic.conjunction([*premise, guard, cleared])
            if not self.whole.obligations.follows(known, self.logic.negation(after)):
                raise Refuted(f"edge {self.old.id} sets a flag that it has to clear")

    # -- (5) -------------------------------------------------------------------------------------

    def _check_accesses(self) -> None:
        action = self.edge.action
        assert isinstance(action, Command)
        shared = self._plain_accesses()
        followed = [p for p in shared if variable_of(p) in self.names.arrays]
        for edge, way in zip(self.made, self.ways, strict=True):
            may_hide = self.body.role is Role.OTHER and not followed
            if edge.sync != self.old.sync and not (edge.sync and may_hide):
                raise Refuted(f"edge {edge.id} synchronises")
            looked = set(_looked_at(way))
            written = set(action_places(way))
            for place in shared:
                if place in followed or place in written | looked:
                    continue
                if not self._is_kept(way, place):
                    self._never(way, f"no longer looks at `{variable_of(place).name}`")
            for place in action_places(action):
                if place in shared and place not in followed and place not in written:
                    self._never(way, f"no longer writes `{variable_of(place).name}`")
            for place in followed:
                self._check_element(way, place, looked, written, action)

    def _plain_accesses(self) -> list[Place]:
        """The shared places that the edge may access, but for those that synchronise."""
        action = self.edge.action
        read = [p for expr in action_expressions(action) for p in places_read(expr)]
        every = (*read, *action_places(action))
        return [p for p in every if is_shared(p) and not variable_of(p).sync]

    def _is_kept(self, way: Command, place: Place) -> bool:
        """Whether a possible read of a place is still there, with elements of κ."""
        action = self.edge.action
        assert isinstance(action, Command)
        there = {*conjuncts(way.guard), *(a.value for a in way.assignments)}
        for whole in (*conjuncts(action.guard), *evaluated(action)):
            if place in places_read(whole) and not (
                self._of_kappa(whole) in there and self._is_hit(way, whole)
            ):
                return False
        return True

    def _of_kappa(self, expr: Expr) -> Expr:
        """An expression with the elements of κ for all elements."""
        if isinstance(expr, Read) and variable_of(expr.place) in self.names.arrays:
            return Read(VariablePlace(self.whole.cell_variable(variable_of(expr.place))))
        if isinstance(expr, SelfIndex) and self.body.role is Role.FOLLOWED:
            return kappa()
        return rebuild(expr, self._of_kappa)

    def _is_hit(self, way: Command, whole: Expr) -> bool:
        """Whether all elements in an expression are those of κ where an edge can be taken."""
        for place in places_read(whole):
            if variable_of(place) not in self.names.arrays:
                continue
            assert isinstance(place, IndexPlace)
            for template in self._owners():
                slot = self.whole.obligations.slot(0, template, self.old.source)
                hit, _ = self._looks(slot.env, place)
                both = self.edge.action.guard, way.guard
                guards = [self.encoder.holds(guard, slot.env) for guard in both]
                known = [*self.whole.described(self.body.role, slot), *guards]
                if not self.whole.obligations.follows(self.logic.conjunction(known), hit):
                    return False
        return True

    def _check_element(
        self, way: Command, place: Place, looked: set[Place], written: set[Place], action: Command
    ) -> None:
        assert isinstance(place, IndexPlace)
        cell = VariablePlace(self.whole.cell_variable(variable_of(place)))
        writes = place in action_places(action)
        if cell in written or (not writes and (cell in looked or self._is_kept(way, place))):
            return
        for template in self._owners():
            slot = self.whole.obligations.slot(0, template, self.old.source)
            hit, _ = self._looks(slot.env, place)
            guards = [self.encoder.holds(g, slot.env) for g in (action.guard, way.guard)]
            known = self.logic.conjunction(
                [*self.whole.described(self.body.role, slot), *guards, hit]
            )
            if not self.whole.obligations.contradict(known):
                raise Refuted(f"edge {self.old.id} no longer accesses the element of κ")

    def _never(self, way: Command, told: str) -> None:
        """Raises Refuted unless an edge can never be taken."""
        for template in self._owners():
            slot = self.whole.obligations.slot(0, template, self.old.source)
            guards = [self.encoder.holds(g, slot.env) for g in (self.edge.action.guard, way.guard)]
            if not self.whole.obligations.contradict(
                self.logic.conjunction([*self.whole.described(self.body.role, slot), *guards])
            ):
                raise Refuted(f"edge {self.old.id} {told}")


def _looked_at(way: Command) -> Iterator[Place]:
    """What a command reads whenever it is taken, or under the condition that the place exists."""
    for part in conjuncts(way.guard):
        yield from surely_read(part)
        match part:
            case Binary(BinaryOp.IMPLIES, exists, Binary(BinaryOp.EQ, Read(place), _)):
                if set(conjuncts(exists)) <= set(needed(place)):
                    yield place
            case _:
                pass
    for expr in evaluated(way):
        yield from surely_read(expr)
