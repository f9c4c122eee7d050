"""What holds where in one thread, given what the others hand on (`analysis`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from threadwise.analyses.worklist import Worklist
from threadwise.core.errors import Unsupported
from threadwise.engines.tallies.cells import (
    OWN,
    Bounds,
    Cell,
    Resolving,
    Thread,
    acquired,
    kind_of,
    linear,
    released,
)
from threadwise.engines.tallies.equations import Form, variable
from threadwise.engines.tallies.handing import PATIENCE, Handed, Node
from threadwise.engines.tallies.states import FREE, State, form_bounds, meet, of_types
from threadwise.ir.commands import Assignment, Command, OperationKind
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    Place,
    Read,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, conjuncts, negation, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.types import EnumType
from threadwise.transforms.simplify.intervals import bounds

if TYPE_CHECKING:
    from threadwise.engines.tallies.analysis import Analysis

MOST_NODES = 500
MOST_VALUES = 3
"""An integer with more constants than this is no flag."""
DIFFERENCE = "#"
"""In front of the names of differences that the program compares."""


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
                    if name is None or value is None or not name.startswith(OWN):
                        continue
                    if value.factors and name not in value.factors:
                        loaded.setdefault(name, value)
        for edge in self.procedure.edges:
            for part in subexpressions(edge.action.guard):
                if not isinstance(part, Binary) or part.op not in COMPARISONS:
                    continue
                left, right = linear(resolving.of(part.left)), linear(resolving.of(part.right))
                if left is None or right is None:
                    continue
                form = left.plus(right, -1)
                for told in (form, form.replaced(loaded)):
                    if len(told.factors) in (2, 3) and set(told.factors) <= set(self.cells):
                        factors = dict(sorted(told.factors.items()))
                        if next(iter(factors.values())) < 0:
                            factors = {n: -v for n, v in factors.items()}
                        text = " ".join(f"{v}*{n}" for n, v in factors.items())
                        yield DIFFERENCE + text, Form(factors)

    # -- the fixpoint ----------------------------------------------------------------------------

    def run(self) -> dict[Node, State]:
        """States of all nodes that are reached."""
        first = Node(self.procedure.entry)
        start = self._initial()
        found: dict[Node, State] = {first: start}
        visits: dict[Node, int] = {}
        waiting = Worklist([first])
        for here in waiting:
            self.analysis.tick()
            for edge in self.analysis.edges(here.location):
                for node, after in self._after(here, found[here], edge):
                    visits[node] = visits.get(node, 0) + 1
                    known = found.get(node)
                    wide = self.analysis.steps if visits[node] > PATIENCE else None
                    joined = after if known is None else known.joined(after, wide)
                    if joined != known:
                        found[node] = joined
                        waiting.add(node)
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
            if name not in self.cells or not self.cells[name].is_number:
                continue
            if name.startswith(OWN) and values is not None and len(values) <= MOST_VALUES:
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
        if self.program.locations[edge.target].failure is not None:
            return
        taken = self._named(state, node, acquired(edge))
        now = self._assumed(node, state, taken)
        if now is None:
            return
        guard = self._resolving(now, node).of(action.guard)
        limited = now.where(guard)
        limited = None if limited is None else self._compared(limited, guard)
        ended = self._all_ended(node, guard)
        limited = None if limited is None else self._joined(limited, ended)
        if limited is None:
            return
        made = list(self.made(limited, node, edge))
        if kind_of(edge) is OperationKind.SPAWN and len(made) != 1:
            raise Unsupported("tallies where it is not known which thread is created")
        given_up = self._named(limited, node, released(edge))
        after = self._assigned(limited, node, action)
        if after is None:
            return
        target = Node(
            edge.target,
            (node.held | taken) - given_up,
            node.created | set(made),
            (node.joined | ended) - set(made),
            tuple(
                (name, low)
                for name in self.flags
                for low, high in (after.known.get(name, FREE),)
                if low is not None and low == high
            ),
        )
        self._hand_on(node, edge, target, after, sorted(given_up), made)
        atomic = self.program.locations[edge.target].atomic
        yield target, after if atomic else self._forgotten(after, target)

    def _named(self, state: State, node: Node, places: Sequence[Place]) -> frozenset[str]:
        """The cells that places are, as far as that is known."""
        resolving = self._resolving(state, node)
        return frozenset(n for p in places if (n := resolving.name(p)) is not None)

    def _assumed(self, node: Node, state: State, taken: frozenset[str]) -> State | None:
        """With what others handed on: always, and by the locks that are taken."""
        analysis = self.analysis
        alone = self.thread == analysis.first and not analysis.running(node)
        if alone or not analysis.is_ready:
            return state
        now: State | None = state
        always = analysis.known.always.state
        if always is not None and not self.program.locations[node.location].atomic:
            now = self._met(now, always)
        for lock in sorted(taken):
            rest = analysis.known.locks.get(lock)
            if rest is None or rest.state is None:
                return None
            now = self._met(now, rest.state)
        return now

    def _all_ended(self, node: Node, guard: Expr) -> frozenset[Thread]:
        """The threads that have finished where a condition holds, if the first asks for it."""
        if self.thread != self.analysis.first:
            return frozenset()
        parametric = self.analysis.parametric
        if parametric is not None:
            told = parametric.joined.get(node.location, frozenset())
            return frozenset(t for t in node.created if t.template in told)
        found = (self._ended(part) for part in conjuncts(guard))
        return frozenset(thread for thread in found if thread is not None)

    def _joined(self, state: State, ended: frozenset[Thread]) -> State | None:
        """With what threads handed on when they finished."""
        now: State | None = state
        for thread in sorted(ended) if self.analysis.is_ready else ():
            if now is None or not self._has_finished(now, thread):
                continue
            end = self.analysis.known.end.get(thread)
            if end is None or end.state is None:
                return None
            now = self._met(now, end.state)
        return now

    def _has_finished(self, state: State, thread: Thread) -> bool:
        """Whether a thread that was joined is one, or stands for at least one."""
        parametric = self.analysis.parametric
        if parametric is None:
            return True
        name = parametric.finished(thread.template)
        low = None if name is None else state.known.get(name, FREE)[0]
        return low is not None and low > 0

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
        alone = self.thread == analysis.first and not analysis.running(node)
        shared: State | None = None
        if made or given_up or not self.program.locations[edge.target].atomic or alone:
            shared = after.without(
                name for name in (*self.cells, *self.differences) if name not in analysis.shared
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
        kept = dict(self._kept(state, gone))
        gone |= {n for n, form in self.differences.items() if gone & set(form.factors)}
        left = state.without(gone)
        if not kept:
            return left
        return replace(left, known={**left.known, **kept}).reduced() or left

    def _kept(self, state: State, gone: set[str]) -> Iterator[tuple[str, Bounds]]:
        """Bounds of cells that others may write, if these only write a few constants."""
        for name in sorted(gone) if self.analysis.parametric is not None else ():
            low, high = state.known.get(name, FREE)
            others = self.analysis.constants(name, self.thread)
            if others and low is not None and high is not None:
                yield name, (min(low, *others), max(high, *others))

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
        return self._named(state, node, acquired(edge))

    def made(self, state: State, node: Node, edge: Edge) -> Iterator[Thread]:
        """The thread that an edge creates, if it is known which."""
        if kind_of(edge) is not OperationKind.SPAWN or edge.operation is None:
            return
        subject = edge.operation.subject
        if self.analysis.parametric is not None and isinstance(subject, ThreadAt):
            yield Thread(subject.template, 0)
            return
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
        changed = _plus(resolving.known.get(name, FREE), form_bounds(change, resolving.known))
        low, high = meet(plain, meet(whole, changed))
        return plain if low is not None and high is not None and low > high else (low, high)

    def _assigned(self, state: State, node: Node, action: Command) -> State | None:
        resolving = self._resolving(state, node)
        known, values = dict(state.known), dict(state.values)
        forms: dict[str, Form | None] = {}
        for place in action.havocs:
            for other in resolving.names(place, self.cells):
                forms[other] = None
                known.pop(other, None)
                values.pop(other, None)
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
                self.analysis.note(name, self.thread, told)
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
        for label, form in self.differences.items():
            if forms.keys() & form.factors.keys():
                new = _replaced(form, forms)
                forms[label] = new
                change = None if new is None else new.plus(form, -1)
                told = known.pop(label, FREE)
                if change is not None and not change.factors:
                    step = int(change.constant)
                    low, high = told
                    known[label] = (
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
