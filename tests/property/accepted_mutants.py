"""Proofs of safe programs, changed at random: what is still accepted is true, as runs show.

A checker may accept a changed proof: a claim that nobody needs is gone, or one that is weaker. But
then each of its claims holds in all runs, so its monitor must have nothing to say, however long it
looks. Programs are small, so that runs get to all of their states.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from tests.every_engine import loaded
from tests.property.c_heap_threads import generate as heap_program
from tests.property.carried_families import families, given, rests_on_the_kernel
from tests.property.carried_proofs import label, proofs, proofs_in_c
from tests.property.comparison import load, nothing, program_of
from tests.property.mixed_programs import mixed_program_of
from tests.property.test_certificate_mutation import mutant
from threadwise.core.errors import Unsupported
from threadwise.driver.verdicts.auditing import audit_behind_steps
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import TransformedCertificate

MOST = 5_000
"""So many states are visited, if there are as many; proofs of which these are not all are counted
apart. (Nightly depth is 3,000,000; programs that small have fewer.)"""


PROVERS = tuple(name for name, info in ENGINES.items() if info.answers.startswith("SAFE"))


def samples(seed: int) -> tuple[Program, list[tuple[str, Certificate]]]:
    """A program, and what engines prove about it."""
    rng = random.Random(seed)
    if seed % 3 == 0:
        name = rng.choice(sorted(families()))
        text = families()[name].text
        program = loaded(text).program if families()[name].is_c else load(text)
        return program, list(given(name))
    if seed % 3 == 1:
        text = heap_program(seed)
        return loaded(text).program, [(label(c), c) for c in proofs_in_c(text, ("locksets",))]
    program = load(rng.choice([mixed_program_of, program_of])(seed))
    return program, [(label(c), c) for c in proofs(program, rng.sample(PROVERS, 4))]


def accepted(program: Program, certificate: Certificate) -> CheckedProof | None:
    """What a checker says to a changed proof, if it accepts all that is claimed."""
    try:
        proof = check_certificate(program, certificate, nothing)
    except (Refuted, Unsupported):
        return None
    return proof if set(certificate.properties) <= set(proof.properties) else None


def attempts(seed: int, rounds: int = 6) -> Counter[str]:
    """How many changed proofs were accepted, and held in runs; fails at one that did not."""
    rng = random.Random(seed)
    program, found = samples(seed)
    counts: Counter[str] = Counter()
    for kind, certificate in found:
        for _ in range(rounds):
            if isinstance(certificate, TransformedCertificate):
                other: Certificate = replace(certificate, inner=mutant(certificate.inner, rng))
            else:
                other = mutant(certificate, rng)
            proof = None if other == certificate else accepted(program, other)
            if proof is None:
                continue
            counts[f"{kind}, {_looked_at(program, other, proof)}"] += 1
    return counts


def _looked_at(program: Program, certificate: Certificate, proof: CheckedProof) -> str:
    """How many states runs visited; raises Broken.

    The kernel of locksets believes nothing that a certificate says: it verifies what it makes of
    that, and this must hold. That the certificate itself is wrong, runs say.
    """
    try:
        audit = audit_behind_steps(program, certificate, proof, nothing, MOST)
    except Broken as broken:
        if "kernel" in str(broken) or not rests_on_the_kernel(proof):
            raise
        return "a wrong hint, which runs refute"
    return "all states" if audit.complete else f"{MOST:,} states"
