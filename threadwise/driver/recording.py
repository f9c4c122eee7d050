"""Record how a project is built: which commands compile and link what.

A folder in front of `PATH` has a script by the name of each compiler and archiver that there is.
It notes where it is called, with which words, and calls the real one. What was noted becomes

    compile_commands.json   the C files, as other tools write and read it
    link_commands.json      programs and libraries, in the same form

beside each other. Compilers that a build calls by their whole paths are not seen.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.reading import read_source
from threadwise.core.writing import write_lines
from threadwise.frontends.c.projects.entries import LINKS, Entry
from threadwise.frontends.c.projects.invocations import ARCHIVER, COMPILER, invocation_of
from threadwise.frontends.c.projects.programs import programs_of

_NOTES = "THREADWISE_NOTES"
"""Names the folder of notes to the scripts."""
_SCRIPT = """\
#!/bin/sh
note=$(mktemp "$THREADWISE_NOTES/XXXXXXXXXX") && printf '%s\\0' "$PWD" "$0" "$@" > "$note"
here=$(dirname "$0")
rest=
old=$IFS
IFS=:
for folder in $PATH; do
    [ "$folder" = "$here" ] || rest=$rest${rest:+:}$folder
done
IFS=$old
PATH=$rest exec "$(basename "$0")" "$@"
"""


@dataclass(frozen=True)
class Recorded:
    """What was built."""

    exit_code: int
    """That of the build."""
    files: int
    """So many C files."""
    programs: tuple[str, ...]
    """Their names."""


def record(command: Sequence[str], database: str) -> Recorded:
    """Run a build and write down its commands; raises InputError if it cannot be started."""
    with tempfile.TemporaryDirectory(prefix="threadwise-") as made:
        scripts, notes = Path(made) / "bin", Path(made) / "notes"
        notes.mkdir()
        _write_scripts(scripts)
        path = os.pathsep.join((str(scripts), os.environ.get("PATH", os.defpath)))
        try:
            code = subprocess.run(
                command,
                env={**os.environ, "PATH": path, _NOTES: str(notes)},
                check=False,
            ).returncode
        except OSError as error:
            raise InputError.of(f"{command[0]}: cannot be run: {error.strerror}") from error
        entries = list(_noted(notes))
    return _written(entries, Path(database), code)


def _write_scripts(folder: Path) -> None:
    """A script for each tool that can be found."""
    folder.mkdir()
    for place in os.get_exec_path():
        try:
            names = os.listdir(place)
        except OSError:
            continue
        for name in names:
            script = folder / name
            if (COMPILER.fullmatch(name) or ARCHIVER.fullmatch(name)) and not script.exists():
                script.write_text(_SCRIPT, encoding="utf-8")
                script.chmod(script.stat().st_mode | stat.S_IXUSR)


def _noted(folder: Path) -> Iterator[Entry]:
    """The calls, in the order in which they began."""
    notes = [(note.stat().st_mtime_ns, note) for note in folder.iterdir()]
    for _, note in sorted(notes):
        place, tool, *words = os.fsdecode(note.read_bytes()).split("\0")[:-1]
        yield Entry(Path(place), (Path(tool).name, *words))


def _written(entries: Sequence[Entry], database: Path, code: int) -> Recorded:
    """Both files; the last command that makes something counts."""
    units: dict[tuple[Path, Path], dict[str, Any]] = {}
    links: dict[tuple[Path, tuple[Path, ...]], dict[str, Any]] = {}
    for entry in entries:
        invocation = invocation_of(entry)
        if invocation is None:
            continue
        told = {"directory": str(entry.folder), "arguments": list(entry.words)}
        for output, sources in invocation.outputs():
            for source in sources:
                if source.is_file():
                    listed = {**told, "file": str(source), "output": str(output)}
                    units[source, output] = listed
        if invocation.output is not None and (invocation.inputs or invocation.makes_program):
            key = invocation.output, tuple(invocation.inputs)
            links[key] = {**told, "output": str(invocation.output)}
    _write(database, list(units.values()))
    _write(database.with_name(LINKS), list(links.values()))
    programs = programs_of(read_source(str(database))) if units else []
    files = {source for source, _ in units}
    return Recorded(code, len(files), tuple(program.name for program in programs))


def _write(path: Path, entries: list[dict[str, Any]]) -> None:
    write_lines(path, [json.dumps(entries, indent=1)])
