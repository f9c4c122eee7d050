"""What proofs read in edges that no run takes (`threadwise.ir.beyond`): steps that can be taken.

    unknown_call p    escaped$ := p; every cell of everything that escaped, except locks and
                      thread ids, gets any value
    unknown_write p   every cell of the objects that p points into gets any value; without p: of
                      all that a pointer may lead to
    unknown_fill p    the same, by values that are not read from these objects
    unknown_read p    every cell of the objects that p points into is read
    unknown_value     nothing but the results; unknown_end the same
    unknown_cells     the command itself
    results           any number; a pointer to what escaped or is touched, to fresh memory that has
                      not escaped, or null

`escaped$` is a variable that only proofs know: it holds all pointers that unknown functions may
have (`threadwise.proofs.locksets.memory.contents` closes it under what they lead to).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.core.quick_dataclass import replace
from threadwise.ir.beyond import BEYOND, is_beyond
from threadwise.ir.commands import Assignment, Command, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    IntToPointer,
    Place,
    PointerAdd,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, conjuncts, read_places, root
from threadwise.ir.program import DEFAULT, AnyValue, Declaration, Edge, Program
from threadwise.ir.types import INT, POINTER, PointerType, RecordType
from threadwise.proofs.locksets.analysed import analysed

ESCAPED = Variable("escaped$", POINTER, Scope.GLOBAL, sync=True)
"""Holds every pointer that unknown functions may have."""
ANYWHERE = Variable("anywhere$", POINTER, Scope.GLOBAL, sync=True)
"""May point to anything."""
WHOLE = RecordType("", ())
"""The type of an object as a whole, whatever it is."""
FILLED = RecordType("filled", ())
"""The same where nothing is read that is there."""
FREED = RecordType("freed", ())
"""The same of an object of the heap that a pointer to its start leads to."""
WHOLES = WHOLE, FILLED, FREED
DATA = RecordType("data", ())
"""The same without its locks and thread ids."""

_READ = "readable"
_KEPT = (
    OperationKind.UNKNOWN_CELLS,
    OperationKind.UNKNOWN_VALUE,
    OperationKind.UNKNOWN_END,
)
"""Where an edge is read as its own command."""


def readable(program: Program) -> Program:
    """What is analysed of a program, with what may lie behind limits as steps to be taken.

    It is kept with the program, which does not change: so is what is computed from it.
    """
    known = program.__dict__.get(_READ)
    if known is None:
        known = program.__dict__[_READ] = _readable(analysed(program))
    assert isinstance(known, Program)
    return known


def _readable(program: Program) -> Program:
    if not any(map(is_beyond, program.edges)):
        return program
    declared = (Declaration(ESCAPED, DEFAULT), Declaration(ANYWHERE, AnyValue()))
    procedures = tuple(
        replace(p, edges=tuple(_read(edge) for edge in p.edges)) for p in program.procedures
    )
    return replace(program, globals=(*program.globals, *declared), procedures=procedures)


def without_beyond(guard: Expr) -> list[Expr]:
    """The conditions of a guard that do not ask whether something lies behind a limit."""
    return [part for part in conjuncts(guard) if not any(map(_is_beyond, read_places(part)))]


def _is_beyond(place: Place) -> bool:
    return root(place) == VariablePlace(BEYOND)


def _read(edge: Edge) -> Edge:
    if not is_beyond(edge):
        return edge
    command = edge.action
    assert isinstance(command, Command)
    assert edge.operation is not None
    if edge.operation.kind in _KEPT:
        return replace(edge, action=_kept(command))
    call = edge.operation.kind is OperationKind.UNKNOWN_CALL
    subject = edge.operation.subject
    assignments: list[Assignment] = []
    touched: Expr = Read(VariablePlace(ANYWHERE)) if subject is None else subject
    if call:
        touched = Read(VariablePlace(ESCAPED))
        if subject is not None:
            assignments.append(Assignment(VariablePlace(ESCAPED), subject))
    results, cleared = list(_results(command)), list(filter(_is_cleared, command.assignments))
    if edge.operation.kind is OperationKind.UNKNOWN_READ:
        return replace(edge, action=_reading(command, touched, results, cleared), sync=False)
    pointer = _pointer(touched, call=call)
    assignments += [Assignment(p, pointer) for p in results if isinstance(p.type, PointerType)]
    others = [p for p in results if not isinstance(p.type, PointerType)]
    fill = edge.operation.kind is OperationKind.UNKNOWN_FILL
    everything = DerefPlace(touched, DATA if call else FILLED if fill else WHOLE)
    action = Command(
        conjunction(without_beyond(command.guard)),
        (*assignments, *cleared),
        (VariablePlace(BEYOND), *others, everything),
    )
    return replace(edge, action=action, sync=False)


def _reading(
    command: Command, touched: Expr, results: Sequence[Place], cleared: Sequence[Assignment]
) -> Command:
    """What reads everything that is touched; what it finds there is any value."""
    pointer = _pointer(touched, call=False)
    read = Assignment(VariablePlace(BEYOND), Read(DerefPlace(touched, WHOLE)))
    led = [Assignment(place, pointer) for place in results if isinstance(place.type, PointerType)]
    others = (place for place in results if not isinstance(place.type, PointerType))
    return Command(
        conjunction(without_beyond(command.guard)), (read, *led, *cleared), tuple(others)
    )


def _kept(command: Command) -> Command:
    """A command without the store that only marks that pointers may change."""
    assignments = tuple(a for a in command.assignments if not _is_somewhere(a.target))
    guard = conjunction(without_beyond(command.guard))
    return Command(guard, assignments, command.havocs)


def _is_somewhere(place: Place) -> bool:
    base = root(place)
    return isinstance(base, DerefPlace) and any(map(_is_beyond, read_places(base.pointer)))


def _results(command: Command) -> Iterator[Place]:
    """The variables that get any value."""
    stored = (a.target for a in command.assignments if not _is_cleared(a))
    for place in (*stored, *command.havocs):
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable != BEYOND:
            yield place


def _is_cleared(assignment: Assignment) -> bool:
    """Whether a variable is cleared, since nobody reads it before it is written again.

    What gets any value is chosen, or is a pointer made of `beyond$`, which is not zero there
    (`threadwise.ir.beyond.beyond`): no constant stands for that. A pass has added this one.
    """
    target, value = assignment.target, assignment.value
    return isinstance(target, VariablePlace) and isinstance(value, Const)


def _pointer(touched: Expr, *, call: bool) -> Expr:
    """A pointer into what is touched, or one that comes from a number."""
    somewhere = touched if call else PointerAdd(touched, Read(VariablePlace(BEYOND)), WHOLE)
    choice = Binary(BinaryOp.NE, Read(VariablePlace(BEYOND)), Const(0, INT))
    return Conditional(choice, somewhere, IntToPointer(Read(VariablePlace(BEYOND))))
