"""Runs of a program, at random or as the user chooses, and the properties that they violate."""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.errors import Unsupported
from threadwise.ir.program import FailureKind, Program
from threadwise.ir.properties import Property
from threadwise.report.run import Incident, Run
from threadwise.semantics.schedule import Schedule, run
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter
from threadwise.systems.samples import sample_values
from threadwise.traces.describe import Describer
from threadwise.traces.trace import TraceStep

INSTANCES = 2
"""So many threads stand for any number."""


def with_counts(program: Program) -> tuple[Program, list[str]]:
    """A program with numbers for the threads that are left open, and the names of these."""
    names = [template.name for template in program.templates if template.count is None]
    return program.with_counts(dict.fromkeys(names, INSTANCES)), names


class Simulation:
    """One run, with the properties it has violated so far."""

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        announce: Callable[[Incident], object] | None = None,
    ) -> None:
        """`announce` is called for each violation when it happens.

        Inputs with more values than can be offered are given samples, as in searches.
        """
        self.interpreter = Interpreter(program, sample_values(program))
        self.describer: Describer = Describer(self.interpreter)
        self.schedule = schedule
        self.announce = announce
        self.open: list[Property] = list(program.properties)
        self.steps: list[TraceStep] = []
        self.incidents: list[Incident] = []

    def run(self, file: str, most: int) -> Run:
        """Take up to `most` steps."""
        state = start = self.schedule.start(self.interpreter)
        try:
            self._watch(state)
            for move, after in run(self.interpreter, self.schedule, start, most):
                number = len(self.steps) + 1
                self.steps.append(self.describer.step(number, move, state, after))
                state = after
                self._watch(state)
            end = self._end(state, most)
        except Unsupported as error:
            end = str(error)
        return Run(
            file,
            self.describer.threads(),
            self.describer.shared(start.g),
            tuple(self.steps),
            tuple(self.incidents),
            end,
        )

    def _watch(self, state: State) -> None:
        """Note the properties that are violated for the first time."""
        for checked in list(self.open):
            if self.describer.checker.violated(checked, state):
                self.open.remove(checked)
                violation, location = self.describer.violation(checked, state)
                incident = Incident(checked.name, len(self.steps), violation, location)
                self.incidents.append(incident)
                if self.announce is not None:
                    self.announce(incident)

    def _end(self, state: State, most: int) -> str:
        limit = self.describer.checker.limit(state)
        if limit is not None:
            return f"a limit of the model was reached: {limit}"
        if self.interpreter.is_stopped(state):
            locations = self.interpreter.program.locations
            reached = [locations[local.pc].failure for local in state.locals]
            kinds = {failure.kind for failure in reached if failure is not None}
            return "the program is over" if kinds == {FailureKind.END} else "the program failed"
        if next(self.interpreter.successors(state), None) is None:
            return "no thread can step"
        return "as many as asked for" if len(self.steps) == most else "stopped by the user"
