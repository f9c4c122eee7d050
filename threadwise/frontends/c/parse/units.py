"""One file through libclang: arguments, headers of our own, and errors as diagnostics."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from clang import cindex

from threadwise.core.diagnostics import Diagnostic, DiagnosticBag, Note, Severity
from threadwise.core.errors import InputError, Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.recursion import has_large_stack
from threadwise.core.source import SourceFile, Span
from threadwise.frontends.c.options import COptions, DataModel
from threadwise.frontends.c.parse.guards import AS_TEXT, mentions_guards
from threadwise.frontends.c.parse.native import Node, children
from threadwise.frontends.c.parse.spans import Places

_TRIPLE = {DataModel.LP64: "x86_64-linux-gnu", DataModel.ILP32: "i386-linux-gnu"}
_PREDEFINED = "threadwise_builtins.h"
"""A header of ours that every file gets first, if it exists."""
_TOLERATED = (
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
    "return-type",
    "return-mismatch",
)
"""Errors of the compiler that are common in older C and have a meaning."""
_OTHER_COMPILERS = (
    "_Float32=float",
    "_Float64=double",
    "_Float32x=double",
    "_Float64x=long double",
    "_Float128=__float128",
    "__malloc__(...)=__malloc__",
)
"""What preprocessed headers of the GNU library expect GCC to know and clang does not."""
_FLOATING_TYPES = "bits/floatn-common.h"
"""The header of the GNU library that declares them otherwise, if it is not preprocessed."""
_IGNORED = "ignored-attributes"
_WARNED = ("implicit-function-declaration", _IGNORED)
_BEHIND = "attribute declaration must precede definition"
"""What is warned of where GCC takes an attribute and clang does not: it stands behind the body."""
_OPENMP = re.compile(
    r'^[ \t]*#[ \t]*pragma[ \t]+omp\b|\b_Pragma[ \t]*\([ \t]*"omp\b', re.MULTILINE
)
_DECLARATION = re.compile(r"(?!typedef|static|struct \w+ \{)[a-z_][\w *()]*\(")
"""The first line of a declaration of a function, as our headers write them."""
_OTHER_KIND = re.compile(r"redefinition of '(?P<name>\w+)' as different kind of symbol")
_SHOWN_ERRORS = 20


def headers() -> Path:
    """The folder of the headers that we ship."""
    return Path(str(files("threadwise.frontends.c"))) / "headers"


def arguments(options: COptions) -> list[str]:
    """How the compiler is called."""
    result = ["-xc", f"-std={options.standard}", "-target", _TRIPLE[options.data_model]]
    result += ["-nostdinc", "-ferror-limit=0", "-fspell-checking"]
    result += ["-Wno-everything", *(f"-W{name}" for name in _WARNED)]
    result += [f"-Wno-error={name}" for name in _TOLERATED]
    folders = list(_with_those_of_the_machine(options.include, _TRIPLE[options.data_model]))
    if not any((Path(folder) / _FLOATING_TYPES).is_file() for folder in folders):
        result += [part for macro in _OTHER_COMPILERS for part in ("-D", macro)]
    result += [part for folder in folders for part in ("-I", folder)]
    result += [part for macro in options.define for part in ("-D", macro)]
    result += [part for macro in options.undefine for part in ("-U", macro)]
    result += ["-isystem", str(headers())]
    if (headers() / _PREDEFINED).exists():
        result += ["-include", str(headers() / _PREDEFINED)]
    result += [part for header in options.forced for part in ("-include", header)]
    return result


def _with_those_of_the_machine(folders: Sequence[str], triple: str) -> Iterator[str]:
    """Behind folders of the system those for this kind of machine, as compilers have them."""
    for folder in folders:
        yield folder
        beside = Path(folder) / triple
        if _is_of_the_system(folder) and beside.is_dir():
            yield str(beside)


def _is_of_the_system(folder: str) -> bool:
    """Whether a folder has the headers of the GNU library, or those for a kind of machine."""
    return any((Path(folder) / name).is_file() for name in ("features.h", _FLOATING_TYPES))


def without_headers_of_the_system(options: COptions) -> COptions:
    """For bodies of library functions, which are written with our headers."""
    kept = tuple(folder for folder in options.include if not _is_of_the_system(folder))
    return replace(options, include=kept)


@dataclass
class OwnNames:
    """Names that a program declares otherwise than our headers or the compiler do.

    Our headers declare functions that other systems, or other versions of theirs, do not have, and
    the compiler knows some without a header.
    """

    functions: list[str] = field(default_factory=list)
    """What the compiler must not know."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers of ours without the declarations that contradict the program, by their paths."""

    def hide(self, path: str, line: int) -> bool:
        """Drop the declaration of a function that begins at a line of a header, if one does."""
        text = self.headers.get(path) or Path(path).read_text(encoding="utf-8")
        lines = text.split("\n")
        if not _DECLARATION.match(lines[line - 1]):
            return False
        while not lines[line - 1].endswith(";"):
            lines[line - 1] = ""
            line += 1
        lines[line - 1] = ""
        self.headers[path] = "\n".join(lines)
        return True


class Unit:
    """A translation unit of libclang, kept alive as long as its cursors are needed."""

    def __init__(
        self,
        source: SourceFile,
        options: COptions,
        sources: Mapping[str, SourceFile],
        own: OwnNames | None = None,
    ) -> None:
        """Parse a file, with names that it declares otherwise than we or the compiler do."""
        own = OwnNames() if own is None else own
        self.source = source
        self.places = Places(sources)
        if has_large_stack():
            # Otherwise libclang parses in a thread of its own, with a small stack.
            os.environ["LIBCLANG_NOTHREADS"] = "1"
        try:
            self._unit = cindex.Index.create().parse(
                source.path,
                args=[*arguments(options), *(f"-fno-builtin-{name}" for name in own.functions)],
                unsaved_files=[(source.path, source.text), *own.headers.items()],
                options=cindex.TranslationUnit.PARSE_NONE,
            )
        except (cindex.TranslationUnitLoadError, ValueError):
            raise InputError.of(
                f"{source.path}: the C parser refuses to read this",
                hint=f"is -std={options.standard} right? Otherwise an option -D or -I is wrong",
            ) from None

    @property
    def declarations(self) -> Iterator[Node]:
        """Everything at file scope."""
        return iter(children(self._unit.cursor))

    @property
    def files(self) -> list[str]:
        """What was read: the file and its headers, but for those that we ship."""
        ours = str(headers())
        included = [str(each.include.name) for each in self._unit.get_includes()]
        return [self.source.path, *(path for path in included if not path.startswith(ours))]

    @property
    def has_errors(self) -> bool:
        """Whether libclang does not accept the file."""
        return any(found.severity >= cindex.Diagnostic.Error for found in self._unit.diagnostics)

    def note_own(self, own: OwnNames) -> bool:
        """Collect what the file declares otherwise than others; whether that is new."""
        ours = str(headers())
        new = False
        for found in self._unit.diagnostics:
            if found.severity < cindex.Diagnostic.Error:
                continue
            other = _OTHER_KIND.fullmatch(found.spelling)
            if other is not None and other["name"] not in own.functions:
                own.functions.append(other["name"])
                new = True
            for note in found.children:
                place = note.location
                if place.file is not None and place.file.name.startswith(ours):
                    new |= own.hide(place.file.name, place.line)
        return new

    def texts(self) -> Iterator[str]:
        """The texts of the file and its headers, as far as they can be read."""
        yield self.source.text
        for path in self.files[1:]:
            with suppress(OSError):
                yield Path(path).read_text(encoding="utf-8", errors="replace")

    def diagnose(self, bag: DiagnosticBag) -> None:
        """Collect what libclang has to say."""
        for found in self._unit.diagnostics:
            if found.severity >= cindex.Diagnostic.Warning and not _is_ignored(found):
                bag.add(self._diagnostic(found))

    @property
    def late_attributes(self) -> Iterator[Span]:
        """Where attributes are that the tree lacks, because they stand behind a body."""
        for found in self._unit.diagnostics:
            if _is_ignored(found) and found.spelling == _BEHIND:
                yield self.places.at(found.location)

    def _diagnostic(self, found: Any) -> Diagnostic:
        error = found.severity >= cindex.Diagnostic.Error
        notes = tuple(
            Note(_sentence(note.spelling), self._place(note))
            for note in list(found.children)[:_SHOWN_ERRORS]
        )
        severity = Severity.ERROR if error else Severity.WARNING
        hint = _hint(found) if error else None
        return Diagnostic(severity, _sentence(found.spelling), self._place(found), hint, notes)

    def _place(self, found: Any) -> Any:
        if found.location.file is None and found.location.line == 0:
            return None
        for extent in found.ranges:
            if extent.start == found.location:
                return self.places.of_range(extent)
        return self.places.at(found.location)


def _is_ignored(found: Any) -> bool:
    """Whether something is only said of an attribute that clang does not take."""
    return bool(found.severity == cindex.Diagnostic.Warning and found.option == f"-W{_IGNORED}")


def _hint(found: Any) -> str | None:
    """How to repair an error, if its message does not say so itself."""
    if found.spelling.endswith("file not found"):
        return "-I names a folder with headers"
    replacements = [fix.value for fix in found.fixits if fix.value.strip()]
    if len(replacements) != 1 or "did you mean" in found.spelling:
        return None
    return f"try `{replacements[0]}`"


def _sentence(text: str) -> str:
    """clang's quotation marks are ours."""
    return text.replace("'", "`")


def refuse_pragmas(source: SourceFile) -> None:
    """Parallelism that pragmas ask for must not pass for a sequential program."""
    found = _OPENMP.search(source.text)
    if found is not None:
        raise Unsupported("OpenMP", source.span(*found.span()))


def _unit(source: SourceFile, options: COptions, sources: Mapping[str, SourceFile]) -> Unit:
    """A file; if it has attributes about locks, with these as texts, unless that is wrong."""
    own = OwnNames()
    unit = found = Unit(source, options, sources)
    while found.note_own(own):
        found = Unit(source, options, sources, own)
    unit = unit if found.has_errors else found
    if not any(map(mentions_guards, unit.texts())):
        return unit
    options = replace(options, define=(*AS_TEXT, *options.define))
    again = Unit(source, options, sources, own)
    return unit if again.has_errors else again


def read_units(
    sources: Sequence[SourceFile], options: Mapping[str, COptions], bag: DiagnosticBag
) -> list[Unit]:
    """All files; raises InputError if some file has errors."""
    by_path = {source.path: source for source in sources}
    for source in sources:
        refuse_pragmas(source)
    units = [_unit(source, options[source.path], by_path) for source in sources]
    for unit in units:
        unit.diagnose(bag)
    if bag.has_errors:
        raise InputError(bag.diagnostics())
    return units
