"""`threadwise simulate`: take steps, at random or as the user says, and watch what happens."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, read_sources
from threadwise.cli.options import Given, ProgramFiles, one_program, takes_options

if TYPE_CHECKING:
    from threadwise.ir.program import Program
    from threadwise.report.run import Incident
    from threadwise.semantics.schedule import Schedule

"""How many threads stand for any number, unless --threads says otherwise."""


@guarded
@takes_options("simulate")
def simulate(
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
    *,
    given: Given,
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
    from threadwise.cli.settings import without_file
    from threadwise.core.option_values import at_least
    from threadwise.driver.loading import load_simplified
    from threadwise.driver.simulating import Simulation
    from threadwise.report.run import run_to_text
    from threadwise.semantics.schedule import RandomSchedule

    at_least(0, steps, "--steps")
    file, beside = one_program(files)
    settings = without_file(given, files)
    load = settings.load(beside)
    program = _with_counts(load_simplified(file, load))
    schedule: Schedule
    if guided:
        from threadwise.cli.guided import GuidedSchedule

        schedule = GuidedSchedule(sys.stdin)
    else:
        schedule = RandomSchedule(seed)
    announce = _announce if guided else None
    run = Simulation(program, schedule, announce).run(file, steps)
    spans = [incident.location for incident in run.incidents]
    sources = read_sources(span.path for span in spans if span is not None)
    terminal.out(run_to_text(run, sources, terminal.style_for(sys.stdout, full=settings.full)))
    return ExitCode.UNSAFE if run.incidents else ExitCode.SAFE


def _announce(incident: Incident) -> None:
    terminal.err(f"{incident.sentence}\n")


def _with_counts(program: Program) -> Program:
    """Fix the numbers of threads that are left open."""
    from threadwise.driver.simulating import INSTANCES, with_counts

    counted, names = with_counts(program)
    for name in names:
        terminal.err(f"{name}: {INSTANCES} threads stand for any number; see --threads\n")
    return counted
