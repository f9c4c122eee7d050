"""From the paths and patterns that the user gives to tasks.

| given                      | tasks                                                         |
|----------------------------|---------------------------------------------------------------|
| a model or a C file        | one program                                                   |
| a compilation database     | its programs                                                  |
| a task definition (`.yml`) | one for each property that we check, with expected verdicts   |
| a set file (`.set`)        | those of its lines, which are patterns relative to its folder |
| a folder                   | those of all such files below it but sets; sources of a       |
|                            | definition belong to that alone                               |
| a pattern (`'src/**/*.c'`) | those of all files that match                                 |

With `--property` a program is one task for each property named; otherwise one task in all.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from threadwise.batch.definitions import Skipped, is_definition, read_definition
from threadwise.batch.tasks import Task
from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.driver.loading import DATABASE, is_database, programs_in

PROGRAMS = (".tw", ".c", ".i")
DEFINITIONS = (".yml", ".yaml")
SETS = (".set",)


@dataclass
class Discovered:
    """What there is to do, and what is left out with its reason."""

    tasks: dict[str, Task] = field(default_factory=dict)
    skipped: dict[str, Skipped] = field(default_factory=dict)


def discover(
    given: Sequence[str],
    properties: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Discovered:
    """All tasks, in the order given, each once; raises InputError."""
    found = Discovered()
    for each in _Search(tuple(properties), tuple(options)).tasks(given):
        if isinstance(each, Skipped):
            found.skipped.setdefault(each.name, each)
        else:
            found.tasks.setdefault(each.name, each)
    if not found.tasks:
        raise InputError.of(f"nothing to check in {', '.join(given)}")
    return found


@dataclass(frozen=True)
class _Search:
    properties: tuple[str, ...]
    options: tuple[str, ...]

    def tasks(self, given: Iterable[str]) -> Iterator[Task | Skipped]:
        for path in given:
            if os.path.isdir(path):
                yield from self._files(_below(path))
            elif glob.has_magic(path) and not os.path.exists(path):
                yield from self._matching(path)
            else:
                yield from self._file(path)

    def _matching(self, pattern: str) -> Iterator[Task | Skipped]:
        paths = sorted(p for p in glob.glob(pattern, recursive=True) if os.path.isfile(p))
        if not paths:
            raise InputError.of(f"{pattern}: no file matches")
        yield from self._files(paths)

    def _files(self, paths: Iterable[str]) -> Iterator[Task | Skipped]:
        """Those of several files: what a definition is about is no task by itself."""
        files = list(paths)
        definitions = [path for path in files if is_definition(path)]
        owned = {
            os.path.realpath(file)
            for path in definitions
            for each in read_definition(path)
            if isinstance(each, Task)
            for file in each.files
        }
        for path in files:
            if path in definitions or (_is_program(path) and os.path.realpath(path) not in owned):
                yield from self._file(path)

    def _file(self, path: str) -> Iterator[Task | Skipped]:
        suffix = PurePath(path).suffix
        if not os.path.isfile(path):
            raise InputError.of(f"{path}: no such file")
        if suffix in SETS:
            yield from self.tasks(_lines(path))
        elif suffix in DEFINITIONS:
            yield from self._defined(path)
        elif is_database(path):
            names = programs_in(path)
            if len(names) == 1:
                yield from self._program(path, path)
                return
            for name in names:
                yield from self._program(f"{path}:{name}", path, ("--program", name))
        elif suffix in PROGRAMS:
            yield from self._program(path, path)
        else:
            raise InputError.of(
                f"{path}: neither a program nor a list of tasks",
                hint=f"programs end in {', '.join(PROGRAMS)}; lists are .yml, .set, {DATABASE}",
            )

    def _defined(self, path: str) -> Iterator[Task | Skipped]:
        for each in read_definition(path):
            if isinstance(each, Skipped):
                yield each
            elif self.properties and not set(each.properties) & set(self.properties):
                yield Skipped(each.name, "the property was not asked for")
            else:
                options = (*self.options, *each.options)
                yield Task(each.name, each.files, each.properties, options, each.expected)

    def _program(self, name: str, file: str, chosen: tuple[str, ...] = ()) -> Iterator[Task]:
        options = (*self.options, *chosen)
        if not self.properties:
            yield Task(name, (file,), (), options)
        for prop in self.properties:
            yield Task(f"{name} [{prop}]", (file,), (prop,), options)


def _is_program(path: str) -> bool:
    return PurePath(path).suffix in PROGRAMS or PurePath(path).name == DATABASE


def _below(folder: str) -> Iterator[str]:
    """All files below a folder, in a fixed order; hidden folders are left alone."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.normpath(os.path.join(parent, name)) for name in sorted(names))


def _lines(path: str) -> Iterator[str]:
    """The patterns of a set file."""
    source = read_source(path)
    for line in source.text.splitlines():
        pattern = line.split("#", 1)[0].strip()
        if pattern:
            yield str(Path(path).parent / pattern)
