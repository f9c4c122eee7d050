"""Starting threads and waiting for their end.

The edges of `spawn` and `join` synchronise, so that an access to shared data there would not count
as one; such data is read before or written after, in a step of its own.
"""

from __future__ import annotations

from threadwise.frontends.model.lowering.body import RANGE, Body, ranges
from threadwise.frontends.model.lowering.calls import all_checks, arguments_of, settled
from threadwise.frontends.model.lowering.simple import store
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.typed import Typed, TypedPlace, describe
from threadwise.ir import pool as pools
from threadwise.ir.expr import Read, VariablePlace
from threadwise.ir.fold import is_shared, mentions_shared, place_expressions
from threadwise.ir.program import Failure, FailureKind
from threadwise.ir.types import TID, TidType


def spawn(body: Body, node: ast.Statement, syntax: ast.Spawn, target: TypedPlace | None) -> None:
    """`spawn t(a);` or `h = spawn t(a);`."""
    name = syntax.template.name
    template = body.symbols.templates.get(name)
    if template is None or template.pool is None:
        spawned = [t.name for t in body.symbols.templates.values() if t.pool is not None]
        if template is None:
            body.reporter.unknown(syntax.template, "thread", name, spawned)
        else:
            hint = f"give it parameters: `thread {name}() {{ … }}`"
            body.reporter.error(syntax.template, f"`{name}` cannot be started by `spawn`", hint)
        return
    values = arguments_of(body, syntax, name, template.parameters)
    if target is not None and not isinstance(target.type, TidType):
        body.reporter.error(syntax, f"expected {describe(target.type)}, found tid")
        return
    if values is None:
        return
    types = [parameter.type for parameter in template.parameters]
    if body.region is None:
        values = settled(body, node, values, types, "arguments")
    handle = target
    if target is not None and body.region is None and _is_shared_place(target):
        handle = TypedPlace(VariablePlace(body.temporary(TID)))
    started = template.pool.spawn(
        [value.expr for value in values], None if handle is None else handle.place
    )
    assert started.requires is not None
    limit = Failure(FailureKind.SLOTS, "", f"spawn beyond --max-threads {template.pool.slots}")
    located = () if handle is None else handle.checks
    checks = [*ranges((*all_checks(values), *located)), (started.requires, limit)]
    body.step(node, started.command, checks, operation=started.operation, sync=True)
    if target is not None and handle is not None and handle is not target:
        value = Typed(Read(handle.place))
        store(body, node, target, value, f"result of {body.reporter.text(node)}")


def _is_shared_place(target: TypedPlace) -> bool:
    evaluated = [*place_expressions(target.place), *(check for check, _ in target.checks)]
    return is_shared(target.place) or any(map(mentions_shared, evaluated))


def join_statement(body: Body, node: ast.Join) -> None:
    """Wait until a spawned thread has finished."""
    handle = body.expressions.expect(node.handle, TID)
    if handle is None:
        return
    if not body.symbols.pools:
        body.reporter.error(
            node, "there is no thread to join", "declare one that `spawn` can start"
        )
        return
    if body.region is None:
        handle = settled(body, node, [handle], [TID], "handle")[0]
    done = pools.join(handle.expr, body.symbols.pools)
    assert done.requires is not None
    text = body.reporter.text(node.handle)
    stranger = Failure(FailureKind.RANGE, RANGE, f"`{text}` is not a spawned thread")
    checks = [*ranges(handle.checks), (done.requires, stranger)]
    body.step(node, done.command, checks, operation=done.operation, sync=True)
