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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from threadwise.core.errors import Unsupported
from threadwise.engines.horn.resting_edges import numbers_in
from threadwise.engines.tallies.cells import (
    OWN,
    Bounds,
    Cell,
    Resolving,
    Thread,
    acquired,
    cells_of,
    is_owner,
    kind_of,
    linear,
    released,
    threads_of,
)
from threadwise.engines.tallies.equations import Form, variable
from threadwise.engines.tallies.states import FREE, State, form_bounds, meet, of_types
from threadwise.ir.commands import Assignment, Command, OperationKind
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    Read,
    ThreadAt,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, conjuncts, negation, root, subexpressions
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
from threadwise.ir.types import EnumType, TidType, default_value
from threadwise.transforms.simplify.intervals import bounds

ROUNDS = 16
PATIENCE = 3
MOST_THREADS = 8
MOST_NODES = 500
MOST_VALUES = 3
"""An integer with more constants than this is no flag."""
MOST_CELLS = 80
DIFFERENCE = "#"
"""In front of the names of differences that the program compares."""


class Node(NamedTuple):
    """Where a thread is, the mutexes that it holds, whom it has created, and whom joined."""

    location: LocId
    held: frozenset[str] = frozenset()
    created: frozenset[Thread] = frozenset()
    joined: frozenset[Thread] = frozenset()
    flags: tuple[tuple[str, int], ...] = ()
    """What its flags are."""

    @property
    def running(self) -> frozenset[Thread]:
        """Others that may run, as the first thread sees it."""
        return self.created - self.joined


@dataclass
class Handed:
    """A state that threads hand on; None if there was no occasion yet."""

    state: State | None = None
    visits: int = 0

    def add(self, state: State, steps: list[int]) -> bool:
        """Join a state; whether something changed."""
        before = self.state
        if before is None:
            self.state = state
        else:
            self.visits += 1
            self.state = before.joined(state, steps if self.visits > PATIENCE else None)
        return self.state != before


@dataclass
class Known:
    """All that threads hand on."""

    always: Handed = field(default_factory=Handed)
    locks: dict[str, Handed] = field(default_factory=dict)
    start: dict[Thread, Handed] = field(default_factory=dict)
    end: dict[Thread, Handed] = field(default_factory=dict)

    def states(self) -> list[State | None]:
        """All of them."""
        tables = (self.locks, self.start, self.end)
        return [self.always.state, *(h.state for table in tables for h in table.values())]


class Analysis:
    """The analysis of one program; the bounds `given` hold once there are several threads."""

    def __init__(self, program: Program, given: Mapping[str, Bounds] | None = None) -> None:
        if program.has_any_number or sum(t.count or 0 for t in program.templates) > MOST_THREADS:
            raise Unsupported("an analysis of each of that many threads")
        self.program = program
        self.given = dict(given or {})
        self.threads = threads_of(program)
        self.first = self.threads[0]
        if any(kind_of(e) is OperationKind.SPAWN for e in self._edges_of_others()):
            raise Unsupported("tallies where created threads create others")
        self.shared = {c.name: c for d in program.globals for c in cells_of(program, d.variable)}
        self.own = {t.name: self._own(t.name) for t in program.templates}
        if len(self.shared) + max(map(len, self.own.values())) > MOST_CELLS:
            raise Unsupported("tallies of that many variables")
        self.steps = numbers_in(program)
        self.known = Known()
        self.found: dict[Thread, dict[Node, State]] = {}
        self.protected: dict[str, frozenset[str]] = {}
        """The cells that are written under a lock only, by lock."""
        self._sites: dict[str, set[tuple[Thread, Node]]] | None = None
        self._stable: dict[tuple[Thread, Node], frozenset[str]] = {}
        self._writers = self._written_by()
        self.ends = dict(self._ends())

    def _edges_of_others(self) -> Iterator[Edge]:
        for template in self.program.templates[1:]:
            yield from self.program.procedure[template.body].edges

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
        """What threads write when they finish: a cell and a value."""
        for thread in self.threads[1:]:
            for edge in self.program.procedure[self.program.template[thread.template].body].edges:
                if kind_of(edge) is OperationKind.FINISH and isinstance(edge.action, Command):
                    for each in edge.action.assignments:
                        name = Resolving(thread, {}, {}, lambda _: False).name(each.target)
                        if name is not None and isinstance(each.value, Const):
                            yield (name, each.value), thread

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
            other != thread
            and not node.held & there.held
            and self._in_parallel(thread, node, other, there)
            for other, there in self._sites.get(name, ())
        )

    def _in_parallel(self, thread: Thread, node: Node, other: Thread, there: Node) -> bool:
        if thread == self.first:
            return other in node.running
        if other == self.first:
            return thread in there.running
        return not self._ordered(thread, other) and not self._ordered(other, thread)

    def _ordered(self, earlier: Thread, later: Thread) -> bool:
        """Whether one thread was joined before another is created."""
        makers = self._creations.get(later, ())
        return all(earlier in node.joined for node in makers)

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
        for thread in self.threads:
            if thread == self.first or thread in self.known.start:
                self.found[thread] = ThreadAnalysis(self, thread).run()

    def _note_sites(self) -> None:
        sites: dict[str, set[tuple[Thread, Node]]] = {}
        for thread, found in self.found.items():
            analysis = ThreadAnalysis(self, thread)
            for node, state in found.items():
                for edge in self.program.outgoing[node.location]:
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
                    lock in node.held or (thread == self.first and not node.running)
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
                if start is None:
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


class ThreadAnalysis:
    """The analysis of one thread."""

    def __init__(self, analysis: Analysis, thread: Thread) -> None:
        self.analysis = analysis
        self.program = analysis.program
        self.thread = thread
        self.cells = {**analysis.shared, **analysis.own[thread.template]}
        self.types = of_types(self.cells.values())
        body = self.program.template[thread.template].body
        self.procedure = self.program.procedure[body]
        self.flags = sorted(self._flags())
        self.differences = dict(self._differences())

    def _differences(self) -> Iterator[tuple[str, Form]]:
        """What the thread compares, as linear expressions with a name."""
        resolving = Resolving(self.thread, {}, {}, lambda _: False)
        loaded: dict[str, Form] = {}
        for edge in self.procedure.edges:
            if isinstance(edge.action, Command):
                for each in edge.action.assignments:
                    name, value = resolving.name(each.target), linear(resolving.of(each.value))
                    if name is not None and value is not None and name not in value.factors:
                        if value.factors and name.startswith(OWN):
                            loaded.setdefault(name, value)
        for edge in self.procedure.edges:
            for part in subexpressions(edge.action.guard):
                if not isinstance(part, Binary) or part.op not in COMPARISONS:
                    continue
                left, right = linear(resolving.of(part.left)), linear(resolving.of(part.right))
                if left is None or right is None:
                    continue
                form = left.plus(right, -1)
                for each in (form, form.replaced(loaded)):
                    if len(each.factors) in (2, 3) and set(each.factors) <= set(self.cells):
                        factors = dict(sorted(each.factors.items()))
                        if next(iter(factors.values())) < 0:
                            factors = {n: -v for n, v in factors.items()}
                        told = " ".join(f"{v}*{n}" for n, v in factors.items())
                        yield DIFFERENCE + told, Form(factors)

    # -- the fixpoint ----------------------------------------------------------------------------

    def run(self) -> dict[Node, State]:
        """States of all nodes that are reached."""
        first = Node(self.procedure.entry)
        start = self._initial()
        found: dict[Node, State] = {first: start}
        visits: dict[Node, int] = {}
        pending = [first]
        while pending:
            here = pending.pop(0)
            for edge in self.program.outgoing[here.location]:
                for node, after in self._after(here, found[here], edge):
                    visits[node] = visits.get(node, 0) + 1
                    known = found.get(node)
                    wide = self.analysis.steps if visits[node] > PATIENCE else None
                    joined = after if known is None else known.joined(after, wide)
                    if joined != known:
                        found[node] = joined
                        if node not in pending:
                            pending.append(node)
            if len(found) > MOST_NODES:
                raise Unsupported("tallies in a program with that many cases")
        return found

    def _initial(self) -> State:
        analysis = self.analysis
        kind = self.program.template[self.thread.template]
        own = analysis.initial((*kind.variables, *self.procedure.locals))
        if self.thread == analysis.first:
            shared: State | None = analysis.initial(self.program.globals)
        else:
            shared = analysis.known.start[self.thread].state
        assert shared is not None
        state = own.met(shared)
        assert state is not None
        return self._related(self._forgotten(state, Node(self.procedure.entry)))

    def _resolving(self, state: State, node: Node) -> Resolving:
        return Resolving(
            self.thread, self._bounded(state.known), state.values, node.held.__contains__
        )

    def _bounded(self, known: Mapping[str, Bounds]) -> dict[str, Bounds]:
        """Bounds, with those of types."""
        found = {**known}
        for name, limits in self.types.items():
            found[name] = meet(found[name], limits) if name in found else limits
        return found

    def _flags(self) -> Iterator[str]:
        """Own integers that only get constants, one of a few."""
        given: dict[str, set[int] | None] = {}
        resolving = Resolving(self.thread, {}, {}, lambda _: False)
        for edge in self.procedure.edges:
            action = edge.action
            assert isinstance(action, Command)
            for place in action.havocs:
                given.update(dict.fromkeys(resolving.names(place, self.cells)))
            for each in action.assignments:
                name = resolving.name(each.target)
                if name is None:
                    given.update(dict.fromkeys(resolving.names(each.target, self.cells)))
                    continue
                values = _choices(each.value)
                known = given.setdefault(name, set())
                given[name] = None if known is None or values is None else known | values
        for name, values in given.items():
            if name.startswith(OWN) and values is not None and len(values) <= MOST_VALUES:
                if name in self.cells and self.cells[name].is_number:
                    yield name

    def _after(self, node: Node, state: State, edge: Edge) -> Iterator[tuple[Node, State]]:
        """The states after an edge: of each case of the conditional values that it assigns."""
        action = edge.action
        assert isinstance(action, Command)
        for k, each in enumerate(action.assignments):
            if isinstance(each.value, Conditional):
                for condition, value in (
                    (each.value.condition, each.value.then),
                    (negation(each.value.condition), each.value.otherwise),
                ):
                    given = list(action.assignments)
                    given[k] = Assignment(each.target, value)
                    guard = conjunction([action.guard, condition])
                    chosen = replace(action, guard=guard, assignments=tuple(given))
                    yield from self._after(node, state, replace(edge, action=chosen))
                return
        yield from self._stepped(node, state, edge)

    def _stepped(self, node: Node, state: State, edge: Edge) -> Iterator[tuple[Node, State]]:
        action = edge.action
        assert isinstance(action, Command)
        analysis = self.analysis
        ready = analysis._sites is not None
        now: State | None = state
        alone = self.thread == analysis.first and not node.running
        atomic = self.program.locations[node.location].atomic
        if ready and not alone and not atomic and analysis.known.always.state is not None:
            now = self._met(now, analysis.known.always.state)
        if now is None:
            return
        resolving = self._resolving(now, node)
        if self.program.locations[edge.target].failure is not None:
            return
        taken = [n for p in acquired(edge) if (n := resolving.name(p)) is not None]
        for lock in taken if ready and not alone else ():
            rest = analysis.known.locks.get(lock)
            if rest is None or rest.state is None:
                return
            now = self._met(now, rest.state)
        if now is None:
            return
        guard = self._resolving(now, node).of(action.guard)
        now = now.where(guard)
        now = None if now is None else self._compared(now, guard)
        if now is None:
            return
        joined = node.joined
        for part in conjuncts(guard):
            ended = self._ended(part)
            if ended is not None and self.thread == analysis.first:
                joined |= {ended}
                if ready:
                    end = analysis.known.end.get(ended)
                    if end is None or end.state is None:
                        return
                    now = self._met(now, end.state)
        if now is None:
            return
        made = list(self.made(now, node, edge))
        if kind_of(edge) is OperationKind.SPAWN and len(made) != 1:
            raise Unsupported("tallies where it is not known which thread is created")
        given_up = [n for p in released(edge) if (n := resolving.name(p)) is not None]
        after = self._assigned(now, node, action)
        if after is None:
            return
        target = Node(
            edge.target,
            (node.held | set(taken)) - set(given_up),
            node.created | set(made),
            joined,
            tuple(
                (name, low)
                for name in self.flags
                for low, high in (after.known.get(name, FREE),)
                if low is not None and low == high
            ),
        )
        self._hand_on(node, edge, target, after, given_up, made)
        kept = self._forgotten(after, target)
        if self.program.locations[edge.target].atomic:
            kept = after
        yield target, kept

    def _hand_on(
        self,
        node: Node,
        edge: Edge,
        target: Node,
        after: State,
        given_up: list[str],
        made: list[Thread],
    ) -> None:
        analysis = self.analysis
        handed, steps = analysis.known, analysis.steps
        alone = self.thread == analysis.first and not node.running
        shared: State | None = None
        if made or given_up or not self.program.locations[edge.target].atomic or alone:
            shared = after.without(
                name
                for name in (*self.cells, *self.differences)
                if name not in analysis.shared
            )
        if shared is None:
            return
        split = self._split(shared) if made else shared
        if split is None:
            return
        for thread in made:
            handed.start.setdefault(thread, Handed()).add(split, steps)
        if kind_of(edge) is OperationKind.FINISH:
            handed.end.setdefault(self.thread, Handed()).add(
                self._forgotten(shared, target), steps
            )
        if alone and not made:
            return
        for lock in analysis.protected if alone else given_up:
            if lock in analysis.protected and lock not in target.held:
                rest = split.without(
                    n for n in analysis.shared if n not in analysis.protected[lock]
                )
                handed.locks.setdefault(lock, Handed()).add(rest, steps)
        if not self.program.locations[edge.target].atomic or alone:
            handed.always.add(split, steps)

    def _split(self, state: State) -> State | None:
        """A state with what is given once there are several threads."""
        if not self.analysis.given:
            return state
        known = dict(state.known)
        for name, told in self.analysis.given.items():
            known[name] = meet(known.get(name, FREE), told)
            low, high = known[name]
            if low is not None and high is not None and low > high:
                return None
        return replace(state, known=known).reduced()

    def _met(self, state: State | None, other: State) -> State | None:
        if state is None:
            return None
        met = state.met(other)
        return None if met is None else self._related(met)

    def _related(self, state: State) -> State:
        """With the equations that define differences."""
        space = state.space
        known = dict(state.known)
        for name, form in self.differences.items():
            found = space.where(variable(name).plus(form, -1))
            if found is not None:
                space = found
            told = meet(known.get(name, FREE), form_bounds(form, self._bounded(known)))
            if told != FREE:
                known[name] = told
        return State(space, known, state.values).reduced() or state

    def _compared(self, state: State, guard: Expr) -> State | None:
        """With the bounds that a condition gives differences."""
        known = dict(state.known)
        for part in conjuncts(guard):
            if not isinstance(part, Binary) or part.op not in COMPARISONS:
                continue
            left, right = linear(part.left), linear(part.right)
            if left is None or right is None:
                continue
            form = left.plus(right, -1)
            for name, difference in self.differences.items():
                for sign in (1, -1):
                    if form.factors == difference.times(sign).factors:
                        told = _compared_with(part.op, -int(form.constant))
                        low, high = told if sign == 1 else _negative(told)
                        known[name] = meet(known.get(name, FREE), (low, high))
        reduced = replace(state, known=known).reduced()
        return None if reduced is None else self._related(reduced)

    def _forgotten(self, state: State, node: Node) -> State:
        """What is left when others may take steps."""
        gone = set(self.analysis.unstable(self.thread, node))
        if not gone:
            return state
        gone |= {n for n, form in self.differences.items() if gone & set(form.factors)}
        return state.without(gone)

    # -- edges -----------------------------------------------------------------------------------

    def written(self, state: State, node: Node, edge: Edge) -> Iterator[str]:
        """The shared cells that an edge may write."""
        action = edge.action
        assert isinstance(action, Command)
        resolving = self._resolving(state, node)
        for place in (*(a.target for a in action.assignments), *action.havocs):
            yield from resolving.names(place, self.analysis.shared)

    def taken(self, state: State, node: Node, edge: Edge) -> frozenset[str]:
        """The locks that an edge takes."""
        resolving = self._resolving(state, node)
        names = (resolving.name(place) for place in acquired(edge))
        return frozenset(name for name in names if name is not None)

    def made(self, state: State, node: Node, edge: Edge) -> Iterator[Thread]:
        """The thread that an edge creates, if it is known which."""
        if kind_of(edge) is not OperationKind.SPAWN or edge.operation is None:
            return
        subject = edge.operation.subject
        told = None if subject is None else self._resolving(state, node).of(subject)
        match told:
            case ThreadAt(template, Const(int(position), _)):
                yield Thread(template, position)
            case _:
                pass

    def _ended(self, part: Expr) -> Thread | None:
        match part:
            case Binary(BinaryOp.EQ, Read(VariablePlace(cell)), Const() as value):
                return self.analysis.ends.get((cell.name, value))
            case _:
                return None

    def _bounds(self, state: State, name: str, value: Expr, resolving: Resolving) -> Bounds:
        """Bounds of a new value: by itself, and as a change of the old one."""
        plain = meet(bounds(value, resolving.known), self.cells[name].limits)
        form = linear(value)
        if form is None:
            return plain
        whole = form_bounds(state.space.reduced(form), resolving.known)
        change = state.space.reduced(form.plus(variable(name), -1))
        changed = _plus(
            resolving.known.get(name, FREE), form_bounds(change, resolving.known)
        )
        low, high = meet(plain, meet(whole, changed))
        return plain if low is not None and high is not None and low > high else (low, high)

    def _assigned(self, state: State, node: Node, action: Command) -> State | None:
        resolving = self._resolving(state, node)
        known, values = dict(state.known), dict(state.values)
        forms: dict[str, Form | None] = {}
        for place in action.havocs:
            for name in resolving.names(place, self.cells):
                forms[name] = None
                known.pop(name, None)
                values.pop(name, None)
        for each in action.assignments:
            name = resolving.name(each.target)
            if name is None or name not in self.cells:
                for other in resolving.names(each.target, self.cells):
                    forms[other] = None
                    known.pop(other, None)
                    values.pop(other, None)
                continue
            value = resolving.of(each.value)
            if self.cells[name].is_number:
                forms[name] = linear(value)
                told = self._bounds(state, name, value, resolving)
                if told == FREE:
                    known.pop(name, None)
                else:
                    known[name] = told
            elif isinstance(value, Const) or (
                isinstance(value, ThreadAt) and isinstance(value.position, Const)
            ):
                values[name] = _plain(value, self.cells[name])
            else:
                values.pop(name, None)
        for name, form in self.differences.items():
            if forms.keys() & form.factors.keys():
                new = _replaced(form, forms)
                forms[name] = new
                change = None if new is None else new.plus(form, -1)
                told = known.pop(name, FREE)
                if change is not None and not change.factors:
                    step = int(change.constant)
                    low, high = told
                    known[name] = (
                        None if low is None else low + step,
                        None if high is None else high + step,
                    )
        space = state.space.assigned(forms)
        after = State(space, known, values)
        reduced = after.reduced()
        return None if reduced is None else self._related(reduced)


def _compared_with(op: BinaryOp, bound: int) -> Bounds:
    """Bounds of what is so compared with a number."""
    match op:
        case BinaryOp.LT:
            return None, bound - 1
        case BinaryOp.LE:
            return None, bound
        case BinaryOp.GT:
            return bound + 1, None
        case BinaryOp.GE:
            return bound, None
        case BinaryOp.EQ:
            return bound, bound
        case _:
            return FREE


def _negative(told: Bounds) -> Bounds:
    low, high = told
    return None if high is None else -high, None if low is None else -low


def _choices(value: Expr) -> set[int] | None:
    """The constants that an expression may be; None if it may be something else."""
    match value:
        case Const(int(told), _):
            return {int(told)}
        case Conditional(_, then, otherwise):
            a, b = _choices(then), _choices(otherwise)
            return None if a is None or b is None else a | b
        case _:
            return None


def _plus(a: Bounds, b: Bounds) -> Bounds:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _replaced(form: Form, forms: Mapping[str, Form | None]) -> Form | None:
    used = {name: forms[name] for name in form.factors if name in forms}
    if any(value is None for value in used.values()):
        return None
    return form.replaced({n: v for n, v in used.items() if v is not None})


def _plain(value: Expr, cell: Cell) -> Expr:
    """A constant as one of the type of its cell."""
    if isinstance(value, Const) and isinstance(cell.type, EnumType):
        return Const(value.value, cell.type)
    return value
