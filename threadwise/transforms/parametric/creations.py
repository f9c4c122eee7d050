"""How many threads of a pool are created at most.

Where all threads of a pool are created by one thread, in one procedure, two analyses relate its
integers and the number of creations at each location: Karr's analysis of affine equations (Karr
1976) and intervals (`simplify.intervals`). After `for (i = 0; i < n; i++)` around a creation they
find `next == i` and `i <= n`; two nested loops give `next == 10 * i + j`.

The results are candidates. `threadwise.proofs.transformed.parametric.created` verifies them, edge
by edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

from threadwise.analyses.affine import AffineSpace, Form, Vector, added, scaled, unit
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_places, root
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import DEFAULT, Edge, LocId, Procedure, Program, Template
from threadwise.ir.types import IntType, MachineType, RangeType
from threadwise.transforms.simplify.intervals import (
    Bounds,
    Known,
    bounds,
    bounds_of_locals,
    bounds_where,
)

MOST_VARIABLES = 40
ROUNDS = 3
"""How often bounds are passed on along equations."""


@dataclass(frozen=True)
class Equation:
    """A sum of variables with factors, and a constant, that is 0."""

    terms: tuple[tuple[Variable, int], ...]
    constant: int


@dataclass(frozen=True)
class Creations:
    """At most so many threads of a pool are created, and why."""

    pool: str
    creator: str
    """The template whose one thread creates them."""
    most: int
    equations: Mapping[LocId, tuple[Equation, ...]]
    bounds: Mapping[LocId, Mapping[Variable, Bounds]]


def creations(program: Program) -> dict[str, Creations]:
    """The pools whose creations are bounded."""
    known = program.found.get("creations")
    if known is None:
        every = (_creations(program, t) for t in program.templates if t.pool)
        found = {each.pool: each for each in every if each}
        while several := [p for p, each in found.items() if not _is_single(program, each, found)]:
            for pool in several:
                del found[pool]
        known = program.found["creations"] = found
    assert isinstance(known, dict)
    return known


def _is_single(program: Program, each: Creations, found: Mapping[str, Creations]) -> bool:
    """Whether there is one thread at most that creates threads of a pool.

    That a pool has one slot says nothing: pools are of any size in a parametric program.
    """
    creator = program.template[each.creator]
    if not creator.pool:
        return creator.count == 1
    return creator.name in found and found[creator.name].most <= 1


def counter_of(program: Program, pool: str) -> Variable | None:
    """The variable that counts the creations of a pool."""
    name = PoolCells(pool).next
    return next((d.variable for d in program.globals if d.variable.name == name), None)


def creator_of(program: Program, pool: str) -> Template | None:
    """The template whose threads alone create the threads of a pool, in their own body."""
    counter = counter_of(program, pool)
    writers = (
        {
            program.procedure_of[edge.source].name
            for edge in program.edges
            if any(root(place) == VariablePlace(counter) for place in action_places(edge.action))
        }
        if counter is not None
        else set()
    )
    owners = [t for t in program.templates if t.body in writers]
    called = {e.action.procedure for e in program.edges if isinstance(e.action, Call)}
    if len(writers) != 1 or len(owners) != 1 or writers & called:
        return None
    return owners[0]


def _creations(program: Program, pool: Template) -> Creations | None:
    creator, counter = creator_of(program, pool.name), counter_of(program, pool.name)
    if creator is None or counter is None:
        return None
    procedure = program.procedure[creator.body]
    limits = bounds_of_locals(procedure)
    spaces = _Spaces(program, procedure, counter, limits)
    most = 0
    if len(spaces.variables) > MOST_VARIABLES:
        return None
    known: dict[LocId, Mapping[Variable, Bounds]] = {}
    equations = {here: tuple(spaces.equations(here)) for here in spaces.found}
    for here, told in equations.items():
        local = limits.get(int(here), {})
        start = {v: local.get(v.name, _of_type(v)) for v in spaces.variables}
        known[here] = {v: b for v, b in _passed_on(start, told).items() if b != _of_type(v)}
    for edge in procedure.edges:
        if any(root(place) == VariablePlace(counter) for place in action_places(edge.action)):
            high = known.get(edge.source, {}).get(counter, (None, None))[1]
            if high is None:
                return None
            most = max(most, high + 1)
    return Creations(pool.name, creator.name, most, equations, known)


def _of_type(variable: Variable) -> Bounds:
    held = variable.type
    if isinstance(held, MachineType) or (
        isinstance(held, RangeType) and variable.scope is Scope.LOCAL
    ):
        return held.low, held.high
    return (0, None) if variable.scope is Scope.GLOBAL else (None, None)


# -- bounds --------------------------------------------------------------------------------------


def _passed_on(
    bounds: Mapping[Variable, Bounds], equations: Sequence[Equation]
) -> dict[Variable, Bounds]:
    """Bounds that follow from other bounds by the equations."""
    found = dict(bounds)
    for _ in range(ROUNDS):
        for equation in equations:
            for variable, factor in equation.terms:
                rest = [(v, f) for v, f in equation.terms if v != variable]
                low, high = _sum(rest, equation.constant, found)
                # factor * variable is between -high and -low
                ends = [None if end is None else Fraction(-end, factor) for end in (high, low)]
                below, above = ends if factor > 0 else reversed(ends)
                was = found[variable]
                found[variable] = (
                    _tighter(was[0], None if below is None else ceil(below), max),
                    _tighter(was[1], None if above is None else floor(above), min),
                )
    return found


def _tighter(a: int | None, b: int | None, choose: object) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return max(a, b) if choose is max else min(a, b)


def _sum(
    terms: Iterable[tuple[Variable, int]], constant: int, known: Mapping[Variable, Bounds]
) -> Bounds:
    low: int | None = constant
    high: int | None = constant
    for variable, factor in terms:
        least, most = known[variable] if factor > 0 else known[variable][::-1]
        low = None if low is None or least is None else low + factor * least
        high = None if high is None or most is None else high + factor * most
    return low, high


# -- affine spaces -------------------------------------------------------------------------------


class _Spaces:
    """The affine spaces of the locations of a procedure: its integers and creations."""

    def __init__(
        self,
        program: Program,
        procedure: Procedure,
        counter: Variable,
        limits: Mapping[int, Known],
    ) -> None:
        self.limits = limits
        locals_ = [d for d in procedure.locals if _is_number(d.variable)]
        self.variables = [*(d.variable for d in locals_), counter]
        self.place = {variable: k for k, variable in enumerate(self.variables)}
        self.found: dict[LocId, AffineSpace] = {}
        if len(self.variables) > MOST_VARIABLES:
            return
        nothing = (0,) * len(self.variables)
        free = [d.variable for d in locals_ if d.initial != DEFAULT]
        free += list(procedure.parameters)
        rows = tuple(self._unit(v) for v in free if v in self.place)
        self.found[procedure.entry] = AffineSpace(nothing).along(rows)
        self._solve(program, procedure)

    def _unit(self, variable: Variable) -> Vector:
        return unit(self.place[variable], len(self.variables))

    def _solve(self, program: Program, procedure: Procedure) -> None:
        pending = [procedure.entry]
        while pending:
            here = pending.pop()
            for edge in program.outgoing[here]:
                local = dict(self.limits.get(int(here), {}))
                known = bounds_where(edge.action.guard, local)
                space = None if known is None else self._where(self.found[here], known)
                if known is None or space is None:
                    continue
                after = self._after(space, edge, known)
                before = self.found.get(edge.target)
                joined = after if before is None else before.joined(after)
                if before is None or len(joined.rows) > len(before.rows):
                    self.found[edge.target] = joined
                    pending.append(edge.target)

    def _where(self, space: AffineSpace, known: Known) -> AffineSpace | None:
        """The part of a space in which variables have the one value that bounds leave them."""
        found: AffineSpace | None = space
        for at, variable in enumerate(self.variables):
            low, high = known.get(variable.name, (None, None))
            if found is not None and low is not None and low == high:
                found = found.cut(at, low)
        return found

    def _after(self, space: AffineSpace, edge: Edge, known: Known) -> AffineSpace:
        written = [root(place) for place in action_places(edge.action)]
        changed = [b.variable for b in written if isinstance(b, VariablePlace)]
        maps: dict[int, Form | None] = {self.place[v]: None for v in changed if v in self.place}
        if isinstance(edge.action, Command):
            for each in edge.action.assignments:
                target = each.target
                if isinstance(target, VariablePlace) and target.variable in self.place:
                    maps[self.place[target.variable]] = self.linear(each.value, known)
        return space.image(maps)

    def linear(self, expr: Expr, known: Known) -> Form | None:
        """An expression as factors and a constant, if it is linear within some bounds."""
        nothing = (0,) * len(self.variables)
        match expr:
            case Const(value, _) if type(value) is int:
                return nothing, int(value)
            case Read(VariablePlace(variable)) if variable in self.place:
                return self._unit(variable), 0
            case Wrap(lowest, highest, operand):
                low, high = bounds(operand, known)
                fits = low is not None and high is not None and lowest <= low and high <= highest
                return self.linear(operand, known) if fits else None
            case Unary(UnaryOp.NEG, operand):
                return scaled(self.linear(operand, known), -1)
            case Binary(BinaryOp.ADD | BinaryOp.SUB as op, left, right):
                other = scaled(self.linear(right, known), 1 if op is BinaryOp.ADD else -1)
                return added(self.linear(left, known), other)
            case Binary(BinaryOp.MUL, Const(int(factor), _), other) | Binary(
                BinaryOp.MUL, other, Const(int(factor), _)
            ):
                return scaled(self.linear(other, known), factor)
            case _:
                return None

    def equations(self, here: LocId) -> Iterator[Equation]:
        """The equations of a location."""
        for factors, constant in self.found[here].equations():
            named = zip(self.variables, factors, strict=True)
            yield Equation(tuple((v, factor) for v, factor in named if factor), constant)


def _is_number(variable: Variable) -> bool:
    return isinstance(variable.type, IntType | RangeType | MachineType)
