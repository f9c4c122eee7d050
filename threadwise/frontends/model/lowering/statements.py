"""The translation of statements, and of the bodies they make up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from threadwise.frontends.model.lowering import calls, control, simple, spawning
from threadwise.frontends.model.lowering.body import RANGE, Body
from threadwise.frontends.model.lowering.locals import declare, local_type
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.symbols import ProcedureSymbol
from threadwise.frontends.model.typing.typed import TypedPlace
from threadwise.ir.commands import Command
from threadwise.ir.expr import VariablePlace
from threadwise.ir.program import Failure, FailureKind, MoverClaim


def body_statements(body: Body, statements: Sequence[ast.Statement]) -> None:
    """The statements of a whole body, the leading declarations first."""
    leading = not body.frame.inlined
    for statement in statements:
        leading = leading and isinstance(statement, ast.Declaration)
        if leading and isinstance(statement, ast.Declaration):
            _declaration(body, statement, leading=True)
        else:
            translate(body, statement)


def procedure_body(body: Body, procedure: ProcedureSymbol) -> None:
    """The statements of a procedure, and what happens at its end."""
    syntax = procedure.syntax.body
    body_statements(body, syntax.statements)
    if body.current is None:
        return
    closing = ast.Block((), syntax.end_pos - 1, syntax.end_pos, 1)
    if procedure.result is None:
        if body.frame.inlined:
            body.jump_to_exit(body.frame.end)
        else:
            calls.give_back(body, closing, text="return")
        return
    message = f"procedure `{procedure.name}` ends without returning a value"
    failure = Failure(FailureKind.RANGE, RANGE, message)
    wrong = body.builder.failure(failure, body.reporter.span(closing))
    body.alternatives(closing, (), [(Command(), wrong, "end of procedure")])


def translate(body: Body, statement: ast.Statement) -> None:
    """One statement, from where control is to where it goes on."""
    match statement:
        case ast.Block(statements):
            body.frame.scope.enter()
            for part in statements:
                translate(body, part)
            body.frame.scope.leave()
        case ast.If():
            control.if_statement(body, statement, translate)
        case ast.While():
            control.while_statement(body, statement, translate)
        case ast.For():
            control.for_statement(body, statement, translate)
        case ast.Either():
            control.either_statement(body, statement, translate)
        case ast.Atomic():
            control.atomic_statement(body, statement, translate)
        case ast.Await():
            control.await_statement(body, statement, translate)
        case ast.Annotated():
            _annotated(body, statement)
        case _:
            body.free_temporaries()
            _simple(body, statement)


def _annotated(body: Body, node: ast.Annotated) -> None:
    """`mover right x = 1;`: a claim about the one step that the statement is."""
    claims = {claim.value: claim for claim in MoverClaim}
    claim = claims.get(node.direction.name)
    if claim is None:
        body.reporter.unknown(node.direction, "direction", node.direction.name, claims)
    elif body.region is not None:
        hint = "say it of the block as a whole"
        body.reporter.error(node, "`mover` inside an atomic block", hint)
    elif not _is_one_step(node.statement):
        hint = "it goes before an assignment, a lock, an assertion, `await`, …"
        body.reporter.error(node, "`mover` before a statement that is not one step", hint)
    body.builder.mover = claim
    translate(body, node.statement)
    body.builder.mover = None


def _is_one_step(statement: ast.Statement) -> bool:
    match statement:
        case ast.Assign(_, (ast.Call(ast.Name(name)),)) | ast.Perform(ast.Call(ast.Name(name))):
            return name in _STEPS
        case ast.Assign(_, values):
            return not any(isinstance(value, ast.Spawn) for value in values)
        case ast.Assert() | ast.Assume() | ast.Havoc() | ast.Skip() | ast.Atomic() | ast.Await():
            return True
        case _:
            return False


_STEPS = ("choose", "try_acquire", "acquire", "release", "holds")


def _simple(body: Body, statement: ast.SimpleStatement) -> None:
    match statement:
        case ast.Assign():
            _assign(body, statement)
        case ast.Perform(action):
            _perform(body, statement, action)
        case ast.Declaration():
            _declaration(body, statement, leading=False)
        case ast.Label():
            control.label(body, statement)
        case ast.Assert():
            simple.assert_statement(body, statement)
        case ast.Assume():
            simple.assume_statement(body, statement)
        case ast.Havoc():
            simple.havoc_statement(body, statement)
        case ast.Skip():
            simple.skip_statement(body, statement)
        case ast.Return():
            calls.return_statement(body, statement, procedure_body)
        case ast.Goto():
            control.goto_statement(body, statement)
        case ast.Break():
            control.break_statement(body, statement)
        case ast.Continue():
            control.continue_statement(body, statement)
        case ast.Join():
            spawning.join_statement(body, statement)


def _assign(body: Body, node: ast.Assign) -> None:
    if len(node.places) != len(node.values):
        count = len(node.values)
        values_found = f"{count} value{'' if count == 1 else 's'}"
        body.reporter.error(node, f"{values_found} for {len(node.places)} places")
        return
    if len(node.values) == 1 and _is_special(node.values[0]):
        target = simple.assignable(body, node.places[0])
        if target is not None:
            _assign_special(body, node, target, node.values[0])
        return
    values: list[ast.Expression] = []
    for value in node.values:
        if isinstance(value, ast.Spawn) or _is_special(value):
            text = body.reporter.text(value)
            body.reporter.error(value, f"`{text}` must be the only value of its assignment")
            return
        values.append(value)
    simple.assign(body, node.places, values, node)


def _is_special(value: object) -> TypeGuard[ast.Call | ast.Spawn]:
    """Whether a right-hand side is more than an expression."""
    if isinstance(value, ast.Call):
        return value.name.name not in ("holds", "at")
    return isinstance(value, ast.Spawn)


def _assign_special(
    body: Body, node: ast.Statement, target: TypedPlace, value: ast.Call | ast.Spawn
) -> None:
    match value:
        case ast.Spawn():
            spawning.spawn(body, node, value, target)
        case ast.Call(ast.Name("choose")):
            simple.choose(body, node, value, target)
        case ast.Call(ast.Name("try_acquire")):
            simple.try_acquire(body, node, value, target)
        case ast.Call(ast.Name("acquire" | "release" as name)):
            body.reporter.error(value, f"`{name}` returns no value")
        case ast.Call():
            calls.call(body, node, value, target, procedure_body)


def _perform(body: Body, node: ast.Perform, action: ast.RightSide) -> None:
    match action:
        case ast.Spawn():
            spawning.spawn(body, node, action, None)
        case ast.Call(ast.Name("acquire")):
            simple.acquire(body, node, action)
        case ast.Call(ast.Name("release")):
            simple.release(body, node, action)
        case ast.Call(ast.Name("choose" | "try_acquire" | "holds" | "at" as name)):
            hint = f"assign it to a variable: `x = {name}(…);`"
            body.reporter.error(action, f"the result of `{name}` is not used", hint)
        case ast.Call():
            calls.call(body, node, action, None, procedure_body)
        case _:
            text = body.reporter.text(node)
            body.reporter.error(
                node, f"`{text}` is not a statement", f"assign to it: `{text} = …;`"
            )


def _declaration(body: Body, node: ast.Declaration, *, leading: bool) -> None:
    """A local declaration; its initialiser may be anything an assignment takes."""
    if not _is_special(node.initialiser):
        declare(body, node, leading=leading)
        return
    held = local_type(body, node)
    if held is None:
        return
    if node.extents:
        text = body.reporter.text(node.initialiser)
        body.reporter.error(node, f"`{text}` cannot initialise an array")
        return
    variable = body.local(node.name, held, exposable=body.frame.scope.is_outermost)
    target = TypedPlace(VariablePlace(variable))
    _assign_special(body, node, target, node.initialiser)
