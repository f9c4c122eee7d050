"""Statements that direct control: conditions, loops, choices, jumps and atomic regions."""

from __future__ import annotations

from collections.abc import Callable

from threadwise.frontends.model.lowering.body import Body, Loop, ranges
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.typed import Typed
from threadwise.ir.builder import Node
from threadwise.ir.commands import Command
from threadwise.ir.expr import TRUE, Const

Translate = Callable[[Body, ast.Statement], None]


def if_statement(body: Body, node: ast.If, translate: Translate) -> None:
    """One step for each condition of a chain of `else if`."""
    ends: list[Node | None] = []
    current: ast.Statement | None = node
    while isinstance(current, ast.If):
        then, otherwise = _condition(body, current.condition)
        body.current = then
        translate(body, current.then)
        ends.append(body.current)
        body.current = otherwise
        current = current.otherwise
    if current is not None:
        translate(body, current)
    ends.append(body.current)
    body.arrive(ends)


def _condition(body: Body, node: ast.Expression) -> tuple[Node | None, Node | None]:
    """Where control goes if a condition holds and if not; None where it never goes."""
    condition = body.expressions.condition(node)
    if condition is None:
        return body.current, None
    decided = _decided(condition)
    if decided is not None:
        return (body.current, None) if decided else (None, body.current)
    return body.branch(node, condition)


def _decided(condition: Typed) -> bool | None:
    """The value of a condition that is known before the program runs: it takes no step."""
    if isinstance(condition.expr, Const) and not condition.checks:
        return condition.expr == TRUE
    return None


def while_statement(body: Body, node: ast.While, translate: Translate) -> None:
    """A loop; an endless one has no step for its condition."""
    _loop(body, node.condition, node, lambda: translate(body, node.body), None)


def for_statement(body: Body, node: ast.For, translate: Translate) -> None:
    """A loop with a first and a repeated statement."""
    body.frame.scope.enter()
    for first in node.first:
        translate(body, first)
    step = node.step
    repeat = None if step is None else lambda: translate(body, step)
    _loop(body, node.condition, node, lambda: translate(body, node.body), repeat)
    body.frame.scope.leave()


def _loop(
    body: Body,
    condition: ast.Expression | None,
    node: ast.While | ast.For,
    inside: Callable[[], None],
    repeat: Callable[[], None] | None,
) -> None:
    head = body.here(condition or node)
    loop = Loop(body.exit(), body.exit())
    leaving: Node | None = None
    if condition is not None:
        body.current, leaving = _condition(body, condition)
    body.frame.loops.append(loop)
    inside()
    body.frame.loops.pop()
    body.arrive((body.current, loop.again.node))
    if repeat is not None:
        repeat()
    body.jump(head)
    body.arrive((leaving, loop.after.node))


def break_statement(body: Body, node: ast.Break) -> None:
    """Leave the innermost loop."""
    if not body.frame.loops:
        body.reporter.error(node, "`break` outside of a loop")
        return
    body.jump_to_exit(body.frame.loops[-1].after)


def continue_statement(body: Body, node: ast.Continue) -> None:
    """Go on with the next round of the innermost loop."""
    if not body.frame.loops:
        body.reporter.error(node, "`continue` outside of a loop")
        return
    body.jump_to_exit(body.frame.loops[-1].again)


def either_statement(body: Body, node: ast.Either, translate: Translate) -> None:
    """A choice: the first steps of all branches are offered here."""
    source = body.here(node)
    ends: list[Node | None] = []
    for branch in node.branches:
        body.current = body.node()
        body.builder.jump(source, body.current)
        translate(body, branch)
        ends.append(body.current)
    body.arrive(ends)


def label(body: Body, node: ast.Label) -> None:
    """Name the location reached so far."""
    name = node.name.name
    place = body.frame.survey.labels[name]
    if place.name is not node.name:
        return
    target = _label_node(body, name)
    if not body.frame.inlined:
        body.builder.label(target, name)
    body.jump(target)
    body.current = target


def goto_statement(body: Body, node: ast.Goto) -> None:
    """Go to a label of the same body; `survey` has reported a label that cannot be reached."""
    name = node.label.name
    if name in body.frame.survey.labels:
        body.jump(_label_node(body, name))
    body.current = None


def _label_node(body: Body, name: str) -> Node:
    frame = body.frame
    if name not in frame.labels:
        inside = frame.inlined or frame.survey.labels[name].region is not None
        frame.labels[name] = body.builder.node(atomic=inside)
    return frame.labels[name]


def atomic_statement(body: Body, node: ast.Atomic, translate: Translate) -> None:
    """One big step; inside another one the braces add nothing."""
    if body.region is not None:
        translate(body, node.body)
        return
    before = body.here(node)
    body.region = node
    body.current = body.node()
    body.builder.jump(before, body.current)
    translate(body, node.body)
    _leave_region(body)


def await_statement(body: Body, node: ast.Await, translate: Translate) -> None:
    """One big step that begins with waiting for the condition."""
    outermost = body.region is None
    condition = body.expressions.condition(node.condition)
    if condition is not None:
        before = body.here(node)
        if outermost:
            body.region = node
        text = f"await({body.reporter.text(node.condition)})"
        inside = body.node()
        body.current = before
        ways = [(Command(condition.expr), inside, text)]
        body.alternatives(node, ranges(condition.checks), ways)
        body.current = inside
    translate(body, node.body)
    if outermost and condition is not None:
        _leave_region(body)


def _leave_region(body: Body) -> None:
    body.region = None
    if body.current is not None:
        after = body.node()
        body.jump(after)
        body.current = after
