"""What a program does before there is a second thread is done once: it starts behind it.

    int main(void) {                          int limit = 8; struct pair *shared = &object;
        limit = 8;
        shared = malloc(sizeof *shared);      int main(void) {
        shared->one = shared->two = 0;   →        while (1) pthread_create(…);
        while (1) pthread_create(…);          }
    }

As long as one thread alone can step, and in one way only, there is one state after the other. The
program starts in the last of these where nothing is known of threads: no lock is held, none was
created. What was computed until then is a constant for all that follows, unless something changes
it later. Edges and locations stay as they are.

States inside of loops are taken only where they are first entered: otherwise a loop that goes on
would be peeled without need. The edges that were taken are claimed (`Program.found`), so that runs
can be carried from one program to the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from threadwise.analyses.uses import Uses
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import VariablePlace
from threadwise.ir.fold import root, uses_memory
from threadwise.ir.layout import (
    NO_THREADS,
    Cell,
    Layout,
    cells_of,
    has_static_size,
    initial_choices,
)
from threadwise.ir.mentions import mentioned_places
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    EdgeId,
    ListedValues,
    LocId,
    Program,
    Template,
)
from threadwise.ir.types import TidType, Value, default_value
from threadwise.semantics.recorded_moves import initial_state
from threadwise.semantics.state import Cells, Move, State
from threadwise.semantics.step import Interpreter

PASS = "first steps"
"""The name of the pass in certificates."""

MOST_STEPS = 2_000
"""How many steps are followed."""


def take_first_steps(program: Program, uses: Uses | None = None) -> Program:
    """The program that starts behind what its first thread does alone."""
    del uses
    first = first_thread(program)
    if first is None or uses_memory(program):
        return program
    interpreter = Interpreter(program)
    start = starting(interpreter)
    layouts = interpreter.layout
    number = layouts.numbers.templates.index(first.name)
    kept = _kept(layouts.globals), _kept(layouts.local[first.body])
    path: list[EdgeId] = []
    best: tuple[State, tuple[EdgeId, ...]] | None = None
    entered: set[LocId] = {start.locals[number].pc}
    for move, state in alone(interpreter, start, number):
        path += [choice.edge for choice in move.choices]
        here = state.locals[number].pc
        if here in entered or state.stacks[number] or program.locations[here].failure:
            continue
        entered.add(here)
        if _is_start(start, state, number, kept):
            best = state, tuple(path)
    if best is None:
        return program
    program.found[PASS] = best[1]
    return _starting(program, interpreter, first, best[0], number)


def first_thread(program: Program) -> Template | None:
    """The template of the one thread that runs its procedure, which nothing calls."""
    if any(template.count is None for template in program.templates):
        return None
    found = [t for t in program.templates if t.count == 1 and not t.pool]
    if len(found) != 1 or [t.body for t in program.templates].count(found[0].body) != 1:
        return None
    called = {getattr(edge.action, "procedure", None) for edge in program.edges}
    return None if found[0].body in called else found[0]


def starting(interpreter: Interpreter) -> State:
    """The initial state, with default values for what may start with any."""
    cells: list[Value] = []
    numbers = interpreter.layout.numbers
    for declaration in interpreter.program.globals:
        for cell, choices in zip(
            cells_of(declaration.variable, numbers),
            initial_choices(declaration, numbers),
            strict=True,
        ):
            cells.append(default_value(cell.type) if choices is None else choices[0])
    found = initial_state(interpreter, tuple(cells))
    assert found is not None
    return found


def alone(interpreter: Interpreter, state: State, number: int) -> Iterator[tuple[Move, State]]:
    """What a thread does as long as it alone can step, in one way; and the states after."""
    program = interpreter.program
    unknown = {d.variable.name for d in program.globals if isinstance(d.initial, AnyValue)}
    looks_at = {
        here.id: unknown
        and any(
            isinstance(base := root(place), VariablePlace) and base.variable.name in unknown
            for edge in program.outgoing[here.id]
            for place in mentioned_places(edge)
        )
        for here in program.locations
    }
    if any(looks_at[l.pc] for l in state.locals):
        return
    for _ in range(MOST_STEPS):
        try:
            found = list(islice(interpreter.successors(state), 2))
        except Unsupported:
            return
        if len(found) != 1 or found[0].move.thread != number:
            return
        ((move, state),) = found
        passed = [program.edges[choice.edge].target for choice in move.choices]
        if any(looks_at[here] for here in passed):
            return
        yield move, state


def _kept(layout: Layout) -> Sequence[int]:
    """The cells that must be as they were at the start."""
    return [n for n, cell in enumerate(layout.cells) if _depends_on_threads(cell)]


def _depends_on_threads(cell: Cell) -> bool:
    return isinstance(cell.type, TidType) or not has_static_size(cell.variable.type)


def _is_start(
    start: State, state: State, number: int, kept: tuple[Sequence[int], Sequence[int]]
) -> bool:
    own, first = state.locals[number], start.locals[number]
    shared, mine = kept
    return (
        own.thread == first.thread
        and all(state.g.cells[n] == start.g.cells[n] for n in shared)
        and all(own.locals[n] == first.locals[n] for n in mine)
    )


def _starting(
    program: Program, interpreter: Interpreter, first: Template, state: State, number: int
) -> Program:
    """The program with other initial values, and another entry of a procedure."""
    own = state.locals[number]
    layouts = interpreter.layout
    return replace(
        program,
        globals=_declared(program.globals, layouts.globals, state.g.cells),
        procedures=tuple(
            replace(
                procedure,
                entry=own.pc,
                locals=_declared(procedure.locals, layouts.local[procedure.name], own.locals),
            )
            if procedure.name == first.body
            else procedure
            for procedure in program.procedures
        ),
    )


def _declared(
    declarations: Sequence[Declaration], layout: Layout, cells: Cells
) -> tuple[Declaration, ...]:
    found: list[Declaration] = []
    for declaration in declarations:
        variable = declaration.variable
        if isinstance(declaration.initial, AnyValue) or not has_static_size(variable.type):
            found.append(declaration)
            continue
        offset = layout.offset[variable.name]
        own = [c for c in layout.cells if c.variable.name == variable.name]
        values = cells[offset : offset + len(own)]
        usual = initial_choices(declaration, NO_THREADS)
        same = tuple((value,) for value in values) == usual
        found.append(declaration if same else replace(declaration, initial=ListedValues(values)))
    return tuple(found)
