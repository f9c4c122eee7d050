"""Statements that are one step: assignments, assertions, waiting, locks."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.frontends.model.lowering.body import MUTEX, Body, ranges
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.typed import Check, Typed, TypedPlace, describe
from threadwise.frontends.model.typing.types import cells, scalar_of
from threadwise.ir import operations
from threadwise.ir.builder import Node
from threadwise.ir.commands import Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import FALSE, TRUE, Place
from threadwise.ir.fold import negation
from threadwise.ir.program import Failure, FailureKind
from threadwise.ir.types import ArrayType, BoolType, MutexType, PerThread, is_scalar


def skip_statement(body: Body, node: ast.Skip) -> None:
    """A step that changes nothing."""
    body.step(node, Command())


def assignable(body: Body, node: ast.Expression) -> TypedPlace | None:
    """A place that a statement may write: one scalar."""
    place = body.expressions.place(node)
    if place is None or is_scalar(place.type):
        return place
    text = body.reporter.text(node)
    if isinstance(place.type, MutexType):
        hint = f"use `acquire({text})` and `release({text})`"
        body.reporter.error(node, f"the mutex `{text}` cannot be assigned", hint)
    else:
        body.reporter.error(node, f"the array `{text}` cannot be assigned as a whole")
    return None


def assign(
    body: Body,
    places: Sequence[ast.Expression],
    values: Sequence[ast.Expression],
    node: ast.Assign,
) -> None:
    """`x, y = e, f`: everything is evaluated in the old state, then written."""
    found = [body.expressions.value(value) for value in values]
    targets = [assignable(body, place) for place in places]
    _report_repeated(body, places, targets)
    evaluated: list[Check] = []
    located: list[Check] = []
    fitting: list[Check] = []
    assignments: list[Assignment] = []
    for typed, target, value in zip(found, targets, values, strict=True):
        if typed is None or target is None:
            continue
        stored = body.expressions.convert(typed, target.type, value)
        if stored is None:
            continue
        evaluated += typed.checks
        located += target.checks
        fitting += stored.checks[len(typed.checks) :]
        assignments.append(Assignment(target.place, stored.expr))
    checks = ranges((*evaluated, *located, *fitting))
    body.step(node, Command(assignments=tuple(assignments)), checks)


def _report_repeated(
    body: Body, places: Sequence[ast.Expression], targets: Sequence[TypedPlace | None]
) -> None:
    seen: set[Place] = set()
    for node, target in zip(places, targets, strict=True):
        if target is None:
            continue
        if target.place in seen:
            text = body.reporter.text(node)
            body.reporter.error(node, f"`{text}` is assigned twice in one statement")
        seen.add(target.place)


def store(body: Body, node: ast.Statement, target: TypedPlace, value: Typed, text: str) -> None:
    """A step that puts a value already converted into a place."""
    command = Command(assignments=(Assignment(target.place, value.expr),))
    body.step(node, command, ranges((*value.checks, *target.checks)), text=text)


def havoc_statement(body: Body, node: ast.Havoc) -> None:
    """Any value; an array stands for all its elements."""
    havocs: list[Place] = []
    checks: list[Check] = []
    for syntax in node.places:
        place = body.expressions.place(syntax)
        if place is None or not _may_be_any(body, syntax, place):
            continue
        checks += place.checks
        havocs += cells(place.place)
    body.step(node, Command(havocs=tuple(havocs)), ranges(checks))


def _may_be_any(body: Body, syntax: ast.Expression, place: TypedPlace) -> bool:
    text = body.reporter.text(syntax)
    if isinstance(scalar_of(place.type), MutexType):
        body.reporter.error(syntax, f"the mutex `{text}` cannot be changed by `havoc`")
        return False
    held = place.type
    while isinstance(held, ArrayType):
        if isinstance(held.extent, PerThread):
            hint = f"write `havoc {text}[self]`"
            body.reporter.error(syntax, f"`{text}` has one element per thread", hint)
            return False
        held = held.element
    return True


def choose(body: Body, node: ast.Statement, call: ast.Call, target: TypedPlace) -> None:
    """`x = choose(e, f)`: one edge for each alternative."""
    if not call.arguments:
        body.reporter.error(call, "`choose` needs at least one value")
        return
    source = body.here(node)
    after = body.node()
    for argument in call.arguments:
        value = body.expressions.assigned(argument, target.type)
        if value is None:
            continue
        body.current = source
        command = Command(assignments=(Assignment(target.place, value.expr),))
        text = f"{body.reporter.text(node)} -> {body.reporter.text(argument)}"
        checks = ranges((*value.checks, *target.checks))
        body.alternatives(node, checks, [(command, after, text)])
    body.current = after


def assume_statement(body: Body, node: ast.Assume) -> None:
    """Wait until the condition holds."""
    condition = body.expressions.condition(node.condition)
    if condition is not None:
        body.step(node, Command(condition.expr), ranges(condition.checks))


def assert_statement(body: Body, node: ast.Assert) -> None:
    """Go on if the condition holds, otherwise to a failure location."""
    condition = body.expressions.condition(node.condition)
    if condition is None:
        return
    text = body.reporter.text(node)
    span = body.reporter.span(node)
    name = body.survey.assertion_names[node.start_pos]
    message = f"assertion `{body.reporter.text(node.condition)}` failed"
    failure = Failure(FailureKind.ASSERTION, name, message)
    ways: list[tuple[Command, Node, str]] = []
    after = None
    if condition.expr != FALSE:
        after = body.node()
        ways.append((Command(condition.expr), after, text))
    if condition.expr != TRUE:
        wrong = body.builder.failure(failure, span)
        ways.append((Command(negation(condition.expr)), wrong, text))
    operation = Operation(OperationKind.ASSERT)
    body.alternatives(node, ranges(condition.checks), ways, operation)
    body.current = after


def acquire(body: Body, node: ast.Statement, call: ast.Call) -> None:
    """Wait for a mutex and take it."""
    mutex = _mutex_argument(body, call)
    if mutex is not None:
        done = operations.acquire(mutex.place)
        body.step(node, done.command, ranges(mutex.checks), operation=done.operation)


def release(body: Body, node: ast.Statement, call: ast.Call) -> None:
    """Give a mutex back; the thread must hold it."""
    mutex = _mutex_argument(body, call)
    if mutex is None:
        return
    done = operations.release(mutex.place)
    assert done.requires is not None
    text = body.reporter.text(call.arguments[0])
    misuse = Failure(
        FailureKind.MUTEX, MUTEX, f"release of `{text}` which the thread does not hold"
    )
    checks = [*ranges(mutex.checks), (done.requires, misuse)]
    body.step(node, done.command, checks, operation=done.operation)


def try_acquire(body: Body, node: ast.Statement, call: ast.Call, target: TypedPlace) -> None:
    """`b = try_acquire(m)`: one edge for each outcome."""
    mutex = _mutex_argument(body, call)
    if mutex is None:
        return
    if not isinstance(target.type, BoolType):
        body.reporter.error(call, f"expected {describe(target.type)}, found bool")
        return
    outcomes = operations.try_acquire(
        mutex.place, Assignment(target.place, TRUE), Assignment(target.place, FALSE)
    )
    after = body.node()
    text = body.reporter.text(node)
    ways = [
        (done.command, after, f"{text} -> {outcome}")
        for done, outcome in zip(outcomes, ("true", "false"), strict=True)
    ]
    checks = ranges((*mutex.checks, *target.checks))
    body.alternatives(node, checks, ways, outcomes[0].operation)
    body.current = after


def _mutex_argument(body: Body, call: ast.Call) -> TypedPlace | None:
    if len(call.arguments) != 1:
        body.reporter.error(call, f"`{call.name.name}` takes one mutex")
        return None
    return body.expressions.mutex(call.arguments[0])
