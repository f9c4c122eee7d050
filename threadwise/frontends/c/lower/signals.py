"""Handlers of signals: for proofs, threads that may run at any time; no run has them.

A handler runs on some thread that exists, to its end before that thread goes on. As a thread of
its own it may do all that, and more: what holds for it there holds in the handler. Runs of such
threads are none of the program, so they lie behind a limit (`threadwise.ir.beyond`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.signal_flags import is_handler
from threadwise.frontends.c.types import CInteger, CPointer
from threadwise.ir.commands import Command
from threadwise.ir.expr import Expr

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


def run_any_handler(body: Body) -> None:
    """Call any one function that can be a handler, with any signal, or none."""
    start, after = body.at, body.node()
    body.add(after, Command())
    for function in body.unit.pointed:
        if not is_handler(function) and function not in body.unit.whole.other_handlers:
            continue
        body.at = body.node()
        body.graph.jump(start, body.at)
        body.step(Command())
        expr = tree.Call(
            tree.FunctionName(function, CPointer(function.type), function.span),
            (),
            function.type.result,
            function.span,
        )
        arguments: list[Expr] = [
            body.expressions.any_value(p.type)
            if isinstance(p.type, CInteger)
            else body.expressions.dummy(p.type)
            for p in function.parameters
        ]
        body.calls.enter(function, expr, arguments, None)
        body.graph.jump(body.at, after)
    body.at = after
