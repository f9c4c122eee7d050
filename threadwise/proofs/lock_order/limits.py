"""(6): where the model ends, and which of these places an order of locks may pass by.

slots               the proof holds for pools of any size
undefined, memory   C gives no meaning to what happens. The proof assumes that it does not
                    happen, but not that a place is never reached: there is another way on
open                an edge beside says what may happen (`threadwise.ir.beyond`), and that is
                    nothing about locks
cells               memory is used, but not as cells of one type. An edge beside does what C
                    does, up to which cells and values it is: one that says so, or the one for
                    memory of the type, if its guard still has the condition that fails. Passes
                    over the program must have known that such runs go on, as they do where an
                    edge says what lies behind a limit. No value matters to an order of locks,
                    except bounds of locals, and those in locks that are in use; C lets no code
                    but the library write into these
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.beyond import BEYOND, is_beyond
from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import FALSE, Expr, HoldsInteger, IsValid, SameObject, VariablePlace
from threadwise.ir.fold import conjuncts, read_places, root, subexpressions
from threadwise.ir.program import Edge, FailureKind, Program
from threadwise.proofs.base.answer import Refuted

HARMLESS = (
    OperationKind.UNKNOWN_CALL,
    OperationKind.UNKNOWN_READ,
    OperationKind.UNKNOWN_VALUE,
)
"""What leaves locks alone."""
_WRITE = OperationKind.UNKNOWN_WRITE, OperationKind.UNKNOWN_FILL


def check_limits(program: Program) -> None:
    """Raises Refuted if the model may end where a proof may not pass by."""
    told = any(map(is_beyond, program.edges))
    for edge in program.edges:
        failure = program.locations[edge.target].failure
        if failure is None or not failure.kind.is_limit or edge.action.guard == FALSE:
            continue
        others = [
            other
            for other in program.outgoing[edge.source]
            if (there := program.locations[other.target].failure) is None
            or not there.kind.is_limit
        ]
        match failure.kind:
            case FailureKind.SLOTS:
                passed = True
            case FailureKind.UNDEFINED | FailureKind.MEMORY:
                passed = bool(others)
            case FailureKind.OPEN:
                passed = any(_says(other, edge) for other in others)
            case FailureKind.CELLS:
                passed = told and any(_covers(other, edge) for other in others)
            case _:
                passed = False
        if not passed:
            raise Refuted(f"the model may end: {failure.message}")
    for edge in program.edges:
        if edge.operation is not None and edge.operation.kind in _WRITE:
            raise Refuted("something that is not modelled may write into locks")


def _says(other: Edge, edge: Edge) -> bool:
    """Whether an edge says what happens at an open limit."""
    if other.operation is None or other.operation.kind not in HARMLESS:
        return False
    asked = {
        condition
        for condition in conjuncts(other.action.guard)
        if not any(root(place) == VariablePlace(BEYOND) for place in read_places(condition))
    }
    return asked <= set(conjuncts(edge.action.guard))


def _covers(other: Edge, edge: Edge) -> bool:
    """Whether an edge does what happens where memory has no cells of one type."""
    mine, others = (set(conjuncts(each.action.guard)) for each in (edge, other))
    failing = [set(_asked_of_cells(condition)) for condition in mine - others]
    if not all(failing):
        return False
    if other.operation is not None and other.operation.kind is OperationKind.UNKNOWN_CELLS:
        return True
    needed = {atom for condition in others for atom in _asked_of_cells(condition)}
    return any(atoms <= needed for atoms in failing)


def _asked_of_cells(condition: Expr) -> Iterator[Expr]:
    """What a condition asks that only memory of one type per cell can answer."""
    for part in subexpressions(condition):
        if isinstance(part, HoldsInteger | SameObject | IsValid):
            yield part
