"""The programs of a project.

Where it is known how programs are linked, a program has the files of which its objects, and those
of its libraries, were made. A compilation database alone does not say that: then every file with
a `main` is a program, and all files without one belong to each of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.reading import read_source
from threadwise.core.source import SourceFile
from threadwise.core.suggestions import did_you_mean
from threadwise.frontends.c.projects.entries import LINKS, Entry, entries_of
from threadwise.frontends.c.projects.invocations import C_SUFFIXES, Invocation, invocation_of

_MAIN = re.compile(r"(?:^|[;}])[^\n;{}#()]*\bmain\s*\([^;{}]*\)\s*\{", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """Files that are linked together."""

    name: str
    """Of what is linked, or of the file with `main`."""
    entries: tuple[Entry, ...]
    """How its C files are compiled, each once."""


def programs_of(source: SourceFile) -> list[Program]:
    """The programs of a compilation database; raises InputError."""
    units = list(_units(entries_of(source)))
    if not units:
        raise InputError.of(f"{source.path}: lists no C file")
    links = Path(source.path).with_name(LINKS)
    linked = entries_of(read_source(str(links))) if links.is_file() else []
    found = list(_linked(units, linked))
    return found or list(_by_main(units))


def chosen_program(source: SourceFile, name: str) -> Program:
    """The program of that name, or the only one; raises InputError."""
    programs = programs_of(source)
    if not name and len(programs) == 1:
        return programs[0]
    names = [program.name for program in programs]
    for program in programs:
        if name in (program.name, Path(program.name).name, Path(program.name).stem):
            return program
    listed = f"there are {', '.join(names[:20])}{' …' if len(names) > 20 else ''}"
    if name:
        hint = did_you_mean(name, names) or listed
        raise InputError.of(f"--program {name}: {source.path} has no such program", hint=hint)
    told = f"{source.path} has {len(programs)} programs"
    raise InputError.of(
        told, hint=f"--program chooses one, `threadwise batch` takes all; {listed}"
    )


def _units(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The commands that compile C files, each once."""
    seen = set()
    for entry in entries:
        if entry.file is not None and Path(entry.file).suffix in C_SUFFIXES:
            key = _place(entry), entry.words, entry.output
            if key not in seen:
                seen.add(key)
                yield entry


def _place(entry: Entry) -> Path:
    """Where the source of a unit is."""
    return _normal(entry.folder / str(entry.file))


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _by_main(units: Sequence[Entry]) -> Iterator[Program]:
    """By the files with `main`."""
    files = list({_place(unit): unit for unit in reversed(units)}.values())[::-1]
    mains = [unit for unit in files if _has_main(_place(unit))]
    if len(mains) < 2:
        yield Program(str((mains or files)[0].file), tuple(files))
        return
    for main in mains:
        yield Program(str(main.file), tuple(u for u in files if u is main or u not in mains))


def _has_main(path: Path) -> bool:
    return bool(_MAIN.search(read_source(str(path)).text))


# -- what is linked -------------------------------------------------------------------------------


def _linked(units: Sequence[Entry], links: Sequence[Entry]) -> Iterator[Program]:
    """By what is linked: each program that any of the units belongs to."""
    made = _Made()
    for unit in units:
        made.add_unit(unit)
    programs = []
    for link in links:
        invocation = invocation_of(link)
        if invocation is not None and invocation.output is not None:
            made.add_link(invocation)
            if invocation.makes_program:
                programs.append(invocation.output)
    found = {output: made.units_in(output) for output in map(_normal, programs)}
    kept = {output: entries for output, entries in found.items() if entries}
    above = os.path.commonpath([output.parent for output in kept]) if kept else ""
    for output, entries in kept.items():
        yield Program(str(output.relative_to(above)), tuple(entries))


class _Made:
    """What commands make, and of what."""

    def __init__(self) -> None:
        self.units: dict[Path, list[Entry]] = {}
        self.parts: dict[Path, list[Path]] = {}

    def add_unit(self, unit: Entry) -> None:
        """A source is compiled to an object, or into a program at once."""
        outputs: list[Path] = []
        if unit.output is not None:
            outputs.append(unit.folder / unit.output)
        elif (invocation := invocation_of(unit)) is not None:
            here = _place(unit)
            outputs += (
                out for out, made_of in invocation.outputs() if here in map(_normal, made_of)
            )
        for output in outputs:
            self.units.setdefault(_normal(output), []).append(unit)

    def add_link(self, invocation: Invocation) -> None:
        """Objects are put together; an archive may get its members in several commands."""
        assert invocation.output is not None
        parts = self.parts.setdefault(_normal(invocation.output), [])
        parts += map(_normal, invocation.inputs)
        parts += self._libraries(invocation)

    def _libraries(self, invocation: Invocation) -> Iterator[Path]:
        """Libraries of the project that are named by `-l`."""
        for name in invocation.libraries:
            for folder in map(_normal, invocation.folders):
                starts = tuple(f"lib{name}.{kind}" for kind in ("a", "so"))
                yield from (
                    path
                    for path in self.parts
                    if path.parent == folder and path.name.startswith(starts)
                )

    def units_in(self, output: Path) -> list[Entry]:
        """The units that something is made of, each file once."""
        found: dict[Path, Entry] = {}
        waiting, seen = [output], {output}
        while waiting:
            path = waiting.pop(0)
            for unit in self.units.get(path, ()):
                found.setdefault(_place(unit), unit)
            fresh = [part for part in self.parts.get(path, ()) if part not in seen]
            seen.update(fresh)
            waiting += fresh
        return list(found.values())
