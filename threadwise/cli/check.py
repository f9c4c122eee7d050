"""`threadwise check`: the verdict for each property of each file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode, worst
from threadwise.cli.failures import (
    diagnostics_of,
    explain,
    guarded,
    read_sources,
    rendered,
    tell_defects,
)
from threadwise.cli.findings import choice_of, chooses, reported_of
from threadwise.cli.options import Given, takes_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from threadwise.cli.arrivals import Arrivals
    from threadwise.cli.progress import ProgressLine
    from threadwise.core.options import Settings
    from threadwise.driver.check_options import CheckOptions
    from threadwise.report.failures import Failure
    from threadwise.report.page import Style
    from threadwise.results.result import Result
    from threadwise.results.verdict import Verdict


@guarded
@takes_options("check")
def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="The programs to check: models, each on its own, or the C files of one program.",
            show_default=False,
        ),
    ] = None,
    compile_commands: Annotated[
        str | None,
        typer.Option(
            "--compile-commands",
            metavar="PATH",
            help="C: a compilation database, or the folder with compile_commands.json.",
            show_default=False,
        ),
    ] = None,
    *,
    given: Given,
) -> int:
    """Check programs: SAFE, UNSAFE or UNKNOWN for every property.

    SAFE comes with a checked proof, UNSAFE with a replayed interleaving, UNKNOWN with the reason
    and what to try next. The last line of a report is the verdict for the file. Defaults for all
    options may be set in the table [check] of `threadwise.toml` in the current directory.

    \b
    Examples:
      threadwise check counter.tw
      threadwise check counter.tw --property races --property deadlocks
      threadwise check counter.tw -D N=4 --threads client=3 --time-limit 2m
      threadwise check counter.tw --trace bug.json
      threadwise check *.tw --format json
      threadwise check queue.c main.c -I include --property races
      threadwise check --compile-commands build --program server

    Exit code: 0 SAFE, 1 UNSAFE, 2 wrong usage or input, 3 UNKNOWN (--unknown-exit says otherwise),
    70 internal error; of several files the most severe counts, in the order 70, 2, 1, 3, 0.
    Suppressed findings do not count.
    """
    from threadwise.cli.settings import resolve

    paths = _paths(files or [], compile_commands)
    settings = resolve(given, paths)
    programs = _programs(paths)
    _check_outputs(programs, settings)
    code = _Checks(settings, several=len(programs) > 1).run(programs)
    if code is ExitCode.UNKNOWN and settings.unknown_exit is not None:
        return settings.unknown_exit
    return code


def _paths(files: list[str], compile_commands: str | None) -> list[str]:
    """All that is to be checked; raises InputError if that is nothing."""
    from pathlib import Path

    from threadwise.core.errors import InputError
    from threadwise.driver.loading import DATABASE, is_database

    if compile_commands is not None:
        place = Path(compile_commands)
        path = str(place / DATABASE if place.is_dir() else place)
        if not is_database(path):
            hint = "a compilation database ends in .json, whatever its name"
            raise InputError.of(f"--compile-commands {path}: not a database", hint=hint)
        return [*files, path]
    if not files:
        hint = "name programs, or with --compile-commands a project; -h shows examples"
        raise InputError.of("nothing to check", hint=hint)
    return files


def _programs(files: list[str]) -> list[list[str]]:
    """The files of each program: a model or a database is one, all C files together are one."""
    from threadwise.driver.loading import is_c, is_database

    def is_part(path: str) -> bool:
        return is_c(path) and not is_database(path)

    c_files = list(dict.fromkeys(filter(is_part, files)))
    programs = [[path] for path in files if not is_part(path)]
    if c_files:
        before = sum(not is_part(path) for path in files[: files.index(c_files[0])])
        programs.insert(before, c_files)
    return programs


def _check_outputs(programs: list[list[str]], settings: Settings) -> None:
    """Find out before a long run that its evidence could not be written."""
    outputs = (
        ("--certificate", settings.certificate),
        ("--trace", settings.trace),
        ("--witness", settings.witness),
    )
    if not any(path for _, path in outputs) and not settings.write_baseline:
        return
    from threadwise.core.errors import InputError
    from threadwise.core.writing import check_output

    others = _inputs(programs, settings)
    if (path := settings.write_baseline) is not None:
        check_output(f"--write-baseline {path}", path, others)
        others.append(path)
    for option, path in outputs:
        if path is not None:
            if len(programs) > 1:
                raise InputError.of(f"{option} {path}: needs a single program to check")
            check_output(f"{option} {path}", path, others)
            others.append(path)


def _inputs(programs: list[list[str]], settings: Settings) -> list[str]:
    """The files that a run reads, as far as the command line names them."""
    from threadwise.cli.property_files import SUFFIX
    from threadwise.cli.settings import FILE_NAME

    named = [path for files in programs for path in files]
    wanted = [path for path in settings.property if path.endswith(SUFFIX)]
    return [*named, *settings.library, *wanted, FILE_NAME]


class _Checks:
    """Checks files one after the other and reports on each."""

    def __init__(self, settings: Settings, *, several: bool) -> None:
        self.settings = settings
        self.several = several
        self.results: list[Result] = []
        self.codes: list[ExitCode] = []
        self.told: list[str] = []
        self.failures: list[Failure] = []
        self.chosen = choice_of(settings)

    def run(self, programs: list[list[str]]) -> ExitCode:
        """Check all programs, or as many as the user has patience for."""
        for files in programs:
            if not self._check(files):
                break
        self._print_data()
        self._write_baseline()
        return worst(self.codes)

    def _check(self, files: list[str]) -> bool:
        """Check one program; False if the user interrupted it."""
        from dataclasses import replace

        from threadwise.cli.progress import ProgressLine
        from threadwise.driver.checking import check_file

        line = ProgressLine()
        arrivals = self._arrivals(line)
        try:
            with line as listener:
                options = self._options(files[1:])
                if arrivals is not None:
                    options = replace(options, watch=arrivals.watch)
                whole = check_file(files[0], options, listener)
            result = reported_of(whole, self.chosen)
            self.results.append(result)
            if result.warnings:
                terminal.err(rendered(result.warnings))
            self.codes.append(ExitCode.of_result(result))
            self._print_text(result, {} if arrivals is None else arrivals.told)
            tell_defects(result)
            self._write_evidence(whole)
        except (Exception, KeyboardInterrupt) as error:
            message, code = explain(error)
            self.codes.append(code)
            self._note_failure(files[0], error, message)
            # A wrong option is wrong for every file.
            if message not in self.told:
                self.told.append(message)
                terminal.err(message)
            return not isinstance(error, KeyboardInterrupt)
        return not result.interrupted

    def _note_failure(self, file: str, error: BaseException, message: str) -> None:
        from threadwise.report.failures import Failure

        self.failures.append(Failure.of(file, diagnostics_of(error), message))

    def _options(self, beside: list[str]) -> CheckOptions:
        """The time limit is for each program; for the first one, start-up counts."""
        from dataclasses import replace

        started = None if self.codes else terminal.STARTED
        options = driver_options(self.settings, beside)
        return replace(options, started=started, meanwhile=self._load_report)

    def _arrivals(self, line: ProgressLine) -> Arrivals | None:
        """Who prints what is known before the end; nobody if programs could not read it."""
        from threadwise.cli.arrivals import Arrivals
        from threadwise.core.options import Format

        if self.settings.format is not Format.TEXT:
            return None
        separator = "\n" if self.results else ""
        arrivals = Arrivals(self._style(), lambda: line.hide(), separator)
        arrivals.chooses = lambda paths: chooses(paths, self.chosen)
        return arrivals

    def _style(self) -> Style:
        settings = self.settings
        return terminal.style_for(sys.stdout, full=settings.full, verbose=settings.verbose)

    def _print_text(self, result: Result, told: Mapping[str, Verdict]) -> None:
        from threadwise.core.options import Format

        if self.settings.format is not Format.TEXT:
            return
        from threadwise.report.text import to_text

        spans = [c.trace.location for c in result.properties if c.trace is not None]
        sources = read_sources(span.path for span in spans if span is not None)
        separator = "\n" if len(self.results) > 1 and not told else ""
        terminal.out(separator + to_text(result, sources, self._style(), told))

    def _write_evidence(self, result: Result) -> None:
        settings = self.settings
        if settings.certificate is None and settings.trace is None and settings.witness is None:
            return
        from threadwise.cli.evidence_files import (
            write_certificates,
            write_traces,
            write_witness_file,
        )

        if self.settings.certificate is not None:
            write_certificates(result, self.settings.certificate)
        if self.settings.trace is not None:
            others = [*result.load.c.beside, result.file]
            if self.settings.certificate is not None:
                others.append(self.settings.certificate)
            write_traces(result, self.settings.trace, others)
        if settings.witness is not None:
            write_witness_file(result, settings.witness)

    def _write_baseline(self) -> None:
        path = self.settings.write_baseline
        if path is None:
            return
        from threadwise.core.words import count
        from threadwise.report.baseline import write_baseline

        paths = [path for result in self.results for path in (result.file, *result.files)]
        number = write_baseline(path, self.results, read_sources(paths))
        terminal.err(f"{count(number, 'finding')} written to {path}\n")

    def _print_data(self) -> None:
        """The results of all programs, for other programs."""
        from threadwise.core.options import Format

        if self.settings.format is Format.TEXT:
            return
        if self.settings.format is Format.JSON:
            self._print_json()
            return
        from threadwise.report.lines import to_gcc, to_github, to_junit
        from threadwise.report.sarif import to_sarif

        paths = [path for result in self.results for path in (result.file, *result.files)]
        sources = read_sources(dict.fromkeys(paths))
        match self.settings.format:
            case Format.SARIF:
                import json

                everything = self.settings.sarif_all
                failures = self.told
                document = to_sarif(
                    self.results, sources, everything=everything, failures=failures
                )
                terminal.out(json.dumps(document, indent=2) + "\n")
            case Format.JUNIT:
                terminal.out(to_junit(self.results, sources, self.failures))
            case Format.GITHUB:
                terminal.out(to_github(self.results, sources, self.failures))
            case Format.GCC:
                terminal.out(to_gcc(self.results, sources, self.failures))

    def _load_report(self) -> None:
        """Import what prints the result, which takes a moment."""
        from threadwise.core.options import Format

        if self.settings.format is Format.TEXT:
            import threadwise.report.text
        elif self.settings.format is Format.JSON:
            import threadwise.report.json_report  # noqa: F401 - loaded, not used here

    def _print_json(self) -> None:
        """One object, or a list of them if several files were given."""
        import json

        from threadwise.report.json_report import to_json

        documents = [to_json(result) for result in self.results]
        if self.several:
            terminal.out(json.dumps(documents, indent=2) + "\n")
        elif documents:
            terminal.out(json.dumps(documents[0], indent=2) + "\n")


def driver_options(settings: Settings, beside: Sequence[str] = ()) -> CheckOptions:
    """The settings as the driver wants them; `beside` are the program's files but the first."""
    from dataclasses import fields

    from threadwise.cli.property_files import expand
    from threadwise.core.budget import Budget
    from threadwise.core.processes.memory import most_memory
    from threadwise.driver.check_options import CheckOptions

    same = {field.name for field in fields(CheckOptions)} & vars(settings).keys()
    return CheckOptions(
        properties=expand(settings.property),
        load=settings.load(beside),
        budget=Budget(settings.time_limit, settings.memory_limit or most_memory()),
        **{name: getattr(settings, name) for name in same},
    )
