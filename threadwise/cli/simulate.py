"""`threadwise simulate`: take steps, at random or as the user says, and watch what happens."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.c_options import COptionsGiven, macros, takes_c_options
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, read_sources
from threadwise.cli.options import (
    Define,
    Full,
    MaxThreads,
    ProgramFiles,
    Threads,
    at_least,
    one_program,
    parse_load,
)

if TYPE_CHECKING:
    from threadwise.ir.program import Program
    from threadwise.ir.properties import Property
    from threadwise.report.run import Incident, Run
    from threadwise.semantics.schedule import Schedule
    from threadwise.semantics.state import State
    from threadwise.traces.describe import Describer
    from threadwise.traces.trace import TraceStep

_INSTANCES = 2
"""How many threads stand for any number, unless --threads says otherwise."""


@guarded
@takes_c_options
def simulate(  # noqa: PLR0913 - one parameter per option
    files: ProgramFiles,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", help="Another number, another random run.")
    ] = 0,
    steps: Annotated[
        int, typer.Option(metavar="COUNT", help="How many steps to take at most.")
    ] = 30,
    guided: Annotated[
        bool,
        typer.Option(
            "--guided", help="Choose each step from a numbered list.", show_default=False
        ),
    ] = False,
    define: Define = None,
    threads: Threads = None,
    max_threads: MaxThreads = None,
    full: Full = None,
    *,
    c: COptionsGiven,
) -> ExitCode:
    """Run a program for some random or chosen steps.

    Reports every property that the run violates.

    All kinds are watched, races and deadlocks included. The same seed gives the
    same run. With --guided, choose steps by number; an empty line ends the run.

    \b
    Examples:
      threadwise simulate counter.tw --seed 7 --steps 100
      threadwise simulate counter.tw --guided --threads worker=2

    Exit code: 0 no property was violated, 1 one was, 2 wrong usage or input.
    """
    from threadwise.driver import load_simplified
    from threadwise.report.run import run_to_text
    from threadwise.semantics.schedule import RandomSchedule

    at_least(0, steps, "--steps")
    file, beside = one_program(files)
    load = parse_load(macros(define, [file]), threads, max_threads, c, beside)
    program = _with_counts(load_simplified(file, load))
    schedule: Schedule
    if guided:
        from threadwise.cli.guided import GuidedSchedule

        schedule = GuidedSchedule(sys.stdin)
    else:
        schedule = RandomSchedule(seed)
    run = _Simulation(program, schedule, announce=guided).run(file, steps)
    spans = [incident.location for incident in run.incidents]
    sources = read_sources(span.path for span in spans if span is not None)
    terminal.out(run_to_text(run, sources, terminal.style_for(sys.stdout, full=bool(full))))
    return ExitCode.UNSAFE if run.incidents else ExitCode.SAFE


def _with_counts(program: Program) -> Program:
    """Fix the numbers of threads that are left open."""
    names = [template.name for template in program.templates if template.count is None]
    for name in names:
        terminal.err(f"{name}: {_INSTANCES} threads stand for any number; see --threads\n")
    return program.with_counts(dict.fromkeys(names, _INSTANCES))


class _Simulation:
    """One run, with the properties it has violated so far."""

    def __init__(self, program: Program, schedule: Schedule, *, announce: bool) -> None:
        from threadwise.semantics.step import Interpreter
        from threadwise.traces.describe import Describer

        self.interpreter = Interpreter(program)
        self.describer: Describer = Describer(self.interpreter)
        self.schedule = schedule
        self.announce = announce
        self.open: list[Property] = list(program.properties)
        self.steps: list[TraceStep] = []
        self.incidents: list[Incident] = []

    def run(self, file: str, most: int) -> Run:
        """Take up to `most` steps."""
        from threadwise.core.errors import Unsupported
        from threadwise.report.run import Run
        from threadwise.semantics.schedule import run

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
        from threadwise.report.run import Incident

        for checked in list(self.open):
            if self.describer.checker.violated(checked, state):
                self.open.remove(checked)
                violation, location = self.describer.violation(checked, state)
                incident = Incident(checked.name, len(self.steps), violation, location)
                self.incidents.append(incident)
                if self.announce:
                    terminal.err(f"{incident.sentence}\n")

    def _end(self, state: State, most: int) -> str:
        limit = self.describer.checker.limit(state)
        if limit is not None:
            return f"a limit of the model was reached: {limit}"
        if self.interpreter.is_stopped(state):
            return "the program failed"
        if next(self.interpreter.successors(state), None) is None:
            return "no thread can step"
        return "enough" if len(self.steps) == most else "stopped by the user"
