"""The more precise pass over failures, by iteration; rules: `threadwise.proofs.locksets.refined`.

Global claims start with as much as may hold. States are the least that the steps demand; where a
step breaks a claim, the claim is dropped, and the states are computed again. Ranges that keep
growing are widened to constants of the program.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush

from threadwise.analyses.graphs import visiting_ranks
from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.ir.commands import Call
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    Const,
    Expr,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, root
from threadwise.ir.program import Edge, LocId
from threadwise.ir.types import Type, Value, bounds_of, is_integer
from threadwise.ir.writes import written
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.containers.list_locks import keys_of
from threadwise.proofs.locksets.guards import Outcomes
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.memory.cells import Target, leaves
from threadwise.proofs.locksets.refined.check import entries, misbegun
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.effects import (
    COUNTS,
    FLAGS,
    GUARDED,
    LEFT,
    LIMITS,
    Broken,
    Effects,
)
from threadwise.proofs.locksets.refined.state import ANYTHING, MANY, Range, State
from threadwise.proofs.locksets.refined.truth import Look
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.tokens import step_of

PATIENCE = 3
"""So often a range may grow at a location before it is widened."""
ROUNDS = 40
"""So often claims may be dropped before the pass is given up."""
MOST_VALUES = 4
"""Flags have at most so many values."""

Cases = Mapping[LocId, Sequence[Knowledge]]
Tick = Callable[[], object]


def refined(steps: Steps, knowledge: Cases, tick: Tick) -> Refinement | None:
    """What the pass shows; None if it does not end."""
    moves = Moves(steps, knowledge, tick)
    claim = _first(moves)
    for _ in range(ROUNDS):
        search = _Search(moves, claim)
        search.run()
        if not search.broken:
            return replace(claim, states=search.states)
        claim = search.weaker()
    return None


@dataclass(frozen=True)
class Move:
    """An edge that a thread may take, knowing something."""

    edge: Edge
    before: Knowledge
    outcomes: Outcomes


@dataclass(frozen=True)
class Moves:
    """All of them, as locksets say."""

    steps: Steps
    knowledge: Cases
    tick: Tick

    @cached_property
    def by_location(self) -> Mapping[LocId, Sequence[Move]]:
        """The moves from each location."""
        program = self.steps.threads.program
        found: dict[LocId, list[Move]] = {}
        for location, cases in self.knowledge.items():
            name = program.procedure_of[location].name
            found[location] = []
            for edge in program.outgoing[location]:
                for case in cases:
                    self.tick()
                    for before, outcomes in self.steps.guards.passing(edge, case, name):
                        found[location].append(Move(edge, before, outcomes))
        return found

    @cached_property
    def live(self) -> Mapping[LocId, frozenset[str]]:
        """The locals that are read later, by location."""
        uses, found = Uses(), dict[LocId, frozenset[str]]()
        for procedure in self.steps.threads.program.procedures:
            found.update(live_locals(procedure, uses))
        return found

    @cached_property
    def ranks(self) -> Mapping[LocId, int]:
        """The order in which locations are best visited."""
        return visiting_ranks(self.steps.threads.program)

    @cached_property
    def marks(self) -> Mapping[Target, Sequence[int]]:
        """The constants that what is read from a cell is compared with, and their neighbours."""
        ground = self.steps.ground
        found: defaultdict[Target, set[int]] = defaultdict(set)
        for procedure in self.steps.threads.program.procedures:
            name = procedure.name
            read: defaultdict[Place, set[Target]] = defaultdict(set)
            for edge in procedure.edges:
                for place, value in written(edge):
                    if is_own(place) and isinstance(value, Read) and not is_own(value.place):
                        read[place] |= ground.cells_of(value.place, name)
            for edge in procedure.edges:
                for expr in conjuncts(edge.action.guard):
                    for place, constant in _compared(expr):
                        own = is_own(place)
                        cells = read.get(place, ()) if own else ground.cells_of(place, name)
                        for cell in cells:
                            found[cell] |= {constant - 1, constant, constant + 1}
        return {cell: sorted(marks) for cell, marks in found.items()}

    def name(self, edge: Edge) -> str:
        """The procedure that an edge is in."""
        return self.steps.threads.program.procedure_of[edge.source].name


def _compared(expr: Expr) -> Iterator[tuple[Place, int]]:
    """What a condition compares with a constant."""
    match expr:
        case Binary(op, Read(place), Const(int(constant), _)) if op in COMPARISONS:
            yield place, constant
        case _:
            pass


# -- the first claim ------------------------------------------------------------------------------


def _first(moves: Moves) -> Refinement:
    guarded = _guarded(moves)
    starts = {cell: _beginning(moves, cell) for cell in guarded}
    return Refinement(
        flags=_flags(moves),
        counts=_counts(moves),
        guarded=guarded,
        limits={c: limits for c, limits in starts.items() if limits and c in moves.marks},
    )


def _flags(moves: Moves) -> dict[Target, frozenset[Value]]:
    """Cells that get values at the end that they never had before."""
    memory, threads = moves.steps.memory, moves.steps.threads
    early: defaultdict[Target, set[object]] = defaultdict(set)
    for cell, values in memory.initial():
        early[cell] |= {None} if values is None else values
    starting = {threads.program.edges[edge].source for edge in threads.starts}
    for each in moves.by_location.values():
        for move in each:
            procedure = threads.program.procedure_of[move.edge.source]
            alone = threads.is_only(move.before, procedure)
            if alone and starting.isdisjoint(threads.reachable(move.edge.target)):
                continue
            for cell, values in memory.stored(move.edge, procedure.name):
                early[cell] |= {None} if values is None else values
    found: dict[Target, frozenset[Value]] = {}
    for cell, values in memory.values.items():
        if values is None or cell.object.endswith("@") or not 1 < len(values) <= MOST_VALUES:
            continue
        if early[cell] < values and all(isinstance(value, int) for value in values):
            found[cell] = frozenset(v for v in early[cell] if isinstance(v, int))
    return found


def _counts(moves: Moves) -> frozenset[Target]:
    """Cells that are raised by one somewhere, by steps that synchronise."""
    found: set[Target] = set()
    for edge, place, value, before in _writes(moves):
        base = root(place)
        pool = isinstance(base, VariablePlace) and base.variable.sync
        if not edge.sync or pool or value is None or not is_integer(place.type):
            continue
        if step_of(named_place(place, before.known), named(value, before.known)) == 1:
            found |= moves.steps.ground.cells_of(place, moves.name(edge))
    return frozenset(found)


def _guarded(moves: Moves) -> dict[Target, Key]:
    """Integers that are written under one lock, by their cells."""
    ground, threads = moves.steps.ground, moves.steps.threads
    found: dict[Target, frozenset[Key]] = {}
    for edge, place, _, before in _writes(moves):
        procedure = threads.program.procedure_of[edge.source]
        there = named_place(place, before.known)
        if edge.sync or threads.is_only(before, procedure) or owner_of(there, before) is not None:
            continue
        keys = frozenset(key for lock in before.held for key in keys_of(there, lock))
        for cell in ground.cells_of(place, procedure.name):
            found[cell] = found.get(cell, keys) & keys
    types = moves.steps.memory.objects.types
    return {
        cell: min(keys)
        for cell, keys in found.items()
        if keys and cell.object in types and _is_number(types, cell)
    }


def _is_number(types: Mapping[str, Type], cell: Target) -> bool:
    scalars = list(leaves(types[cell.object]))
    return cell.cell < len(scalars) and is_integer(scalars[cell.cell])


def _writes(moves: Moves) -> Iterator[tuple[Edge, Place, Expr | None, Knowledge]]:
    for each in moves.by_location.values():
        for move in each:
            for place, value in written(move.edge):
                if not is_own(place):
                    yield move.edge, place, value, move.before


def _beginning(moves: Moves, cell: Target) -> Range | None:
    found: list[int] = []
    for other, values in moves.steps.memory.initial():
        if other == cell:
            if values is None or not all(isinstance(value, int) for value in values):
                return None
            found += [value for value in values if isinstance(value, int)]
    return (min(found), max(found)) if found else (0, 0)


# -- states ---------------------------------------------------------------------------------------


@dataclass
class _Search:
    moves: Moves
    claim: Refinement
    states: dict[LocId, State] = field(default_factory=dict)
    times: defaultdict[LocId, int] = field(default_factory=lambda: defaultdict(int))
    pending: list[tuple[int, LocId]] = field(default_factory=list)
    """A heap: what leads to other locations comes before these, but for loops."""
    waiting: set[LocId] = field(default_factory=set)
    broken: set[Broken] = field(default_factory=set)
    stored: dict[Target, Range] = field(default_factory=dict)
    """What was stored beyond limits."""

    def __post_init__(self) -> None:
        self.effects = Effects(self.moves.steps, self.claim)

    def run(self) -> None:
        """Find the states."""
        self.broken |= set(misbegun(self.moves.steps.memory, self.claim))
        program = self.moves.steps.threads.program
        for location, state in entries(program, self.moves.knowledge):
            self._reach(location, state)
        while self.pending:
            _, location = heappop(self.pending)
            self.waiting.discard(location)
            state = self.states[location]
            for move in self.moves.by_location[location]:
                self.moves.tick()
                self._take(move, state)

    def _take(self, move: Move, state: State) -> None:
        name = self.moves.name(move.edge)
        passed = self.effects.passed(move.edge, move.before, move.outcomes, state, name)
        if passed is None:
            return
        look = self.effects.look(move.before, passed, name)
        for broken in self.effects.broken(move.edge, look, move.outcomes):
            self.broken.add(broken)
            if broken.claim == LIMITS:
                self._note(move, look, broken.cell)
        self._reach(move.edge.target, self.effects.after(move.edge, look, move.outcomes))
        if isinstance(move.edge.action, Call):
            program = self.moves.steps.threads.program
            self._reach(program.procedure[move.edge.action.procedure].entry, ANYTHING)

    def _note(self, move: Move, look: Look, cell: Target) -> None:
        low, high = self.claim.limits[cell]
        for place, value in written(move.edge):
            if is_own(place):
                continue
            bounds = (None, None) if value is None else look.value(value)
            full = bounds_of(place.type) or (None, None)
            least = bounds[0] if bounds[0] is not None else full[0]
            most = bounds[1] if bounds[1] is not None else full[1]
            if least is None or most is None:
                least, most = -(1 << 70), 1 << 70
            low, high = min(low, least), max(high, most)
        before = self.stored.get(cell, (low, high))
        self.stored[cell] = min(low, before[0]), max(high, before[1])

    def _reach(self, location: LocId, state: State) -> None:
        state = self._needed(location, state)
        before = self.states.get(location)
        if before is not None and state.implies(before):
            return
        after = state if before is None else joined(before, state)
        self.times[location] += 1
        if before is not None and self.times[location] > PATIENCE:
            after = replace(after, ranges=self._widened(before, after))
        self.states[location] = after
        if location not in self.waiting:
            self.waiting.add(location)
            heappush(self.pending, (self.moves.ranks[location], location))

    def _needed(self, location: LocId, state: State) -> State:
        live = self.moves.live.get(location, frozenset())

        def dead(place: Place) -> bool:
            base = root(place)
            if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.LOCAL:
                return False
            return base.variable.name not in live

        return replace(
            state,
            ranges={p: r for p, r in state.ranges.items() if not dead(p)},
            copies={p: c for p, c in state.copies.items() if not dead(p)},
        )

    def _widened(self, before: State, after: State) -> dict[Place, Range]:
        """Ranges without those that keep growing."""
        return {place: r for place, r in after.ranges.items() if before.ranges.get(place) == r}

    # -- claims that are dropped ------------------------------------------------------------------

    def weaker(self) -> Refinement:
        """The claim without what was broken."""
        gone: defaultdict[str, set[Target]] = defaultdict(set)
        for name, cell in self.broken:
            gone[name].add(cell)
        claim = self.claim
        unguarded = gone[GUARDED]
        limits = {c: r for c, r in claim.limits.items() if c not in unguarded}
        for cell in gone[LIMITS] & limits.keys():
            wide = self._wide(cell, limits[cell])
            if wide is None or wide == limits[cell]:
                del limits[cell]
            else:
                limits[cell] = wide
        return replace(
            claim,
            flags={c: v for c, v in claim.flags.items() if c not in gone[FLAGS]},
            left=claim.left | gone[LEFT],
            counts=claim.counts - gone[COUNTS],
            guarded={c: k for c, k in claim.guarded.items() if c not in unguarded},
            limits=limits,
        )

    def _wide(self, cell: Target, claimed: Range) -> Range | None:
        """The next marks beyond what was stored, or the ends of the type; None: these only."""
        low, high = self.stored.get(cell, claimed)
        marks = self.moves.marks.get(cell, ())
        held = self.moves.steps.memory.objects.types.get(cell.object)
        scalars = [] if held is None else list(leaves(held))
        full = bounds_of(scalars[cell.cell]) if cell.cell < len(scalars) else None
        if full is None:
            return None
        below, above = bisect_right(marks, low) - 1, bisect_left(marks, high)
        wide = (
            claimed[0] if low == claimed[0] else marks[below] if below >= 0 else full[0],
            claimed[1] if high == claimed[1] else marks[above] if above < len(marks) else full[1],
        )
        return wide if wide[0] > full[0] or wide[1] < full[1] else None


def joined(first: State, second: State) -> State:
    """What both know."""
    tokens = first.tokens & second.tokens
    locks = {
        cells: max(first.locks.get(cells, 0), second.locks.get(cells, 0))
        for cells in {**first.locks, **second.locks}
    }
    for cell, _ in (first.tokens | second.tokens) - tokens:
        locks[frozenset({cell})] = MANY
    late = dict(first.late)
    for cell, below in second.late.items():
        late[cell] = below if late.get(cell, below) == below else None
    ranges = {
        place: (min(low, second.ranges[place][0]), max(high, second.ranges[place][1]))
        for place, (low, high) in first.ranges.items()
        if place in second.ranges
    }
    copies = {p: c for p, c in first.copies.items() if second.copies.get(p) == c}
    return State(locks, tokens, late, ranges, copies)
