"""What the parts of the translation share while they work on one function or initialiser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.native import Kind, Node
from threadwise.frontends.c.parse.printed import PrintedFunction
from threadwise.frontends.c.parse.symbols import Locals, UnitSymbols, is_constant
from threadwise.frontends.c.types import CFloat, CType

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.expressions import Expressions
    from threadwise.frontends.c.parse.initialisers import Initialisers
    from threadwise.frontends.c.parse.statements import Statements

DOUBLE = CFloat(64)


@dataclass
class Context:
    """One function, or (without `locals`) the initialisers at file scope."""

    symbols: UnitSymbols
    locals: Locals | None = None
    printed: PrintedFunction | None = None
    expressions: Expressions = field(init=False)
    initialisers: Initialisers = field(init=False)
    statements: Statements = field(init=False)

    def __post_init__(self) -> None:
        from threadwise.frontends.c.parse.expressions import Expressions
        from threadwise.frontends.c.parse.initialisers import Initialisers
        from threadwise.frontends.c.parse.statements import Statements

        self.expressions = Expressions(self)
        self.initialisers = Initialisers(self)
        self.statements = Statements(self)

    def span(self, node: Node) -> Span:
        """Where a cursor stands."""
        return self.symbols.places.span(node)

    def type_of(self, node: Node) -> CType:
        """The type of a cursor."""
        return self.symbols.types.convert(node.type)

    def records(self) -> dict[str, tree.Record]:
        """The layout of all records."""
        return self.symbols.linked.program.records

    def variable(self, node: Node) -> tree.Variable:
        """The variable that a reference means."""
        if self.locals is not None and node.hash in self.locals.known:
            return self.locals.known[node.hash]
        return self.symbols.global_variable(node)

    def new_local(self, node: Node) -> tree.Variable:
        """A variable of the function at hand."""
        assert self.locals is not None
        variable = tree.Variable(
            self.locals.fresh(node.spelling or "unnamed"),
            node.spelling,
            self.type_of(node),
            tree.Storage.LOCAL,
            self.symbols.places.of_name(node),
            constant=is_constant(node),
        )
        self.locals.known[node.hash] = variable
        return variable

    def new_literal(self, node: Node) -> tree.Variable:
        """The variable behind a compound literal."""
        kind = self.type_of(node)
        span = self.span(node)
        if self.locals is not None:
            name = self.locals.fresh("literal")
            return tree.Variable(name, "literal", kind, tree.Storage.LOCAL, span)
        name = self.symbols.linked.fresh("literal")
        variable = tree.Variable(name, "literal", kind, tree.Storage.GLOBAL, span)
        self.symbols.linked.program.variables[name] = variable
        return variable


def is_expression(node: Node) -> bool:
    """Whether a cursor is an expression (and no reference to a type, attribute or label)."""
    return bool(node.kind.is_expression()) or node.kind == Kind.INIT_LIST_EXPR
