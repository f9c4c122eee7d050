"""Statements of libclang as statements of the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from clang.cindex import StorageClass, TLSKind

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.assembly import assembly
from threadwise.frontends.c.parse.cleanups import REFUSED, cleaning_function, with_cleanups
from threadwise.frontends.c.parse.computed_jumps import computed_goto
from threadwise.frontends.c.parse.conversions import converted
from threadwise.frontends.c.parse.lengths import ODD, has_odd_length, is_variable
from threadwise.frontends.c.parse.literals import wrapped
from threadwise.frontends.c.parse.loops import present_parts
from threadwise.frontends.c.parse.native import (
    Kind,
    Node,
    TypeKind,
    children,
    evaluate_integer,
    initialiser_of,
    kind_of,
    pretty_printed,
)
from threadwise.frontends.c.parse.printed import PrintedFunction
from threadwise.frontends.c.types import INT, CType, CVoid, unqualified

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.context import Context

_RANGE_CHILDREN = 3
_IF_ELSE_CHILDREN = 3


class Statements:
    """Translates the statements of one function."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._switched: list[CType] = []
        self._labels: set[str] = set()
        self._cleanups: dict[tree.Variable, tree.Function] = {}
        self._definition: Node | None = None

    def body(self, definition: Node) -> tree.Compound:
        """The body of a function."""
        self.context.printed = PrintedFunction(definition)
        self._definition = definition
        block = next(child for child in children(definition) if child.kind == Kind.COMPOUND_STMT)
        found = self._block(block)
        lengths = [
            length
            for child in children(definition)
            if child.kind == Kind.PARM_DECL
            for length in children(child)
        ]
        if has_odd_length(lengths):
            first = self._unsupported(definition, ODD)
            found = tree.Compound((first, *found.statements), found.span)
        if not self._cleanups:
            return found
        assert self.context.locals is not None
        return with_cleanups(found, self._cleanups, self.context.locals)

    def of(self, node: Node) -> list[tree.Statement]:
        """A statement; a declaration may be several, or none."""
        kind = kind_of(node)
        if kind is None:
            return [self._unsupported(node, "this statement")]
        if kind.is_expression():
            value = self.context.expressions.value(node)
            return [tree.Evaluate(value, self.context.span(node))]
        if kind == Kind.DECL_STMT:
            return [each for child in children(node) for each in self._declaration(child)]
        translate = _TRANSLATE.get(kind)
        if translate is None:
            return [self._unsupported(node, kind.name.lower().replace("_", " "))]
        return translate(self, node)

    def one(self, node: Node) -> tree.Statement:
        """A statement that is the body of another one."""
        return self._as_one(node, self.of(node))

    def _as_one(self, node: Node, statements: list[tree.Statement]) -> tree.Statement:
        if len(statements) == 1:
            return statements[0]
        return tree.Compound(tuple(statements), self.context.span(node))

    def _unsupported(self, node: Node, what: str) -> tree.UnsupportedStatement:
        return tree.UnsupportedStatement(what, self.context.span(node))

    def _block(self, node: Node) -> tree.Compound:
        statements = self._all(children(node))
        return tree.Compound(statements, self.context.span(node))

    def _all(self, nodes: Iterable[Node]) -> tuple[tree.Statement, ...]:
        return tuple(statement for node in nodes for statement in self.of(node))

    def statement_expression(self, node: Node) -> tree.StatementExpression:
        """`({ … })`."""
        kind, span = unqualified(self.context.type_of(node)), self.context.span(node)
        (block,) = children(node)
        nodes = children(block)
        if isinstance(kind, CVoid) or not nodes:
            return tree.StatementExpression(self._block(block), None, kind, span)
        statements = self._all(nodes[:-1])
        if nodes[-1].kind.is_expression():
            result = converted(self.context.expressions.operand(nodes[-1]), kind)
        else:
            result = tree.UnsupportedExpr("the value of this statement", kind, span)
        body = tree.Compound(statements, self.context.span(block))
        return tree.StatementExpression(body, result, kind, span)

    # -- declarations ---------------------------------------------------------------------------

    def _declaration(self, node: Node) -> list[tree.Statement]:
        if node.kind == Kind.FUNCTION_DECL:
            self.context.symbols.declare_function(node)
            return []
        if node.kind == Kind.TYPEDEF_DECL and is_variable(node.underlying_typedef_type):
            odd = has_odd_length(children(node))
            return [self._unsupported(node, ODD)] if odd else []
        if node.kind != Kind.VAR_DECL:
            return []
        symbols, local = self.context.symbols, self.context.locals
        assert local is not None
        if node.storage_class == StorageClass.EXTERN:
            symbols.declare_variable(node)
            return []
        if node.storage_class == StorageClass.STATIC or node.tls_kind != TLSKind.NONE:
            if is_variable(node.type) and has_odd_length(_lengths(node)):
                return [self._unsupported(node, ODD)]
            variable = symbols.static_local(node, local.function)
            local.known[node.hash] = variable
            value = initialiser_of(node)
            if value is not None:
                variable.initial = self.context.initialisers.of(value, variable.type)
            return []
        return [self._local(node)]

    def _local(self, node: Node) -> tree.Statement:
        variable = self.context.new_local(node)
        span = self.context.span(node)
        if any(child.kind == Kind.UNEXPOSED_ATTR for child in children(node)):
            shown = pretty_printed(node)
            if "cleanup(" in shown and not self._cleans_up(variable, shown):
                return self._unsupported(node, REFUSED)
        length = None
        value = initialiser_of(node)
        sizes = _lengths(node) if is_variable(node.type) else []
        if node.type.get_canonical().kind == TypeKind.VARIABLEARRAY:
            element = node.type.get_canonical().get_array_element_type()
            if not sizes or element.kind == TypeKind.VARIABLEARRAY:
                return self._unsupported(node, "this array of variable length")
            # The size of the outermost dimension comes last.
            length = self.context.expressions.value(sizes[-1])
        elif has_odd_length(sizes):
            return self._unsupported(node, ODD)
        initial = None
        if value is not None:
            initial = self.context.initialisers.of(value, variable.type)
        return tree.Declare(variable, initial, span, length)

    def _cleans_up(self, variable: tree.Variable, shown: str) -> bool:
        """Whether the function that cleans up a variable is known."""
        name = cleaning_function(shown)
        function = None if name is None else self.context.symbols.named_function(name)
        if function is None:
            return False
        variable.address_taken = True
        self._cleanups[variable] = function
        return True

    # -- control --------------------------------------------------------------------------------

    def _compound(self, node: Node) -> list[tree.Statement]:
        return [self._block(node)]

    def _if(self, node: Node) -> list[tree.Statement]:
        parts = children(node)
        condition = self.context.expressions.value(parts[0])
        then = self.one(parts[1])
        otherwise = self.one(parts[2]) if len(parts) == _IF_ELSE_CHILDREN else None
        return [tree.If(condition, then, otherwise, self.context.span(node))]

    def _while(self, node: Node) -> list[tree.Statement]:
        condition, body = children(node)
        value = self.context.expressions.value(condition)
        return [tree.While(value, self.one(body), self.context.span(node))]

    def _do(self, node: Node) -> list[tree.Statement]:
        body, condition = children(node)
        inner = self.one(body)
        value = self.context.expressions.value(condition)
        return [tree.DoWhile(inner, value, self.context.span(node))]

    def _for(self, node: Node) -> list[tree.Statement]:
        *parts, body = children(node)
        present = present_parts(self.context.printed, node, parts)
        if present is None:
            return [self._unsupported(node, "a for loop whose parts cannot be told apart")]
        given = iter(parts)
        first, condition, after = (next(given) if each else None for each in present)
        before = self.of(first) if first is not None else []
        value = self.context.expressions.value
        loop = tree.For(
            before[-1] if before else None,
            value(condition) if condition is not None else None,
            value(after) if after is not None else None,
            self.one(body),
            self.context.span(node),
        )
        if len(before) <= 1:
            return [loop]
        return [tree.Compound((*before[:-1], loop), loop.span)]

    def _switch(self, node: Node) -> list[tree.Statement]:
        condition, body = children(node)
        value = self.context.expressions.value(condition)
        self._switched.append(value.type)
        inner = self.one(body)
        self._switched.pop()
        return [tree.Switch(value, inner, self.context.span(node))]

    def _case(self, node: Node) -> list[tree.Statement]:
        parts = children(node)
        kind = self._switched[-1] if self._switched else INT
        bounds = [evaluate_integer(part) for part in parts[:-1]]
        low, high = bounds[0], bounds[-1]
        if low is None or high is None or len(parts) > _RANGE_CHILDREN:
            return [self._unsupported(node, "this case label")]
        inner, *rest = self.of(parts[-1]) or [tree.Empty(self.context.span(node))]
        span = self.context.span(node)
        return [tree.Case(wrapped(low, kind), wrapped(high, kind), inner, span), *rest]

    def _default(self, node: Node) -> list[tree.Statement]:
        inner, *rest = self._labelled(node)
        return [tree.Default(inner, self.context.span(node)), *rest]

    def _labelled(self, node: Node) -> list[tree.Statement]:
        parts = children(node)
        statements = self.of(parts[-1]) if parts else []
        return statements or [tree.Empty(self.context.span(node))]

    def _label(self, node: Node) -> list[tree.Statement]:
        if node.spelling in self._labels:
            return [self._unsupported(node, "a second label of the same name")]
        self._labels.add(node.spelling)
        inner, *rest = self._labelled(node)
        return [tree.Label(node.spelling, inner, self.context.span(node)), *rest]

    def _goto(self, node: Node) -> list[tree.Statement]:
        names = [child.spelling for child in children(node) if child.kind == Kind.LABEL_REF]
        if len(names) != 1:
            return [self._unsupported(node, "this goto")]
        return [tree.Goto(names[0], self.context.span(node))]

    def _computed_goto(self, node: Node) -> list[tree.Statement]:
        assert self._definition is not None
        found = computed_goto(self.context, node, self._definition)
        return [self._unsupported(node, "goto to a computed label") if found is None else found]

    def _break(self, node: Node) -> list[tree.Statement]:
        return [tree.Break(self.context.span(node))]

    def _continue(self, node: Node) -> list[tree.Statement]:
        return [tree.Continue(self.context.span(node))]

    def _return(self, node: Node) -> list[tree.Statement]:
        span = self.context.span(node)
        parts = children(node)
        assert self.context.locals is not None
        kind = self.context.locals.function.type.result
        if not parts:
            return [tree.Return(None, span)]
        value = self.context.expressions.operand(parts[0])
        if isinstance(kind, CVoid):
            effect = converted(value, kind)
            return [tree.Evaluate(effect, span), tree.Return(None, span)]
        return [tree.Return(converted(value, kind), span)]

    def _empty(self, node: Node) -> list[tree.Statement]:
        return [tree.Empty(self.context.span(node))]

    def _attributed(self, node: Node) -> list[tree.Statement]:
        """A statement with attributes, as in `__attribute__((fallthrough));`."""
        parts = [
            child
            for child in children(node)
            if child.kind.is_statement() or child.kind.is_expression()
        ]
        if len(parts) > 1:
            return [self._unsupported(node, "this statement")]
        return self.of(parts[0]) if parts else self._empty(node)

    def _assembly(self, node: Node) -> list[tree.Statement]:
        return [assembly(self.context, node)]


_Translate = Callable[[Statements, Node], list[tree.Statement]]
_TRANSLATE: dict[Any, _Translate] = {
    Kind.COMPOUND_STMT: Statements._compound,
    Kind.IF_STMT: Statements._if,
    Kind.WHILE_STMT: Statements._while,
    Kind.DO_STMT: Statements._do,
    Kind.FOR_STMT: Statements._for,
    Kind.SWITCH_STMT: Statements._switch,
    Kind.CASE_STMT: Statements._case,
    Kind.DEFAULT_STMT: Statements._default,
    Kind.LABEL_STMT: Statements._label,
    Kind.GOTO_STMT: Statements._goto,
    Kind.INDIRECT_GOTO_STMT: Statements._computed_goto,
    Kind.BREAK_STMT: Statements._break,
    Kind.CONTINUE_STMT: Statements._continue,
    Kind.RETURN_STMT: Statements._return,
    Kind.NULL_STMT: Statements._empty,
    Kind.UNEXPOSED_STMT: Statements._attributed,
    Kind.ASM_STMT: Statements._assembly,
}


def _lengths(variable: Node) -> list[Node]:
    """The expressions in the type of a variable."""
    value = initialiser_of(variable)
    return [
        child
        for child in children(variable)
        if child.kind.is_expression() and (value is None or child != value)
    ]
