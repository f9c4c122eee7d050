"""Σ, its partition and R behind the movers, as a certificate."""

from __future__ import annotations

from threadwise.engines.movers.sources import Source
from threadwise.engines.reduction.search import ReducedSearch
from threadwise.engines.thread_modular.certificates import certify as certify_pairs
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, StoreClaims
from threadwise.systems.api import Role


def certify(
    program_hash: str, names: tuple[str, ...], search: ReducedSearch, source: Source
) -> ReductionCertificate:
    """The certificate of a complete search that proves the named properties."""
    system, states = search.system, search.tree.states
    pairs = certify_pairs(program_hash, (), source.system, source.fixpoint)
    assert isinstance(pairs, ThreadModularCertificate | PushdownCertificate)
    return ReductionCertificate(
        program_hash,
        names,
        pairs,
        [_claims(search, t) for t in system.roles],
        [system.reference_state(joint) for joint, _ in states],
        ["".join(parts) for _, parts in states],
        [search.ranks.get(position, 0) for position in range(len(states))],
        source.forgotten,
        source.alone,
    )


def _claims(search: ReducedSearch, t: Role) -> list[StoreClaims]:
    """What the search relied on about each local store that a thread has in Σ."""
    part = search.partition.part
    found = dict.fromkeys(state.joint.locals[t] for state in search.tree.states)
    return [
        StoreClaims(
            search.system.reference_local(t, l),
            part(t, l, True) == "R",
            part(t, l, False) == "L",
            tuple(edge for edge, mover in search.movers.at(t, l).items() if mover.right),
            tuple(edge for edge, mover in search.movers.at(t, l).items() if mover.left),
        )
        for l in found
    ]
