"""What may lie behind a limit: edges that no run takes, for proofs that go on there.

A limit of kind `OPEN` bounds what the construct can do that is not modelled. Each edge to it has a
sibling, an edge from the same location that says so:

    edge 7: 3 -> 9 : assume TRUE                                      9 is a failure of kind `open`
    edge 8: 3 -> 4 : assume beyond$ != 0; *(beyond$) := …; x := any   as unknown_call p

`beyond$` is 0 for ever, so no run takes edge 8, and a run that takes edge 7 ends. Reasoning about
runs is not affected. A proof that continues behind the limit treats edge 8 as a step that can be
taken, with the effect of its operation instead of its command:

    whatever the edge writes that is a variable of the thread gets any value; a pointer: null, a
    number, the address of something fresh, or of what the operation may touch
    unknown_call p    everything reachable from p, and from what was given to such calls before,
                      has escaped: all of it but locks may be read and written, in plain steps
    unknown_write p   the objects that p points into may be read and written, locks included
    unknown_fill p    the objects that p points into may be written, locks included, with bytes
                      that were not read from memory: by `memset`, or from files
    unknown_read p    the objects that p points into may be read
    the same without subject: of a call, that it was given nothing; of a write, that it may touch
    everything that has an address
    unknown_value     nothing else happens
    unknown_end       the same, but threads may end anywhere, or are not there: proofs about who
                      waits for whom end here
    unknown_cells     the command itself without the store through `beyond$`: pointers lead to
                      any part of the objects that they point into, whatever their types

Because of the store through `beyond$`, passes assume that memory behind any pointer may change.
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.ir.commands import Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    IntToPointer,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction
from threadwise.ir.program import Edge
from threadwise.ir.types import INT, POINTER, MachineType, PointerType

BEYOND = Variable("beyond$", MachineType(64, signed=True), Scope.GLOBAL, sync=True)
"""Zero in every state."""

UNKNOWN = (
    OperationKind.UNKNOWN_CALL,
    OperationKind.UNKNOWN_WRITE,
    OperationKind.UNKNOWN_FILL,
    OperationKind.UNKNOWN_READ,
    OperationKind.UNKNOWN_VALUE,
    OperationKind.UNKNOWN_END,
    OperationKind.UNKNOWN_CELLS,
)
"""What edges are for that no run takes."""

_HERE = VariablePlace(BEYOND)
_SOMEWHERE = IntToPointer(Read(_HERE))


def beyond(
    kind: OperationKind, subject: Expr | None, results: Iterable[Place], when: Expr
) -> tuple[Command, Operation]:
    """The step behind a limit: what it may touch, and the variables that get any value."""
    guard = conjunction((when, Binary(BinaryOp.NE, Read(_HERE), Const(0, INT))))
    stores = [Assignment(DerefPlace(_SOMEWHERE, POINTER), _SOMEWHERE)]
    chosen: list[Place] = [_HERE]
    for place in results:
        if isinstance(place.type, PointerType):
            stores.append(Assignment(place, _SOMEWHERE))
        else:
            chosen.append(place)
    return Command(guard, tuple(stores), tuple(chosen)), Operation(kind, subject)


def coarse(command: Command, when: Expr) -> tuple[Command, Operation]:
    """What a command does where memory is no cells of one type."""
    guard = conjunction((when, command.guard, Binary(BinaryOp.NE, Read(_HERE), Const(0, INT))))
    store = Assignment(DerefPlace(_SOMEWHERE, POINTER), _SOMEWHERE)
    changed = Command(guard, (*command.assignments, store), (*command.havocs, _HERE))
    return changed, Operation(OperationKind.UNKNOWN_CELLS)


def is_beyond(edge: Edge) -> bool:
    """Whether no run takes an edge, since it says what may lie behind a limit."""
    return edge.operation is not None and edge.operation.kind in UNKNOWN
