"""The attribute `cleanup`: a function that is called where the life of a variable ends.

    __attribute__((cleanup(unlock))) lock_t *l = take(&m);     unlock(&l) where the block ends

The tree says so in full: calls stand at the end of the block and before every `return`, `break`,
`continue` and `goto` that leaves it, the newest variable first; what is returned is computed
before them. Such variables inside of `({ … })`, and jumps inside of one, are not supported: a
function with one ends the model. The compiler refuses jumps into the life of such a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.conversions import converted
from threadwise.frontends.c.parse.symbols import Locals
from threadwise.frontends.c.types import CPointer
from threadwise.frontends.c.walking import nodes

_NAME = re.compile(r"\bcleanup\((\w+)\)")
_JUMPS = (tree.Return, tree.Break, tree.Continue, tree.Goto, tree.Label)
REFUSED = "the attribute cleanup"

Living = tuple[tree.Variable, ...]
"""The variables to be cleaned up whose life has begun, the oldest first."""


def cleaning_function(declaration: str) -> str | None:
    """The function that a declaration, as text, says to clean up with."""
    found = _NAME.search(declaration)
    return None if found is None else found[1]


def with_cleanups(
    body: tree.Compound, functions: Mapping[tree.Variable, tree.Function], local: Locals
) -> tree.Compound:
    """The body of a function with all calls that clean up its variables."""
    for expr in nodes(body):
        if isinstance(expr, tree.StatementExpression) and _leaves(expr, functions):
            ends = tree.UnsupportedStatement(f"{REFUSED} in or around `({{ … }})`", expr.span)
            return replace(body, statements=(ends, *body.statements))
    labels: dict[str, Living] = {}
    _Cleanups(functions, local, labels).block(body, ())
    return _Cleanups(functions, local, labels).block(body, ())


def _leaves(
    expr: tree.StatementExpression, functions: Mapping[tree.Variable, tree.Function]
) -> bool:
    """Whether lives end inside of an expression, or may end by a jump out of it."""
    return any(
        isinstance(part, _JUMPS) or (isinstance(part, tree.Declare) and part.variable in functions)
        for part in nodes(expr.body)
    )


@dataclass(frozen=True)
class _Around:
    """What lives around a statement, and how much of it where jumps out of it lead."""

    living: Living = ()
    at_break: Living = ()
    at_continue: Living = ()
    at_switch: Living = ()


@dataclass
class _Cleanups:
    functions: Mapping[tree.Variable, tree.Function]
    local: Locals
    labels: dict[str, Living] = field(default_factory=dict)
    """What lives at each label, as far as they were met; all of them the second time."""

    def block(self, node: tree.Compound, living: Living) -> tree.Compound:
        """A block, with nothing around it that a jump could lead to."""
        return self._block(node, _Around(living))

    def _block(self, node: tree.Compound, around: _Around) -> tree.Compound:
        outside = around.living
        found: list[tree.Statement] = []
        for each in node.statements:
            if isinstance(each, tree.Declare) and each.variable in self.functions:
                found.append(each)
                around = replace(around, living=(*around.living, each.variable))
            else:
                found.append(self._of(each, around))
        found += self._calls(around.living, outside, node.span)
        return replace(node, statements=tuple(found))

    def _of(self, node: tree.Statement, around: _Around) -> tree.Statement:
        living = around.living
        inside = replace(around, at_break=living, at_continue=living)
        match node:
            case tree.Compound():
                return self._block(node, around)
            case tree.If(_, then, otherwise):
                rest = None if otherwise is None else self._of(otherwise, around)
                return replace(node, then=self._of(then, around), otherwise=rest)
            case tree.While() | tree.DoWhile():
                return replace(node, body=self._of(node.body, inside))
            case tree.For():
                first = None if node.first is None else self._of(node.first, around)
                return replace(node, first=first, body=self._of(node.body, inside))
            case tree.Switch():
                inside = replace(around, at_break=living, at_switch=living)
                return replace(node, body=self._of(node.body, inside))
            case tree.Case() | tree.Default():
                if around.at_switch != living:
                    return tree.UnsupportedStatement(f"a case label behind {REFUSED}", node.span)
                return replace(node, body=self._of(node.body, around))
            case tree.Label():
                self.labels[node.name] = living
                return replace(node, body=self._of(node.body, around))
            case tree.Goto():
                return self._goto(node, living)
            case tree.Break():
                return self._leaving(node, living, around.at_break)
            case tree.Continue():
                return self._leaving(node, living, around.at_continue)
            case tree.Return():
                return self._return(node, living)
            case tree.Declare(variable) if variable in self.functions:
                return tree.UnsupportedStatement(f"{REFUSED} here", node.span)
            case _:
                return node

    def _goto(self, node: tree.Goto, living: Living) -> tree.Statement:
        there = self.labels.get(node.name, ())
        if living[: len(there)] != there:
            return tree.UnsupportedStatement(f"goto behind {REFUSED}", node.span)
        return self._leaving(node, living, there)

    def _return(self, node: tree.Return, living: Living) -> tree.Statement:
        if not living:
            return node
        if node.value is None or isinstance(node.value, tree.IntegerConstant):
            return self._leaving(node, living, ())
        kind, span = node.value.type, node.span
        kept = tree.Variable(
            self.local.fresh("returned"), "returned", kind, tree.Storage.LOCAL, span
        )
        load = tree.Load(tree.VariableRef(kept, kind, span), kind, span)
        return tree.Compound(
            (
                tree.Declare(kept, tree.ScalarInitial(node.value), span),
                *self._calls(living, (), span),
                tree.Return(load, span),
            ),
            span,
        )

    def _leaving(self, node: tree.Statement, living: Living, there: Living) -> tree.Statement:
        if living == there:
            return node
        return tree.Compound((*self._calls(living, there, node.span), node), node.span)

    def _calls(self, living: Living, there: Living, span: Span) -> Iterator[tree.Statement]:
        """The calls on the way from where some variables live to where fewer do."""
        for variable in reversed(living[len(there) :]):
            function = self.functions[variable]
            name = tree.FunctionName(function, CPointer(function.type), span)
            place = tree.VariableRef(variable, variable.type, span)
            address: tree.Expr = tree.AddressOf(place, CPointer(variable.type), span)
            if function.type.parameters:
                address = converted(address, function.type.parameters[0])
            yield tree.Evaluate(tree.Call(name, (address,), function.type.result, span), span)
