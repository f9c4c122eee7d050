"""From text to syntax tree, reporting as many syntax errors as make sense.

The generated parser stops at the first token it has no use for. To go on, the parser's stack is
cut back to the innermost list of statements or of declarations that is still open, and the input
is skipped to the end of the faulty one: after the next `;`, or at the `}` that closes the list.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from lark.exceptions import UnexpectedToken

from threadwise.core.diagnostics import DiagnosticBag
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.frontends.model.syntax.ast import Model
from threadwise.frontends.model.syntax.chains import NestingError
from threadwise.frontends.model.syntax.lexer import END, Lexer, Token
from threadwise.frontends.model.syntax.syntax_errors import explain
from threadwise.frontends.model.syntax.tables import load_parser

_MOST_ERRORS = 20
_ITEM_STARTS = frozenset({"CONST", "ENUM", "VOID", "THREAD", "INVARIANT", "RACE_FREE"})


def parse_model(source: SourceFile) -> Model:
    """The syntax tree of a model; raises InputError with all syntax errors found."""
    return _Parse(source).run()


@cache
def _machinery() -> tuple[Any, Lexer]:
    """The parser and the lexer; they hold no state between runs."""
    parser = load_parser()
    return parser, Lexer(parser.terminals, parser.lexer_conf.ignore)


class _Parse:
    """One run of the parser."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.bag = DiagnosticBag()
        self.parser, self.lexer = _machinery()
        self.tokens = self.lexer.tokens(source.text)
        self.interactive = self.parser.parse_interactive()
        self.state = self.interactive.parser_state

    def run(self) -> Model:
        """Feed all tokens."""
        position = 0
        for _ in range(_MOST_ERRORS):
            try:
                model = self._feed(position)
            except UnexpectedToken as error:
                position = self.tokens.index(cast(Token, error.token), position)
                self._report(position)
                if self.tokens[position].type == END:
                    break
                position = self._recover(position)
            except NestingError as error:
                span = self.source.span(error.position, error.position + 1)
                self.bag.error("nesting limit exceeded", span, "split it into simpler parts")
                break
            else:
                if not self.bag.has_errors:
                    return model
                break
        raise InputError(self.bag.diagnostics())

    def _feed(self, position: int) -> Model:
        feed = self.state.feed_token
        tokens = self.tokens
        for token in tokens[position:-1] if position else tokens[:-1]:
            feed(token)
        return cast(Model, feed(tokens[-1], True))

    def _report(self, position: int) -> None:
        accepted = frozenset(self.interactive.accepts())
        explained = explain(self.source, self.tokens, position, accepted, self.lexer.reserved)
        self.bag.add(explained)

    def _recover(self, position: int) -> int:
        """Cut the stack back to an open list; the position from which to go on."""
        stack = self.state.state_stack
        kept = len(stack) - 1
        while not (self._in_body(stack[kept]) or self._at_top(stack[kept])):
            kept -= 1
        del stack[kept + 1 :]
        del self.state.value_stack[kept:]
        if self._in_body(stack[kept]):
            return self._skip_statement(position)
        return self._skip_item(position)

    def _in_body(self, state: int) -> bool:
        """Whether a state of the parser is inside a list of statements, or right before one."""
        actions = self.state.parse_conf.states[state]
        return "statements" in actions or ("statement" in actions and "RBRACE" in actions)

    def _at_top(self, state: int) -> bool:
        """Whether a state of the parser is between declarations."""
        actions = self.state.parse_conf.states[state]
        return "items" in actions or "item" in actions

    def _skip_statement(self, position: int) -> int:
        depth = 0
        while True:
            match self.tokens[position].type:
                case "$END":
                    return position
                case "LBRACE":
                    depth += 1
                case "RBRACE":
                    if depth == 0:
                        return position
                    depth -= 1
                    if depth == 0:
                        return position + 1
                case "SEMICOLON" if depth == 0:
                    return position + 1
            position += 1

    def _skip_item(self, position: int) -> int:
        depth = 0
        start = position
        while True:
            match self.tokens[position].type:
                case "$END":
                    return position
                case "LBRACE":
                    depth += 1
                case "RBRACE":
                    depth -= 1
                    if depth <= 0:
                        return position + 1
                case "SEMICOLON" if depth == 0:
                    return position + 1
                case kind if depth == 0 and kind in _ITEM_STARTS and position > start:
                    return position
            position += 1
