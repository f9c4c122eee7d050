"""Lock invariants by abstract interpretation: equations and bounds that hold while a lock is free.

A thread-modular analysis of integers, before any solver. A shared integer is *protected* by the
locks that are held wherever it is written (except for writes of the main thread before it creates
others). A thread that holds one of them may track its value. Per lock there is a *state of rest*,
the lock invariant: what its integers satisfy whenever it is free (Hoare 1974):

    acquire m       the integers that m protects satisfy the state of rest of m
    release m       the current values are joined to the state of rest of m
    create          the first time a thread may not be alone any more, all values are joined
    other steps     integers that no lock protects are joined after each, outside atomic sections

States are affine spaces (`threadwise.analyses.affine`) with intervals; there is a separate one for
each set of held locks. They are joined until they are stable, intervals are widened. The results
are candidates for `Guesses`, which drops what some step breaks: no proof depends on this analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain

from threadwise.analyses.affine import AffineSpace, Form, Number, added, scaled, unit
from threadwise.analyses.worklist import Worklist
from threadwise.engines.horn.resting_edges import (
    SHARED,
    acquired,
    contradicts,
    created,
    numbers_in,
    reached,
    released,
    renamed,
    written,
)
from threadwise.engines.horn.resting_states import (
    Node,
    Rest,
    State,
    Suggestion,
    Suggestions,
    claims,
    comparisons,
    differences,
    initial_bounds,
    is_number,
    joined_states,
    larger,
    of_type,
    reduced,
    signs,
    smaller,
    widened,
)
from threadwise.engines.horn.shapes import distances_of
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import (
    Edge,
    LocId,
    Program,
)
from threadwise.ir.types import BoolType
from threadwise.transforms.simplify.intervals import Bounds, bounds, bounds_where

ROUNDS = 24
PATIENCE = 3
MOST_INTEGERS = 24
DIFFERENCES = (-1, 0, 1)
"""How far integers are apart that are kept in order, while they are changed one by one."""


_HOLDS: Mapping[BinaryOp, Callable[[Number], bool]] = {
    BinaryOp.NE: lambda value: value != 0,
    BinaryOp.LT: lambda value: value < 0,
    BinaryOp.LE: lambda value: value <= 0,
    BinaryOp.GT: lambda value: value > 0,
    BinaryOp.GE: lambda value: value >= 0,
}
"""Whether a difference fits a comparison."""


ALWAYS: Place = VariablePlace(Variable("", BoolType(), Scope.GLOBAL))
"""In place of a lock: for integers that are not written once threads are created."""


ATOMIC: Place = VariablePlace(Variable("atomic", BoolType(), Scope.GLOBAL))
"""In place of a lock: of integers that no lock protects. It is held in atomic sections, and for
the time of a single step."""


def suggestions(program: Program) -> Suggestions | None:
    """Invariants worth a try; None if there is nothing to say."""
    analysis = Resting(program)
    return analysis.run() if analysis.applies else None


class Resting:
    """The analysis of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.shared = [d for d in program.globals if is_number(d.variable) and not d.variable.sync]
        self.begins = {t.name: created(program, t) for t in program.templates}
        """The variable that says that threads of a template may begin, if there is one."""
        self.locals = {
            t.name: [d for d in program.procedure[t.body].locals if is_number(d.variable)]
            for t in program.templates
        }
        first = [t for t in program.templates if self.begins[t.name] is None]
        self.first = first[0].name if len(first) == 1 and first[0].count == 1 else None
        sizes = [len(self.shared) + len(each) for each in self.locals.values()]
        commands = all(isinstance(edge.action, Command) for edge in program.edges)
        self.locks = list(dict.fromkeys(m for e in program.edges for m in acquired(e)))
        self.applies = commands and bool(self.shared) and max(sizes) <= MOST_INTEGERS
        if not self.applies:
            return
        self.alone = self._alone()
        self.steps = numbers_in(program)
        self.apart = sorted({*DIFFERENCES, *distances_of(program)})
        self.free: dict[str, Bounds] = {}
        """What is ever written to unprotected integers, by their names here."""
        self.rest: dict[Place, Rest] = {lock: Rest(()) for lock in (ALWAYS, ATOMIC, *self.locks)}
        self.protected: dict[Variable, frozenset[Place]] = {
            d.variable: frozenset() for d in self.shared
        }
        nodes = {t.name: list(_Thread(self, t.name).run()) for t in program.templates}
        self.protected = self._protected(nodes)
        for lock, rest in self.rest.items():
            known = {lock, ALWAYS}
            mine = (d.variable for d in self.shared if known & self._of(d.variable))
            self.rest[lock] = replace(rest, variables=tuple(mine), state=None, visits=0)

    # -- what holds whatever integers are --------------------------------------------------------

    def _alone(self) -> set[LocId]:
        """Where the first thread is before it creates others."""
        created = {c for c in self.begins.values() if c is not None}
        if self.first is None or not created:
            return set()
        entry = self.program.procedure[self.program.template[self.first].body].entry
        ways = [e for e in self.program.edges if not created & set(written(e))]
        before = reached(ways, [entry])
        makers = [e for e in self.program.edges if created & set(written(e))]
        after = reached(self.program.edges, [e.target for e in makers])
        return before - after

    def _protected(self, nodes: Mapping[str, Iterable[Node]]) -> dict[Variable, frozenset[Place]]:
        """The locks that are held wherever a shared integer is written."""
        found: dict[Variable, frozenset[Place]] = {}
        for template in self.program.templates:
            for here, held in nodes[template.name]:
                if here in self.alone:
                    continue
                for edge in self.program.outgoing[here]:
                    for variable in written(edge):
                        now = held | set(acquired(edge))
                        if not contradicts(edge, held):
                            found[variable] = found.get(variable, now) & now
        return found

    def _of(self, variable: Variable) -> frozenset[Place]:
        return self.protected.get(variable, frozenset({ALWAYS})) or frozenset({ATOMIC})

    def is_stable(self, variable: Variable, template: str, node: Node) -> bool:
        """Whether no other thread writes a variable while a thread is at a location."""
        here, held = node
        if here in self.alone:
            return True
        guards = self._of(variable)
        if ALWAYS in guards:
            return self.begins[template] is None or here != self._entry(template)
        return bool(guards & held)

    def _entry(self, template: str) -> LocId:
        return self.program.procedure[self.program.template[template].body].entry

    # -- the analysis ----------------------------------------------------------------------------

    def run(self) -> Suggestions:
        """The fixpoint of the states of rest, then what is known at each location."""
        for declaration in self.shared:
            if ATOMIC in self._of(declaration.variable):
                self.free[SHARED + declaration.variable.name] = initial_bounds(declaration)
        if not self.alone:
            start = _Thread(self, self.program.templates[0].name).initial(alone=True)
            self._leave([*self.rest], self.program.templates[0].name, start)
        found: dict[str, dict[Node, State]] = {}
        for _ in range(ROUNDS):
            before = [r.state for r in self.rest.values()], dict(self.free)
            for template in self.program.templates:
                found[template.name] = _Thread(self, template.name).run()
            if before == ([r.state for r in self.rest.values()], self.free):
                break
        told: dict[tuple[str, LocId], list[Suggestion]] = {}
        for name, states in found.items():
            for (here, held), state in states.items():
                place = self.program.locations[here]
                if not place.atomic and place.failure is None:
                    case = self._suggestion(name, (here, held), state)
                    told.setdefault((name, here), []).append(case)
        for cases in told.values():
            every = dict.fromkeys(lock for case in cases for lock in case.held)
            for case in cases:
                case.others = [lock for lock in every if lock not in case.held]
        return told

    def _leave(self, locks: Iterable[Place], template: str, state: State) -> None:
        """Join the current values to a state of rest; locks never taken protect nothing."""
        names = [v for v, _ in _Thread(self, template).integers]
        for lock in locks:
            if lock not in self.rest:
                continue
            rest = self.rest[lock]
            places = [rest.variables.index(v) if v in rest.variables else None for v in names]
            space = state.space.moved(places, len(rest.variables))
            known = {SHARED + v.name: state.known[SHARED + v.name] for v in rest.variables}
            rest.visits += 1
            wide = self.steps if rest.visits > PATIENCE else None
            rest.state = joined_states(rest.state, State(space, known), wide)

    def _suggestion(self, template: str, node: Node, state: State) -> Suggestion:
        here, held = node
        told = Suggestion([lock for lock in self.locks if lock in held])
        own, entry = self.begins[template], self._entry(template)
        waiting = own is not None and here == entry
        if here in self.alone:
            told.created = {c: False for c in self.begins.values() if c is not None}
        elif own is not None and not waiting:
            told.created = {own: True}
        integers = _Thread(self, template).integers
        told.claims += claims([v for v, _ in integers], state)
        own_integers = [v for v, _ in integers if v.scope is not Scope.GLOBAL]
        for lock, rest in self.rest.items():
            if lock in told.held or here in self.alone:
                told.claims += differences(rest.variables, self.apart)
                told.claims += signs(rest.variables, state)
            if lock in told.held:
                told.claims += comparisons(own_integers, rest.variables)
        if here not in self.alone:
            for lock, rest in self.rest.items():
                if lock in told.held or rest.state is None:
                    continue
                tried = differences(rest.variables, self.apart)
                known = claims(rest.variables, rest.state)
                for claim in chain(known, tried, signs(rest.variables, rest.state)):
                    gate = None if lock in (ALWAYS, ATOMIC) else lock
                    new = own if waiting else None
                    told.claims.append(replace(claim, unless_held=gate, unless_new=new))
        return told


class _Thread:
    """The analysis of the threads of one template."""

    def __init__(self, analysis: Resting, template: str) -> None:
        self.analysis = analysis
        self.program = analysis.program
        self.template = template
        shared = [(d.variable, SHARED + d.variable.name) for d in analysis.shared]
        own = [(d.variable, d.variable.name) for d in analysis.locals[template]]
        self.integers: list[tuple[Variable, str]] = [*shared, *own]
        """Variables, and their names in intervals."""
        self.place = {variable: k for k, (variable, _) in enumerate(self.integers)}

    def initial(self, *, alone: bool) -> State:
        """Where a thread begins: alone, what is shared has its first value."""
        width = len(self.integers)
        base: list[Number] = []
        known: dict[str, Bounds] = {}
        free: list[int] = []
        declared = [*self.analysis.shared, *self.analysis.locals[self.template]]
        for at, (declaration, (variable, name)) in enumerate(
            zip(declared, self.integers, strict=True)
        ):
            low, high = initial_bounds(declaration)
            shared = variable.scope is Scope.GLOBAL
            if shared and not alone:
                low, high = self.analysis.free.get(name, of_type(variable))
            known[name] = low, high
            base.append(low or 0)
            if low is None or low != high:
                free.append(at)
        return State(AffineSpace(tuple(base)).along([unit(k, width) for k in free]), known)

    def run(self) -> dict[Node, State]:
        """States of all that is reached."""
        entry = self.analysis._entry(self.template)
        alone = entry in self.analysis.alone
        start, first = self.initial(alone=alone), (entry, frozenset[Place]())
        if not alone and self.analysis.begins[self.template] is None:
            start = self._assumed(start, ALWAYS, first) or start
        found: dict[Node, State] = {first: start}
        visits: dict[Node, int] = {}
        waiting = Worklist([first])
        for here in waiting:
            for edge in self.program.outgoing[here[0]]:
                after = self._after(found[here], edge, here[1])
                if after is None:
                    continue
                held = here[1].union(acquired(edge)).difference(released(edge))
                node = edge.target, held
                after = self._forgotten(after, node)
                visits[node] = visits.get(node, 0) + 1
                wide = self.analysis.steps if visits[node] > PATIENCE else None
                joined = joined_states(found.get(node), after, wide)
                if joined != found.get(node):
                    found[node] = joined
                    waiting.add(node)
        return found

    def _after(self, state: State, edge: Edge, held: frozenset[Place]) -> State | None:
        analysis, action = self.analysis, edge.action
        assert isinstance(action, Command)
        if contradicts(edge, held):
            return None
        now: State | None = state
        own = analysis.begins[self.template]
        if own is not None and edge.source == analysis._entry(self.template):
            now = self._assumed(state, ALWAYS, (edge.source, held))
        begins = not self.program.locations[edge.source].atomic
        begins = begins and edge.source not in analysis.alone
        for lock in (*acquired(edge), *((ATOMIC,) if begins else ())):
            now = None if now is None else self._assumed(now, lock, (edge.source, held))
        if now is None:
            return None
        limited = self._where(now, action.guard)
        if limited is None:
            return None
        after = self._assigned(limited, action)
        for variable in written(edge):
            name = SHARED + variable.name
            if name in analysis.free:
                was = analysis.free[name]
                analysis.free[name] = widened(was, after.known[name], analysis.steps)
        analysis._leave(released(edge), self.template, after)
        if self._ends_section(edge):
            analysis._leave([ATOMIC], self.template, after)
        if edge.source in analysis.alone and edge.target not in analysis.alone:
            analysis._leave(analysis.rest, self.template, after)
        return after

    def _ends_section(self, edge: Edge) -> bool:
        """Whether others may see what was written here, or in the atomic section before."""
        places, written_here = self.program.locations, [*written(edge)]
        if places[edge.target].atomic or edge.source in self.analysis.alone:
            return False
        mine = self.analysis.rest[ATOMIC].variables
        return places[edge.source].atomic or any(v in mine for v in written_here)

    def _where(self, state: State, guard: Expr) -> State | None:
        """What is known where a condition holds."""
        told = bounds_where(renamed(guard), dict(state.known))
        if told is None:
            return None
        known = {name: told.get(name, (None, None)) for _, name in self.integers}
        space: AffineSpace | None = state.space
        for at, (_, name) in enumerate(self.integers):
            low, high = known[name]
            if space is not None and low is not None and low == high:
                space = space.cut(at, low)
        for part in conjuncts(guard):
            space = None if space is None else self._compared(space, part)
        return None if space is None else self._reduced(State(space, known))

    def _compared(self, space: AffineSpace, guard: Expr) -> AffineSpace | None:
        """The points of a space where a comparison may hold."""
        if not isinstance(guard, Binary) or guard.op not in COMPARISONS:
            return space
        left = self._linear(renamed(guard.left))
        form = added(left, scaled(self._linear(renamed(guard.right)), -1))
        if form is None:
            return space
        if guard.op is BinaryOp.EQ:
            return space.where(form)
        value = space.value(form)
        return space if value is None or _HOLDS[guard.op](value) else None

    def _assumed(self, state: State, lock: Place, here: Node) -> State | None:
        """What is known when a lock is taken."""
        rest = self.analysis.rest[lock]
        if rest.state is None:
            return None if rest.variables else state
        new = [v for v in rest.variables if not self.analysis.is_stable(v, self.template, here)]
        space: AffineSpace | None = state.space
        for variable in new:
            space = None if space is None else space.freed(self.place[variable])
        for factors, constant in rest.state.space.equations():
            form = [0] * len(self.integers)
            for variable, factor in zip(rest.variables, factors, strict=True):
                form[self.place[variable]] = factor
            told = tuple(form), constant
            space = None if space is None else space.where(told)
        if space is None:
            return None
        known = dict(state.known)
        known.update((SHARED + v.name, rest.state.known[SHARED + v.name]) for v in new)
        return self._reduced(State(space, known))

    def _reduced(self, state: State) -> State:
        return reduced(state, [name for _, name in self.integers])

    def _assigned(self, state: State, action: Command) -> State:
        maps: dict[int, Form | None] = {}
        known = dict(state.known)
        for place in action.havocs:
            self._any(place, maps, known)
        for each in action.assignments:
            target = each.target
            if not isinstance(target, VariablePlace) or target.variable not in self.place:
                continue
            at = self.place[target.variable]
            value = renamed(each.value)
            maps[at] = self._linear(value)
            low, high = bounds(value, dict(state.known))
            least, most = of_type(target.variable)
            known[self.integers[at][1]] = larger(low, least), smaller(high, most)
        return State(state.space.image(maps), known)

    def _any(self, place: Place, maps: dict[int, Form | None], known: dict[str, Bounds]) -> None:
        if isinstance(place, VariablePlace) and place.variable in self.place:
            at = self.place[place.variable]
            maps[at] = None
            known[self.integers[at][1]] = of_type(place.variable)

    def _linear(self, expr: Expr) -> Form | None:
        """A linear expression, taken not to wrap: claims about sums are tried with and without."""
        width = len(self.integers)
        match expr:
            case Const(value, _) if type(value) is int:
                return (0,) * width, int(value)
            case Read(VariablePlace(variable)):
                names = [name for _, name in self.integers]
                if variable.name not in names:
                    return None
                return unit(names.index(variable.name), width), 0
            case Wrap(_, _, operand):
                return self._linear(operand)
            case Unary(UnaryOp.NEG, operand):
                return scaled(self._linear(operand), -1)
            case Binary(BinaryOp.ADD | BinaryOp.SUB as op, left, right):
                b = scaled(self._linear(right), 1 if op is BinaryOp.ADD else -1)
                return added(self._linear(left), b)
            case Binary(BinaryOp.MUL, Const(int(factor), _), other) | Binary(
                BinaryOp.MUL, other, Const(int(factor), _)
            ):
                return scaled(self._linear(other), factor)
            case _:
                return None

    def _forgotten(self, state: State, here: Node) -> State:
        """What is left when others may take steps."""
        if self.program.locations[here[0]].atomic:
            return state
        known, space = dict(state.known), state.space
        for at, (variable, name) in enumerate(self.integers):
            if variable.scope is not Scope.GLOBAL:
                continue
            if not self.analysis.is_stable(variable, self.template, here):
                space = space.freed(at)
                known[name] = self.analysis.free.get(name, of_type(variable))
        return State(space, known)
