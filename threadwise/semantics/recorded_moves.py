"""Following recorded choices without listing all that could have been made.

A havoc may have more values than can be enumerated; whether a given one is allowed is easily said.
The answers are those of `Interpreter`: a move is possible iff it is among the transitions offered,
an initial store is one iff it is among the initial ones.
"""

from __future__ import annotations

from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.layout import cells_of, initial_choices
from threadwise.ir.types import NONE, PointerType, ScalarType, TidType, Value, contains
from threadwise.semantics.big_steps import ATOMIC_STEP_LIMIT
from threadwise.semantics.memory import canonical
from threadwise.semantics.state import Cells, Choice, GlobalStore, LocalStore, Move, State
from threadwise.semantics.step import Interpreter

FEW_OBJECTS = 64
"""With so many objects unreachable ones are dropped, and with twice as many, and so on."""


def is_chosen_from(interpreter: Interpreter, held: ScalarType, value: Value) -> bool:
    """Whether a havoc of a type may choose a value."""
    if isinstance(held, TidType):
        return value == NONE or (not isinstance(value, bool) and value in interpreter.threads)
    return contains(held, value) and not isinstance(held, PointerType)


def initial_state(interpreter: Interpreter, cells: Cells) -> State | None:
    """The initial state with a given shared store; None if the program does not start so."""
    program, numbers = interpreter.program, interpreter.layout.numbers
    allowed = [
        (cell.type, values)
        for declaration in program.globals
        for cell, values in zip(
            cells_of(declaration.variable, numbers),
            initial_choices(declaration, numbers),
            strict=True,
        )
    ]
    if len(allowed) != len(cells):
        return None
    for value, (held, values) in zip(cells, allowed, strict=True):
        if values is None and not is_chosen_from(interpreter, held, value):
            return None
        if values is not None and not any(_is(value, listed) for listed in values):
            return None
    locals_ = tuple(interpreter.initial_local(thread) for thread in interpreter.threads)
    return State(GlobalStore(cells), locals_, tuple(() for _ in locals_))


def _is(value: Value, other: Value) -> bool:
    return type(value) is type(other) and value == other


def follow(interpreter: Interpreter, state: State, move: Move) -> State | None:
    """The state after a move; None if it is not possible."""
    after = follow_as_numbered(interpreter, state, move)
    return None if after is None else canonical(after, len(interpreter.program.globals))


def follow_on(interpreter: Interpreter, state: State, move: Move) -> State | None:
    """The same where the numbers of objects do not matter: they change when the heap is full."""
    after = follow_as_numbered(interpreter, state, move)
    if after is None or not is_full(state, after):
        return after
    return canonical(after, len(interpreter.program.globals))


def is_full(before: State, after: State) -> bool:
    """Whether a step allocated and there are so many objects that unreachable ones are dropped.

    Bringing a state in canonical form takes longer than a step, and most steps allocate nothing.
    """
    count = len(after.g.heap)
    return count > len(before.g.heap) and count >= FEW_OBJECTS and count.bit_count() == 1


def follow_as_numbered(interpreter: Interpreter, state: State, move: Move) -> State | None:
    """The same with the objects of the heap numbered as before the move, new ones behind them."""
    if move.thread not in interpreter.threads or not move.choices:
        return None
    if interpreter.is_stopped(state):
        return None
    first = move.choices[0]
    if not 0 <= first.edge < len(interpreter.program.edges):
        return None
    if isinstance(interpreter.program.edges[first.edge].action, Call | Return):
        return _called(interpreter, state, move)
    taken = _path(interpreter, state, move)
    if taken is None:
        return None
    g, l = taken
    t = move.thread
    locals_ = (*state.locals[:t], l, *state.locals[t + 1 :])
    return State(g, locals_, state.stacks)


def _called(interpreter: Interpreter, state: State, move: Move) -> State | None:
    t, l, stack = move.thread, state.locals[move.thread], state.stacks[move.thread]
    offered = [(push.choice, push.l, (*stack, push.frame)) for push in interpreter.push(t, l)]
    if stack:
        offered += [(pop.choice, pop.l, stack[:-1]) for pop in interpreter.pop(t, l, stack[-1])]
    for choice, after, frames in offered:
        if (choice,) == move.choices:
            locals_ = (*state.locals[:t], after, *state.locals[t + 1 :])
            return State(state.g, locals_, (*state.stacks[:t], frames, *state.stacks[t + 1 :]))
    return None


def _path(
    interpreter: Interpreter, state: State, move: Move
) -> tuple[GlobalStore, LocalStore] | None:
    """The stores after the edges of a step."""
    g, l = state.g, state.locals[move.thread]
    passed: list[tuple[GlobalStore, LocalStore]] = []
    for number, choice in enumerate(move.choices, start=1):
        after = _edge(interpreter, choice, move.thread, g, l)
        if after is None or after in passed or number > ATOMIC_STEP_LIMIT:
            return None
        g, l = after
        inside = interpreter.program.locations[l.pc].atomic
        if inside != (number < len(move.choices)):
            return None
        passed.append(after)
    return g, l


def _edge(
    interpreter: Interpreter, choice: Choice, thread: int, g: GlobalStore, l: LocalStore
) -> tuple[GlobalStore, LocalStore] | None:
    edges = interpreter.program.edges
    if not 0 <= choice.edge < len(edges) or edges[choice.edge].source != l.pc:
        return None
    edge = edges[choice.edge]
    havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
    if len(choice.values) != len(havocs):
        return None
    for place, value in zip(havocs, choice.values, strict=True):
        held: ScalarType = place.type  # type: ignore[assignment]  # validated: a havoc is scalar
        if not is_chosen_from(interpreter, held, value):
            return None
    for _, after_g, after_l, _ in interpreter.fire(edge, thread, g, l, choice.values):
        return after_g, after_l
    return None
