"""Reading one file of the library table: TOML, checked, every mistake with its place."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from typing import TypeGuard

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.errors import InputError
from threadwise.core.source import Span
from threadwise.frontends.c.library.entry import Entry, Table
from threadwise.frontends.c.library.shorthand import (
    KINDS,
    BadShorthand,
    effect_of,
    named_lock,
    named_locks,
)
from threadwise.frontends.c.library.signature import Signature, parse_signature

_HEADER = re.compile(r'\s*\[\s*(?P<section>\w+)\s*\.\s*"?(?P<name>[^"\]\s]+)"?\s*\]')
_FAMILY_KEYS = ("headers", "types", "functions", "variables")
_STRINGS = ("signature", "description", "effect", "as", "test")
_FLAGS = ("limit", "noreturn", "override", "pure")
_FUNCTION_KEYS = (*_STRINGS, *_FLAGS, "assumes", *KINDS)
_VARIABLE_KEYS = ("declaration", "description")
_AT = re.compile(r"(?P<message>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)")


def read_family(path: str, text: str) -> Table:
    """The entries of one file; raises `InputError` with all that is wrong in it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.fullmatch(str(error))
        span = Span.at(path, int(match["line"]), int(match["column"])) if match else None
        message = match["message"] if match else str(error)
        raise InputError.of(f"not TOML: {message}", span) from None
    reader = _FamilyReader(path, text)
    table = reader.read(data)
    if reader.errors:
        raise InputError(reader.errors)
    return table


class _FamilyReader:
    """Checks one file and collects what is wrong with it."""

    def __init__(self, path: str, text: str) -> None:
        self.errors: list[Diagnostic] = []
        self._path = path
        self._lines = text.splitlines()
        self._headers: tuple[str, ...] = ()
        self._entries: dict[str, Entry] = {}

    def read(self, data: dict[str, object]) -> Table:
        self._known_keys(data, _FAMILY_KEYS, 0)
        headers = data.get("headers", [])
        if _is_strings(headers):
            self._headers = tuple(headers)
        else:
            self._error("`headers` is a list of strings", self._line_of("headers", 0))
        types = data.get("types", {})
        if not isinstance(types, dict) or not _is_strings(list(types.values())):
            self._error("`types` maps names to types", self._line_of("types", 0))
            types = {}
        for section, read in (("variables", self._variable), ("functions", self._function)):
            entries = data.get(section, {})
            if not isinstance(entries, dict):
                self._error(f"`{section}` is a table", self._line_of(section, 0))
                continue
            for name, values in entries.items():
                line = self._header_line(section, name)
                if isinstance(values, dict):
                    read(name, values, line)
                else:
                    self._error(f"`{name}` is a table", line)
        return Table(self._entries, types)

    def _variable(self, name: str, values: dict[str, object], line: int) -> None:
        self._known_keys(values, _VARIABLE_KEYS, line)
        declaration = values.get("declaration")
        if not isinstance(declaration, str) or name not in declaration:
            self._error(f"variable `{name}` needs a declaration that names it", line)
            return
        self._entries[name] = Entry(
            name,
            self._span(line),
            self._headers,
            declaration.strip().removesuffix(";"),
            description=str(values.get("description", "")),
            variable=True,
        )

    def _function(self, name: str, values: dict[str, object], line: int) -> None:
        self._known_keys(values, _FUNCTION_KEYS, line)
        if not self._well_typed(values, line):
            return
        text = str(values.get("signature", ""))
        signature = parse_signature(text)
        if signature is None or signature.name != name:
            hint = f'as in signature = "int {name}(int first, char *second)"'
            where = self._line_of("signature", line)
            self._error(f"`{name}` needs a C signature with named parameters", where, hint)
            return
        effect = self._effect(signature, values, line)
        if effect is None:
            return
        assumes = values.get("assumes", [])
        self._entries[name] = Entry(
            name,
            self._span(line),
            self._headers,
            " ".join(text.split()).removesuffix(";"),
            effect,
            self._effect_line(line),
            str(values.get("description", "")),
            tuple(assumes) if _is_strings(assumes) else (),
            limit=values.get("limit") is True,
            no_return=values.get("noreturn") is True or "ends" in values,
            override=values.get("override") is True,
            test=str(values["test"]) if "test" in values else None,
            same_as=str(values["as"]) if "as" in values else None,
        )

    def _effect(self, signature: Signature, values: dict[str, object], line: int) -> str | None:
        """The C body, from whichever way the entry gives it."""
        shorthands = {key: value for key, value in values.items() if key in KINDS}
        ways = [key for key in values if key in ("effect", "limit", "as")]
        ways += list(shorthands)[:1]
        if len(ways) != 1:
            found = " and ".join(f"`{way}`" for way in ways) if ways else "nothing"
            hint = "give an effect, limit = true, as = …, or shorthands such as pure = true"
            self._error(f"`{signature.name}` is described by {found}", line, hint)
            return None
        if "effect" in values:
            return str(values["effect"])
        if "as" in values:
            return ""
        if "limit" in values:
            return f'__tw_limit("{signature.name}");'
        try:
            effect = effect_of(signature, shorthands)
        except BadShorthand as error:
            self._error(error.message, self._line_of(error.key, line))
            return None
        for lock in named_locks(shorthands):
            variable = named_lock(lock)
            declaration = f"struct __tw_lock {variable}"
            span = self._span(line)
            self._entries[variable] = Entry(variable, span, (), declaration, variable=True)
        return effect

    # -- checks --------------------------------------------------------------------------------

    def _known_keys(self, values: dict[str, object], known: tuple[str, ...], line: int) -> None:
        for key in values:
            if key not in known:
                hint = f"expected one of {', '.join(known)}"
                self._error(f"unknown key `{key}`", self._line_of(key, line), hint)

    def _well_typed(self, values: dict[str, object], line: int) -> bool:
        before = len(self.errors)
        for key in _STRINGS:
            if not isinstance(values.get(key, ""), str):
                self._error(f"`{key}` is a string", self._line_of(key, line))
        for key in _FLAGS:
            if not isinstance(values.get(key, True), bool):
                self._error(f"`{key}` is true or false", self._line_of(key, line))
        if not _is_strings(values.get("assumes", [])):
            self._error("`assumes` is a list of strings", self._line_of("assumes", line))
        return len(self.errors) == before

    # -- places --------------------------------------------------------------------------------

    def _error(self, message: str, line: int, hint: str | None = None) -> None:
        self.errors.append(Diagnostic(Severity.ERROR, message, self._span(line), hint))

    def _span(self, line: int) -> Span:
        line = max(1, min(line, len(self._lines)))
        return Span.at(self._path, line, 1, max(1, len(self._lines[line - 1])))

    def _header_line(self, section: str, name: str) -> int:
        """The line of `[section.name]`, or of whatever else mentions the name first."""
        if (section, name) in self._header_lines:
            return self._header_lines[section, name]
        mention = re.compile(rf"\b{re.escape(name)}\b")
        for number, line in enumerate(self._lines, 1):
            if mention.search(line):
                return number
        return 1

    @cached_property
    def _header_lines(self) -> dict[tuple[str, str], int]:
        """The lines of all `[section.name]`, the first of each."""
        found: dict[tuple[str, str], int] = {}
        for number, line in enumerate(self._lines, 1):
            match = _HEADER.match(line)
            if match is not None:
                found.setdefault((match["section"], match["name"]), number)
        return found

    def _line_of(self, key: str, after: int) -> int:
        """The line behind `after` that sets a key, before the next header; else `after`."""
        setting = re.compile(rf'\s*\[?"?{re.escape(key)}"?\s*[\].=]')
        for number in range(after + 1, len(self._lines) + 1):
            line = self._lines[number - 1]
            if setting.match(line):
                return number
            if after and line.startswith("["):
                break
        return max(1, after)

    def _effect_line(self, after: int) -> int:
        """The line on which the text of an effect begins."""
        line = self._line_of("effect", after)
        opens = re.search(r"('''|\"\"\")\s*$", self._lines[line - 1])
        return line + 1 if opens else line


def _is_strings(candidate: object) -> TypeGuard[list[str]]:
    return isinstance(candidate, list) and all(isinstance(item, str) for item in candidate)
