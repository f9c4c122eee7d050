"""Whether another program is the parametric abstraction of a program with created threads.

The parametric program, in which created threads are templates with any number of threads, is its
abstraction
(`threadwise.transforms.parametric`). Let P be the program before, with pools of any
size, and κ a choice of a position for every array of handles. A state of the abstraction
*describes* one of P if threads with the same id are at the same locations, variables that are kept
or narrowed have the same values, and

    T.created   is true if the status of a thread of T is `started`
    a.pool      is the pool that the element of a at κ is of
    h.pool      is the pool that h is of, or `elsewhere`. It is *exact* if it is the former; some
                handles, which get nothing from arrays, always are

By the obligations the abstraction simulates P, and a violation in P is one in the abstraction for
some κ:

    (1) variables, threads and locations correspond (`words`)
    (2) a step of P along an edge is one of the abstraction along the same edge, whatever κ is, to
        a state that describes the one after the step; no constant is changed
    (3) where a handle is assigned from another handle that is exact, it is exact afterwards; it
        also is if it is assigned the element at κ, or any other value
    (4) an edge to a limit may be missing where one handle that P reads is not exact: κ is the
        position that this handle was last read from, and by (3) it is exact
    (5) races: an edge reads and writes what it did before; likewise elements of arrays of handles,
        if that at κ is meant: κ is the position of the element with the race
    (6) an argument that is the same constant for all threads has that value once they are started
    (7) a limit that is reached because a pool is full need not be there: the proof is about pools
        of any size, and says so. If the abstraction has at most K threads, no more than K are
        created
        (`created`)

(2) to (7) are formulas, decided by a solver. How the abstraction was made plays no role here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from threadwise.backends.smt.handle import Term
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    TRUE,
    AtLabel,
    Conditional,
    Expr,
    IndexPlace,
    Place,
    Quantified,
    Read,
    Scope,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, subexpressions
from threadwise.ir.pool_cells import STARTED
from threadwise.ir.program import Edge, FailureKind, Procedure, Program
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import evaluated, places_read, refuse_memory, variable_of
from threadwise.proofs.toolbox.smt.edges import SharedAccess
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations, Slot
from threadwise.proofs.toolbox.smt.values import PathStep, Symbolic, terms_of
from threadwise.proofs.transformed.certificate import MOST_CREATED
from threadwise.proofs.transformed.parametric.created import check_created
from threadwise.proofs.transformed.parametric.words import ELSEWHERE, FIRST, NOBODY, Handle, Words

_ABOUT_SEVERAL = (AtLabel, Quantified, ThreadRead, ThreadVariable)
_ENDS = (FailureKind.LIMIT, FailureKind.UNDEFINED, FailureKind.MEMORY)
"""Limits behind which nothing is claimed."""


def check_parametric(
    before: Program,
    after: Program,
    claimed: Sequence[Property],
    tick: Callable[[], object],
    *,
    assumed: Sequence[str] = (),
    second_solver: bool = False,
) -> None:
    """Raises Refuted unless claims that hold of the abstraction also hold of the program before.

    Of some pools it is assumed that at most `MOST_CREATED` of their threads are created; the
    proof lists that.
    """
    if not all(isinstance(checked, FailureProperty | RaceProperty) for checked in claimed):
        raise Refuted("parametric threads keep races and failures only")
    refuse_memory(before)
    words = Words(before, after, claimed)
    races = any(isinstance(checked, RaceProperty) for checked in claimed)
    simulation = Simulation(words, tick, races=races, second_solver=second_solver)
    for old, new in zip(before.procedures, after.procedures, strict=True):
        for one, other in zip(old.edges, new.edges, strict=True):
            simulation.check(old, one, other)
    if not set(assumed) <= {template.name for template in after.templates}:
        raise Refuted("something is assumed of threads that there are none of")
    for template in after.templates:
        if template.name in assumed:
            if template.most != MOST_CREATED:
                raise Refuted(f"another number of threads `{template.name}` is assumed")
        elif template.most is not None:  # (7)
            check_created(simulation.obligations, before, template.name, template.most)


class Simulation:
    """Edges of a program and of its abstraction, compared."""

    def __init__(
        self,
        words: Words,
        tick: Callable[[], object],
        *,
        races: bool,
        second_solver: bool,
    ) -> None:
        self.words = words
        self.races = races
        self.widened = words.widened()
        self.obligations = Obligations(self.widened, tick, second=second_solver)
        self.logic = self.obligations.logic
        self.encoder = self.obligations.encoder
        self.environments = self.obligations.environments
        self.passed = list(dict.fromkeys(words.passed()))
        self.sure = words.sure()
        self.ids = words.ids()

    def check(self, procedure: Procedure, old: Edge, new: Edge) -> None:
        """Raises Refuted unless steps along an edge are steps along that of the abstraction."""
        if replace(new, action=old.action, operation=old.operation) != old:
            raise Refuted(f"edge {old.id} is another one")
        if isinstance(old.action, Call) and self._is_body(old.action.procedure):
            raise Refuted(f"edge {old.id} calls what threads begin with")
        known = self.words.known(procedure)
        mentioned = {variable_of(place) for place in _places(new)}
        if not mentioned <= known:
            raise Refuted(f"edge {old.id} mentions what is not declared")
        unchanged = old.action == new.action and mentioned <= self.plain(procedure)
        unchanged &= self.ids.isdisjoint(map(variable_of, action_places(old.action)))
        if unchanged:
            return
        if not isinstance(old.action, Command) or not isinstance(new.action, Command):
            raise Refuted(f"edge {old.id} calls something else")
        failure = self.words.before.locations[old.target].failure
        kind = None if failure is None else failure.kind
        if kind is FailureKind.SLOTS:  # (7)
            return
        owners = self.words.owned(procedure) or [t.name for t in self.words.before.templates]
        for template in owners:
            slot = self.obligations.slot(0, template, old.source)
            _Step(self, procedure, slot, old, new).check(ends=kind in _ENDS)

    def _is_body(self, name: str) -> bool:
        return any(template.body == name for template in self.words.before.templates)

    def plain(self, procedure: Procedure) -> set[Variable]:
        """The variables that have the same values in both programs."""
        words = self.words
        own = {d.variable for t in words.before.templates for d in t.variables}
        kept = words.shared.kept | words.local[procedure.name].kept
        return {*kept, *own, *procedure.parameters}

    @property
    def _pools(self) -> list[str]:
        return [pool.name for pool in self.words.pools]

    # -- states ----------------------------------------------------------------------------------

    def described(self, procedure: Procedure, env: Environment) -> Environment:
        """A state of the program before together with one of the abstraction."""
        words = self.words
        told = words.shared, words.local[procedure.name]
        new = [*words.created.values(), *(h.new for each in told for h in each.handles)]
        new += [h.kappa for each in told for h in each.handles if h.kappa is not None]
        for variable in new:
            prefix = "" if variable.scope is Scope.GLOBAL else f"{procedure.name}."
            name = f"{prefix}{variable.name}'"
            env = env.with_value(variable, self.environments.constants(variable.type, name))
        return self.with_narrowed(env)

    def with_narrowed(self, env: Environment) -> Environment:
        """A state in which narrowed variables have the values of the original ones."""
        for old, new in self.words.shared.narrowed.items():
            env = env.with_value(new, env.value(old))
        return env

    def known(self, procedure: Procedure, slot: Slot, env: Environment) -> Iterator[Term]:
        """What holds where one state describes the other."""
        words, logic = self.words, self.logic
        yield self.obligations.known([slot])
        for pool in self._pools:
            first, end = self.environments.ranges[pool]
            yield logic.equal(env.shared[words.size(pool)], end - first)
            yield from self.counts(pool, env)
            if pool == slot.template:
                yield from self.once_started(pool, env.me, env)
        for variable in (*env.shared, *env.own):
            if variable in self.ids:
                yield self.are_ids(variable, env)
        for old, new in words.shared.narrowed.items():
            yield from self.environments.in_type(new.type, env.value(old))
        for handle in words.handles(procedure.name):
            yield from self.environments.in_type(handle.new.type, env.value(handle.new))
            if handle.kappa is not None:
                yield from self.environments.in_type(handle.kappa.type, env.value(handle.kappa))
            yield self.tells(handle, env)

    def are_ids(self, variable: Variable, env: Environment) -> Term:
        """That a variable holds ids of threads (tables are left out)."""
        held, value = variable.type, env.value(variable)
        return self.logic.conjunction(list(self.environments.in_type(held, value, chosen=True)))

    def counts(self, pool: str, env: Environment) -> Iterator[Term]:
        """That at most as many threads were created as a pool has slots."""
        counter = self.words.counter(pool)
        if counter is not None:
            first, end = self.environments.ranges[pool]
            yield env.shared[counter] >= 0
            yield env.shared[counter] <= end - first

    def once_started(self, pool: str, thread: Term, env: Environment) -> Iterator[Term]:
        """What holds of a thread of a pool whose status is `started`."""
        read = self.environments.values.read
        status = read(env.value(self.words.status[pool]), [thread])
        started = self.logic.equal(status, self.encoder.value(STARTED, env))
        yield self.logic.implication(started, env.value(self.words.created[pool]))
        for name, cell, constant in self.passed:  # (6)
            if name == pool:
                found = read(env.value(cell), [thread])
                same = self.logic.equal(found, self.encoder.value(constant, env))
                yield self.logic.implication(started, same)

    def pool_of(self, thread: Term) -> Term:
        """The pool that an id is of, as a member of the type of handles."""
        found = self.logic.integer(NOBODY)
        for number, pool in enumerate(self._pools):
            of_pool = self.environments.is_thread(thread, pool)
            found = self.logic.choice(of_pool, self.logic.integer(FIRST + number), found)
        return found

    def exact(self, handle: Handle, env: Environment) -> Term:
        """Whether a handle, or the element at κ, is of the pool that the abstraction says."""
        value = env.value(handle.old)
        if handle.kappa is not None:
            value = self.environments.values.read(value, [env.value(handle.kappa)])
        return self.logic.equal(env.value(handle.new), self.pool_of(value))

    def tells(self, handle: Handle, env: Environment) -> Term:
        """Whether a handle is described."""
        if handle.kappa is not None or handle.old in self.sure:
            return self.exact(handle, env)
        elsewhere = self.logic.equal(env.value(handle.new), self.logic.integer(ELSEWHERE))
        return self.logic.disjunction([self.exact(handle, env), elsewhere])


class _Step:
    """An edge that a thread may take, in both programs."""

    def __init__(
        self, simulation: Simulation, procedure: Procedure, slot: Slot, old: Edge, new: Edge
    ) -> None:
        self.simulation = simulation
        self.words = simulation.words
        self.logic = simulation.logic
        self.encoder = simulation.encoder
        self.number = old.id
        self.edge = simulation.widened.edges[old.id]
        self.new = new
        assert isinstance(self.edge.action, Command)
        assert isinstance(new.action, Command)
        for expr in (*action_expressions(self.edge.action), *action_expressions(new.action)):
            if any(isinstance(part, _ABOUT_SEVERAL) for part in subexpressions(expr)):
                raise Refuted(f"edge {old.id} looks at several threads")
        self.action, self.way = self.edge.action, new.action
        self.kept = simulation.plain(procedure)
        self.handles = {h.old: h for h in self.words.handles(procedure.name)}
        self.env = simulation.described(procedure, slot.env)
        fired = simulation.obligations.walk.firing.fire(self.edge, self.env)
        self.target = fired.after
        evaluations = [self.encoder.defined(expr, self.env) for expr in evaluated(self.action)]
        holds = self.encoder.holds(self.action.guard, self.env)
        self.known = [*simulation.known(procedure, slot, self.env), holds, fired.condition]
        self.known += evaluations
        self.after = self._taken()

    def check(self, *, ends: bool) -> None:
        """Raises Refuted unless the step is one of the abstraction; `ends`: it leads to a
        limit."""
        enabled = self.encoder.holds(self.way.guard, self.env)
        if ends:
            self._check_limit(enabled)
            return
        self._require([], enabled, "is not always there")
        for told, condition in self._described():
            self._require([], condition, told)
        self._check_started()
        for handle in self.handles.values():
            if handle.kappa is None and handle.old not in self.simulation.sure:
                self._check_exact(handle)
        if self.simulation.races:
            self._check_accesses()

    def _require(self, more: Sequence[Term], goal: Term, told: str) -> None:
        if not self._follows(more, goal):
            raise Refuted(f"edge {self.number} {told}")

    def _follows(self, more: Sequence[Term], goal: Term) -> bool:
        premise = self.logic.conjunction([*self.known, *more])
        return self.simulation.obligations.follows(premise, goal)

    # -- (2) -------------------------------------------------------------------------------------

    def _taken(self) -> Environment:
        """The state of the abstraction after the step; havocked variables get the describing
        values."""
        after = self.env
        writes = [
            (self.encoder.path(a.target, self.env), self.encoder.value(a.value, self.env))
            for a in self.way.assignments
        ]
        for place in self.way.havocs:
            variable, steps = self.encoder.path(place, self.env)
            wanted = self.encoder.values.read(self._wanted(variable), steps)
            writes.append(((variable, steps), wanted))
        for (variable, steps), value in writes:
            whole = self.encoder.values.write(after.value(variable), steps, value)
            after = after.with_value(variable, whole)
        return after

    def _wanted(self, variable: Variable) -> Term:
        """The value of a variable of the abstraction that describes the state after the step."""
        for handle in self.handles.values():
            if handle.new == variable:
                value = self.target.value(handle.old)
                if handle.kappa is not None:
                    value = self.encoder.values.read(value, [self.env.value(handle.kappa)])
                return self.simulation.pool_of(value)
        for old, new in self.words.shared.narrowed.items():
            if new == variable:
                return self.target.value(old)
        if variable in self.words.created.values():
            raise Refuted(f"edge {self.number} forgets whether threads were created")
        return self.target.value(variable)

    def _described(self) -> Iterator[tuple[str, Term]]:
        """That the state after the step is described, part by part."""
        for expr in evaluated(self.way):
            yield "evaluates what has no value", self.encoder.defined(expr, self.env)
        narrowed = self.words.shared.narrowed
        for place in self.way.havocs:
            variable, steps = self.encoder.path(place, self.env)
            value = self.encoder.values.read(self._wanted(variable), steps)
            typed = self.simulation.environments.in_type(place.type, value, chosen=True)
            yield "chooses what is no value of its type", self.logic.conjunction(list(typed))
        for old, new in narrowed.items():
            value = self.target.value(old)
            if value is not self.env.value(old) or self.after.value(new) is not value:
                typed = self.simulation.environments.in_type(new.type, value)
                same = self.logic.equal(self.after.value(new), value)
                yield f"changes `{old.name}`", self.logic.conjunction([*typed, same])
        told = {h.new for h in self.handles.values()} | set(self.words.created.values())
        for variable in (*self.env.shared, *self.env.own):
            one, other = self.after.value(variable), self.target.value(variable)
            if one is other or variable in told or variable in narrowed.values():
                continue
            if variable in self.kept:
                yield f"changes `{variable.name}`", self._same(one, other)
            elif one is not self.env.value(variable):
                raise Refuted(f"edge {self.number} changes the constant `{variable.name}`")
        for pool in self.words.status:
            counted = self.logic.conjunction(list(self.simulation.counts(pool, self.target)))
            yield f"creates too many threads of `{pool}`", counted
        for variable in (*self.env.shared, *self.env.own):
            changed = self.target.value(variable) is not self.env.value(variable)
            if changed and variable in self.simulation.ids:
                are_ids = self.simulation.are_ids(variable, self.target)
                yield f"gives `{variable.name}` no id of a thread", are_ids
        moved = self._moved()
        for handle in self.handles.values():
            yield (
                f"tells another pool of `{handle.old.name}`",
                self.simulation.tells(handle, moved),
            )

    def _moved(self) -> Environment:
        """The states of both programs after the step."""
        moved = self.target
        for variable in (*(h.new for h in self.handles.values()), *self.words.created.values()):
            moved = moved.with_value(variable, self.after.value(variable))
        return moved

    def _same(self, one: Symbolic, other: Symbolic) -> Term:
        pairs = zip(terms_of(one), terms_of(other), strict=True)
        return self.logic.conjunction([self.logic.equal(a, b) for a, b in pairs])

    def _check_started(self) -> None:
        """Of any thread of a pool: what holds once it is started."""
        moved = self._moved()
        for pool in self.words.status:
            thread = self.logic.constant(f"any {pool}", self.logic.integer_sort)
            before = list(self.simulation.once_started(pool, thread, self.env))
            before.append(self.simulation.environments.is_thread(thread, pool))
            goal = list(self.simulation.once_started(pool, thread, moved))
            self._require(before, self.logic.conjunction(goal), f"starts a thread of `{pool}`")

    # -- (3) and (4) -----------------------------------------------------------------------------

    def _check_exact(self, handle: Handle) -> None:
        place = VariablePlace(handle.old)
        given = [a.value for a in self.action.assignments if a.target == place]
        if len(given) > 1 or place in self.action.havocs:
            sources: list[tuple[list[Term], Expr]] = [([], TRUE)]
        else:
            sources = list(self._selected(given[0] if given else Read(place)))
        goal = self.simulation.exact(handle, self._moved())
        for conditions, source in sources:
            exact = self._exact(source)
            self._require([*conditions, exact], goal, f"loses the pool of `{handle.old.name}`")

    def _selected(self, value: Expr) -> Iterator[tuple[list[Term], Expr]]:
        """What a value may be taken from, and under which conditions."""
        if not isinstance(value, Conditional):
            yield [], value
            return
        chosen = self.encoder.value(value.condition, self.env)
        for decided, branch in (
            (chosen, value.then),
            (self.logic.negation(chosen), value.otherwise),
        ):
            for conditions, source in self._selected(branch):
                yield [decided, *conditions], source

    def _exact(self, source: Expr) -> Term:
        """Whether the pool of a value is known exactly: always, if it is no handle."""
        place = source.place if isinstance(source, Read) else None
        match place:
            case VariablePlace(variable) if variable in self.handles:
                return self.simulation.exact(self.handles[variable], self.env)
            case IndexPlace(VariablePlace(variable), index) if variable in self.handles:
                kappa = self.handles[variable].kappa
                assert kappa is not None
                return self.logic.equal(self.encoder.value(index, self.env), self.env.value(kappa))
            case _:
                return self.logic.true

    def _check_limit(self, enabled: Term) -> None:
        looked = {p for p in places_read(self.action.guard) if variable_of(p) in self.handles}
        assumed = [self._exact(Read(place)) for place in looked]
        if not any(self._follows([exact], enabled) for exact in (self.logic.true, *assumed)):
            raise Refuted(f"edge {self.number}, to a limit, is lost")

    # -- (5) -------------------------------------------------------------------------------------

    def _check_accesses(self) -> None:
        walk = self.simulation.obligations.walk
        there = list(walk.edge_accesses(self.new, self.env))
        for access in walk.edge_accesses(self.edge, self.env):
            if access.variable.sync:
                continue
            premise, found = self._partners(access, there)
            goal = self.logic.disjunction(found)
            self._require(premise, goal, f"no longer accesses `{access.variable.name}`")

    def _partners(
        self, access: SharedAccess, there: Sequence[SharedAccess]
    ) -> tuple[list[Term], list[Term]]:
        """When an access matters, and conditions under which there is one of the abstraction like
        it."""
        premise, path = [access.condition], list(access.path)
        variable = self.words.shared.narrowed.get(access.variable, access.variable)
        handle = self.handles.get(access.variable)
        if handle is not None:
            variable = handle.new
            if handle.kappa is not None:
                premise.append(self.logic.equal(path[0], self.env.value(handle.kappa)))
            path = []
        return premise, [
            self.logic.conjunction([each.condition, *self._meets(path, each.path)])
            for each in there
            if each.variable == variable
            and (each.write or not access.write)
            and (access.sync or not each.sync)
        ]

    def _meets(self, one: Sequence[PathStep], other: Sequence[PathStep]) -> Iterator[Term]:
        for a, b in zip(one, other, strict=True):
            if isinstance(a, str):
                yield self.logic.boolean(a == b)
            else:
                yield self.logic.equal(a, b)


def _places(edge: Edge) -> Iterator[Place]:
    """What an edge mentions."""
    for expr in action_expressions(edge.action):
        yield from places_read(expr)
    for place in action_places(edge.action):
        yield place
        yield from places_read(Read(place))
