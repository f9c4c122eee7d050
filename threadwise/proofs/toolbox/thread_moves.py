"""The moves of one thread, whatever the others hold: computed once, used in many states.

A move depends on the thread's own stores and the shared one only. A heap is left as the step
leaves it, not renumbered: the addresses that other threads hold stay good.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from threadwise.ir.program import EdgeId
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter


class ThreadMove(NamedTuple):
    """What a thread and the shared store are after a move, and the edges it took."""

    g: GlobalStore
    l: LocalStore
    stack: tuple[Frame, ...]
    edges: tuple[EdgeId, ...]


def thread_moves(interpreter: Interpreter, state: State, thread: int) -> Iterator[ThreadMove]:
    """All moves of a thread (rules STEP, PUSH and POP of FQ §3)."""
    g, l, stack = state.g, state.locals[thread], state.stacks[thread]
    for step in interpreter.step(thread, g, l):
        yield ThreadMove(step.g, step.l, stack, tuple(choice.edge for choice in step.choices))
    for push in interpreter.push(thread, l):
        yield ThreadMove(g, push.l, (*stack, push.frame), (push.choice.edge,))
    if stack:
        for pop in interpreter.pop(thread, l, stack[-1]):
            yield ThreadMove(g, pop.l, stack[:-1], (pop.choice.edge,))


def successors_by(state: State, thread: int, moves: Iterable[ThreadMove]) -> Iterator[State]:
    """The states after moves of a thread, their heaps not renumbered."""
    for g, l, stack, _ in moves:
        yield State(
            g,
            (*state.locals[:thread], l, *state.locals[thread + 1 :]),
            (*state.stacks[:thread], stack, *state.stacks[thread + 1 :]),
        )
