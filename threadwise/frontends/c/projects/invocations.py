"""What a command makes of what, by its words.

cc -c a.c -o a.o                compiles
cc a.o b.c -Lout -lx -o server  compiles and links
ar rcs out/libx.a x.o y.o       puts objects into a library
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from threadwise.frontends.c.projects.entries import Entry

C_SUFFIXES = (".c", ".i")
COMPILER = re.compile(r"(?:.*-)?(?:cc|gcc|clang|tcc|icc|icx|c89|c99|c11|c17)(?:-[\d.]+)?")
ARCHIVER = re.compile(r"(?:.*-)?ar(?:-[\d.]+)?")
_INPUTS = re.compile(r".*\.(?:o|lo|obj|a|so(?:\.[\d.]+)?)")
_TAKE_A_WORD = frozenset(
    {"-o", "-I", "-D", "-U", "-L", "-l", "-x", "-u", "-T", "-z", "-e", "-MF", "-MT", "-MQ"}
    | {"-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot"}
    | {"-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-target", "--param", "-rpath"}
)
"""Options whose value is the next word, unless it follows at once."""
_NOT_LINKING = frozenset({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})
_NOTHING_MADE = frozenset({"-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-###"})


@dataclass
class Invocation:
    """What one command makes."""

    folder: Path
    """Where it is run."""
    sources: list[Path] = field(default_factory=list)
    inputs: list[Path] = field(default_factory=list)
    """Objects and libraries that it puts together."""
    libraries: list[str] = field(default_factory=list)
    """Those that are looked for in folders: the names behind `-l`."""
    folders: list[Path] = field(default_factory=list)
    output: Path | None = None
    makes_program: bool = False
    """Whether what it links can be run."""

    def outputs(self) -> Iterator[tuple[Path, list[Path]]]:
        """What it makes, each of which sources."""
        if self.output is not None:
            yield self.output, self.sources
            return
        for source in self.sources:
            yield self.folder / f"{source.stem}.o", [source]


def invocation_of(entry: Entry) -> Invocation | None:
    """What an entry makes; None if that is nothing that we know."""
    tool = PurePath(entry.words[0]).name if entry.words else ""
    if ARCHIVER.fullmatch(tool):
        return _archive(entry)
    return None if _NOTHING_MADE.intersection(entry.words) else _compiler(entry)


def _archive(entry: Entry) -> Invocation | None:
    names = [word for word in entry.words[1:] if not word.startswith("-")]
    names = names if entry.words[1:2] and entry.words[1].startswith("-") else names[1:]
    if not names:
        return None
    library, *members = (entry.folder / name for name in names)
    return Invocation(entry.folder, inputs=members, output=library)


def options_of(words: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """The options among the arguments of a compiler, with the word behind those that take one.

    What is no option comes without one: sources, objects, libraries.
    """
    remaining = iter(words)
    for word in remaining:
        if word in _TAKE_A_WORD:
            yield word, next(remaining, "")
        elif word.startswith("-"):
            yield word, None
        else:
            yield "", word


def _compiler(entry: Entry) -> Invocation:
    made = Invocation(entry.folder)
    for option, word in options_of(entry.words[1:]):
        if option and word is not None:
            _option(made, option, word)
        elif word is None:
            _option(made, option[:2], option[2:])
        elif PurePath(word).suffix in C_SUFFIXES:
            made.sources.append(entry.folder / word)
        elif _INPUTS.fullmatch(word):
            made.inputs.append(entry.folder / word)
    links = _NOT_LINKING.isdisjoint(entry.words)
    if links and made.output is None:
        made.output = entry.folder / "a.out"
    made.makes_program = links and not {"-shared", "-r"}.intersection(entry.words)
    return made


def _option(made: Invocation, option: str, value: str) -> None:
    if option == "-o":
        made.output = made.folder / value
    elif option == "-l":
        made.libraries.append(value)
    elif option == "-L":
        made.folders.append(made.folder / value)
