"""A program that starts where the one before gets to by itself.

    (1) both are the same but for where one thread starts and with which values: the only thread
        of its template, whose procedure nobody else runs or calls; it starts at no failure and
        not inside of a step; arrays with an element per thread and ids of threads start as
        before, and so does what starts with any value
    (2) from its initial state the program before gets to that of the program after, one step after
        the other, where no other step is possible: of no thread, and in no other way
    (3) none of the edges that leave the locations on the way, or those at which other threads
        wait, mentions what starts with any value; there are no pointers that could lead there

Every run of the program before is a part of the way, or the way and a run of the program after:
(2), for all values of what (3) is about. On the way nothing fails, since behind a failure there
are no steps; two threads race only where both can step; and it is no deadlock where one can.
Invariants are refused: they may be false on the way.
How many threads a pool has plays no part: by (1) nothing that depends on it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Call
from threadwise.ir.expr import VariablePlace
from threadwise.ir.fold import root, uses_memory
from threadwise.ir.layout import NO_THREADS, cells_of, has_static_size, initial_choices
from threadwise.ir.mentions import mentioned_places
from threadwise.ir.program import AnyValue, Declaration, LocId, Procedure, Program
from threadwise.ir.properties import DeadlockProperty, FailureProperty, RaceProperty
from threadwise.ir.types import TidType, contains, default_value
from threadwise.proofs.base.answer import Refuted
from threadwise.semantics.recorded_moves import initial_state
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter

MOST_STEPS = 2_000
"""A longer way is not followed."""


def check_first_steps(before: Program, after: Program) -> None:
    """Raises Refuted unless a program gets to where the other one starts."""
    if uses_memory(before):
        raise Refuted("pointers may lead to what starts with any value")
    thread = _check_frame(before, after)
    _check_way(before, after, thread)


# -- (1) -----------------------------------------------------------------------------------------


def _check_frame(before: Program, after: Program) -> int:
    """The thread that starts elsewhere."""
    kept = FailureProperty | RaceProperty | DeadlockProperty
    if not all(isinstance(checked, kept) for checked in before.properties):
        raise Refuted("a property that may be violated on the way")
    if replace(after, globals=before.globals, procedures=before.procedures) != before:
        raise Refuted("another program")
    _check_declarations(before.globals, after.globals)
    if len(before.procedures) != len(after.procedures):
        raise Refuted("other procedures")
    moved = [
        old.name
        for old, new in zip(before.procedures, after.procedures, strict=True)
        if _starts_elsewhere(old, new)
    ]
    if any(template.count is None for template in before.templates):
        raise Refuted("any number of threads")
    running = [t for t in before.templates if t.body in moved]
    if len(moved) != 1 or len(running) != 1 or running[0].count != 1 or running[0].pool:
        raise Refuted("more threads than one start elsewhere")
    for edge in before.edges:
        if isinstance(edge.action, Call) and edge.action.procedure in moved:
            raise Refuted("a procedure that is called starts elsewhere")
    (thread,) = Interpreter(before).layout.numbers.ranges[running[0].name]
    return thread


def _starts_elsewhere(old: Procedure, new: Procedure) -> bool:
    kept = replace(
        new, entry=old.entry, locals=old.locals, locations=old.locations, edges=old.edges
    )
    same = (
        kept == old
        and len(new.locations) == len(old.locations)
        and len(new.edges) == len(old.edges)
        and all(
            there.origin == here.id and replace(there, origin=here.origin) == here
            for here, there in zip(old.locations, new.locations, strict=True)
        )
        and all(
            there.origin == ((here.id,),) and replace(there, origin=here.origin) == here
            for here, there in zip(old.edges, new.edges, strict=True)
        )
        and any(here.id == new.entry for here in old.locations)
    )
    if not same:
        raise Refuted(f"procedure `{old.name}` is another one")
    _check_declarations(old.locals, new.locals)
    if (new.entry, new.locals) == (old.entry, old.locals):
        return False
    (start,) = [here for here in old.locations if here.id == new.entry]
    if start.failure is not None or start.atomic:
        raise Refuted(f"procedure `{old.name}` starts where nobody can look on")
    return True


def _check_declarations(old: Sequence[Declaration], new: Sequence[Declaration]) -> None:
    if [d.variable for d in old] != [d.variable for d in new]:
        raise Refuted("other variables")
    for one, other in zip(old, new, strict=True):
        if one == other:
            continue
        held = one.variable.type
        if replace(other, initial=one.initial) != one:
            raise Refuted(f"`{one.variable.name}` is another variable")
        if not has_static_size(held) or AnyValue() in (one.initial, other.initial):
            raise Refuted(f"`{one.variable.name}` starts otherwise")
        values = zip(
            cells_of(one.variable, NO_THREADS),
            initial_choices(one, NO_THREADS),
            initial_choices(other, NO_THREADS),
            strict=True,
        )
        for cell, then, now in values:
            if now is None or len(now) != 1 or not contains(cell.type, now[0]):
                raise Refuted(f"`{cell.name}` starts with no value of its type")
            if isinstance(cell.type, TidType) and then != now:
                raise Refuted(f"`{cell.name}` starts with another thread")


# -- (2) and (3) ---------------------------------------------------------------------------------


def _check_way(before: Program, after: Program, thread: int) -> None:
    interpreter = Interpreter(before)
    state, last = _start(interpreter), _start(Interpreter(after))
    _check_mentioned(before, [own.pc for own in state.locals])
    for _ in range(MOST_STEPS + 1):
        if state == last:
            return
        try:
            found = list(islice(interpreter.successors(state), 2))
        except Unsupported as error:
            raise Refuted(f"a step that is not followed: {error}") from error
        if len(found) != 1 or found[0].move.thread != thread:
            raise Refuted("something else may happen first")
        ((move, state),) = found
        _check_mentioned(before, [before.edges[c.edge].target for c in move.choices])
    raise Refuted("the program does not get to where the other one starts")


def _start(interpreter: Interpreter) -> State:
    """The initial state, with default values for what may start with any."""
    numbers = interpreter.layout.numbers
    cells = [
        default_value(cell.type) if choices is None else choices[0]
        for declaration in interpreter.program.globals
        for cell, choices in zip(
            cells_of(declaration.variable, numbers),
            initial_choices(declaration, numbers),
            strict=True,
        )
    ]
    found = initial_state(interpreter, tuple(cells))
    if found is None:
        raise Refuted("no initial state")
    return found


def _check_mentioned(program: Program, locations: Sequence[LocId]) -> None:
    unknown = {d.variable for d in program.globals if d.initial == AnyValue()}
    if not unknown:
        return
    for here in locations:
        for edge in program.outgoing[here]:
            for place in mentioned_places(edge):
                base = root(place)
                if not isinstance(base, VariablePlace) or base.variable in unknown:
                    raise Refuted("what starts with any value is looked at")
