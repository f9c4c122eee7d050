"""Programs without `main`: threads that call the functions of `--entry`, and what runs before.

    --entry f,g                  any number of threads, from the beginning:
                                     caller:  loop { f(any) or g(any) }

    --entry f,g --entry-init h   one thread that sets up and then creates the others:
                                     main:    h(any); loop { create caller }
                                     caller:  loop { f(any) or g(any) }

What `--entry-init` names runs in the order given, and nothing runs beside it. A function that
returns an integer other than 0 has failed, as is usual for initialisers: nothing follows then.
"""

from __future__ import annotations

from threadwise.core.errors import InputError
from threadwise.core.suggestions import did_you_mean
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower import threads
from threadwise.frontends.c.lower.body import Body
from threadwise.frontends.c.lower.entry_arguments import EntryArguments
from threadwise.frontends.c.lower.unit import Unit
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER, ZERO
from threadwise.frontends.c.types import CBool, CFunction, CInteger, CPointer, CVoid, unqualified
from threadwise.ir.expr import Binary, BinaryOp, Expr

CALLER = "caller"
"""The template of the threads that call entry functions."""


def add_caller(program: tree.Program, first: tree.Function) -> None:
    """Declare what the created threads run, which is no function of the source."""
    pointer = CPointer(CVoid())
    if CALLER not in program.functions:
        program.functions[CALLER] = tree.Function(
            CALLER, CALLER, CFunction(pointer, ()), (), first.span
        )
    elif program.functions[CALLER].body is not None:
        raise InputError.of(f"`{CALLER}` is the name of threads that call functions of --entry")


def entry_function(unit: Unit, name: str) -> tree.Function:
    """A function that the user has named; raises InputError if there is none."""
    function = unit.program.functions.get(name)
    if function is None or function.body is None or function.library:
        defined = unit.program.functions.items()
        known = (n for n, f in defined if f.body is not None and not f.library)
        hint = did_you_mean(name, known)
        raise InputError.of(f"no function `{name}` to enter", hint=hint)
    return function


def set_up(body: Body) -> None:
    """The first thread: what runs before all others, then their creation."""
    for name in body.unit.options.entry_init:
        function = entry_function(body.unit, name)
        result = _call(body, function)
        held = unqualified(function.type.result)
        if result is not None and isinstance(held, CInteger | CBool):
            passed, failed = body.node(), body.graph.node(final=True)
            body.text = f"{name} has returned"
            body.branch(Binary(BinaryOp.EQ, result, ZERO), passed, failed)
            body.at = passed
    body.times = None
    body.loops += 1
    again = body.graph.node()
    body.move_to(again)
    caller = body.unit.program.functions[CALLER]
    body.text = f"a {CALLER} is created"
    threads.create(body, caller, NULL_POINTER)
    body.graph.jump(body.at, again)


def call_for_ever(body: Body) -> None:
    """Call entry functions, any of them, again and again."""
    body.times = None
    body.loops += 1
    start = body.graph.node()
    body.move_to(start)
    for name in body.unit.options.entry:
        body.at = body.graph.node()
        body.graph.jump(start, body.at)
        _call(body, entry_function(body.unit, name))
        body.graph.jump(body.at, start)


def _call(body: Body, function: tree.Function) -> Expr | None:
    """Call a function with any arguments."""
    body.span, body.text = function.span, f"{function.shown} is called"
    arguments = EntryArguments(body, function)
    values = [arguments.of(each) for each in function.parameters]
    return threads.run(body, function, values, converted=True)
