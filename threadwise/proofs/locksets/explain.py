"""What a proof by locksets says, for people: what protects each piece of shared memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.locksets.accesses import Access
from threadwise.proofs.locksets.belonging import relative
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.check import LocksetChecker
from threadwise.proofs.locksets.locations import CROWDED, told
from threadwise.proofs.locksets.memory.cells import UNKNOWN, Target, is_site
from threadwise.proofs.locksets.naming import OF_UNKNOWN, Names, in_order


def explain_locksets(
    program: Program, certificate: LocksetCertificate
) -> Iterator[ThreadExplanation]:
    """What protects shared memory."""
    lines = tuple(protections(program, certificate))
    yield ThreadExplanation("what protects shared memory", (), (), (), notes=lines)


def summarise_locksets(certificate: LocksetCertificate) -> ProofSummary:
    """How much is known where."""
    size = sum(map(len, certificate.knowledge.values()))
    locations = count(len(certificate.knowledge), "location")
    return ProofSummary(size, f"what threads know at {locations}")


_ALONE = "used by one thread only"


def protections(program: Program, certificate: LocksetCertificate) -> Iterator[str]:
    """One line for each variable or allocation that several accesses with a write lead to."""
    checker = LocksetChecker(program, certificate, lambda: None)
    names = Names(checker.program)
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for cells, first, second, rule in checker.pairs():
        if rule is None or rule in ("reads", "synchronisation", CROWDED):
            continue
        shown = [target for target in cells if names.internal(target) is None]
        if shown:
            reason = _ALONE if rule == "alone" else told(names, rule, first, second)
            for target in shown:
                found[_name(names, target, first)][reason] = None
    for name, reasons in found.items():
        yield f"{name}: {'; '.join(in_order(reasons))}"


def _name(names: Names, target: Target, access: Access) -> str:
    """The cells of an access, with letters for what any thread may choose."""
    if target.object == UNKNOWN:
        return OF_UNKNOWN
    place = names.place(relative(access)[0], access.edge)
    return (
        place if not is_site(target.object) else f"{place}, allocated at {names.place_of(target)}"
    )
