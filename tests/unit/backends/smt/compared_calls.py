"""Calls and returns, by an encoder and in the reference semantics: for both encoders alike."""

from __future__ import annotations

from typing import Any

from tests.unit.semantics.running import all_states
from threadwise.ir.commands import Call, Return

CALLS = """
int x;
int[0..9] twice(int[0..4] a) { int[0..9] r; r = a + a; return r; }
thread t { int[0..9] y; y = twice(3); x = y; assert(x == 6); }
"""


def compare_calls(comparison: Any) -> None:
    """Every call and every return of a program leads to the same stores and locations."""
    program, firing = comparison.run.interpreter.program, comparison.firing
    for state in all_states(comparison.run):
        l = state.locals[0]
        env = comparison.environment(state, 0)
        for edge in program.outgoing[l.pc]:
            if isinstance(edge.action, Call):
                (push,) = comparison.run.interpreter.push(0, l)
                entered = firing.enter(edge, env).after
                assert comparison.cells(entered.own) == [*push.l.thread, *push.l.locals]
                assert entered.location == push.l.pc
            if isinstance(edge.action, Return):
                frame = state.stacks[0][-1]
                (pop,) = comparison.run.interpreter.pop(0, l, frame)
                call = program.edges[frame.call]
                caller = program.procedure_of[call.source]
                kept = comparison.store([d.variable for d in caller.locals], frame.locals)
                left = firing.leave(call, edge, kept, env).after
                assert comparison.cells(left.own) == [*pop.l.locals, *pop.l.thread]
                assert left.location == pop.l.pc
