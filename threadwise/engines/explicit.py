"""Standard model checking: breadth-first search over all interleavings (FQ §2.1, §3).

    INIT   R(g0, ls0, empty stacks)
    STEP   R(g, ls, ss), T (t, g, ls t) ∋ (g', l')           ==>  R(g', ls[t:=l'], ss)
    PUSH   R(g, ls, ss), T+(t, g, ls t) ∋ (l', f)            ==>  R(g, ls[t:=l'], ss[t:=ss(t).f])
    POP    R(g, ls, ss), ss t = s.f, T-(t, g, ls t, f) ∋ l'  ==>  R(g, ls[t:=l'], ss[t:=s])

Exact: a violation found is real, and the first one found is a shortest one. If R is finite and no
bound cut the search, R itself is the proof. O(G · L^n) states; stacks are followed to a depth
bound, beyond which the answer is UNKNOWN unless an error was found.

Inputs with more values than can be tried are given samples (`threadwise.systems.samples`): a
violation found is real, but nothing is proved. A thread never waits for an input.

Programs with any number of threads are searched at n = 0, 1, 2, …, in rounds of growing length: an
error at some n is an error, but no n proves all.

A search that grows begins again in machine code where that is possible (`compiled_search`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.growth import GrowthKind
from threadwise.core.progress import Progress
from threadwise.core.statistics import Name
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.search_tree import SearchTree
from threadwise.ir.program import FailureKind, Program
from threadwise.ir.properties import FailureProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.results.blockers import Nearness
from threadwise.semantics.state import Choice, Move, State
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.samples import sample_values
from threadwise.traces.trace import Trace

if TYPE_CHECKING:
    from threadwise.engines.compiled_search import CompiledSearch

Joint = JointState[Any, Any, Any]
PROGRESS_PERIOD = 64
COMPILED_AFTER = 2_000
"""A search that has visited so many states is worth being compiled; or that has found twice as
many, however few of them it has visited: it grows."""

FIRST_ROUND = 500
"""So many steps each program gets at first where the number of threads is open."""
ROUND_GROWTH = 4


class ExplicitEngine:
    """Explicit-state search."""

    name = "explicit"

    def run(self, task: Task) -> Iterator[Finding]:
        """Search; instance by instance if the number of threads is open."""
        if task.program.has_any_number:
            yield from run_instances(task, Search)
        else:
            yield from Search(task, program_hash(task.program), {}).run()


def run_instances(task: Task, search: type[Search]) -> Iterator[Finding]:
    """Search program after program, with more and more threads of the templates that are open.

    One with too many states is interrupted for the next, and restarted in a longer round.
    """
    whole = program_hash(task.program)
    left = {checked.name: checked for checked in task.properties}
    waiting = list(_instances(task.program, task.options.max_instances))
    largest = max(max(counts.values()) for counts in waiting)
    steps = FIRST_ROUND
    reached: str | None = None
    while waiting and left:
        later: list[dict[str, int]] = []
        for counts in waiting:
            if not left:
                return
            instance = task.program.with_counts(counts)
            asked = tuple(left.values())
            part = task.meter.slice(steps)
            sub_task = replace(task, program=instance, properties=asked, meter=part)
            try:
                for finding in search(sub_task, whole, counts).run():
                    if isinstance(finding, Violated):
                        left.pop(finding.trace.property, None)
                        yield finding
                    elif isinstance(finding, Undecided):
                        limit = finding.nearness is Nearness.CONSTRUCT
                        reached = finding.reason if limit else reached
            except BudgetExhausted as error:
                task.meter.allows(error)
                later.append(counts)
        waiting = later
        steps *= ROUND_GROWTH
    if left:
        reason = f"no violation with up to {largest} threads per template proves any number"
        if reached is not None:
            yield Undecided(tuple(left), reached, nearness=Nearness.CONSTRUCT)
        else:
            yield Undecided(tuple(left), reason, nearness=Nearness.BOUND)


def _instances(program: Program, most: int) -> Iterator[dict[str, int]]:
    """Thread counts for the templates with any number, fewest threads first."""
    names = [template.name for template in program.templates if template.count is None]
    choices = product(range(most + 1), repeat=len(names))
    for counts in sorted(choices, key=lambda chosen: (sum(chosen), chosen)):
        yield dict(zip(names, counts, strict=True))


MOST_DOUBTS = 100
"""After so many doubtful violations of a property the search for another one ends."""
PATIENCE = 4
"""So many times the states that led to the first doubtful violation are visited after it."""

WIDE = 16
"""So many states that a visit finds count as a step of their own: inputs make visits long."""


class Search:
    """One breadth-first search; `persistent` has another order and fewer steps."""

    compiled_after: int | None = COMPILED_AFTER

    def __init__(self, task: Task, whole_hash: str, counts: dict[str, int]) -> None:
        self.task = task
        self.whole_hash = whole_hash
        self.counts = counts
        self.samples = sample_values(task.program)
        self.system = ConcreteSystem(task.program, self.samples)
        self.patterns = list(self.system.errors(task.properties))
        self.open = {checked.name for checked in task.properties}
        self.tree: SearchTree[Joint] = SearchTree()
        self.states = self.tree.states
        self.compiled: CompiledSearch | None = None
        self.cut = False
        self.limits: dict[str, None] = {}
        self.at_hard_limit = False
        """Whether one of them is a limit to every proof."""
        self.disputed: dict[str, int] = {}
        """How many violations of a property were in doubt: there is no proof of it."""
        self.patience: dict[str, int] = {}
        """How many states are visited in search of a violation of it that is not in doubt."""

    @property
    def narrowed(self) -> bool:
        """Whether some input was given samples only."""
        return self.system.narrowed or (self.compiled is not None and self.compiled.narrowed)

    def run(self) -> Iterator[Finding]:
        """Search, and account for the states whatever ends it."""
        try:
            yield from self._search()
        finally:
            found = self.states if self.compiled is None else self.compiled
            self.task.statistics.add(Name.STATES, len(found))

    def _search(self) -> Iterator[Finding]:
        """Rules INIT to POP until nothing is new, reporting each property's first violation."""
        for state in self.system.joint_initial():  # INIT
            self.tree.reach(self.system.normalise(state), None)
        tried = False
        for taken, position in enumerate(self._positions()):
            for name, visits in self.patience.items():
                if taken > visits and name in self.open:
                    self._close(name)
            if not self.open:
                return
            if not tried and self._is_large(taken):
                tried = True
                if (yield from self._search_compiled()):
                    return
            self._account(taken)
            known = len(self.states)
            yield from self._visit(position)
            for _ in range((len(self.states) - known) // WIDE):
                self.task.meter.check()
        if self.open:
            yield self._conclusion()

    def _is_large(self, taken: int) -> bool:
        """Whether machine code is worth its compilation, after so many states."""
        after = self.compiled_after
        return after is not None and (taken >= after or len(self.states) > 2 * after)

    def _search_compiled(self) -> Generator[Finding, None, bool]:
        """Begin again in machine code; whether that was possible to the end."""
        from threadwise.engines.compiled_search import CompiledSearch

        wanted = tuple(p for p in self.task.properties if p.name in self.open)
        counters = {Name.STATES.value: len(self.states)}
        self.task.listener(Progress(ExplicitEngine.name, "", counters, waiting=1.0))
        try:
            self.compiled = CompiledSearch(replace(self.task, properties=wanted), self.system)
            for position in self.compiled.suspects():
                state = self.compiled.state(position)
                stopped = any(map(self.system.is_stopped, state.locals))
                for name in self._new_violations(state, stopped=stopped):
                    yield from self._tell(name, *self.compiled.path(position))
                if stopped:
                    self._note_limits(state)
                if not self.open:
                    return True
        except Unsupported:
            self.compiled = None
            return False
        yield self._conclusion()
        return True

    def _positions(self) -> Iterator[int]:
        """The states to visit, those that visits find included."""
        position = 0
        while position < len(self.states):
            yield position
            position += 1

    def _visit(self, position: int) -> Iterator[Finding]:
        """Report what a state violates, and find those that come after it."""
        state = self.states[position]
        stopped = any(map(self.system.is_stopped, state.locals))
        for name in self._new_violations(state, stopped=stopped):
            start, moves = self.tree.path(position)
            yield from self._tell(name, self.states[start], moves)
        if stopped:
            self._note_limits(state)
        else:
            self._expand(position, state)

    def _tell(self, name: str, start: Joint, moves: Sequence[Move]) -> Iterator[Finding]:
        """Report a violation, and go on with the property if that one is in doubt."""
        self.task.doubted.discard(name)
        yield Violated(self._trace(name, start, moves))
        if name not in self.task.doubted:
            return
        self.disputed[name] = self.disputed.get(name, 0) + 1
        self.patience.setdefault(name, PATIENCE * len(self.states))
        if self.disputed[name] < MOST_DOUBTS:
            self.open.add(name)
            checked = [p for p in self.task.properties if p.name == name]
            self.patterns += self.system.errors(checked)

    def _account(self, position: int) -> None:
        self.task.meter.check()
        if position % PROGRESS_PERIOD == 0:
            counters = {Name.STATES.value: len(self.states)}
            self.task.listener(Progress(ExplicitEngine.name, counters=counters))

    def _conclusion(self) -> Finding:
        left = tuple(p.name for p in self.task.properties if p.name in self.open)
        names = tuple(name for name in left if name not in self.disputed)
        complete = type(self) is Search and not self.narrowed and not self.cut
        if not names:
            told = "no violation beside those that are in doubt"
            return Undecided(left, told, final=complete and not self.limits)
        depth = self.task.options.max_depth
        if self.limits:
            return Undecided(
                names,
                "; ".join(self.limits),
                nearness=Nearness.CONSTRUCT,
                final=complete and self.at_hard_limit,
            )
        if self.narrowed:
            assert self.samples is not None
            reason = f"no violation, but inputs were given only {len(self.samples)} of all values"
            return Undecided(names, reason, cause=GrowthKind.INPUT)
        if self.cut:
            reason = (
                f"no violation with at most {depth} calls on a stack, but there are deeper ones"
            )
            return Undecided(names, reason, ("max-depth", depth))
        return self._proved(names)

    def _proved(self, names: tuple[str, ...]) -> Finding:
        states: Sequence[State]
        if self.compiled is not None:
            states = self.compiled.table()
        else:
            states = [self.system.reference_state(state) for state in self.states]
        return Proved(names, StateSetCertificate(self.whole_hash, names, states))

    # -- successors ------------------------------------------------------------------------------

    def _expand(self, position: int, state: Joint) -> None:
        for t in self.system.roles:
            self._advance(position, state, t)

    def _advance(self, position: int, state: Joint, t: Role) -> list[int]:
        """Take all steps of a thread; the positions of the states that they lead to."""
        system = self.system
        g, l, stack = state.g, state.locals[t], state.stacks[t]
        reached: list[int] = []
        for step in system.step(t, g, l):  # STEP
            reached.append(self._move(position, state, t, step.choices, step.g, step.l, stack))
        for push in system.push(t, g, l):  # PUSH
            if len(stack) >= self.task.options.max_depth:
                self.cut = True
            else:
                grown = (*stack, push.frame)
                reached.append(self._move(position, state, t, (push.choice,), g, push.l, grown))
        if stack:
            for pop in system.pop(t, g, l, stack[-1]):  # POP
                reached.append(self._move(position, state, t, (pop.choice,), g, pop.l, stack[:-1]))
        return reached

    def _move(
        self,
        position: int,
        state: Joint,
        t: Role,
        choices: tuple[Choice, ...],
        g: Any,
        l: Any,
        stack: tuple[Any, ...],
    ) -> int:
        locals_ = (*state.locals[:t], l, *state.locals[t + 1 :])
        stacks = state.stacks
        if stack is not stacks[t]:
            stacks = (*stacks[:t], stack, *stacks[t + 1 :])
        after = self.system.normalise(JointState(g, locals_, stacks))
        self.tree.reach(after, (position, t, choices))
        return self.tree.number[after]

    def _note_limits(self, state: Joint) -> None:
        for l in state.locals:
            limit = self.system.limit(l)
            if limit is None or limit in self.limits:
                continue
            self.limits[limit] = None
            failure = self.task.program.locations[self.system.location(l)].failure
            if failure is not None and failure.kind is FailureKind.LIMIT:
                self.at_hard_limit = True
                self.task.at_limit(limit)

    # -- errors ----------------------------------------------------------------------------------

    def _new_violations(self, state: Joint, *, stopped: bool) -> Iterator[str]:
        """The open properties that a state violates; they are not open any more."""
        for name in self._violations(state, stopped=stopped):
            self._close(name)
            yield name

    def _close(self, name: str) -> None:
        """Look for no more violations of a property."""
        self.open.discard(name)
        self.patterns = [p for p in self.patterns if p.property.name != name]

    def _violations(self, state: Joint, *, stopped: bool) -> Iterator[str]:
        """The open properties that a state violates; a failed state has failed and that is all."""
        found: dict[str, None] = {}
        for pattern in self.patterns:
            name = pattern.property.name
            if name in found or stopped != isinstance(pattern.property, FailureProperty):
                continue
            if self.system.violates(state, pattern):
                found[name] = None
        return iter(found)

    def _trace(self, name: str, start: Joint, moves: Sequence[Move]) -> Trace:
        """The moves to a state that violates a property, from an initial one."""
        initial = self.system.reference_state(start).g.cells
        inputs = self.samples or ()
        return Trace(self.whole_hash, name, initial, tuple(moves), self.counts, inputs)
