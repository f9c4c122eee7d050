"""`threadwise annotate`: proved protections of shared data, as attributes for the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded, tell_defects
from threadwise.cli.options import Given, ProgramFiles, one_program, takes_options

if TYPE_CHECKING:
    from threadwise.results.result import Result


@guarded
@takes_options("annotate")
def annotate(
    files: ProgramFiles,
    *,
    given: Given,
) -> ExitCode:
    """Print proved protections of shared data as attributes.

    A line for each shared location: the attribute of Clang's thread-safety analysis that names its
    lock, or in a comment what protects it otherwise. Nothing is printed that is not proved, and no
    source is changed.

    \b
    Examples:
      threadwise annotate queue.c main.c
      threadwise annotate server.c -I include --time-limit 2m

    Exit code: 0 if all shared locations are proved, 3 if some are not, 2 wrong usage or input.
    """
    from threadwise.cli.check import driver_options
    from threadwise.cli.progress import ProgressLine
    from threadwise.cli.settings import resolve
    from threadwise.driver.checking import check_file

    file, beside = one_program(files)
    settings = resolve({**given, "property": ["races"], "engine": "locksets"}, files)
    with ProgressLine() as listener:
        result = check_file(file, driver_options(settings, beside), listener)
    return _print(result)


def _print(result: Result) -> ExitCode:
    from threadwise.core.words import count
    from threadwise.report.annotations import attributes
    from threadwise.report.locations import locations_of_result
    from threadwise.results.verdict import Verdict

    found = [each for checked in result.properties for each in locations_of_result(checked)]
    if not all(c.part is None or c.part.is_of_all_runs for c in result.properties):
        terminal.err("nothing is proved of all runs; `check` says where they may end\n")
        return ExitCode.UNKNOWN
    terminal.out("".join(f"{line}\n" for line in attributes(result)))
    tell_defects(result)
    if result.defects:
        return ExitCode.INTERNAL
    if not found:
        terminal.err(f"no shared location is known: {result.verdict.value}\n")
        return ExitCode.of(result.verdict)
    left = sum(not each.is_proved for each in found)
    if left:
        terminal.err(f"not proved: {count(left, 'shared location')}; `check` says why\n")
    return ExitCode.SAFE if result.verdict is Verdict.SAFE else ExitCode.UNKNOWN
