"""`reproduce`: from a trace file to a native run of its interleaving.

The trace is replayed first, so that only what happens in the model is tried in the machine.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from threadwise.core.c_options import DataModel
from threadwise.core.documents import TRACE_FORMAT, as_text, parse, well_formed
from threadwise.core.errors import InputError
from threadwise.core.load_documents import load_from_json
from threadwise.core.load_options import LoadOptions
from threadwise.core.reading import read_source
from threadwise.driver.loading import c_options, check_meaning, is_c, is_database, load_input
from threadwise.traces.files import differences, trace_from_json
from threadwise.traces.replay import ReplayFailure, replay

if TYPE_CHECKING:
    from threadwise.frontends.c.projects.commands import Command
    from threadwise.reproduction.building import Sources
    from threadwise.reproduction.outcome import Outcome
    from threadwise.reproduction.running import Reproduction
    from threadwise.traces.events import Schedule

_LEFT_OUT = ("-c", "-o", "-O", "-M", "-g", "-Werror")


@dataclass(frozen=True)
class ReproduceOptions:
    """What a user can say about a native run."""

    compiler: str = "gcc"
    flags: tuple[str, ...] = ()
    """More options for compiling and linking, such as `-lfoo`."""
    runs: int = 1
    gdb: str | None = None
    """Where to write a script for gdb; program and schedule are then kept beside it."""


DEFAULT = ReproduceOptions()


def reproduce_file(
    trace_path: str, file: str | None = None, options: ReproduceOptions = DEFAULT
) -> Outcome:
    """Run the interleaving of a trace file natively; `file` instead of what the trace names.

    Raises InputError for what cannot be read or built.
    """
    from threadwise.reproduction.outcome import Outcome, OutcomeKind
    from threadwise.traces.events import NoScheduleError
    from threadwise.traces.schedule import schedule_of

    if sys.platform != "linux":
        raise InputError.of("native runs are made on Linux only")
    data = parse(read_source(trace_path).text, trace_path, TRACE_FORMAT)
    trace = trace_from_json(data, trace_path)
    load = load_from_json(data, trace_path)
    check_meaning(load)
    source = file or _source_of(data, trace_path)
    if not is_c(source):
        raise InputError.of(f"{source}: only C programs can be run")
    load = load.found_from(source)
    program = load_input(source, load).program
    try:
        described = replay(program, trace)
        for difference in differences(described, load, data):
            raise ReplayFailure(difference)
        schedule = schedule_of(program, trace)
    except ReplayFailure as failure:
        return Outcome(
            OutcomeKind.NOT_FORCED, f"the trace does not replay: {failure}", failure.step
        )
    except NoScheduleError as error:
        return Outcome(OutcomeKind.NOT_FORCED, str(error), len(trace.moves))
    return _run(schedule, _sources(source, load, options), load, options)


def _run(
    schedule: Schedule, sources: Sources, load: LoadOptions, options: ReproduceOptions
) -> Outcome:
    """Run it with the inputs of the trace; if that does not show it, with the real library."""
    from threadwise.reproduction.outcome import OutcomeKind
    from threadwise.reproduction.running import prepare, prepare_with_library

    may_refuse = bool(load.c.doubts) or load.c.create_may_fail
    with _folder(options.gdb) as folder:
        outcome, prepared = _tried(
            lambda: prepare(schedule, sources, folder, may_refuse=may_refuse), options.runs
        )
        if outcome.kind is not OutcomeKind.REPRODUCED:
            (folder / "library").mkdir(exist_ok=True)
            again, other = _tried(
                lambda: prepare_with_library(
                    schedule, sources, folder / "library", may_refuse=may_refuse
                ),
                options.runs,
            )
            if again.kind is OutcomeKind.REPRODUCED:
                outcome, prepared = again, other
        if options.gdb is not None and prepared is not None:
            _write_script(prepared, options.gdb)
    return replace(outcome, built=prepared is not None)


def _tried(
    make: Callable[[], Reproduction | None], runs: int
) -> tuple[Outcome, Reproduction | None]:
    """What comes of building and running a program, and the program if it was built."""
    from threadwise.reproduction.forcing import NotForcedError
    from threadwise.reproduction.outcome import Outcome, OutcomeKind

    try:
        prepared = make()
    except NotForcedError as error:
        return Outcome(OutcomeKind.NOT_FORCED, error.reason, error.step), None
    if prepared is None:
        return Outcome(OutcomeKind.NOT_FORCED, "nothing comes from libraries"), None
    return prepared.run_often(runs), prepared


def _write_script(prepared: Reproduction, path: str) -> None:
    from threadwise.reproduction.arguments import arguments_of
    from threadwise.reproduction.debugging import gdb_script

    build, schedule = prepared.build, prepared.schedule
    arguments = arguments_of(schedule)
    script = gdb_script(
        build.program, build.folder, prepared.forcing.events, schedule.threads, arguments
    )
    Path(path).write_text(script, encoding="utf-8")


@contextmanager
def _folder(script: str | None) -> Iterator[Path]:
    """Where to build: beside the script if there is one, else somewhere that goes away."""
    if script is not None:
        kept = Path(f"{script}.d").resolve()
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    made = Path(tempfile.mkdtemp(prefix="threadwise-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _source_of(data: dict[str, object], trace_path: str) -> str:
    """The file that a trace names: from here, or from where the trace is."""
    if "file" not in data:
        raise InputError.of(
            f"{trace_path}: does not say which file it is about", hint="name it behind the trace"
        )
    named = well_formed(lambda: as_text(data["file"]), trace_path)
    beside = os.path.join(os.path.dirname(trace_path), named)
    for path in (named, beside):
        if os.path.exists(path):
            return path
    raise InputError.of(f"{named}: no such file", hint="name the program behind the trace")


def _sources(source: str, load: LoadOptions, options: ReproduceOptions) -> Sources:
    from threadwise.reproduction.building import Sources, Unit

    if is_database(source):
        from threadwise.frontends.c.projects.commands import read_commands

        commands = read_commands(read_source(source), load.c.program)
        common = _flags(replace(load, c=replace(load.c, standard="")))
        units = tuple(Unit(c.path, (*_kept(c), *common), c.folder) for c in commands)
    else:
        units = tuple(Unit(path, _flags(load)) for path in (source, *load.c.beside))
    return Sources(units, options.compiler, options.flags)


def _flags(load: LoadOptions) -> tuple[str, ...]:
    """The options for the compiler that say what ours for the front end say."""
    c = c_options(load)
    return (
        *(f"-I{os.path.abspath(folder)}" for folder in c.include),
        *(f"-D{macro}" for macro in c.define),
        *(f"-U{macro}" for macro in c.undefine),
        *(word for header in c.forced for word in ("-include", _found(header))),
        *((f"-std={c.standard}",) if c.standard else ()),
        *(("-m32",) if c.data_model is DataModel.ILP32 else ()),
    )


def _found(header: str) -> str:
    """A header that may be in this folder or in one of those for headers."""
    return os.path.abspath(header) if os.path.exists(header) else header


def _kept(command: Command) -> Iterator[str]:
    """What a command says about the language; what it says about output and speed is ours."""
    from threadwise.frontends.c.projects.invocations import options_of

    for option, value in options_of(command.words[1:]):
        if option and not option.startswith(_LEFT_OUT):
            yield option
            if value is not None:
                yield value
