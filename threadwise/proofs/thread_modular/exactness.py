"""How much a thread-modular proof adds to what can be reached (MPR §10).

R stands for the states γ(R) = { (g, ls) | (g, ls t) ∈ R_t for all t }, which contain every
reachable state. R is *exact* if there are no others. Because reach ⊆ γ(R), it is enough to count:
γ(R) store by store, without enumerating products, and reach by brute force in the reference
semantics, which is worth it only if γ(R) is small.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod

from threadwise.ir.program import Program
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.oracle import explore

COUNTED_STATES = 20_000
"""A larger γ(R) is not compared with what can be reached."""


@dataclass(frozen=True)
class Exactness:
    """The sizes of γ(R) and of the set of reachable states, None if it was not counted."""

    represented: int
    reachable: int | None

    @property
    def is_exact(self) -> bool:
        """Whether γ(R) = reach."""
        return self.reachable == self.represented


def measure_exactness(program: Program, certificate: ThreadModularCertificate) -> Exactness:
    """Compare γ(R) of a valid certificate with the reachable states."""
    represented = count_represented(certificate)
    if represented > COUNTED_STATES:
        return Exactness(represented, None)
    return Exactness(represented, len(explore(program, ()).states))


def count_represented(certificate: ThreadModularCertificate) -> int:
    """|γ(R)|."""
    at = [Counter(g for g, _ in rows) for rows in certificate.reached]
    return sum(prod(locals_[g] for locals_ in at) for g in range(len(certificate.globals)))
