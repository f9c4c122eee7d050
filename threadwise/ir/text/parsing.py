"""Terms from their text form, and what reading programs shares with it.

The grammar is in `ir.lark`; its tables are in `tables.json`, made by `make_tables`. Reading checks
names, not types. Whatever is wrong with a text ends in an `InputError` with the place. Checkers of
proofs by formulas read terms; programs are read by `reader`, which they do not import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NoReturn

from lark import UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lexer import PatternStr

from threadwise.core.errors import InputError
from threadwise.core.grammars import StoredGrammar
from threadwise.core.source import SourceFile, Span
from threadwise.ir.expr import Expr
from threadwise.ir.text.read_terms import Names, Term, TermReader

_HERE = Path(__file__).parent
STORED = StoredGrammar(_HERE / "ir.lark", _HERE / "tables.json", {"start": ["program", "expr"]})


def read_formula(text: str, names: Names) -> Expr:
    """The expression that a text describes, in a scope where names mean something already."""
    term = _parser().read(SourceFile(names.path, text), "expr", names)
    assert isinstance(term, Term)
    return term.value


@cache
def _parser() -> Parser:
    return Parser(TermReader())


class Parser:
    """The parser of the grammar."""

    def __init__(self, reader: TermReader) -> None:
        self._reader = reader
        self._lock = Lock()
        self._lark = STORED.load(self._reader)
        self._words = {
            terminal.name: f"`{terminal.pattern.value}`"
            if isinstance(terminal.pattern, PatternStr)
            else terminal.name.lower()
            for terminal in self._lark.terminals
        }

    def read(self, source: SourceFile, start: str, names: Names) -> object:
        """Parse a text; one at a time, since the reader keeps the scopes of its text."""
        with self._lock:
            self._reader.begin(source.path)
            self._reader.names = names
            try:
                found: object = self._lark.parse(source.text, start=start)
            except UnexpectedInput as error:
                _refuse(error, source, self._words)
            finally:
                self._reader.begin("")
        return found


_SHOWN_WORDS = 10


def _refuse(error: UnexpectedInput, source: SourceFile, words: Mapping[str, str]) -> NoReturn:
    """Say what was found and what could have stood there."""
    length = 1
    expected: Iterable[str] = ()
    found = "end of text"
    at_end = True
    if isinstance(error, UnexpectedToken):
        expected = error.accepts or error.expected
        if error.token.type != "$END":
            at_end, found, length = False, f"`{error.token}`", len(error.token)
    elif isinstance(error, UnexpectedCharacters):
        expected = error.allowed or ()
        at_end, found = False, f"`{error.char}`"
    end = len(source.text)
    span = (
        source.span(end, end) if at_end else Span.at(source.path, error.line, error.column, length)
    )
    shown = sorted(words.get(name, "end of text") for name in expected)
    hint = f"expected {', '.join(shown)}" if 0 < len(shown) <= _SHOWN_WORDS else None
    raise InputError.of(f"unexpected {found}", span, hint) from None
