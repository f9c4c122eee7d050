"""Claims and ghosts put into the text of a C program.

    statement   ──▶  if (ghosts and claims, 0) {} else statement
    while (c)   ──▶  while (claim, c)

The text keeps its lines. What is put in is atomic and changes nothing but ghosts, so that the
program does what it did; a claim that fails ends nothing (`__threadwise_claim`). A ghost changes
together with the statement at its place, if that is a statement of its own, as the calls of the
thread library are: then both are one step.

Texts come from files that others wrote: places are checked here, expressions where they are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from threadwise.core.source import SourceFile

_BEGIN, _END = "__VERIFIER_atomic_begin()", "__VERIFIER_atomic_end()"
_CLAIM = "__threadwise_claim"
_KEYWORD = re.compile(
    r"(?:if|while|for|do|switch|return|goto|break|continue|case|default|else)\b|\{"
)
_LOOP = re.compile(r"(while|for|do)\b")
_CALL = re.compile(r"[A-Za-z_]\w*\s*\(")
_SKIPPED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_BEFORE = ";{}:)"
_DECLARATION = re.compile(
    r"(?:(?:static|const|volatile|unsigned|signed|long|short|int|char|_Bool|float|double|void"
    r"|struct|union|enum|register|auto|extern|typedef|_Atomic)\b|[A-Za-z_]\w*_t\b"
    r"|[A-Za-z_]\w*\s+\**\s*[A-Za-z_]\w*\s*[=;,\[])"
)


class NoPlaceError(Exception):
    """There is no statement or loop at a place."""


@dataclass(frozen=True)
class Place:
    """Where something is put: a line and a column, or the first statement of the line."""

    path: str
    line: int
    column: int | None = None


@dataclass(frozen=True)
class Claim:
    """An expression that is claimed at a place, or whenever the condition of a loop is asked."""

    place: Place
    expression: str
    loop: bool = False


@dataclass(frozen=True)
class Ghost:
    """A variable that is added, with its type and its initial value."""

    name: str
    type: str
    initial: str


@dataclass(frozen=True)
class Change:
    """What becomes of ghosts at a place."""

    place: Place
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Instrumented:
    """A program with claims in it."""

    sources: tuple[SourceFile, ...]
    claims: dict[tuple[str, int, int], int]
    """The numbers of the claims, by the places where a check finds them: file, line, column."""


@dataclass
class _Text:
    """One file, and what is put in at offsets of its text."""

    source: SourceFile
    inserted: dict[int, list[tuple[str, int | None]]] = field(default_factory=dict)
    """Texts, and the number of the claim where one is of a claim."""
    code: str = ""
    """The text with blanks in the place of comments and literals."""

    def __post_init__(self) -> None:
        blank = re.compile(r"[^\n]")
        self.code = _SKIPPED.sub(lambda m: blank.sub(" ", m[0]), self.source.text)

    def put(self, offset: int, text: str, claim: int | None = None) -> None:
        self.inserted.setdefault(offset, []).append((text, claim))

    def offset(self, place: Place) -> int:
        if not 1 <= place.line <= self.source.line_count:
            raise NoPlaceError(f"{place.path} has no line {place.line}")
        start = sum(len(line) + 1 for line in self.source.text.split("\n")[: place.line - 1])
        line = self.code[start:].partition("\n")[0]
        column = place.column or len(line) - len(line.lstrip(" \t}")) + 1
        if not 1 <= column <= len(line):
            raise NoPlaceError(f"there is no column {column} at line {place.line}")
        return start + column - 1

    def first(self) -> int:
        """Where the first declaration begins, behind directives that are always obeyed."""
        offset, depth, continued = 0, 0, False
        for line in self.code.split("\n"):
            word = line.strip()
            directive = continued or word.startswith("#")
            if not directive and word and not depth:
                return offset
            if directive and not continued:
                name = word[1:].lstrip()
                depth += name.startswith("if") - name.startswith("endif")
            continued = directive and word.endswith("\\")
            offset += len(line) + 1
        raise NoPlaceError(f"{self.source.path} declares nothing")

    def statement(self, place: Place) -> int:
        """Where the statement at a place begins."""
        offset = self.offset(place)
        before = self.code[:offset].rstrip()
        word = re.search(r"\b(?:else|do)\Z", before)
        tail = before[max(before.rfind("{"), before.rfind("}")) + 1 :]
        starts = before[-1:] in _BEFORE or word is not None
        starts = starts and tail.count("(") == tail.count(")")
        if not starts or not self.code[offset].strip() or self.code[offset] in ")}]":
            raise NoPlaceError(f"no statement begins at {place.line}:{place.column or ''}")
        if self.code[:offset].count("{") <= self.code[:offset].count("}"):
            raise NoPlaceError(f"line {place.line} is in no function")
        return offset

    def simple_end(self, offset: int) -> int | None:
        """Behind the semicolon of a call that is a statement; None if it is something else."""
        if _KEYWORD.match(self.code, offset) or not _CALL.match(self.code, offset):
            return None
        end = self.closing(self.code.index("(", offset))
        rest = re.compile(r"\s*;").match(self.code, end)
        return rest.end() if rest else None

    def closing(self, opening: int) -> int:
        """Behind the parenthesis that closes another."""
        depth = 0
        for position in range(opening, len(self.code)):
            depth += {"(": 1, ")": -1}.get(self.code[position], 0)
            if depth == 0:
                return position + 1
        raise NoPlaceError("a parenthesis is not closed")

    def result(self, places: dict[tuple[str, int, int], int]) -> SourceFile:
        """The text with everything put in; `places` gets where claims are in it."""
        made, last, claims = "", 0, []
        for offset in sorted(self.inserted):
            made += self.source.text[last:offset]
            last = offset
            for text, claim in self.inserted[offset]:
                if claim is not None:
                    claims.append((len(made) + text.index(_BEGIN), claim))
                made += text
        result = SourceFile(self.source.path, made + self.source.text[last:])
        for offset, claim in claims:
            position = result.position(offset)
            places[result.path, position.line, position.column] = claim
        return result


def instrumented(
    sources: Sequence[SourceFile],
    claims: Iterable[Claim],
    ghosts: Sequence[Ghost] = (),
    changes: Iterable[Change] = (),
) -> Instrumented:
    """The files with claims and ghosts put in; raises NoPlaceError."""
    texts = {source.path: _Text(source) for source in sources}
    first = f"void {_CLAIM}(int); "
    declared = "".join(f"extern {g.type} {g.name}; " for g in ghosts)
    defined = "".join(f"{g.type} {g.name} = {g.initial}; " for g in ghosts)
    for number, text in enumerate(texts.values()):
        text.put(text.first(), first + (declared if number else defined))
    for number, claim in enumerate(claims):
        text = _text(texts, claim.place)
        told = f"{_BEGIN}, {_CLAIM}(!!({claim.expression})), {_END}"
        if claim.loop:
            _put_in_loop(text, claim, told, number)
        else:
            _put_before(text, text.statement(claim.place), told, number)
    for change in changes:
        _put_change(_text(texts, change.place), change)
    places: dict[tuple[str, int, int], int] = {}
    return Instrumented(tuple(text.result(places) for text in texts.values()), places)


def _text(texts: dict[str, _Text], place: Place) -> _Text:
    if place.path not in texts:
        raise NoPlaceError(f"{place.path} is not a file of the program")
    return texts[place.path]


def _put_before(text: _Text, offset: int, told: str, claim: int | None = None) -> None:
    if _DECLARATION.match(text.code, offset):
        text.put(offset, f"{told}; ", claim)
    else:
        text.put(offset, f"if ({told}, 0) {{}} else ", claim)


def _put_change(text: _Text, change: Change) -> None:
    offset = text.statement(change.place)
    values = ", ".join(f"{name} = ({value})" for name, value in change.values)
    end = text.simple_end(offset)
    if end is None:
        _put_before(text, offset, f"{_BEGIN}, {values}, {_END}")
        return
    text.put(offset, f"{{ {_BEGIN}; {values}; ")
    text.put(end, f" {_END}; }}")


def _put_in_loop(text: _Text, claim: Claim, told: str, number: int) -> None:
    offset = text.statement(claim.place)
    match = _LOOP.match(text.code, offset)
    if match is None:
        raise NoPlaceError(f"no loop begins at line {claim.place.line}")
    if match[1] == "do":
        raise NoPlaceError(f"loops that end with their condition: line {claim.place.line}")
    opening = text.code.index("(", match.end())
    if match[1] == "while":
        text.put(opening + 1, f"{told}, ", number)
        return
    parts = _semicolons(text, opening)
    if len(parts) != 2:
        raise NoPlaceError(f"the loop at line {claim.place.line} has no condition")
    empty = not text.code[parts[0] + 1 : parts[1]].strip()
    text.put(parts[0] + 1, f" {told}, " + ("1" if empty else ""), number)


def _semicolons(text: _Text, opening: int) -> list[int]:
    """Where the parts of the head of a `for` end."""
    end, depth, found = text.closing(opening), 0, []
    for position in range(opening, end):
        depth += {"(": 1, ")": -1}.get(text.code[position], 0)
        if text.code[position] == ";" and depth == 1:
            found.append(position)
    return found
