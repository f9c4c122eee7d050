"""Whether at most so many threads of a pool are created.

Let N be the number that is claimed, and P the program with pools of any size. All threads of the
pool are created by one thread M, in its own body: it alone changes the number of creations. The
claims about its integers and that number at each location are candidates of an analysis
(`threadwise.transforms.parametric.creations`), and verified here:

    (1) no thread but M changes the number of creations, there is one M at most, and its body is
        not called; claims are about the number and locals of that body, nothing else. If M is
        created itself, the abstraction has at most one of it: that a pool has one slot says
        nothing in P
    (2) where M begins, the claims of its entry hold
    (3) a step of M along an edge, from where the claims of its source hold, ends where those of
        its target hold; a call changes nothing that is claimed at its target
    (4) by the claims of its source, an edge that changes the number is taken when it is below N

No other thread changes locals of M, so by (1) the claims hold whenever M is there, and by (4) a
pool with N slots is never full when a thread is created. The argument does not depend on where the
claims come from.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.backends.smt.handle import Term
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import Variable, VariablePlace
from threadwise.ir.fold import action_places, root
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import Edge, LocId, Program, Template
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import evaluated
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.proofs.toolbox.smt.obligations import Obligations
from threadwise.transforms.parametric.creations import Creations, creations


def check_created(obligations: Obligations, before: Program, pool: str, most: int) -> None:
    """Raises Refuted unless at most `most` threads of a pool are created.

    `obligations` are about the program with pools of any size.
    """
    claims = creations(before).get(pool)
    if claims is None:
        raise Refuted(f"nothing is known about the number of threads `{pool}`")
    _Created(obligations, before, claims, most).check()


class _Created:
    """The claims about one pool."""

    def __init__(
        self, obligations: Obligations, before: Program, claims: Creations, most: int
    ) -> None:
        self.obligations = obligations
        self.logic = obligations.logic
        self.before = before
        self.claims = claims
        self.most = most
        self.counter = PoolCells(claims.pool).next
        self.widened = {d.variable.name: d.variable for d in obligations.program.globals}

    def check(self) -> None:
        """Raises Refuted unless (1) to (4) hold."""
        creator = self._creator()
        procedure = self.before.procedure[creator.body]
        slots, known = self.obligations.initial([creator.name])
        self._require([known], self._claimed(procedure.entry, slots[0].env), "at the beginning")
        for edge in self.obligations.program.procedure[creator.body].edges:
            self._step(creator, edge)

    def _creator(self) -> Template:
        """(1)"""
        counter = self.counter
        creator = self.obligations.program.template.get(self.claims.creator)
        if (
            creator is None
            or counter not in self.widened
            or 1 not in (creator.count, creator.most)
        ):
            raise Refuted("threads are not created by a single one")
        for edge in self.before.edges:
            action = edge.action
            if isinstance(action, Call) and action.procedure == creator.body:
                raise Refuted("the body of a thread is called")
            inside = self.before.procedure_of[edge.source].name == creator.body
            if not inside and any(_name(place) == counter for place in action_places(action)):
                raise Refuted("threads are created elsewhere")
        if sum(t.body == creator.body for t in self.before.templates) != 1:
            raise Refuted("two templates with the same body")
        own = {declared.variable for declared in self.before.procedure[creator.body].locals}
        for variable in self._all_mentioned():
            if variable not in own and variable != self._counter_before():
                raise Refuted(
                    f"something is claimed of `{variable.name}`, which others may change"
                )
        return creator

    def _counter_before(self) -> Variable:
        return next(d.variable for d in self.before.globals if d.variable.name == self.counter)

    def _all_mentioned(self) -> Iterator[Variable]:
        for equations in self.claims.equations.values():
            yield from (variable for each in equations for variable, _ in each.terms)
        for bounds in self.claims.bounds.values():
            yield from bounds

    def _step(self, creator: Template, edge: Edge) -> None:
        """(3) and (4)."""
        slot = self.obligations.slot(0, creator.name, edge.source)
        env = slot.env
        known = [self.obligations.known([slot]), self._claimed(edge.source, env)]
        where = f"along edge {edge.id}"
        if not isinstance(edge.action, Command):
            written = {_name(place) for place in action_places(edge.action)}
            if not written.isdisjoint(self._mentioned(edge.target)):
                raise Refuted(f"something else is known {where}")
            self._require(known, self._claimed(edge.target, env), where)
            return
        if any(_name(place) == self.counter for place in action_places(edge.action)):
            room = env.value(self.widened[self.counter]) < self.most
            self._require(known, room, f"where `{self.claims.pool}` may be full,")
        failing = self.before.locations[edge.target].failure is not None
        if failing and not self.before.outgoing[edge.target]:
            return
        encoder = self.obligations.encoder
        fired = self.obligations.walk.firing.fire(edge, env)
        known += [encoder.defined(expr, env) for expr in evaluated(edge.action)]
        self._require([*known, fired.condition], self._claimed(edge.target, fired.after), where)

    def _require(self, known: list[Term], goal: Term, where: str) -> None:
        if not self.obligations.follows(self.logic.conjunction(known), goal):
            raise Refuted(f"more threads may be created: what is known fails {where}")

    # -- claims ----------------------------------------------------------------------------------

    def _claimed(self, here: LocId, env: Environment) -> Term:
        return self.logic.conjunction(list(self._parts(here, env)))

    def _parts(self, here: LocId, env: Environment) -> Iterator[Term]:
        for equation in self.claims.equations.get(here, ()):
            total = self.logic.integer(equation.constant)
            for variable, factor in equation.terms:
                total = total + factor * self._value(variable, env)
            yield total == 0
        for variable, (low, high) in self.claims.bounds.get(here, {}).items():
            value = self._value(variable, env)
            if low is not None:
                yield value >= low
            if high is not None:
                yield value <= high

    def _value(self, variable: Variable, env: Environment) -> Term:
        return env.value(variable if variable in env.own else self.widened[variable.name])

    def _mentioned(self, here: LocId) -> set[str]:
        equations = self.claims.equations.get(here, ())
        told = {variable.name for each in equations for variable, _ in each.terms}
        return told | {variable.name for variable in self.claims.bounds.get(here, {})}


def _name(place: object) -> str:
    base = root(place)  # type: ignore[arg-type]  # a place
    return base.variable.name if isinstance(base, VariablePlace) else ""
