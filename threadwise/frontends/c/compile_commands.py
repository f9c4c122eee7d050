"""`compile_commands.json`: the C files of a program, each with the options it is compiled with."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from threadwise.core.c_options import COptions, DataModel
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile

_SUFFIXES = (".c", ".i")
_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
_LISTS = {"-D": "define", "-U": "undefine"}


@dataclass
class _Options:
    """What one command says."""

    folder: Path
    include: list[str] = field(default_factory=list)
    define: list[str] = field(default_factory=list)
    undefine: list[str] = field(default_factory=list)
    standard: str | None = None
    data_model: DataModel | None = None


@dataclass(frozen=True)
class Command:
    """How one C file is compiled, as the database says it."""

    path: str
    folder: str
    words: tuple[str, ...]
    """The whole command, the compiler first."""


def read_commands(source: SourceFile) -> list[Command]:
    """The commands of a database that compile C files; raises InputError."""
    found: dict[str, Command] = {}
    for path, folder, words in _commands(source):
        if (folder / path).suffix in _SUFFIXES:
            found.setdefault(str(folder / path), Command(path, str(folder), tuple(words)))
    return list(found.values())


def read_database(source: SourceFile, options: COptions) -> dict[str, COptions]:
    """The C files that a database lists, with their options; raises InputError.

    Options from the command line come before those of the database.
    """
    found: dict[str, COptions] = {}
    for path, folder, words in _commands(source):
        absolute = folder / path
        if absolute.suffix in _SUFFIXES:
            shown = os.path.relpath(absolute) if absolute.is_absolute() else str(absolute)
            found.setdefault(shown, _combined(_read(words, folder), options))
    if not found:
        raise InputError.of(f"{source.path}: lists no C file")
    return found


def _commands(source: SourceFile) -> Iterator[tuple[str, Path, list[str]]]:
    """File, folder and words of each entry."""
    try:
        entries = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise InputError.of(f"{source.path}: not a JSON file: {error}") from error
    if not isinstance(entries, list):
        raise InputError.of(f"{source.path}: expected a list of commands")
    for number, entry in enumerate(entries):
        path, words = _entry(entry, f"{source.path}: entry {number}")
        yield path, Path(entry.get("directory", ".")), words


def _entry(entry: Any, where: str) -> tuple[str, list[str]]:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise InputError.of(f"{where}: expected an object with a `file`")
    if not isinstance(entry.get("directory", "."), str):
        raise InputError.of(f"{where}: `directory` is not a string")
    words = entry.get("arguments")
    if words is None and isinstance(entry.get("command"), str):
        try:
            words = shlex.split(entry["command"])
        except ValueError as error:
            raise InputError.of(f"{where}: cannot split the command: {error}") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError.of(f"{where}: expected `arguments` or a `command`")
    return entry["file"], words


def _read(words: list[str], folder: Path) -> _Options:
    """The options that concern parsing; all others are the compiler's own business."""
    result = _Options(folder)
    remaining = iter(words[1:])
    for word in remaining:
        if word.startswith("-std="):
            result.standard = word.removeprefix("-std=")
        elif word in {"-m32", "-m64"}:
            result.data_model = DataModel.ILP32 if word == "-m32" else DataModel.LP64
        else:
            _read_pair(result, word, remaining)
    return result


def _read_pair(result: _Options, word: str, remaining: Iterator[str]) -> None:
    """`-I folder`, `-Ifolder` and the like."""
    for option in (*_FOLDERS, *_LISTS):
        if word.startswith(option):
            value = word.removeprefix(option) or next(remaining, "")
            if option in _FOLDERS:
                result.include.append(str(result.folder / value))
            else:
                getattr(result, _LISTS[option]).append(value)
            return


def _combined(own: _Options, options: COptions) -> COptions:
    default = COptions()
    return replace(
        options,
        include=(*options.include, *own.include),
        define=(*own.define, *options.define),
        undefine=(*own.undefine, *options.undefine),
        standard=own.standard or options.standard
        if options.standard == default.standard
        else options.standard,
        data_model=own.data_model or options.data_model,
    )
