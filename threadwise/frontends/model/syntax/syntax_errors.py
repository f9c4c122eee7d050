"""What a syntax error says: in words of the language, not in names of terminals."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from threadwise.core.diagnostics import Diagnostic, Note, Severity
from threadwise.core.source import SourceFile
from threadwise.core.suggestions import suggest
from threadwise.frontends.model.syntax.lexer import END, FOREIGN, NAME, UNTERMINATED, Token

_TYPES = frozenset({"BOOL", "INT", "TID", "MUTEX", NAME})
_OPERANDS = frozenset({NAME, "NUMBER", "TRUE", "FALSE", "NONE", "SELF", "LPAR", "PREFIX", "MINUS"})
_STATEMENTS = frozenset(
    {
        "IF",
        "WHILE",
        "FOR",
        "EITHER",
        "ATOMIC",
        "AWAIT",
        "MOVER",
        "SPAWN",
        "JOIN",
        "HAVOC",
        "ASSERT",
    }
    | {"ASSUME", "RETURN", "GOTO", "SKIP", "BREAK", "CONTINUE", "LBRACE", "SEMICOLON"}
)
_DECLARATIONS = frozenset(
    {"CONST", "ENUM", "VOID", "THREAD", "INVARIANT", "RACE_FREE", "DEADLOCK_FREE"}
)
_GROUPS: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("a declaration", _DECLARATIONS, _DECLARATIONS | _TYPES | {"SEMICOLON", END}),
    ("a statement", _STATEMENTS, _STATEMENTS | _TYPES | {"SELF"}),
    ("an expression", _OPERANDS, _OPERANDS | {"FORALL", "EXISTS", "SPAWN"}),
    ("a type", _TYPES, _TYPES),
    ("an operator", frozenset({"INFIX", "STAR"}), frozenset({"INFIX", "STAR", "MINUS", "QMARK"})),
)
"""Words for several terminals: those that must all be accepted, those that are then covered."""
_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    END: "the end of the file",
    "COLON": "`:`",
    "COMMA": "`,`",
    "DOT": "`.`",
    "EQUAL": "`=`",
    "LBRACE": "`{`",
    "LPAR": "`(`",
    "LSQB": "`[`",
    "MINUS": "`-`",
    "QMARK": "`?`",
    "RBRACE": "`}`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "SEMICOLON": "`;`",
    "STAR": "`*`",
    "DOTS": "`..`",
}
_CLOSING = {"LBRACE": "RBRACE", "LPAR": "RPAR", "LSQB": "RSQB"}
_SEPARATORS = frozenset({"SEMICOLON", "LBRACE", "RBRACE"})
_LIKELY = frozenset({"EQUAL", "SEMICOLON", "RPAR", "RSQB", "RBRACE"})
_MOST_WORDS = 4
_SIMILAR = 0.75


def explain(
    source: SourceFile,
    tokens: Sequence[Token],
    position: int,
    accepted: frozenset[str],
    reserved: frozenset[str],
) -> Diagnostic:
    """The message for the token at `position`, where only the `accepted` ones make sense."""
    token = tokens[position]
    span = source.span(token.start_pos, token.end_pos)
    if token.type == UNTERMINATED:
        return Diagnostic(Severity.ERROR, "comment without end", span, "close it with `*/`")
    if token.type == FOREIGN:
        return Diagnostic(Severity.ERROR, f"unexpected character {token.text!r}", span)
    expected = _in_words(accepted)
    if token.type == END:
        return Diagnostic(
            Severity.ERROR,
            f"unexpected end of file, expected {expected}",
            span,
            notes=_unclosed(source, tokens),
        )
    if "SEMICOLON" in accepted and position > 0:
        before = tokens[position - 1]
        if "\n" in source.text[before.end_pos : token.start_pos]:
            after = source.span(before.end_pos, before.end_pos)
            return Diagnostic(Severity.ERROR, "expected `;`", after)
    hint = _hint(tokens, position, accepted, reserved)
    message = f"unexpected `{token.text}`, expected {expected}"
    return Diagnostic(Severity.ERROR, message, span, hint)


def _in_words(accepted: frozenset[str]) -> str:
    words: list[str] = []
    left = set(accepted)
    for name, needed, covered in _GROUPS:
        if needed <= left:
            words.append(name)
            left -= covered
    symbols = sorted(left, key=lambda kind: (kind not in _LIKELY, _WORDS.get(kind, kind)))
    words = [_WORDS.get(kind, f"`{kind.lower()}`") for kind in symbols] + words
    if len(words) > _MOST_WORDS:
        words = [*words[:_MOST_WORDS], "…"]
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + " or " + words[-1]


def _hint(
    tokens: Sequence[Token], position: int, accepted: frozenset[str], reserved: frozenset[str]
) -> str | None:
    token = tokens[position]
    following = tokens[position + 1].text
    if token.type == "EQUAL" and "INFIX" in accepted:
        return "use `==` to compare"
    compound = following == token.text or following in ("=", "==")
    if "EQUAL" in accepted and token.text in tuple("+-*/%&|^") and compound:
        return "there is no `++`, `--` or `+=`; write `x = x + 1`"
    if NAME in accepted and token.text in reserved:
        return f"`{token.text}` is a reserved word"
    if token.type == NAME:
        wanted = {word for word in reserved if word.upper() in accepted}
        near = suggest(token.text, wanted)
        if near is not None:
            return f"did you mean `{near}`?"
    return _misspelt_start(tokens, position, reserved)


def _misspelt_start(
    tokens: Sequence[Token], position: int, reserved: frozenset[str]
) -> str | None:
    """A hint if the statement begins with what looks like a reserved word: `wihle (c) {`."""
    start = position
    while start > 0 and tokens[start - 1].type not in _SEPARATORS:
        start -= 1
    first = tokens[start]
    if first.type != NAME or start == position or tokens[start + 1].type not in (NAME, "LPAR"):
        return None
    near = get_close_matches(first.text, sorted(reserved), n=1, cutoff=_SIMILAR)
    return f"did you mean `{near[0]}` instead of `{first.text}`?" if near else None


def _unclosed(source: SourceFile, tokens: Sequence[Token]) -> tuple[Note, ...]:
    """Where the innermost bracket without partner was opened."""
    opened: list[Token] = []
    for token in tokens:
        if token.type in _CLOSING:
            opened.append(token)
        elif opened and token.type == _CLOSING[opened[-1].type]:
            opened.pop()
    if not opened:
        return ()
    last = opened[-1]
    return (Note(f"`{last.text}` opened here", source.span(last.start_pos, last.end_pos)),)
