"""`threadwise explain`: the proof, per thread, for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, tell_defects
from threadwise.cli.options import Given, ProgramFiles, one_program, takes_options

if TYPE_CHECKING:
    from threadwise.driver.check_options import CheckOptions
    from threadwise.report.page import Style


@guarded
@takes_options("explain")
def explain(
    files: ProgramFiles,
    movers: Annotated[
        bool,
        typer.Option("--movers", help="Show which statements commute with those of others."),
    ] = False,
    *,
    given: Given,
) -> ExitCode:
    """Show why a program is SAFE.

    For every kind of thread, the invariant of each location as a formula over the shared variables
    and its own, and its guarantee as guarded updates, with source lines. For a proof by R and G of
    every thread also whether it is exact: whether R stands for reachable states only.

    \b
    Examples:
      threadwise explain counter.tw
      threadwise explain counter.tw --property races --engine thread-modular
      threadwise explain counter.tw --movers

    With --movers: for each statement whether it moves to the right or left of the steps of other
    threads, and why; annotations that claim more than is true are marked.

    Exit code: 0 if there is a proof to explain, 3 if there is none (with --movers: if an
    annotation is wrong), 2 wrong usage or input.
    """
    from threadwise.cli.check import driver_options
    from threadwise.cli.progress import ProgressLine
    from threadwise.cli.settings import resolve
    from threadwise.driver.checking import check_file
    from threadwise.driver.loading import load_program
    from threadwise.proofs.base.registry import explain_proof
    from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
    from threadwise.proofs.thread_modular.exactness import measure_exactness
    from threadwise.report.explanation import exactness_text, explanation_text
    from threadwise.report.summary import proofs
    from threadwise.report.text import notes_text

    file, beside = one_program(files)
    settings = resolve(given, files)
    options = driver_options(settings, beside)
    style = terminal.style_for(sys.stdout, full=settings.full, verbose=settings.verbose)
    if movers:
        return _explain_movers(file, options, style)
    with ProgressLine() as listener:
        result = check_file(file, options, listener)
    found = proofs(result)
    for certificate, load in found:
        program = load_program(file, load)
        explained = explain_proof(program, certificate)
        terminal.out(explanation_text(certificate.properties, explained, style) + "\n")
        if isinstance(certificate, ThreadModularCertificate):
            terminal.out(exactness_text(measure_exactness(program, certificate)) + "\n")
    for attempt in result.tried:
        if any(checked.engine == attempt.engine for checked in result.properties):
            terminal.out(notes_text(attempt, style))
    open_names = [checked.name for checked in result.properties if checked.certificate is None]
    if open_names:
        names = ", ".join(open_names)
        terminal.out(f"not proved: {names}; `threadwise check` says why\n")
    tell_defects(result)
    if result.defects:
        return ExitCode.INTERNAL
    return ExitCode.SAFE if found else ExitCode.UNKNOWN


def _explain_movers(file: str, options: CheckOptions, style: Style) -> ExitCode:
    """The class of each statement."""
    from threadwise.core.errors import BudgetExhausted, Unsupported
    from threadwise.driver.movers import movers_of_file
    from threadwise.report.movers import movers_text

    try:
        lines = movers_of_file(file, options.load, options.budget)
    except (BudgetExhausted, Unsupported) as error:
        terminal.out(f"no movers: {error}\n")
        return ExitCode.UNKNOWN
    terminal.out(movers_text(lines, style))
    return ExitCode.UNKNOWN if any(line.refuted for line in lines) else ExitCode.SAFE
