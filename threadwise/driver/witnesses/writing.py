"""Witnesses of what a check has found, in the format of SV-COMP: `check --witness`.

Of a violated property the interleaving is written as waypoints. Of properties that hold,
invariants are written that were proved for the purpose (`invariants`): those of the proof are
about a simplified program with places of all threads, which the format has no words for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.core.reading import read_source
from threadwise.core.source import SourceFile
from threadwise.core.words import count
from threadwise.core.writing import write_lines
from threadwise.driver.loading import is_c, load_input
from threadwise.report.witnesses.model import (
    SPECIFICATIONS,
    Specification,
    Task,
    ViolationWitness,
    Witness,
)
from threadwise.report.witnesses.violation import Places, segments_of
from threadwise.report.witnesses.writing import to_yaml
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.events import NoScheduleError
from threadwise.traces.schedule import schedule_of


def witness_of(result: Result) -> Witness | None:
    """The witness of the first property that is violated, or else of those that hold.

    None if nothing was decided that the format has a name for. Raises InputError for models.
    """
    if not is_c(result.file):
        raise InputError.of(f"{result.file}: witnesses are about programs in C")
    for specification in SPECIFICATIONS:
        for checked in result.properties:
            if checked.kind == specification.kind and checked.trace is not None:
                found = _violation(result, checked, specification)
                if found is not None:
                    return found
    for specification in SPECIFICATIONS:
        asked = [each for each in result.properties if each.kind == specification.kind]
        if asked and all(each.verdict is Verdict.SAFE for each in asked):
            from threadwise.driver.witnesses.invariants import correctness_witness

            return correctness_witness(result, task_of(result, specification))
    return None


def write_witness(result: Result, path: str | os.PathLike[str]) -> str | None:
    """Write the witness of a result to a file; what it is called, or None if there is none."""
    witness = witness_of(result)
    if witness is None:
        return None
    write_lines(path, [to_yaml(witness, datetime.now(UTC)).rstrip("\n")])
    if isinstance(witness, ViolationWitness):
        return f"violation witness with {count(len(witness.segments), 'segment')}"
    return f"correctness witness with {count(len(witness.invariants), 'invariant')}"


def task_of(result: Result, specification: Specification) -> Task:
    """What the witness of a result is about."""
    names = names_of(result)
    own = [path for path in names if path == result.file or path in result.load.c.beside]
    return Task(
        tuple(names[path] for path in own),
        tuple((names[path], digest(path)) for path in own),
        f"CHECK( init(main()), LTL({specification.formula}) )",
        result.load.c.data_model.value,
    )


def names_of(result: Result) -> dict[str, str]:
    """The files that were read, by their paths, as a witness names them."""
    return names_from(result.file, result.load, result.files)


def names_from(file: str, load: LoadOptions, files: Sequence[str] = ()) -> dict[str, str]:
    """Paths, as seen from the folder of the first file."""
    folder = os.path.dirname(file) or "."
    paths = dict.fromkeys((file, *load.c.beside, *files))
    return {path: os.path.relpath(path, folder) for path in paths}


def digest(path: str) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def sources_of(paths: Sequence[str]) -> Mapping[str, SourceFile]:
    """The texts of files, as far as they can be read."""
    found: dict[str, SourceFile] = {}
    for path in paths:
        if os.path.isfile(path):
            found[path] = read_source(path)
    return found


def _violation(
    result: Result, checked: PropertyResult, specification: Specification
) -> ViolationWitness | None:
    assert checked.trace is not None
    program = load_input(result.file, result.load_of(checked)).program
    try:
        schedule = schedule_of(program, checked.trace.trace)
    except NoScheduleError:
        return None
    names = names_of(result)
    segments = segments_of(schedule, Places(sources_of(list(names)), names))
    return ViolationWitness(task_of(result, specification), segments) if segments else None
