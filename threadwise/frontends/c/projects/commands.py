"""The files of a program of a project, each with the options it is compiled with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from threadwise.core.c_options import COptions, DataModel
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.frontends.c.projects.entries import Entry
from threadwise.frontends.c.projects.invocations import options_of
from threadwise.frontends.c.projects.programs import chosen_program

_FOLDERS = ("-isystem", "-iquote", "-idirafter", "-I")
_LISTS = {"-D": "define", "-U": "undefine"}
_HEADERS = ("-include", "-imacros")
_OTHER_MEANING = (
    "-funsigned-char",
    "-fno-signed-char",
    "-fshort-enums",
    "-fpack-struct",
    "-fshort-wchar",
    "-mx32",
)
"""Options that give the same text another meaning, which we do not know."""


@dataclass
class _Options:
    """What one command says."""

    folder: Path
    include: list[str] = field(default_factory=list)
    define: list[str] = field(default_factory=list)
    undefine: list[str] = field(default_factory=list)
    forced: list[str] = field(default_factory=list)
    standard: str | None = None
    data_model: DataModel | None = None


@dataclass(frozen=True)
class Command:
    """How one C file is compiled, as the database says it."""

    path: str
    folder: str
    words: tuple[str, ...]
    """The whole command, the compiler first."""


def read_commands(source: SourceFile, program: str = "") -> list[Command]:
    """How the files of a program are compiled; raises InputError."""
    entries = chosen_program(source, program).entries
    return [Command(str(each.file), str(each.folder), each.words) for each in entries]


def read_database(source: SourceFile, options: COptions) -> dict[str, COptions]:
    """The C files of the chosen program, with their options; raises InputError.

    Options from the command line come before those of the database.
    """
    found: dict[str, COptions] = {}
    for entry in chosen_program(source, options.program).entries:
        path = entry.folder / str(entry.file)
        shown = os.path.relpath(path) if path.is_absolute() else os.path.normpath(path)
        found[shown] = _combined(_read(entry, shown), options)
    return found


def _read(entry: Entry, shown: str) -> _Options:
    """The options that concern parsing; all others are the compiler's own business."""
    result = _Options(entry.folder)
    for option, value in options_of(entry.words[1:]):
        if option.startswith("-std="):
            result.standard = option.removeprefix("-std=")
        elif option == "-ansi":
            result.standard = "c90"
        elif option in {"-m32", "-m64"}:
            result.data_model = DataModel.ILP32 if option == "-m32" else DataModel.LP64
        elif option.startswith(_OTHER_MEANING):
            raise InputError.of(f"{shown}: `{option}` in its command is not understood")
        elif option in _HEADERS:
            result.forced.append(_header(entry.folder, value or ""))
        else:
            _read_pair(result, option, value)
    return result


def _header(folder: Path, name: str) -> str:
    """A header that is included first: where the command is run, or wherever headers are."""
    return str(folder / name) if (folder / name).is_file() else name


def _read_pair(result: _Options, option: str, value: str | None) -> None:
    """`-I folder`, `-Ifolder` and the like."""
    for name in (*_FOLDERS, *_LISTS):
        if option.startswith(name):
            said = option.removeprefix(name) or value or ""
            if name in _FOLDERS:
                result.include.append(str(result.folder / said))
            else:
                getattr(result, _LISTS[name]).append(said)
            return


def _combined(own: _Options, options: COptions) -> COptions:
    default = COptions()
    return replace(
        options,
        include=(*options.include, *own.include),
        define=(*own.define, *options.define),
        undefine=(*own.undefine, *options.undefine),
        forced=(*own.forced, *options.forced),
        standard=own.standard or options.standard
        if options.standard == default.standard
        else options.standard,
        data_model=own.data_model or options.data_model,
    )
