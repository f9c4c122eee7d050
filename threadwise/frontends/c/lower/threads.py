"""Threads: what starting, joining and ending one means, and the bodies of templates.

Each function that threads are started with is a template whose threads are the slots of a pool
(`threadwise.ir.pool`). How many slots: as many as the text of the program shows that starts can
happen, at most `max_threads`; starting more is a limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from threadwise.core.doubts import Doubt
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.inlining import may_start
from threadwise.frontends.c.lower.values.arithmetic import (
    NULL_POINTER,
    as_number,
    choice,
    either,
    opposite,
)
from threadwise.frontends.c.lower.values.requirements import NOT_A_THREAD
from threadwise.frontends.c.lower.values.types import Unrepresentable, is_aggregate
from threadwise.frontends.c.types import CPointer, CVoid, unqualified
from threadwise.ir import pool as pools
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    FALSE,
    AddressOf,
    Binary,
    BinaryOp,
    Expr,
    IsInstance,
    Place,
    Read,
    SelfId,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.pool import Pool
from threadwise.ir.pool_cells import FINISHED, STARTED
from threadwise.ir.program import FailureKind
from threadwise.ir.types import POINTER, TID

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

DESTROY = "__library_destroy_values"
AT_END = "__library_at_end"
"""What the library does where a thread ends, if keys have destructors."""
ENDS_EARLY = "__library_ends_early"
"""Whether a thread ends that was cancelled; only in programs that cancel threads."""
RUNNING = "a thread that runs when main returns"


def spawn(body: Body, start: Expr, argument: Expr, expr: tree.Call) -> Expr:
    """Start a thread of the function that a pointer means."""
    handle = VariablePlace(body.temporary(TID))
    known = body.calls.named(start)
    if known is not None:
        create(body, known, argument, handle)
        return Read(handle)
    body.note_addresses(start)
    after = body.node()
    meant = body.unit.origins.functions(expr.arguments[0], body.unit.pointed)
    for function in meant:
        if not may_start(function, body.unit.origins):
            continue
        chosen, other = body.node(), body.node()
        address = AddressOf(VariablePlace(body.unit.function(function)))
        body.branch(Binary(BinaryOp.EQ, start, address), chosen, other)
        body.at = chosen
        create(body, function, argument, handle)
        body.graph.jump(body.at, after)
        body.at = other
    body.limit("a thread is started with a pointer that means no function")
    body.at = after
    return Read(handle)


def create(
    body: Body, function: tree.Function, argument: Expr, handle: VariablePlace | None = None
) -> None:
    """Start a thread of a function."""
    unit = body.unit
    if function.name == "main":
        raise Unrepresentable("a thread that runs main")
    body.spawned.append((function, body.times))
    pool = unit.pool(function)
    found = pool.spawn([argument], handle)
    assert found.requires is not None
    what = f"more than {pool.slots} threads run {function.shown} (see --max-threads)"
    passed = body.require([(found.requires, what)], sync=True, kind=FailureKind.SLOTS)
    command = Command(passed, found.command.assignments)
    body.step(command, operation=found.operation, sync=True)


def join(body: Body, thread: Expr) -> Expr:
    """Wait for a thread to end; what it returned."""
    known = _pools(body)
    found = pools.join(thread, known)
    member = found.requires or FALSE
    passed = body.require([(member, NOT_A_THREAD)], sync=True)
    result = VariablePlace(body.temporary(POINTER))
    value: Expr = NULL_POINTER
    for pool in known:
        value = choice(IsInstance(thread, pool.template), pool.result_of(thread), value)
    if not known:
        return NULL_POINTER
    guard = Binary(BinaryOp.AND, passed, found.command.guard)
    body.step(Command(guard, (Assignment(result, value),)), operation=found.operation, sync=True)
    return Read(result)


def has_ended(body: Body, thread: Expr) -> Expr:
    """Whether a thread has ended."""
    value: Expr = FALSE
    for pool in _pools(body):
        ended = Binary(
            BinaryOp.AND,
            IsInstance(thread, pool.template),
            pool.has_status(thread, FINISHED),
        )
        value = ended if value == FALSE else Binary(BinaryOp.OR, value, ended)
    return as_number(value)


def _pools(body: Body) -> list[Pool]:
    unit = body.unit
    names = [name for name in unit.facts.slots if name in unit.program.functions]
    return [unit.pool(unit.program.functions[name]) for name in names]


def main_ends(body: Body) -> None:
    """The life of `main`'s variables ends: other threads that still run may use them.

    What these do then is not modelled: in proofs that allow it, that a thread runs is a limit.
    """
    unit = body.unit
    if not unit.main_locals or not unit.pools:
        return
    doubt = Doubt.of(RUNNING, body.span)
    unit.doubts[doubt] = None
    if not doubt.is_allowed(unit.options.doubts):
        return
    shown, body.text = body.text, doubt.told
    some: Expr = FALSE
    for pool in _pools(body):
        for slot in range(pool.slots):
            thread = ThreadAt(pool.template, number(slot))
            some = either(some, pool.has_status(thread, STARTED))
    limit = body.limit_node("a thread runs when main returns, and may use its variables")
    body.add(limit, Command(some), sync=True)
    body.text = shown
    body.step(Command(opposite(some)), sync=True)


def exit_thread(body: Body, result: Expr) -> None:
    """The thread at hand ends."""
    if body.procedure:
        _exit_from_procedure(body, result)
        return
    if body.name == "main" and body.pool is None:
        main_ends(body)
        if _leaves_the_end(body):
            return
    body.free_frames(all_frames=True)
    finish(body, result)
    body.at = body.node()


def _leaves_the_end(body: Body) -> bool:
    """Whether `main` ends without the program, at whose end functions run: a limit.

    The last thread would run them.
    """
    if AT_END not in body.unit.program.functions:
        return False
    body.limit("main ends before the program, at whose end functions run")
    return True


def at_end(body: Body) -> None:
    """The functions that were registered for the end of the program run, if there are any."""
    function = body.unit.program.functions.get(AT_END)
    if function is not None:
        body.text = "the program ends"
        run(body, function, [])


def _exit_from_procedure(body: Body, result: Expr) -> None:
    """The thread at hand ends in a procedure, which threads of any function may be in.

    The variables of its callers that live in memory are not freed: that nobody uses them any more
    is assumed.
    """
    body.unit.assume("local variables are not used after their functions returned")
    body.free_frames(all_frames=True)
    done = body.graph.node(final=True)
    for pool in _pools(body):
        mine, other = body.node(), body.node()
        body.branch(IsInstance(SelfId(), pool.template), mine, other)
        body.at = mine
        found = pool.finish(result)
        body.arc(done, found.command, operation=found.operation, sync=True)
        body.at = other
    main_ends(body)
    if not _leaves_the_end(body):
        body.goto(done)


def finish(body: Body, result: Expr) -> None:
    """The last step of a thread."""
    if body.pool is None:
        done = body.graph.node(final=True)
        body.goto(done)
        return
    pool = body.unit.pool(body.unit.program.functions[body.pool])
    found = pool.finish(result)
    done = body.graph.node(final=True)
    body.arc(done, found.command, operation=found.operation, sync=True)
    body.at = body.node()


def begin(body: Body, function: tree.Function) -> Expr:
    """The first step of a thread of a pool: wait to be started; its argument."""
    pool = body.unit.pool(function)
    body.graph.points[0].final = True
    argument = body.local("argument$", POINTER)
    begun = pool.begin([argument])
    body.span, body.text = function.span, f"{function.shown} starts"
    body.step(begun.command, operation=begun.operation, sync=True)
    return Read(VariablePlace(argument))


def thread_body(body: Body, function: tree.Function) -> None:
    """The body of a template: wait to be started, run the function, end."""
    argument = begin(body, function)
    _may_be_cancelled(body)
    try:
        result = _outcome(body, function, argument)
        _destroy_values(body)
    except Unrepresentable as refused:
        body.limit(str(refused))
        result = NULL_POINTER
    finish(body, result)


def _may_be_cancelled(body: Body) -> None:
    """A thread may end before it has done anything, in programs that cancel threads.

    It may stop anywhere, since others may go on without it: so it may seem to end anywhere.
    """
    function = body.unit.program.functions.get(ENDS_EARLY)
    if function is None:
        return
    body.text = "the thread may have been cancelled"
    ends = run(body, function, [])
    assert ends is not None
    early, on = body.node(), body.node()
    body.branch(Binary(BinaryOp.NE, ends, number(0)), early, on)
    body.at = early
    finish(body, NULL_POINTER)
    body.at = on


def _destroy_values(body: Body) -> None:
    """The destructors of keys run, if there are any."""
    function = body.unit.program.functions.get(DESTROY)
    if function is not None:
        body.text = "the destructors of keys"
        run(body, function, [])


def _outcome(body: Body, function: tree.Function, argument: Expr) -> Expr:
    """What the function that a thread runs returns, as a pointer."""
    if len(function.parameters) > 1:
        raise Unrepresentable(f"a thread that runs {function.shown}, which has more parameters")
    result = run(body, function, [argument])
    held = unqualified(function.type.result)
    if result is None or is_aggregate(held):
        return NULL_POINTER
    if isinstance(held, CPointer):
        return result
    return body.conversions.converted(result, held, CPointer(CVoid()))


def run(
    body: Body,
    function: tree.Function,
    arguments: Sequence[Expr | Place],
    *,
    converted: bool = False,
) -> Expr | None:
    """Run a function as the outermost activation; arguments are pointers unless `converted`."""
    values = list(arguments[: len(function.parameters)])
    expr = tree.Call(
        tree.FunctionName(function, CPointer(function.type), function.span),
        (),
        function.type.result,
        function.span,
    )
    for parameter, position in zip(function.parameters, range(len(values)), strict=False):
        held = unqualified(parameter.type)
        if not converted and not isinstance(held, CPointer):
            source = CPointer(CVoid())
            pointer: Expr = values[position]  # type: ignore[assignment]  # as all of them
            values[position] = body.conversions.converted(pointer, source, held)
    found = body.calls.enter(function, expr, values, None)
    if found is None or isinstance(unqualified(function.type.result), CVoid):
        return None
    value: Expr = found  # type: ignore[assignment]
    return value
