"""Calls and returns.

Neither may read shared memory. What touches shared data is evaluated into temporaries in a step
of its own before, or written from a temporary in a step of its own after.

In an atomic region calls are inlined: the callee's locals become locals of the caller, `return`
becomes an assignment and a jump.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from threadwise.frontends.model.lowering.body import Body, ranges
from threadwise.frontends.model.lowering.simple import store
from threadwise.frontends.model.reporter import Placed
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.symbols import ProcedureSymbol, TemplateSymbol
from threadwise.frontends.model.typing.typed import Check, Typed, TypedPlace, describe
from threadwise.ir.commands import Assignment, Call, Command, Return
from threadwise.ir.expr import TRUE, Read, Variable, VariablePlace
from threadwise.ir.expr import Scope as VariableScope
from threadwise.ir.fold import mentions_shared, within
from threadwise.ir.types import RangeType, Type

Inline = Callable[[Body, ProcedureSymbol], None]
_MOST_INLINED = 5_000
_DEEPEST_INLINED = 20


def procedure_of(body: Body, call: ast.Call) -> ProcedureSymbol | None:
    """The procedure a call means."""
    name = call.name.name
    found = body.symbols.procedures.get(name)
    if found is None:
        kind = body.symbols.kind(name)
        if kind is None:
            body.reporter.unknown(call.name, "procedure", name, body.symbols.procedures)
        else:
            hint = f"start it with `spawn {name}(…)`" if name in body.symbols.templates else None
            body.reporter.error(call.name, f"`{name}` is {kind}, not a procedure", hint)
    return found


def arguments_of(
    body: Body,
    node: ast.Call | ast.Spawn,
    name: str,
    parameters: Sequence[Variable],
) -> list[Typed] | None:
    """The arguments as they are stored in the parameters."""
    arguments = node.arguments
    if len(arguments) != len(parameters):
        wanted = f"{len(parameters)} argument{'' if len(parameters) == 1 else 's'}"
        body.reporter.error(node, f"`{name}` takes {wanted}, found {len(arguments)}")
        for argument in arguments:
            body.expressions.value(argument)
        return None
    values = [
        body.expressions.assigned(argument, parameter.type)
        for argument, parameter in zip(arguments, parameters, strict=True)
    ]
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else None


def _touches_shared(values: Sequence[Typed]) -> bool:
    return any(
        mentions_shared(value.expr) or any(mentions_shared(check) for check, _ in value.checks)
        for value in values
    )


def settled(
    body: Body,
    node: ast.Statement,
    values: list[Typed],
    types: Sequence[Type],
    what: str,
) -> list[Typed]:
    """The values, evaluated in a step of their own if one of them touches shared data."""
    if not _touches_shared(values):
        return values
    temporaries = [VariablePlace(body.temporary(held)) for held in types]
    assignments = tuple(
        Assignment(place, value.expr) for place, value in zip(temporaries, values, strict=True)
    )
    text = f"{what} of {body.reporter.text(node)}"
    body.step(node, Command(assignments=assignments), ranges(all_checks(values)), text=text)
    return [Typed(Read(place)) for place in temporaries]


def all_checks(values: Sequence[Typed]) -> list[Check]:
    """What must hold for all of the values to exist."""
    return [check for value in values for check in value.checks]


def call(
    body: Body, node: ast.Statement, syntax: ast.Call, target: TypedPlace | None, inline: Inline
) -> None:
    """`f(a);` or, with a target, `x = f(a);`."""
    procedure = procedure_of(body, syntax)
    if procedure is None:
        return
    if target is not None and procedure.result is None:
        body.reporter.error(syntax, f"`{procedure.name}` returns no value")
        return
    values = arguments_of(body, syntax, procedure.name, procedure.parameters)
    if values is None or (target is not None and not _fits(body, syntax, procedure, target)):
        return
    if body.region is not None:
        _inlined_call(body, node, procedure, values, target, inline)
        return
    types = [parameter.type for parameter in procedure.parameters]
    values = settled(body, node, values, types, "arguments")
    result = None if target is None else _result_place(body, procedure, target)
    body.step(
        node,
        Call(procedure.name, tuple(value.expr for value in values), result),
        ranges(all_checks(values)),
    )
    if target is not None and result is not None and result != target.place:
        _store_result(body, node, syntax, target, result)


def _fits(body: Body, syntax: ast.Call, procedure: ProcedureSymbol, target: TypedPlace) -> bool:
    """Whether a result may be stored in a place at all."""
    assert procedure.result is not None
    probe = Typed(Read(VariablePlace(Variable("", procedure.result, VariableScope.LOCAL))))
    return body.expressions.convert(probe, target.type, syntax) is not None


def _result_place(body: Body, procedure: ProcedureSymbol, target: TypedPlace) -> VariablePlace:
    """The target itself if the return may write it, otherwise a temporary."""
    held = procedure.result
    assert held is not None
    place = target.place
    own = isinstance(place, VariablePlace) and place.variable.scope is not VariableScope.GLOBAL
    if own and includes(target.type, held):
        assert isinstance(place, VariablePlace)
        return place
    return VariablePlace(body.temporary(held))


def includes(wider: Type, narrower: Type) -> bool:
    """Whether every value of a type is a value of another one."""
    if not isinstance(wider, RangeType):
        return True
    sample = Read(VariablePlace(Variable("", narrower, VariableScope.LOCAL)))
    return within(sample, wider.low, wider.high) == TRUE


def _store_result(
    body: Body, node: ast.Statement, syntax: ast.Call, target: TypedPlace, place: VariablePlace
) -> None:
    value = body.expressions.convert(Typed(Read(place)), target.type, syntax)
    if value is not None:
        store(body, node, target, value, f"result of {body.reporter.text(node)}")


def _inlined_call(
    body: Body,
    node: ast.Statement,
    procedure: ProcedureSymbol,
    values: Sequence[Typed],
    target: TypedPlace | None,
    inline: Inline,
) -> None:
    name = procedure.name
    if name in body.inlining:
        body.reporter.error(
            node,
            f"`{name}` calls itself inside an atomic block",
            "calls in atomic blocks are inlined, so they cannot be recursive",
        )
        return
    body.inlined_calls += 1
    if body.inlined_calls > _MOST_INLINED or len(body.inlining) >= _DEEPEST_INLINED:
        body.reporter.error(node, "too many nested calls in an atomic block")
        return
    caller = body.frame
    frame = body.inlined_frame(procedure, target)
    body.frame = frame
    parameters = [
        body.local(parameter.name, variable.type, exposable=False)
        for parameter, variable in zip(
            procedure.syntax.parameters, procedure.parameters, strict=True
        )
    ]
    if parameters:
        assignments = tuple(
            Assignment(VariablePlace(parameter), value.expr)
            for parameter, value in zip(parameters, values, strict=True)
        )
        body.step(node, Command(assignments=assignments), ranges(all_checks(values)))
    body.inlining.append(name)
    inline(body, procedure)
    body.inlining.pop()
    body.frame = caller
    body.arrive([frame.end.node])


def return_statement(body: Body, node: ast.Return, inline: Inline) -> None:
    """`return;` or `return e;`, of a thread, a procedure or an inlined call."""
    symbol = body.frame.symbol
    if isinstance(symbol, TemplateSymbol):
        if node.value is not None:
            body.reporter.error(node, "a thread returns no value")
        body.jump_to_exit(body.frame.end)
        return
    if node.value is None:
        if symbol.result is not None:
            wanted = describe(symbol.result)
            body.reporter.error(node, f"`{symbol.name}` must return a value of type {wanted}")
        else:
            _leave(body, node, None)
        body.current = None
        return
    if symbol.result is None:
        body.reporter.error(node, f"`{symbol.name}` is void and returns no value")
        return
    if isinstance(node.value, ast.Call) and node.value.name.name in body.symbols.procedures:
        _return_call(body, node, node.value, symbol.result, inline)
    else:
        value = body.expressions.assigned(node.value, symbol.result)
        if value is not None:
            handed = [value]
            if not body.frame.inlined:
                handed = settled(body, node, handed, [symbol.result], "value")
            _leave(body, node, handed[0])
    body.current = None


def _return_call(
    body: Body, node: ast.Return, syntax: ast.Call, result: Type, inline: Inline
) -> None:
    """`return f(a);`: a call whose result is handed on."""
    callee = body.symbols.procedures[syntax.name.name]
    if callee.result is None:
        body.reporter.error(syntax, f"`{callee.name}` returns no value")
        return
    handed = VariablePlace(body.temporary(callee.result))
    call(body, node, syntax, TypedPlace(handed), inline)
    value = body.expressions.convert(Typed(Read(handed)), result, syntax)
    if value is not None:
        _leave(body, node, value)


def _leave(body: Body, node: ast.Return, value: Typed | None) -> None:
    """The end of an activation, with the value it returns."""
    frame = body.frame
    if not frame.inlined:
        # A frame is popped outside of the region: the big step ends with the jump.
        region, body.region = body.region, None
        if region is not None and body.current is not None:
            outside = body.node()
            body.jump(outside)
            body.current = outside
        give_back(body, node, value)
        body.region = region
        return
    if value is not None:
        assert node.value is not None
        assert isinstance(frame.symbol, ProcedureSymbol)
        assert frame.symbol.result is not None
        target = frame.target
        if target is None and (value.checks or _touches_shared([value])):
            # The value is not used, but it is evaluated all the same.
            target = TypedPlace(VariablePlace(body.temporary(frame.symbol.result)))
        stored: Typed | None = value
        if target is not None and not includes(target.type, frame.symbol.result):
            stored = body.expressions.convert(value, target.type, node.value)
        if target is not None and stored is not None:
            store(body, node, target, stored, body.reporter.text(node))
    body.jump_to_exit(frame.end)


def give_back(
    body: Body, node: Placed, value: Typed | None = None, text: str | None = None
) -> None:
    """The edge that pops a frame."""
    source = body.here(node)
    body.builder.checked_edge(
        source,
        source,
        Return(None if value is None else value.expr),
        ranges(() if value is None else value.checks),
        span=body.reporter.span(node),
        text=body.reporter.text(node) if text is None else text,
    )
    body.current = None
