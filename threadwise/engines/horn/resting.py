"""What locks protect, computed: equations and bounds that hold while a lock is free.

A thread-modular analysis of integers, before any solver. A shared integer is *protected* by the
locks that are held wherever it is written (but for writes of the first thread before it creates
others). Its value is known to whoever holds one of them. Per lock there is a state of rest, what
its integers satisfy whenever it is free:

    acquire m       what m protects is in the state of rest of m
    release m       that has what is known here, too
    create          a thread that may not be alone any more leaves everything as it is at rest
    other steps     what nobody protects may be anything that is ever written

States are affine spaces (`threadwise.analyses.affine`) with intervals; those in which a thread
holds different locks are kept apart. They grow until they do not, intervals in a few steps. What
is found is suggested to `Guesses`, which drops what some step breaks: nothing rests on this
analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from threadwise.analyses.affine import AffineSpace, Form, added, scaled, unit
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_expressions, conjuncts, rebuild, root, subexpressions
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    FillValue,
    ListedValues,
    LocId,
    Program,
    Template,
)
from threadwise.ir.types import BoolType, IntType, MachineType, MutexType, RangeType
from threadwise.transforms.simplify.intervals import Bounds, bounds, bounds_where

ROUNDS = 24
PATIENCE = 3
MOST_INTEGERS = 24
SHARED = "shared "
"""In front of the names of shared variables, which are locals for the analysis of intervals."""


_HOLDS: Mapping[BinaryOp, Callable[[Fraction], bool]] = {
    BinaryOp.NE: lambda value: value != 0,
    BinaryOp.LT: lambda value: value < 0,
    BinaryOp.LE: lambda value: value <= 0,
    BinaryOp.GT: lambda value: value > 0,
    BinaryOp.GE: lambda value: value >= 0,
}
"""Whether a difference fits a comparison."""


@dataclass(frozen=True)
class Claim:
    """What integers satisfy: a sum that is a number, or bounds of one of them.

    It holds unless one of some locks is held, or something was not created yet.
    """

    terms: tuple[tuple[Variable, int], ...]
    number: int | None = None
    low: int | None = None
    high: int | None = None
    unless_held: Place | None = None
    unless_new: Variable | None = None


@dataclass
class Suggestion:
    """What is suggested for a location, in one of the cases that are told apart there."""

    held: list[Place] = field(default_factory=list)
    others: list[Place] = field(default_factory=list)
    """Locks that are held in another case, and not in this one."""
    created: dict[Variable, bool] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)


Suggestions = Mapping[tuple[str, LocId], list[Suggestion]]
Node = tuple[LocId, frozenset[Place]]
"""Where a thread is, and the locks that it holds."""


@dataclass(frozen=True)
class _State:
    """What is known of some integers."""

    space: AffineSpace
    known: Mapping[str, Bounds]


@dataclass
class _Rest:
    """A state of rest, of some shared integers; none if it was never reached."""

    variables: tuple[Variable, ...]
    state: _State | None = None
    visits: int = 0


ALWAYS: Place = VariablePlace(Variable("", BoolType(), Scope.GLOBAL))
"""In place of a lock: of integers that nobody writes any more once threads are created."""


def suggestions(program: Program) -> Suggestions | None:
    """Invariants worth a try; None if there is nothing to say."""
    analysis = Resting(program)
    return analysis.run() if analysis.applies else None


class Resting:
    """The analysis of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.shared = [
            d for d in program.globals if _is_number(d.variable) and not d.variable.sync
        ]
        self.begins = {t.name: _created(program, t) for t in program.templates}
        """The variable that says that threads of a template may begin, if there is one."""
        self.locals = {
            t.name: [d for d in program.procedure[t.body].locals if _is_number(d.variable)]
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
        self.steps = _compared(program)
        self.free: dict[str, Bounds] = {}
        """What is ever written to integers that nobody protects, by their names here."""
        self.rest: dict[Place, _Rest] = {lock: _Rest(()) for lock in (ALWAYS, *self.locks)}
        self.protected: dict[Variable, frozenset[Place]] = {
            d.variable: frozenset() for d in self.shared
        }
        nodes = {t.name: list(_Thread(self, t.name).run()) for t in program.templates}
        self.protected = self._protected(nodes)
        for lock, rest in self.rest.items():
            mine = (d.variable for d in self.shared if lock in self._of(d.variable))
            self.rest[lock] = replace(rest, variables=tuple(mine), state=None, visits=0)

    # -- what holds whatever integers are --------------------------------------------------------

    def _alone(self) -> set[LocId]:
        """Where the first thread is before it creates others."""
        created = {c for c in self.begins.values() if c is not None}
        if self.first is None or not created:
            return set()
        entry = self.program.procedure[self.program.template[self.first].body].entry
        ways = [e for e in self.program.edges if not created & set(_written(e))]
        before = _reached(ways, [entry])
        makers = [e for e in self.program.edges if created & set(_written(e))]
        after = _reached(self.program.edges, [e.target for e in makers])
        return before - after

    def _protected(self, nodes: Mapping[str, Iterable[Node]]) -> dict[Variable, frozenset[Place]]:
        """The locks that are held wherever a shared integer is written."""
        found: dict[Variable, frozenset[Place]] = {}
        for template in self.program.templates:
            for here, held in nodes[template.name]:
                if here in self.alone:
                    continue
                for edge in self.program.outgoing[here]:
                    for variable in _written(edge):
                        now = held | set(acquired(edge))
                        if not _contradicts(edge, held):
                            found[variable] = found.get(variable, now) & now
        return found

    def _of(self, variable: Variable) -> frozenset[Place]:
        return self.protected.get(variable, frozenset({ALWAYS}))

    def is_stable(self, variable: Variable, template: str, node: Node) -> bool:
        """Whether nobody else writes a variable while a thread is somewhere."""
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
        """Grow states of rest until they do not, then say what is known where."""
        for declaration in self.shared:
            if not self._of(declaration.variable):
                self.free[SHARED + declaration.variable.name] = _initial_bounds(declaration)
        if not self.alone:
            start = _Thread(self, self.program.templates[0].name).initial(alone=True)
            self._leave([*self.rest], self.program.templates[0].name, start)
        found: dict[str, dict[Node, _State]] = {}
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

    def _leave(self, locks: Iterable[Place], template: str, state: _State) -> None:
        """Something is at rest, as it is known now."""
        names = [v for v, _ in _Thread(self, template).integers]
        for lock in locks:
            rest = self.rest[lock]
            places = [rest.variables.index(v) if v in rest.variables else None for v in names]
            space = state.space.moved(places, len(rest.variables))
            known = {SHARED + v.name: state.known[SHARED + v.name] for v in rest.variables}
            rest.visits += 1
            wide = self.steps if rest.visits > PATIENCE else None
            rest.state = joined_states(rest.state, _State(space, known), wide)

    def _suggestion(self, template: str, node: Node, state: _State) -> Suggestion:
        here, held = node
        told = Suggestion([lock for lock in self.locks if lock in held])
        own, entry = self.begins[template], self._entry(template)
        waiting = own is not None and here == entry
        if here in self.alone:
            told.created = {c: False for c in self.begins.values() if c is not None}
        elif own is not None and not waiting:
            told.created = {own: True}
        integers = _Thread(self, template).integers
        told.claims += _claims([v for v, _ in integers], state)
        if here not in self.alone:
            for lock, rest in self.rest.items():
                if lock in told.held or rest.state is None:
                    continue
                for claim in _claims(rest.variables, rest.state):
                    gate = None if lock == ALWAYS else lock
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

    def initial(self, *, alone: bool) -> _State:
        """Where a thread begins: alone, what is shared has its first value."""
        width = len(self.integers)
        base: list[Fraction] = []
        known: dict[str, Bounds] = {}
        free: list[int] = []
        declared = [*self.analysis.shared, *self.analysis.locals[self.template]]
        for at, (declaration, (variable, name)) in enumerate(
            zip(declared, self.integers, strict=True)
        ):
            low, high = _initial_bounds(declaration)
            shared = variable.scope is Scope.GLOBAL
            if shared and not alone:
                low, high = self.analysis.free.get(name, _of_type(variable))
            known[name] = low, high
            base.append(Fraction(low or 0))
            if low is None or low != high:
                free.append(at)
        return _State(AffineSpace(tuple(base)).along([unit(k, width) for k in free]), known)

    def run(self) -> dict[Node, _State]:
        """States of all that is reached."""
        entry = self.analysis._entry(self.template)
        alone = entry in self.analysis.alone
        start, first = self.initial(alone=alone), (entry, frozenset[Place]())
        if not alone and self.analysis.begins[self.template] is None:
            start = self._assumed(start, ALWAYS, first) or start
        found: dict[Node, _State] = {first: start}
        visits: dict[Node, int] = {}
        pending = [first]
        while pending:
            here = pending.pop(0)
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
                    if node not in pending:
                        pending.append(node)
        return found

    def _after(self, state: _State, edge: Edge, held: frozenset[Place]) -> _State | None:
        analysis, action = self.analysis, edge.action
        assert isinstance(action, Command)
        if _contradicts(edge, held):
            return None
        now: _State | None = state
        own = analysis.begins[self.template]
        if own is not None and edge.source == analysis._entry(self.template):
            now = self._assumed(state, ALWAYS, (edge.source, held))
        for lock in acquired(edge):
            now = None if now is None else self._assumed(now, lock, (edge.source, held))
        if now is None:
            return None
        limited = self._where(now, action.guard)
        if limited is None:
            return None
        after = self._assigned(limited, action)
        for variable in _written(edge):
            name = SHARED + variable.name
            if name in analysis.free:
                was = analysis.free[name]
                analysis.free[name] = _widened(was, after.known[name], analysis.steps)
        analysis._leave(released(edge), self.template, after)
        if edge.source in analysis.alone and edge.target not in analysis.alone:
            analysis._leave(analysis.rest, self.template, after)
        return after

    def _where(self, state: _State, guard: Expr) -> _State | None:
        """What is known where a condition holds."""
        known = bounds_where(_renamed(guard), dict(state.known))
        if known is None:
            return None
        space: AffineSpace | None = state.space
        for at, (_, name) in enumerate(self.integers):
            low, high = known.get(name, (None, None))
            if space is not None and low is not None and low == high:
                space = space.cut(at, Fraction(low))
        for part in conjuncts(guard):
            space = None if space is None else self._compared(space, part)
        return None if space is None else _State(space, known)

    def _compared(self, space: AffineSpace, guard: Expr) -> AffineSpace | None:
        """The points of a space where a comparison may hold."""
        if not isinstance(guard, Binary) or guard.op not in COMPARISONS:
            return space
        left = self._linear(_renamed(guard.left))
        form = added(left, scaled(self._linear(_renamed(guard.right)), -1))
        if form is None:
            return space
        if guard.op is BinaryOp.EQ:
            return space.where(form)
        value = space.value(form)
        return space if value is None or _HOLDS[guard.op](value) else None

    def _assumed(self, state: _State, lock: Place, here: Node) -> _State | None:
        """What is known when a lock is taken."""
        rest = self.analysis.rest[lock]
        if rest.state is None:
            return None if rest.variables else state
        new = [v for v in rest.variables if not self.analysis.is_stable(v, self.template, here)]
        width = len(self.integers)
        gone = [None if v in new else k for k, (v, _) in enumerate(self.integers)]
        kept = state.space.moved(gone, width)
        places = [self.place[v] if v in new else None for v in rest.variables]
        told = rest.state.space.moved(places, width)
        base = tuple(a + b for a, b in zip(kept.base, told.base, strict=True))
        space = AffineSpace(base).along([*kept.rows, *told.rows])
        known = dict(state.known)
        known.update((SHARED + v.name, rest.state.known[SHARED + v.name]) for v in new)
        return _State(space, known)

    def _assigned(self, state: _State, action: Command) -> _State:
        maps: dict[int, Form | None] = {}
        known = dict(state.known)
        for place in action.havocs:
            self._any(place, maps, known)
        for each in action.assignments:
            target = each.target
            if not isinstance(target, VariablePlace) or target.variable not in self.place:
                continue
            at = self.place[target.variable]
            value = _renamed(each.value)
            maps[at] = self._linear(value)
            low, high = bounds(value, dict(state.known))
            least, most = _of_type(target.variable)
            known[self.integers[at][1]] = _larger(low, least), _smaller(high, most)
        return _State(state.space.image(maps), known)

    def _any(self, place: Place, maps: dict[int, Form | None], known: dict[str, Bounds]) -> None:
        if isinstance(place, VariablePlace) and place.variable in self.place:
            at = self.place[place.variable]
            maps[at] = None
            known[self.integers[at][1]] = _of_type(place.variable)

    def _linear(self, expr: Expr) -> Form | None:
        """A linear expression, taken not to wrap: claims about sums are tried with and without."""
        width = len(self.integers)
        match expr:
            case Const(value, _) if type(value) is int:
                return (Fraction(0),) * width, Fraction(value)
            case Read(VariablePlace(variable)):
                names = [name for _, name in self.integers]
                if variable.name not in names:
                    return None
                return unit(names.index(variable.name), width), Fraction(0)
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

    def _forgotten(self, state: _State, here: Node) -> _State:
        """What is left when others may take steps."""
        if self.program.locations[here[0]].atomic:
            return state
        known, space = dict(state.known), state.space
        for at, (variable, name) in enumerate(self.integers):
            if variable.scope is not Scope.GLOBAL:
                continue
            if not self.analysis.is_stable(variable, self.template, here):
                space = space.freed(at)
                known[name] = self.analysis.free.get(name, _of_type(variable))
        return _State(space, known)


# -- states --------------------------------------------------------------------------------------


def joined_states(one: _State | None, other: _State, steps: Sequence[int] | None) -> _State:
    """The least state with both; with steps, bounds that grow go on to one of these."""
    if one is None:
        return other
    known: dict[str, Bounds] = {}
    for name, (low, high) in one.known.items():
        least, most = other.known[name]
        if steps is None:
            known[name] = (
                None if low is None or least is None else min(low, least),
                None if high is None or most is None else max(high, most),
            )
        else:
            known[name] = _widened((low, high), (least, most), steps)
    return _State(one.space.joined(other.space), known)


def _widened(was: Bounds, now: Bounds, steps: Sequence[int]) -> Bounds:
    low, high = was
    if low is not None and (now[0] is None or now[0] < low):
        below = [s for s in steps if now[0] is not None and s <= now[0]]
        low = below[-1] if below else None
    if high is not None and (now[1] is None or now[1] > high):
        above = [s for s in steps if now[1] is not None and s >= now[1]]
        high = above[0] if above else None
    return low, high


def _claims(variables: Sequence[Variable], state: _State) -> Iterator[Claim]:
    for factors, constant in state.space.equations():
        terms = tuple((v, f) for v, f in zip(variables, factors, strict=True) if f)
        if len(terms) > 1:
            yield Claim(terms, number=-constant)
    for variable in variables:
        shared = variable.scope is Scope.GLOBAL
        name = SHARED + variable.name if shared else variable.name
        low, high = state.known.get(name, (None, None))
        least, most = _of_type(variable)
        low = None if low == least else low
        high = None if high == most else high
        if low is not None or high is not None:
            yield Claim(((variable, 1),), low=low, high=high)


def _initial_bounds(declaration: Declaration) -> Bounds:
    match declaration.initial:
        case FillValue(int(value)) | ListedValues((int(value),)):
            return value, value
        case initial if initial == DEFAULT:
            low, _ = _of_type(declaration.variable)
            start = max(0, low or 0) if isinstance(declaration.variable.type, RangeType) else 0
            return start, start
        case _:
            return _of_type(declaration.variable)


def _of_type(variable: Variable) -> Bounds:
    held = variable.type
    return (held.low, held.high) if isinstance(held, RangeType | MachineType) else (None, None)


def _larger(a: int | None, b: int | None) -> int | None:
    return (b if a is None else a) if a is None or b is None else max(a, b)


def _smaller(a: int | None, b: int | None) -> int | None:
    return (b if a is None else a) if a is None or b is None else min(a, b)


def _is_number(variable: Variable) -> bool:
    return isinstance(variable.type, IntType | RangeType | MachineType)


# -- edges ---------------------------------------------------------------------------------------


def acquired(edge: Edge) -> list[Place]:
    """The owners of locks that an edge sets to the thread that takes it."""
    return _owners(edge, SelfId())


def released(edge: Edge) -> list[Place]:
    """The owners of locks that an edge sets to nobody."""
    return _owners(edge, NOBODY)


def _owners(edge: Edge, value: Expr) -> list[Place]:
    action = edge.action
    if not isinstance(action, Command):
        return []
    return [
        each.target
        for each in action.assignments
        if each.value == value and _is_owner(each.target)
    ]


def _contradicts(edge: Edge, held: frozenset[Place]) -> bool:
    """Whether an edge is not taken with these locks held, and no others."""
    for part in conjuncts(edge.action.guard):
        true = not (isinstance(part, Unary) and part.op is UnaryOp.NOT)
        told = part.operand if isinstance(part, Unary) and not true else part
        match told:
            case Binary(BinaryOp.EQ | BinaryOp.NE as op, Read(place), right) if _is_owner(place):
                equal = true == (op is BinaryOp.EQ)
                if right == NOBODY and equal and place in held:
                    return True
                if right == SelfId() and equal != (place in held):
                    return True
            case _:
                pass
    return False


def _is_owner(place: Place) -> bool:
    if not isinstance(place, FieldPlace) or place.field != "owner":
        return False
    inner: Place = place.base
    if not isinstance(inner.type, MutexType):
        return False
    while not isinstance(inner, VariablePlace):
        if isinstance(inner, IndexPlace) and not isinstance(inner.index, Const):
            return False
        if not isinstance(inner, IndexPlace | FieldPlace):
            return False
        inner = inner.base
    return True


def _written(edge: Edge) -> Iterator[Variable]:
    action = edge.action
    if isinstance(action, Command):
        for place in (*(a.target for a in action.assignments), *action.havocs):
            base = root(place)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
                yield base.variable


def _created(program: Program, template: Template) -> Variable | None:
    """The variable without which threads of a template do not begin."""
    if template.count is not None:
        return None
    entry = program.procedure[template.body].entry
    found: list[set[Variable]] = [
        {
            part.place.variable
            for part in conjuncts(edge.action.guard)
            if isinstance(part, Read) and isinstance(part.place, VariablePlace)
        }
        for edge in program.outgoing[entry]
    ]
    common = set.intersection(*found) if found else set()
    sync = [v for v in common if v.scope is Scope.GLOBAL and v.sync]
    return min(sync, key=lambda v: v.name) if sync else None


def _reached(edges: Iterable[Edge], start: Iterable[LocId]) -> set[LocId]:
    ways: dict[LocId, list[LocId]] = {}
    for edge in edges:
        ways.setdefault(edge.source, []).append(edge.target)
    found, pending = set(start), list(start)
    while pending:
        for target in ways.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


def _compared(program: Program) -> list[int]:
    """Numbers in the text, and their neighbours: where growing bounds may rest."""
    found: set[int] = {0}
    for edge in program.edges:
        for expr in action_expressions(edge.action):
            for part in subexpressions(expr):
                if isinstance(part, Const) and type(part.value) is int:
                    found |= {part.value - 1, part.value, part.value + 1}
    return sorted(found) if len(found) <= 60 else sorted(found)[:60]


def _renamed(expr: Expr) -> Expr:
    """An expression with locals in place of shared integers, as intervals know them."""
    match expr:
        case Read(VariablePlace(variable)) if variable.scope is Scope.GLOBAL:
            name = SHARED + variable.name
            return Read(VariablePlace(replace(variable, name=name, scope=Scope.LOCAL)))
        case _:
            return rebuild(expr, _renamed)
