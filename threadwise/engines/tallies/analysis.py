"""What holds where, thread by thread: equations and bounds of integers, constants of the rest.

Each thread is analysed alone, along its edges. What others may change is forgotten between its
steps, unless a lock keeps them from it or they do not run: not created yet, or joined. What is
known of shared cells is handed on

    always      from every step to every other, once there are several threads
    lock        from who releases a mutex to who takes it: of what is written under it only
    start       from who creates a thread to the thread
    end         from a thread that finishes to who joins it

and all is computed until nothing changes. The first thread creates all others. States are kept
apart by the mutexes that a thread holds and by the threads that it has created and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from threadwise.core.errors import Unsupported
from threadwise.engines.horn.resting_edges import numbers_in
from threadwise.engines.tallies.cells import (
    Bounds,
    Cell,
    Resolving,
    Thread,
    cells_of,
    is_owner,
    kind_of,
    threads_of,
)
from threadwise.engines.tallies.handing import Handed, Known, Node
from threadwise.engines.tallies.states import State
from threadwise.engines.tallies.thread_analysis import ThreadAnalysis
from threadwise.ir.commands import Command, OperationKind
from threadwise.ir.expr import Binary, Const, Expr, Variable, VariablePlace
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    FillValue,
    ListedValues,
    LocId,
    Program,
)
from threadwise.ir.types import UNSET, TidType, default_value

if TYPE_CHECKING:
    from threadwise.engines.tallies.parametric import ParametricThreads

ROUNDS = 16
MOST_THREADS = 8
MOST_CELLS = 80
MOST_CONSTANTS = 3


class Analysis:
    """The analysis of one program; the bounds `given` hold once there are several threads."""

    def __init__(
        self,
        program: Program,
        given: Mapping[str, Bounds] | None = None,
        parametric: ParametricThreads | None = None,
        tick: Callable[[], object] = lambda: None,
    ) -> None:
        counts = [1 if parametric and t.count is None else t.count for t in program.templates]
        if None in counts or sum(count or 0 for count in counts) > MOST_THREADS:
            raise Unsupported("an analysis of each of that many threads")
        self.program = program
        self.parametric = parametric
        self.tick = tick
        """Called now and then, so that a budget can end the analysis."""
        self.given = dict(given or {})
        self.threads = threads_of(program)
        self.first = self.threads[0]
        pools = {template.name for template in program.templates if template.pool}
        pools |= set(parametric.pools if parametric else ())
        self.present = frozenset(t for t in self.threads[1:] if t.template not in pools)
        """Threads beside the first that are there from the start."""
        if any(kind_of(e) is OperationKind.SPAWN for e in self._edges_of_others()):
            raise Unsupported("tallies where created threads create others")
        self.shared = {c.name: c for d in program.globals for c in cells_of(program, d.variable)}
        self.own = {t.name: self._own(t.name) for t in program.templates}
        if len(self.shared) + max(map(len, self.own.values())) > MOST_CELLS:
            raise Unsupported("tallies of that many variables")
        self.steps = numbers_in(program) if parametric is None else _compared_with(program)
        self.known = Known()
        self.found: dict[Thread, dict[Node, State]] = {}
        self.protected: dict[str, frozenset[str]] = {}
        """The cells that are written under a lock only, by lock."""
        self._sites: dict[str, set[tuple[Thread, Node]]] | None = None
        self._stable: dict[tuple[Thread, Node], frozenset[str]] = {}
        self._given: dict[str, dict[Thread, frozenset[int] | None]] = {}
        """By shared cell: the constants that threads write, None if something else."""
        self._writers = self._written_by()
        self.ends = dict(self._ends())

    def edges(self, location: LocId) -> Sequence[Edge]:
        """The edges from a location, with what they are for."""
        return (self.parametric.told if self.parametric else self.program).outgoing[location]

    def _edges_of_others(self) -> Iterator[Edge]:
        program = self.parametric.told if self.parametric else self.program
        for template in program.templates[1:]:
            yield from program.procedure[template.body].edges

    def _own(self, template: str) -> dict[str, Cell]:
        kind = self.program.template[template]
        declared = (*kind.variables, *self.program.procedure[kind.body].locals)
        return {c.name: c for d in declared for c in cells_of(self.program, d.variable)}

    def _written_by(self) -> dict[Variable, set[str]]:
        found: dict[Variable, set[str]] = {}
        for template in self.program.templates:
            for edge in self.program.procedure[template.body].edges:
                action = edge.action
                if not isinstance(action, Command):
                    raise Unsupported("tallies in a program with calls or a heap")
                for place in (*(a.target for a in action.assignments), *action.havocs):
                    base = root(place)
                    if isinstance(base, VariablePlace):
                        found.setdefault(base.variable, set()).add(template.name)
        return found

    def _ends(self) -> Iterator[tuple[tuple[str, Expr], Thread]]:
        """What threads write when they finish: a shared cell and a value."""
        for thread in self.threads[1:]:
            for edge in self.program.procedure[self.program.template[thread.template].body].edges:
                if kind_of(edge) is OperationKind.FINISH and isinstance(edge.action, Command):
                    for each in edge.action.assignments:
                        name = Resolving(thread, {}, {}, lambda _: False).name(each.target)
                        if name in self.shared and isinstance(each.value, Const):
                            yield (name, each.value), thread

    @property
    def is_ready(self) -> bool:
        """Whether it is known where cells are written."""
        return self._sites is not None

    def writers(self, name: str) -> set[Thread]:
        """The threads that write a shared cell."""
        return {thread for thread, _ in (self._sites or {}).get(name, ())}

    def is_constant(self, name: str) -> bool:
        """Whether a shared cell is not written once there are several threads."""
        return all(
            thread == self.first and not self.running(node)
            for thread, node in (self._sites or {}).get(name, ())
        )

    # -- what others may change ------------------------------------------------------------------

    def unstable(self, thread: Thread, node: Node) -> frozenset[str]:
        """The shared cells that other threads may write while a thread is at a node."""
        key = thread, node
        if key not in self._stable:
            self._stable[key] = frozenset(
                name for name in self.shared if not self._is_stable(thread, node, name)
            )
        return self._stable[key]

    def _is_stable(self, thread: Thread, node: Node, name: str) -> bool:
        if self._sites is None:
            base = root(self.shared[name].place)
            assert isinstance(base, VariablePlace)
            return self._writers.get(base.variable, set()) <= {thread.template} and (
                self.program.template[thread.template].count == 1
            )
        return not any(
            (other != thread or self.is_many(thread))
            and not node.held & there.held
            and self._in_parallel(thread, node, other, there)
            for other, there in self._sites.get(name, ())
        )

    def is_many(self, thread: Thread) -> bool:
        """Whether a thread stands for any number of its kind."""
        return self.program.template[thread.template].count is None

    def running(self, node: Node) -> frozenset[Thread]:
        """Others that may run, as the first thread sees it."""
        return (node.created | self.present) - node.joined

    def _in_parallel(self, thread: Thread, node: Node, other: Thread, there: Node) -> bool:
        if thread == self.first:
            return other in self.running(node)
        if other == self.first:
            return thread in self.running(there)
        return not self._ordered(thread, other) and not self._ordered(other, thread)

    def is_sequential(self, thread: Thread) -> bool:
        """Whether each thread that one stands for was joined before the next is created."""
        return self._ordered(thread, thread)

    def _ordered(self, earlier: Thread, later: Thread) -> bool:
        """Whether one thread was joined before another is created."""
        makers = self._creations.get(later, ())
        if later in self.present:
            return False
        if earlier == later:
            return all(earlier not in self.running(node) for node in makers)
        return all(earlier in node.joined for node in makers)

    def note(self, name: str, thread: Thread, told: Bounds) -> None:
        """A thread writes a value with these bounds to a cell."""
        if self.parametric is None or name not in self.shared:
            return
        given = self._given.setdefault(name, {})
        known = given.get(thread, frozenset())
        low, high = told
        if known is None or low is None or low != high or len(known | {low}) > MOST_CONSTANTS:
            given[thread] = None
        else:
            given[thread] = known | {low}

    def constants(self, name: str, thread: Thread) -> frozenset[int]:
        """What threads beside one write to a cell, if these are a few constants."""
        found: frozenset[int] = frozenset()
        for other, given in self._given.get(name, {}).items():
            if other == thread and not self.is_many(thread):
                continue
            if given is None:
                return frozenset()
            found |= given
        return found

    # -- the fixpoint ----------------------------------------------------------------------------

    def run(self) -> None:
        """Compute what holds."""
        self._creations: dict[Thread, list[Node]] = {}
        self._round()
        self._note_sites()
        self.known = Known()
        for _ in range(ROUNDS):
            before = self.known.states()
            self._round()
            if self.known.states() == before:
                return
        raise Unsupported("an analysis that does not end")

    def _round(self) -> None:
        if self.present:
            start = self.initial(self.program.globals)
            self.known.always.add(start, self.steps)
            for lock, names in self.protected.items():
                rest = start.without(n for n in self.shared if n not in names)
                self.known.locks.setdefault(lock, Handed()).add(rest, self.steps)
            for thread in self.present:
                self.known.start.setdefault(thread, Handed()).add(start, self.steps)
        for thread in self.threads:
            if thread == self.first or thread in self.known.start:
                self.found[thread] = ThreadAnalysis(self, thread).run()

    def _note_sites(self) -> None:
        sites: dict[str, set[tuple[Thread, Node]]] = {}
        for thread, found in self.found.items():
            analysis = ThreadAnalysis(self, thread)
            for node, state in found.items():
                for edge in self.edges(node.location):
                    names = list(analysis.written(state, node, edge))
                    now = node._replace(held=node.held | analysis.taken(state, node, edge))
                    for name in names:
                        sites.setdefault(name, set()).add((thread, now))
                    if kind_of(edge) is OperationKind.SPAWN:
                        for made in analysis.made(state, node, edge):
                            self._creations.setdefault(made, []).append(node)
        self._sites = sites
        self._stable.clear()
        locks = {lock for places in sites.values() for _, node in places for lock in node.held}
        for lock in sorted(locks):
            self.protected[lock] = frozenset(
                name
                for name in self.shared
                if not is_owner(name)
                and all(
                    lock in node.held or (thread == self.first and not self.running(node))
                    for thread, node in sites.get(name, ())
                )
            )

    def initial(self, declarations: Iterable[Declaration]) -> State:
        """What variables start with."""
        state = State()
        known: dict[str, Bounds] = {}
        values: dict[str, Expr] = {}
        for declaration in declarations:
            cells = list(cells_of(self.program, declaration.variable))
            for k, cell in enumerate(cells):
                start = _start(declaration, cell, k)
                if start is None or start == UNSET:
                    continue
                if cell.is_number:
                    known[cell.name] = start, start  # type: ignore[assignment]
                elif isinstance(cell.type, TidType):
                    if start == NOBODY.value:
                        values[cell.name] = NOBODY
                else:
                    values[cell.name] = Const(start, cell.type)  # type: ignore[arg-type]
        reduced = replace(state, known=known, values=values).reduced()
        assert reduced is not None
        return reduced


def _start(declaration: Declaration, cell: Cell, position: int) -> object:
    """What a cell starts with, if that is one value."""
    match declaration.initial:
        case FillValue(value):
            return value
        case ListedValues(values):
            return values[position] if position < len(values) else None
        case initial if initial == DEFAULT:
            return default_value(cell.type)  # type: ignore[arg-type]
        case _:
            return None


def _compared_with(program: Program) -> list[int]:
    """The numbers that conditions of a program compare something with, and those beside them."""
    found = {0, 1}
    for edge in program.edges:
        for part in subexpressions(edge.action.guard):
            if isinstance(part, Binary):
                for side in (part.left, part.right):
                    if isinstance(side, Const) and type(side.value) is int:
                        found |= {side.value - 1, side.value, side.value + 1}
    return sorted(found)


def split_cell(analysis: Analysis) -> str | None:
    """A number of rounds that may be negative: written before there are several threads only."""
    always = analysis.known.always.state
    for thread in analysis.found:
        for form in ThreadAnalysis(analysis, thread).differences.values():
            for name in form.factors:
                cell = analysis.shared.get(name)
                if cell is None or always is None or not analysis.is_constant(name):
                    continue
                low, high = always.known.get(name, cell.limits)
                if (low is None or low < 0) and (high is None or high > 0):
                    return name
    return None
