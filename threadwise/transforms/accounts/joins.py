"""Where all threads of a pool were joined: claims about the thread that creates them.

Let κ be the number of any thread of the pool that was created. At a location of the creating
thread the claims are, besides differences between its integers and the number of creations:

    Stored(a, d, low, high)   if low <= κ < high then a[κ + d] is the thread κ
    Named(h, v)               if κ is v, the handle h is the thread κ
    Done(v)                   if κ is below v, the thread κ has finished

They are computed forwards: a creation adds a thread that nothing is claimed of, a store into an
array extends what is stored, a join extends what is done. Where all threads below the number of
creations are done, all were joined.

Nothing of this is trusted. `threadwise.proofs.transformed.accounts.joined` verifies the claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import inf

from threadwise.analyses.worklist import Worklist
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    COMPARISONS,
    COMPLEMENT,
    Binary,
    BinaryOp,
    Const,
    Expr,
    IndexPlace,
    Place,
    Read,
    SelfId,
    ThreadAt,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import conjuncts, read_places, root, subexpressions
from threadwise.ir.pool_cells import FINISHED, PoolCells
from threadwise.ir.program import DEFAULT, Edge, LocId, Procedure, Program
from threadwise.ir.types import INT, ArrayType, IntType, MachineType, RangeType, TidType
from threadwise.transforms.accounts.zones import Value, Zone
from threadwise.transforms.parametric.creations import counter_of, creator_of

MOST_VARIABLES = 24
MOST_DISPLACEMENTS = 12
FURTHEST = 1_000
PATIENCE = 3
MOST_VISITS = 60


@dataclass(frozen=True)
class Stored:
    """An array that has, at κ plus a displacement, the thread κ, if that is in a range."""

    array: Variable
    displacement: int
    low: int
    high: Value


@dataclass(frozen=True)
class Named:
    """A handle of the thread with a number."""

    handle: Variable
    number: Value


@dataclass(frozen=True)
class Done:
    """All threads below a number have finished."""

    below: Value


@dataclass(frozen=True)
class Claims:
    """What is claimed at a location."""

    differences: tuple[tuple[Value, Value], ...]
    stored: tuple[Stored, ...]
    named: tuple[Named, ...]
    done: tuple[Done, ...]


@dataclass(frozen=True)
class Joins:
    """A pool, the template whose one thread creates its threads, and what is claimed there."""

    pool: str
    creator: str
    counter: Variable
    """The number of creations, without a bound."""
    claims: Mapping[LocId, Claims]
    all_done: frozenset[LocId]
    """Where all threads that were created have finished."""
    sure: Mapping[LocId, tuple[Named, ...]]
    """Where handles are of threads of the pool that were created."""


def joins(program: Program) -> dict[str, Joins]:
    """The pools all of whose threads are joined somewhere."""
    known = program.found.get("joins")
    if known is None:
        known = program.found["joins"] = dict(_every(program))
    assert isinstance(known, dict)
    return known


def _every(program: Program) -> Iterator[tuple[str, Joins]]:
    for template in program.templates:
        if template.pool:
            try:
                found = _joins(program, template.name)
            except Unsupported:
                continue
            if found.all_done:
                yield template.name, found


def _joins(program: Program, pool: str) -> Joins:
    creator, counter = creator_of(program, pool), counter_of(program, pool)
    if creator is None or counter is None or creator.count != 1 or creator.pool:
        raise Unsupported("threads that several threads create")
    procedure = program.procedure[creator.body]
    if any(not isinstance(edge.action, Command) for edge in procedure.edges):
        raise Unsupported("joins in a program with calls or a heap")
    walk = _Walk(program, procedure, pool, counter)
    found = walk.run()
    unbounded = walk.counter
    claims: dict[LocId, Claims] = {}
    for here, state in found.items():
        claims[here] = Claims(
            tuple(state.zone.differences(walk.variables)),
            tuple(Stored(a, d, _low(d), high) for (a, d), high in state.stored.items()),
            tuple(
                Named(h, value)
                for h, every in state.named.items()
                for value in sorted(every, key=str)
            ),
            tuple(Done((v, most)) for v, most in state.done.items()),
        )
    done = frozenset(here for here, state in found.items() if walk.is_all_done(state))
    sure = {here: tuple(walk.sure(state)) for here, state in found.items()}
    return Joins(pool, creator.name, unbounded, claims, done, {h: s for h, s in sure.items() if s})


@dataclass(frozen=True)
class _State:
    zone: Zone
    stored: Mapping[tuple[Variable, int], Value] = field(default_factory=dict)
    """By array and displacement: the end of the range, the number of creations plus a constant or
    just a constant."""
    named: Mapping[Variable, frozenset[Value]] = field(default_factory=dict)
    done: Mapping[Variable | None, int] = field(default_factory=dict)
    """By variable: what is to be added to it."""


class _Walk:
    """The creating thread, from its entry on."""

    def __init__(
        self, program: Program, procedure: Procedure, pool: str, counter: Variable
    ) -> None:
        self.program = program
        self.procedure = procedure
        self.pool = pool
        self.bounded = counter
        self.counter = replace(counter, type=INT)
        self.status = PoolCells(pool).status
        integers = [
            d.variable
            for d in procedure.locals
            if isinstance(d.variable.type, MachineType | RangeType | IntType)
        ]
        self.variables = (self.counter, *integers)
        self._places = {VariablePlace(variable) for variable in integers}
        if len(self.variables) > MOST_VARIABLES:
            raise Unsupported("joins in a thread with that many integers")
        self.arrays = [
            d.variable
            for d in (*program.globals, *procedure.locals)
            if isinstance(d.variable.type, ArrayType)
            and isinstance(d.variable.type.element, TidType)
            and isinstance(d.variable.type.extent, int)
            and (d in procedure.locals or self._is_own(d.variable))
        ]
        numbers = sorted(set(self._numbers()))
        near = sorted((n for n in numbers if abs(n) <= FURTHEST), key=abs)[:MOST_DISPLACEMENTS]
        self.displacements = sorted({0, *near, *(-n for n in near)})
        self.steps = sorted(
            {k + d for k in (*numbers, *(-n for n in numbers)) for d in (-1, 0, 1)}
        )

    def _numbers(self) -> Iterator[int]:
        """What the thread compares with, and what it gives its integers."""
        for edge in self.procedure.edges:
            action = edge.action
            assert isinstance(action, Command)
            given = [a.value for a in action.assignments if root(a.target) in self._places]
            for whole in (action.guard, *given):
                for part in subexpressions(whole):
                    if isinstance(part, Const) and type(part.value) is int:
                        yield part.value

    def _is_own(self, variable: Variable) -> bool:
        """Whether no other thread writes a shared variable."""
        return not any(
            root(place) == VariablePlace(variable)
            for edge in self.program.edges
            if self.program.procedure_of[edge.source] is not self.procedure
            and isinstance(edge.action, Command)
            for place in (*(a.target for a in edge.action.assignments), *edge.action.havocs)
        )

    def run(self) -> dict[LocId, _State]:
        """What holds at the locations that are reached."""
        zero = {d.variable: 0 for d in self.procedure.locals if d.initial == DEFAULT}
        start = {v: 0 for v in self.variables if v == self.counter or v in zero}
        first = _State(
            Zone.start(self.variables, start),
            {(a, d): (self.counter, 0) for a in self.arrays for d in self.displacements},
            {},
            {None: 0, **dict.fromkeys(start, 0)},
        )
        found = {self.procedure.entry: first}
        visits: dict[LocId, int] = {}
        waiting = Worklist([self.procedure.entry])
        for here in waiting:
            for edge in self.program.outgoing[here]:
                after = self._after(found[here], edge)
                if after is None or self.program.locations[edge.target].failure is not None:
                    continue
                visits[edge.target] = visits.get(edge.target, 0) + 1
                if visits[edge.target] > MOST_VISITS:
                    raise Unsupported("joins that are not understood")
                known = found.get(edge.target)
                if known is not None:
                    after = self._joined(known, after, wide=visits[edge.target] > PATIENCE)
                if after != known:
                    found[edge.target] = after
                    waiting.add(edge.target)
        return found

    def is_all_done(self, state: _State) -> bool:
        """Whether all threads that were created have finished, and there may be some."""
        created = (self.counter, 0)
        if state.zone.most(created, (None, 0)) <= 0:
            return False
        return any(state.zone.most(created, (v, most)) <= 0 for v, most in state.done.items())

    def sure(self, state: _State) -> Iterator[Named]:
        """Handles of threads that were created."""
        for handle, numbers in state.named.items():
            for told in sorted(numbers, key=str):
                created = state.zone.most(told, (self.counter, 0)) < 0
                if created and state.zone.most((None, 0), told) <= 0:
                    yield Named(handle, told)
                    break

    # -- states ----------------------------------------------------------------------------------

    def _joined(self, one: _State, two: _State, *, wide: bool) -> _State:
        zone = one.zone.joined(two.zone, self.steps if wide else None)
        stored: dict[tuple[Variable, int], Value] = {}
        for key in one.stored:
            end = self._least(one, two, key) if key in two.stored else None
            if end is not None and (not wide or end == one.stored[key]):
                stored[key] = end
        named = {
            h: one.named[h] & two.named[h]
            for h in one.named
            if h in two.named and one.named[h] & two.named[h]
        }
        done: dict[Variable | None, int] = {}
        for v in one.done:
            a, b = self._done_below(one, v), self._done_below(two, v)
            if a is not None and b is not None:
                least = min(a, b)
                if not wide or least == one.done[v]:
                    done[v] = least
        return _State(zone, stored, named, done)

    def _least(self, one: _State, two: _State, key: tuple[Variable, int]) -> Value | None:
        """The end of a range that is stored in both states."""
        a, b = one.stored[key], two.stored[key]
        if a[0] == b[0]:
            return a[0], min(a[1], b[1])
        created: Value = (self.counter, 0)
        behind = [
            end[1] if end[0] is not None else end[1] - state.zone.most(created, (None, 0))
            for state, end in ((one, a), (two, b))
        ]
        least = min(-one.zone.most((None, 0), a), -two.zone.most((None, 0), b))
        if least == -inf or behind[0] == behind[1]:
            return None if min(behind) == -inf else (self.counter, int(min(behind)))
        return None, int(least)

    def _done_below(self, state: _State, variable: Variable | None) -> int | None:
        """The most that can be added to a variable so that all below have finished."""
        found = [most - state.zone.most((variable, 0), (v, 0)) for v, most in state.done.items()]
        best = max(found, default=-inf)
        return None if best == -inf else int(best)

    # -- steps -----------------------------------------------------------------------------------

    def _after(self, state: _State, edge: Edge) -> _State | None:
        action = edge.action
        assert isinstance(action, Command)
        zone: Zone | None = state.zone
        for part in conjuncts(action.guard):
            zone = None if zone is None else self._where(zone, part)
        if zone is None:
            return None
        state = self._passed_on(replace(state, zone=zone), action.guard)
        for part in subexpressions(action.guard):
            match part:
                case Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(v), handle)), told) if (
                    v.name == self.status and told == FINISHED
                ):
                    state = self._with_join(state, handle)
                case Binary(BinaryOp.EQ, handle, SelfId()):  # no thread of the pool: never so
                    state = self._with_join(state, handle)
                case _:
                    pass
        state = self._passed_on(state, action.guard)
        values: dict[Variable, Value | None] = {}
        handles: dict[Variable, frozenset[Value]] = {}
        stores: list[tuple[Place, frozenset[Value]]] = []
        creates = False
        for place in action.havocs:
            base = root(place)
            if isinstance(base, VariablePlace):
                values[base.variable] = None
                stores.append((place, frozenset()))
        for each in action.assignments:
            base = root(each.target)
            if not isinstance(base, VariablePlace):
                raise Unsupported("joins in a program with a heap")
            if base.variable == self.bounded:
                values[self.counter] = self.counter, 1
                creates = True
            elif base.variable in self.variables:
                values[base.variable] = self._value(each.value, zone)
            elif isinstance(each.target, VariablePlace) and isinstance(each.value.type, TidType):
                handles[base.variable] = self._named(state, each.value)
            elif base.variable in self.arrays:
                stores.append((each.target, self._named(state, each.value)))
        return self._moved(state, values, handles, stores, creates=creates)

    def _moved(
        self,
        state: _State,
        values: Mapping[Variable, Value | None],
        handles: Mapping[Variable, frozenset[Value]],
        stores: Sequence[tuple[Place, frozenset[Value]]],
        *,
        creates: bool,
    ) -> _State:
        zone = state.zone
        created: Value = (self.counter, 0)
        stored = dict(state.stored)
        for place, told in stores:
            self._store(zone, stored, place, frozenset() if creates else told)
        done = dict(state.done)
        named = {h: every for h, every in state.named.items() if h not in handles}
        named.update({h: every for h, every in handles.items() if every})
        if creates:
            done = {v: most for v, most in done.items() if zone.most((v, most), created) <= 0}
            named = {
                h: frozenset(v for v in every if h in handles or zone.most(v, created) < 0)
                for h, every in named.items()
            }
            stored = {key: self._ended(zone, key[1], end) for key, end in stored.items()}
        return _State(
            zone.assigned(values),
            stored,
            {h: frozenset(self._renamed(every, values)) for h, every in named.items()},
            dict(self._done_after(state, done, values)),
        )

    def _ended(self, zone: Zone, displacement: int, end: Value) -> Value:
        """The end of a range when one more thread is created, which is not stored yet."""
        if end[0] is None:
            return end
        most = zone.most((self.counter, 1), (None, _low(displacement)))
        if most <= 0:
            return self.counter, min(0, int(-most))
        least = -zone.most((None, 0), end)
        if zone.most(end, (None, 0)) == least:
            return None, int(least)
        return self.counter, end[1] - 1

    def _passed_on(self, state: _State, guard: Expr) -> _State:
        """What is done, also in terms of the numbers and variables of a condition."""
        done = dict(state.done)
        for variable in (None, *self.variables):
            if variable is None or VariablePlace(variable) in set(read_places(guard)):
                best = self._done_below(state, variable)
                if best is not None and best > done.get(variable, -1):
                    done[variable] = best
        return replace(state, done=done)

    def _renamed(
        self, every: frozenset[Value], values: Mapping[Variable, Value | None]
    ) -> Iterator[Value]:
        """Values in terms of variables after assignments."""
        for variable, more in every:
            if variable is None or variable not in values:
                yield variable, more
            for target, told in values.items():
                if told is not None and told[0] == variable and target in self.variables:
                    yield target, more - told[1]

    def _done_after(
        self,
        state: _State,
        done: Mapping[Variable | None, int],
        values: Mapping[Variable, Value | None],
    ) -> Iterator[tuple[Variable | None, int]]:
        before = replace(state, done=done)
        for variable in (None, *self.variables):
            told: Value | None = (variable, 0)
            if variable is not None:
                told = values.get(variable, told)
            if told is None:
                continue
            source, more = told
            below = done.get(source)
            if below is None and variable in values:
                below = self._done_below(before, source)
            if below is not None:
                yield variable, below - more

    def _store(
        self,
        zone: Zone,
        stored: dict[tuple[Variable, int], Value],
        place: Place,
        told: frozenset[Value],
    ) -> None:
        """What is stored in arrays after an element got one of the numbers, or (none) anything."""
        base = root(place)
        assert isinstance(base, VariablePlace)
        index = None
        if isinstance(place, IndexPlace) and place.base == base:
            index = self._value(place.index, zone)
        for key in [key for key in stored if key[0] == base.variable]:
            if index is None:
                del stored[key]
                continue
            low: Value = (None, _low(key[1]))
            end = stored[key]
            at: Value = (index[0], index[1] - key[1])
            if any(zone.are_equal(at, value) for value in told):
                if zone.are_equal(at, end):
                    last = zone.are_equal((at[0], at[1] + 1), (self.counter, 0))
                    stored[key] = (self.counter, 0) if last else (end[0], end[1] + 1)
            elif zone.most(end, at) > 0 and zone.most(at, low) >= 0 and zone.most(end, low) > 0:
                del stored[key]

    def _with_join(self, state: _State, handle: Expr) -> _State:
        """A thread has finished."""
        done = dict(state.done)
        for variable, more in sorted(self._named(state, handle), key=str):
            below = self._done_below(replace(state, done=done), variable)
            if below is not None and below >= more:
                done[variable] = max(below, more + 1, done.get(variable, more + 1))
        return replace(state, done=done)

    def _named(self, state: _State, expr: Expr) -> frozenset[Value]:
        """The numbers that a handle has, if it is one of the pool."""
        match expr:
            case Read(VariablePlace(variable)):
                return state.named.get(variable, frozenset())
            case ThreadAt(template, position) if template == self.pool:
                told = self._value(position, state.zone)
                return frozenset() if told is None else frozenset({told})
            case Read(IndexPlace(VariablePlace(array), index)):
                at = self._value(index, state.zone)
                found: set[Value] = set()
                for (variable, displacement), end in state.stored.items():
                    if variable != array or at is None:
                        continue
                    told = at[0], at[1] - displacement
                    low = _low(displacement)
                    above = low <= 0 or state.zone.most((None, low), told) <= 0
                    below = end == (self.counter, 0) or state.zone.most(told, end) < 0
                    if above and below:
                        found.add(told)
                return frozenset(found)
            case _:
                return frozenset()

    # -- values ----------------------------------------------------------------------------------

    def _value(self, expr: Expr, zone: Zone) -> Value | None:
        """An expression as a variable plus a constant."""
        match expr:
            case Const(int(value), _):
                return None, value
            case Read(VariablePlace(variable)):
                if variable == self.bounded:
                    return self.counter, 0
                return (variable, 0) if variable in self.variables else None
            case Wrap(low, high, operand):
                told = self._value(operand, zone)
                if told is None:
                    return None
                least, most = -zone.most((None, 0), told), zone.most(told, (None, 0))
                return told if low <= least and most <= high else None
            case Binary(BinaryOp.ADD | BinaryOp.SUB as op, left, right):
                a, b = self._value(left, zone), self._value(right, zone)
                if a is None or b is None:
                    return None
                if b[0] is None:
                    return a[0], a[1] + (b[1] if op is BinaryOp.ADD else -b[1])
                if a[0] is None and op is BinaryOp.ADD:
                    return b[0], a[1] + b[1]
                return None
            case _:
                return None

    def _where(self, zone: Zone, part: Expr) -> Zone | None:
        match part:
            case Unary(UnaryOp.NOT, Binary(op, left, right)) if op in COMPLEMENT:
                return self._where(zone, Binary(COMPLEMENT[op], left, right))
            case Binary(op, left, right) if op in COMPARISONS:
                a, b = self._value(left, zone), self._value(right, zone)
                if a is None or b is None or self._is_room(a, b):
                    return zone
                return self._compared(zone, op, a, b)
            case _:
                return zone

    def _is_room(self, one: Value, other: Value) -> bool:
        """Whether a comparison is about the size of the pool, which may be any."""
        return {one[0], other[0]} == {self.counter, None}

    def _compared(self, zone: Zone, op: BinaryOp, a: Value, b: Value) -> Zone | None:
        match op:
            case BinaryOp.LE:
                return zone.where(a, b)
            case BinaryOp.LT:
                return zone.where((a[0], a[1] + 1), b)
            case BinaryOp.GE:
                return zone.where(b, a)
            case BinaryOp.GT:
                return zone.where((b[0], b[1] + 1), a)
            case BinaryOp.EQ:
                one = zone.where(a, b)
                return None if one is None else one.where(b, a)
            case BinaryOp.NE:
                if zone.most(a, b) <= 0:
                    return zone.where((a[0], a[1] + 1), b)
                if zone.most(b, a) <= 0:
                    return zone.where((b[0], b[1] + 1), a)
                return zone
            case _:
                return zone


def _low(displacement: int) -> int:
    """The least number whose thread has an element."""
    return max(0, -displacement)
