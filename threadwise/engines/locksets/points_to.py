"""Points-to sets and constants of memory: the least that the feasible edges demand.

An edge counts when its source is reached and its guard may hold, with the values found so far: a
call through a pointer that means none of the program's functions counts only once the pointer may
be something else. If it counted from the beginning, what an unknown function may write would
make the pointer unknown, and be its own reason. A guard may hold

    first      if no condition is surely false, and every place that it reads has a value already
    then       if no condition is surely false: memory may be read that is never written

What the conditions right before it say counts as well (`threadwise.engines.locksets.passed`).

Values only grow, so both terminate. An edge is evaluated again when it may be taken, or when
the values of a cell grow that it asked for. What comes out is a suggestion: the checker has rules
of its own about which edges may be taken, and what these store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from functools import cached_property
from heapq import heappop, heappush

from threadwise.analyses.graphs import visiting_ranks
from threadwise.engines.locksets.passed import Passed
from threadwise.ir.commands import Call
from threadwise.ir.expr import Binary, BinaryOp, Expr, Place, Read
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import NULL, Address
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.guards import Guards
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.locks import Locks
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.memory.contents import ANY_INTEGER, Area, Memory, includes
from threadwise.proofs.locksets.memory.objects import Objects
from threadwise.proofs.locksets.threads.creation import Threads
from threadwise.proofs.locksets.truth import Truth

MOST_CONSTANTS = 16
_NONE: Values = frozenset()


def memory_of(
    program: Program,
    tick: Callable[[], object],
    taken: Collection[EdgeId] | None = None,
    threads: Threads | None = None,
) -> Memory:
    """What every cell may hold; if edges are given, if threads take these and no others."""
    search = Search(program, tick, threads or Threads(program))
    if taken is None:
        search.begin()
    else:
        search.take(taken)
    return search.found()


class _Asked(dict[Target, Values]):
    """The values of cells, and which of them were read since the record was last cleared."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[Target] = set()

    def get(self, cell: Target, default: Values = None) -> Values:  # type: ignore[override]
        self.asked.add(cell)
        return super().get(cell, default)


class _Growing(Ground):
    """Claims about memory that are not final: nothing is remembered of them."""

    def values_of(self, expr: Expr, procedure: str) -> Values:
        return self.memory.of(expr, procedure)


class _AtOnce(Memory):
    """What is found while one edge is looked at: the same places are asked for several times."""

    def of(self, expr: Expr, procedure: str) -> Values:
        """The values an expression may have."""
        key = expr, procedure
        if key not in self.told:
            self.told[key] = super().of(expr, procedure)
        return self.told[key]

    def located(self, place: Place, procedure: str) -> tuple[list[Target], list[Area]]:
        """The cells that a place may begin at, and the areas that it may be any part of."""
        key = place, procedure
        if key not in self.there:
            self.there[key] = super().located(place, procedure)
        return self.there[key]

    @cached_property
    def told(self) -> dict[tuple[Expr, str], Values]:
        """Values of expressions."""
        return {}

    @cached_property
    def there(self) -> dict[tuple[Place, str], tuple[list[Target], list[Area]]]:
        """Where places are."""
        return {}


class Search:
    """Values grow until no edge stores more; more edges may be taken then."""

    def __init__(self, program: Program, tick: Callable[[], object], threads: Threads) -> None:
        self.program = program
        self.tick = tick
        self.values = _Asked()
        self.memory = _AtOnce(Objects(program), self.values)
        self.threads = threads
        self.ground = _Growing(self.memory, self.threads)
        self.guards = Guards(self.ground, Locks(self.ground))
        self.passed = Passed(program)
        self.reached: set[LocId] = set()
        self.taken: set[EdgeId] = set()
        self.askers: defaultdict[Target, set[EdgeId]] = defaultdict(set)
        """The edges that read the values of a cell."""
        self.ranks = visiting_ranks(program)
        self.pending: list[tuple[int, EdgeId]] = []
        """A heap, for this round: edges that lead to others come before these, but for loops."""
        self.later: list[tuple[int, EdgeId]] = []
        """The same for the next round: what grows at the end of a round is read once in the next,
        not each time that it grows."""
        self.at = -1
        """How far this round is."""
        self.waiting: set[EdgeId] = set()
        self.written = True
        """Whether guards read only what has values."""
        for target, found in self.memory.initial():
            self._add(target, found)

    def begin(self) -> None:
        """Let the threads begin that exist initially, and follow them."""
        for template in self.program.templates:
            if not template.pool:
                self._reach(self.program.procedure[template.body].entry)
        self._run()
        self.written = False
        for edge in self.program.edges:
            if edge.source in self.reached and edge.id not in self.taken:
                self._look(edge.id)
        self._run()

    def take(self, edges: Collection[EdgeId]) -> None:
        """Let threads take some edges, in addition to those that they take already."""
        more = set(edges) - self.taken
        self.taken |= more
        for edge in sorted(more):
            self._look(edge)
        self._run()

    def found(self) -> Memory:
        """What cells may hold, so far."""
        return Memory(self.memory.objects, dict(self.values))

    def _run(self) -> None:
        while self.pending or self.later:
            if not self.pending:
                self.pending, self.later, self.at = self.later, [], -1
            self.at, number = heappop(self.pending)
            self.waiting.discard(number)
            self.tick()
            self._follow(self.program.edges[number])
        self.at = -1

    def _follow(self, edge: Edge) -> None:
        procedure = self.program.procedure_of[edge.source].name
        self.values.asked.clear()
        self.memory.told.clear()
        self.memory.there.clear()
        if edge.id in self.taken or self._may_pass(edge, procedure):
            self._take(edge)
            stored = list(self.memory.stored(edge, procedure))
        else:
            stored = []
        for cell in self.values.asked:
            self.askers[cell].add(edge.id)
        for target, found in stored:
            self._add(target, found)

    def _take(self, edge: Edge) -> None:
        if edge.id in self.taken:
            return
        self.taken.add(edge.id)
        self._reach(edge.target)
        if isinstance(edge.action, Call):
            self._reach(self.program.procedure[edge.action.procedure].entry)
        started = self.threads.starts.get(edge.id)
        if started is not None:
            body = self.program.template[started].body
            self._reach(self.program.procedure[body].entry)

    def _reach(self, location: LocId) -> None:
        if location not in self.reached:
            self.reached.add(location)
            for edge in self.program.outgoing[location]:
                self._look(edge.id)

    def _look(self, edge: EdgeId) -> None:
        if edge not in self.waiting:
            self.waiting.add(edge)
            rank = self.ranks.get(self.program.edges[edge].source, 0)
            heappush(self.later if rank < self.at else self.pending, (rank, edge))

    # -- guards ----------------------------------------------------------------------------------

    def _may_pass(self, edge: Edge, procedure: str) -> bool:
        truth, known = Truth(self.ground, procedure), self.passed.before(edge)
        return all(self._may_hold(part, truth, known) for part in self.guards.asked(edge))

    def _may_hold(self, condition: Expr, truth: Truth, known: Knowledge) -> bool:
        match condition:
            case Binary(BinaryOp.OR, left, right):
                return self._may_hold(left, truth, known) or self._may_hold(right, truth, known)
            case Binary(BinaryOp.AND, left, right):
                return self._may_hold(left, truth, known) and self._may_hold(right, truth, known)
            case _:
                if self.written and not self._has_values(condition, truth.procedure):
                    return False
                return truth.of(condition, known) is not False

    def _has_values(self, condition: Expr, procedure: str) -> bool:
        """Whether all that a condition reads was written already."""
        return all(
            self.memory.of(part, procedure) != _NONE
            for part in subexpressions(condition)
            if isinstance(part, Read)
        )

    # -- values ----------------------------------------------------------------------------------

    def _add(self, target: Target, found: Values) -> None:
        before = dict.get(self.values, target, _NONE)
        if before is None or (found is not None and includes(before, found)):
            return
        after = None if found is None else _few(before | found)
        if after != before:
            self.values[target] = after
            for edge in sorted(self.askers[target]):
                self._look(edge)


def _few(values: frozenset[object]) -> Values:
    """Values, or any if these are too many constants."""
    constants = {value for value in values if not isinstance(value, Target)}
    if len(constants) <= MOST_CONSTANTS:
        return values  # type: ignore[return-value]
    pointers = all(value is None or isinstance(value, Address) for value in constants)
    return (values - constants) | {ANY_INTEGER, NULL} if pointers else None  # type: ignore[return-value]
