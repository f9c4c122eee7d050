"""Labels as values, `&&label`, and jumps to them, `goto *p`.

The address of a label is that of a variable which nothing else names: so addresses of labels are
copied and compared as other pointers, and differ from all of them. A jump asks which one it has:

    goto *p;   ──▶   { void *to = p; if (to == &&a) goto a; if (to == &&b) goto b; elsewhere }

The labels are those of the function whose address is taken in it. Elsewhere GNU C leaves undefined
what happens. Runs end there; for proofs, the jump leads to any of the labels, which is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.conversions import address, converted
from threadwise.frontends.c.parse.native import Kind, Node, children, descendants, kind_of
from threadwise.frontends.c.types import (
    C_BOOL,
    INT,
    VOID,
    CArray,
    CFunction,
    CInteger,
    CPointer,
    CType,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.context import Context

ASSUMED = "a computed goto leads to a label of its function whose address is taken there"
_CHARACTER = CInteger(8, signed=True)
_TEXT = CPointer(_CHARACTER)
_ANYWHERE = CPointer(VOID)


def label_address(context: Context, node: Node) -> tree.Expr | None:
    """`&&label`; None outside of functions."""
    if context.locals is None:
        return None
    return _address(context, _label(node), context.span(node))


def computed_goto(context: Context, node: Node, function: Node) -> tree.Statement | None:
    """`goto *p` in a function; None if that takes the address of no label."""
    assert context.locals is not None
    span = context.span(node)
    addressed = (n for n in descendants(function) if kind_of(n) == Kind.ADDR_LABEL_EXPR)
    labels = list(dict.fromkeys(map(_label, addressed)))
    targets = [child for child in children(node) if child.kind.is_expression()]
    if not labels or len(targets) != 1:
        return None
    name = context.locals.fresh("computed")
    chosen = tree.Variable(name, "computed", _ANYWHERE, tree.Storage.LOCAL, span)
    value = converted(context.expressions.value(targets[0]), _ANYWHERE)
    return tree.Compound(
        (
            tree.Declare(chosen, tree.ScalarInitial(value), span),
            *(_jump(context, chosen, label, span) for label in labels),
            *_elsewhere(context, labels, span),
        ),
        span,
    )


def _label(node: Node) -> str:
    return str(next(child.spelling for child in children(node) if child.kind == Kind.LABEL_REF))


def _address(context: Context, label: str, span: Span) -> tree.Expr:
    """The address of the variable that stands for a label."""
    assert context.locals is not None
    linked = context.symbols.linked
    name = f"{context.locals.function.name}.&&{label}"
    variable = linked.program.variables.get(name)
    if variable is None:
        variable = tree.Variable(
            name, f"&&{label}", _CHARACTER, tree.Storage.GLOBAL, span, constant=True
        )
        linked.enter_variable(variable)
    place = tree.VariableRef(variable, variable.type, span)
    return converted(address(place, span), _ANYWHERE)


def _jump(context: Context, chosen: tree.Variable, label: str, span: Span) -> tree.Statement:
    held = tree.Load(tree.VariableRef(chosen, chosen.type, span), chosen.type, span)
    is_it = tree.Binary(tree.BinaryOp.EQUAL, held, _address(context, label, span), INT, span)
    return tree.If(is_it, tree.Goto(label, span), None, span)


def _elsewhere(context: Context, labels: Sequence[str], span: Span) -> Iterator[tree.Statement]:
    """The end of runs; behind it any of the labels, of which the last needs no choice."""
    for name, text in (("__tw_assumption", ASSUMED), ("__tw_open_end", "goto to no label")):
        told = _text(text, span)
        yield tree.Evaluate(_call(context, name, VOID, (_TEXT,), (told,), span), span)
    for label in labels[:-1]:
        choice = _call(context, "__tw_any_bool", C_BOOL, (), (), span)
        yield tree.If(choice, tree.Goto(label, span), None, span)
    yield tree.Goto(labels[-1], span)


def _text(text: str, span: Span) -> tree.Expr:
    characters = (*text.encode(), 0)
    literal = tree.StringLiteral(characters, CArray(_CHARACTER, len(characters)), span)
    return tree.Decay(literal, _TEXT, span)


def _call(
    context: Context,
    name: str,
    result: CType,
    parameters: tuple[CType, ...],
    arguments: tuple[tree.Expr, ...],
    span: Span,
) -> tree.Expr:
    """A call of a primitive, which no declaration of the user's need name."""
    kind = CFunction(result, parameters)
    linked = context.symbols.linked
    function = linked.external_function(name)
    if function is None:
        function = linked.functions[name] = tree.Function(name, name, kind, (), span)
    linked.enter_function(function)
    callee = tree.FunctionName(function, CPointer(kind), span)
    return tree.Call(callee, arguments, result, span)
