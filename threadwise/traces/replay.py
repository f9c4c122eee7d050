"""Replaying traces in the reference semantics: the only way to an UNSAFE.

A trace replays if its initial store is an initial store of the program, every move is among the
transitions the reference interpreter offers, and the last state violates the property.
"""

from __future__ import annotations

from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.semantics.recorded_moves import follow_on, initial_state
from threadwise.semantics.state import Move, State
from threadwise.traces.describe import Describer
from threadwise.traces.given import interpreter_of
from threadwise.traces.schedule import schedule_of
from threadwise.traces.story import Story, story_of
from threadwise.traces.trace import DescribedTrace, Trace, TraceStep, WaitingThread
from threadwise.traces.waiting import WaitingTold

C_NAMES = (".c", ".h", ".i")
"""How the names of C programs end."""


class ReplayFailure(Exception):  # noqa: N818 - the answer of a checker, not a fault
    """The trace is not what it claims to be; `step` is the one to blame, if one is."""

    def __init__(self, reason: str, step: int | None = None) -> None:
        super().__init__(reason)
        self.step = step

    def __reduce__(self) -> tuple[type[ReplayFailure], tuple[str, int | None]]:
        """With the step, so that it crosses process borders whole."""
        return type(self), (str(self), self.step)


class NotViolatedFailure(ReplayFailure):
    """The trace is a run, but its last state does not violate the property."""


def replay(program: Program, trace: Trace) -> DescribedTrace:
    """Run a trace; raises ReplayFailure unless it violates its property as claimed."""
    if trace.program_hash != program_hash(program):
        raise ReplayFailure("the trace belongs to another program")
    checked = next((p for p in program.properties if p.name == trace.property), None)
    if checked is None:
        raise ReplayFailure(f"the program has no property `{trace.property}`")
    return Replay(program, trace, checked).run()


def _story(program: Program, trace: Trace) -> Story | None:
    """The story of a trace, where the program is C."""
    return story_of(schedule_of(program, trace)) if program.name.endswith(C_NAMES) else None


class Replay:
    """One run of one trace."""

    def __init__(self, program: Program, trace: Trace, checked: Property) -> None:
        unknown = set(trace.counts) - {t.name for t in program.templates if t.count is None}
        if unknown:
            raise ReplayFailure("the trace fixes the number of threads of a template it may not")
        instance = program.with_counts(trace.counts)
        if instance.has_any_number:
            raise ReplayFailure("the trace does not say how many threads there are")
        self.program = instance
        self.trace = trace
        self.property = checked
        self.interpreter = interpreter_of(instance, trace, checked)
        self.describer = Describer(self.interpreter)

    def run(self) -> DescribedTrace:
        """Follow the moves and check where they end."""
        state = self._initial()
        first = state
        steps: list[TraceStep] = []
        history: list[tuple[State, Move, State]] = []
        for number, move in enumerate(self.trace.moves, start=1):
            after = self._follow(state, move, number)
            history.append((state, move, after))
            steps.append(self.describer.step(number, move, state, after))
            state = after
        if not self.describer.checker.violated(self.property, state):
            raise NotViolatedFailure(f"the last state does not violate `{self.property.name}`")
        violation, location = self.describer.violation(self.property, state)
        waiting: tuple[WaitingThread, ...] = ()
        idle, sure = False, True
        if isinstance(self.property, DeadlockProperty):
            deadlocks = self.describer.checker.deadlocks
            waiting = WaitingTold(deadlocks, state, history).threads()
            idle, sure = deadlocks.is_idle(state), deadlocks.is_sure(state)
        return DescribedTrace(
            self.trace,
            self.describer.threads(),
            self.describer.shared(first.g),
            tuple(steps),
            violation,
            location,
            waiting,
            _story(self.program, self.trace),
            idle,
            sure,
        )

    def last(self) -> State:
        """The state that the moves lead to; raises ReplayFailure."""
        state = self._initial()
        for number, move in enumerate(self.trace.moves, start=1):
            state = self._follow(state, move, number)
        return state

    def _initial(self) -> State:
        state = initial_state(self.interpreter, self.trace.initial)
        if state is None:
            raise ReplayFailure("the trace does not start in an initial state")
        return state

    def _follow(self, state: State, move: Move, number: int) -> State:
        if move.thread not in self.interpreter.threads or self.interpreter.is_stopped(state):
            raise ReplayFailure(f"step {number} is not possible", number)
        after = follow_on(self.interpreter, state, move)
        if after is None:
            name = self.interpreter.layout.numbers.name(move.thread)
            raise ReplayFailure(f"step {number} of {name} is not possible", number)
        return after
