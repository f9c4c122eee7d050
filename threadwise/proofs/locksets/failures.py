"""Places that a proof by locksets must not reach.

Undefined behaviour of C is assumed not to happen where it is possible but not certain. Where
nothing else can happen, as far as a thread knows there (it follows a null pointer, or one that was
never written; an index is beyond the array, a divisor zero), the assumption would say that the
place, and all code behind it, is never reached: of many programs that is not true, and a proof
that needs it is none.

Such a place, or a limit of the model, refutes a whole proof: nothing is known of what lies behind
it. What is proved of single locations is proved of runs that do not get there, which is listed as
an assumption. Two kinds of limits may be passed:

    open     an edge beside the one that leads there says what may happen instead
             (`threadwise.proofs.locksets.beyond`)
    cells    memory is not used as cells of one type. An edge beside is read so that it covers
             this, too (`threadwise.proofs.locksets.memory.contents`): one that says so, or the
             one for memory that is, if its guard still has the condition that fails; and passes
             over the program assumed that memory behind any pointer may change, which they do
             wherever something lies behind a limit
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.beyond import is_beyond
from threadwise.ir.commands import OperationKind
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import Edge, Failure, FailureKind, LocId, Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.ground import ground_of
from threadwise.proofs.locksets.guards import Guards, asked_of_cells
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.locks import Locks
from threadwise.proofs.locksets.memory.contents import Unresolved

BOUNDED = FailureKind.OPEN, FailureKind.CELLS
ENDS = FailureKind.UNDEFINED, FailureKind.MEMORY, FailureKind.LIMIT, *BOUNDED


def ends_of_certificate(
    program: Program, certificate: LocksetCertificate, reached: Mapping[LocId, Sequence[Knowledge]]
) -> tuple[str, ...]:
    """See `ends_of_model`, with what a certificate claims of memory."""
    ground = ground_of(program, certificate)
    try:
        return ends_of_model(program, reached, Guards(ground, Locks(ground)))
    except Unresolved as error:
        raise Refuted(f"the rules do not cover {error}") from error


def ends_of_model(
    program: Program, reached: Mapping[LocId, Sequence[Knowledge]], guards: Guards
) -> tuple[str, ...]:
    """The limits among what is reached, and the places from which nothing else leads."""
    ends = _Ends(program, guards)
    messages: dict[str, None] = {}
    for location, everything in reached.items():
        failure = program.locations[location].failure
        if failure is not None and failure.kind is FailureKind.LIMIT:
            messages[failure.message] = None
        edges = program.outgoing[location]
        failures = [program.locations[edge.target].failure for edge in edges]
        if not any(map(_ends, failures)):
            continue
        for knowledge in everything:
            found = ends.beyond(location, knowledge)
            if found is not None:
                messages[found] = None
    return tuple(messages)


@dataclass(frozen=True)
class _Ends:
    program: Program
    guards: Guards

    def beyond(self, location: LocId, knowledge: Knowledge) -> str | None:
        """What happens at a location that a proof may not pass by."""
        name = self.program.procedure_of[location].name
        taken = [
            (edge, self.program.locations[edge.target].failure)
            for edge in self.program.outgoing[location]
            if any(self.guards.passing(edge, knowledge, name))
        ]
        others = [edge for edge, failure in taken if failure is None or failure.kind not in ENDS]
        for edge, failure in taken:
            if failure is None or failure.kind not in BOUNDED:
                continue
            if not any(self._covers(other, edge, failure.kind) for other in others):
                return failure.message
        if not others:
            for _, failure in taken:
                if failure is not None and failure.kind.has_no_meaning:
                    return failure.message
        return None

    def _covers(self, other: Edge, edge: Edge, kind: FailureKind) -> bool:
        """Whether an edge does what may happen at a limit that another one leads to."""
        mine, others = (set(conjuncts(e.action.guard)) for e in (edge, other))
        operation = None if other.operation is None else other.operation.kind
        coarse = operation is OperationKind.UNKNOWN_CELLS
        if kind is FailureKind.OPEN:
            return is_beyond(other) and not coarse and others <= mine
        if not self._is_told:
            return False
        failing = [set(asked_of_cells(condition)) for condition in mine - others]
        needed = {atom for condition in others for atom in asked_of_cells(condition)}
        return all(failing) and (coarse or any(atoms <= needed for atoms in failing))

    @cached_property
    def _is_told(self) -> bool:
        """Whether passes over the program knew that any pointer may change."""
        return any(map(is_beyond, self.program.edges))


def _ends(failure: Failure | None) -> bool:
    return failure is not None and failure.kind in ENDS
