"""Programs, what `locksets` claims of them, and what the kernel makes of that."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import Place, Read, Scope, VariablePlace
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import MutexType, PointerType
from threadwise.proofs.locksets.analysed import analysed
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel.check import Kernel
from threadwise.proofs.locksets.kernel.claims import (
    Case,
    Cell,
    Claim,
    Claims,
    Count,
    Entered,
    Holds,
    Over,
    Owns,
    Refused,
)
from threadwise.proofs.locksets.kernel.weaken import weakened
from threadwise.proofs.locksets.read_claims import read_claims


def nothing() -> None:
    """No bound on the work."""


def at_most(steps: int) -> Callable[[], object]:
    """Refuses after so much work."""
    left = iter(range(steps))

    def tick() -> None:
        if next(left, None) is None:
            raise Refused("it takes long")

    return tick


@cache
def program_of(text: str) -> Program:
    """What proofs by locksets are about."""
    return analysed(loaded(INCLUDES + text).program)


@cache
def certificate_of(program: Program) -> LocksetCertificate:
    """What `locksets` claims about races, of all locations or of some."""
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    found = [getattr(f, "certificate", None) for f in LocksetEngine().run(Task(program, races))]
    certificate = found[-1]
    assert isinstance(certificate, LocksetCertificate)
    return certificate


def claims_of(program: Program) -> Claims:
    """The proof that is left of it for the kernel; raises Refused."""
    certificate = certificate_of(program)
    knowledge = read_claims(program, certificate).knowledge
    return weakened(program, certificate, knowledge, nothing)


def undecided(program: Program, claims: Claims) -> set[str]:
    """The objects with accesses that the kernel does not keep apart; raises Refused."""
    kernel = Kernel(program, claims, nothing)
    kernel.check()
    return {cell.object for cell, _, _, rule in kernel.pairs() if rule is None}


def rules_used(program: Program, claims: Claims, name: str) -> set[str | None]:
    """The rules by which accesses to an object are apart."""
    kernel = Kernel(program, claims, nothing)
    kernel.check()
    return {rule for cell, _, _, rule in kernel.pairs() if cell.object.startswith(name)}


def mutexes(program: Program) -> list[Place]:
    """The mutexes among the variables."""
    variables = [d.variable for d in program.globals]
    return [VariablePlace(v) for v in variables if isinstance(v.type, MutexType)]


def everything(program: Program) -> Claims:
    """As much as can be claimed, true or not."""
    spawns = [e for e in program.edges if e.operation and e.operation.kind is OperationKind.SPAWN]
    locks = [claim for mutex in mutexes(program) for claim in (Holds(mutex), Entered(mutex))]
    cases: dict[LocId, tuple[Case, ...]] = {}
    for procedure in program.procedures:
        variables = [d.variable for d in procedure.locals if d.variable.scope is Scope.LOCAL]
        pointers = [VariablePlace(v) for v in variables if isinstance(v.type, PointerType)]
        case: set[Claim] = {*locks, *(Owns(Read(p)) for p in pointers)}
        case |= {c for e in spawns for c in (Count(e.id, 0), Over(e.id, 0))}
        cases |= {location.id: (frozenset(case),) for location in procedure.locations}
    cells = {Cell(d.variable.name, 0) for d in program.globals}
    pools = frozenset(template.name for template in program.templates if template.pool)
    return Claims(
        {}, {cell: frozenset({0}) for cell in cells}, cases, frozenset(cells), alone=pools
    )
