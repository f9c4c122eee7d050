"""Whether a formula certificate is about the program: obligation (1), and the form of (2)."""

from __future__ import annotations

from threadwise.ir.program import Program
from threadwise.ir.types import NONE, BoolType, PointerType, ScalarType, TidType, contains
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.inductive.certificate import CellTest, Conjunct, FormulaCertificate, Ghost
from threadwise.proofs.inductive.decisions import FormulaTerms

KINDS = ("shared", "location", "own", "ghost")


def check_shape(program: Program, certificate: FormulaCertificate, terms: FormulaTerms) -> None:
    """Raises Refuted unless every number names something and every value is one."""
    for ghost in certificate.ghosts:
        _check_ghost(program, ghost, terms)
    for test in certificate.tests:
        _check_test(program, certificate, test, terms)
    for number, decision in enumerate(certificate.decisions):
        earlier = 0 <= decision.then < number + 2 and 0 <= decision.otherwise < number + 2
        if not earlier or not 0 <= decision.test < len(certificate.tests):
            raise Refuted(f"decision {number} names something that is not there")
    for position, claimed in enumerate(certificate.conjuncts):
        _check_conjunct(certificate, position, claimed, terms)


def _check_ghost(program: Program, ghost: Ghost, terms: FormulaTerms) -> None:
    template = program.template.get(ghost.template)
    if template is None or len(ghost.values) != len(terms.numbers.ranges[ghost.template]):
        raise Refuted("a ghost that does not belong to the threads of a template")
    if ghost.cell is not None and not 0 <= ghost.cell < terms.cell_counts(ghost.template):
        raise Refuted("a ghost of a cell that is not there")
    if ghost.template in terms.certificate.alike and len(set(ghost.values)) > 1:
        raise Refuted("a ghost that tells threads apart that are claimed to be alike")
    for t, value in zip(terms.numbers.ranges[ghost.template], ghost.values, strict=True):
        if value is None:
            continue
        if ghost.cell is None:
            fits = isinstance(value, int) and not isinstance(value, bool)
        else:
            fits = _fits(terms, CellTest("own", t, ghost.cell, value))
        if not fits:
            raise Refuted("a ghost with a value that its cell cannot have")
        if terms.certificate.alike and ghost.cell is not None:
            held = terms.cell_type(CellTest("own", t, ghost.cell, value))
            if isinstance(held, TidType) and value != NONE:
                raise Refuted("a ghost that names a thread, where threads are claimed alike")


def _check_test(
    program: Program, certificate: FormulaCertificate, test: CellTest, terms: FormulaTerms
) -> None:
    threads = len(terms.numbers.templates)
    if test.kind not in KINDS or (test.kind != "shared" and not 0 <= test.thread < threads):
        raise Refuted("a test of an unknown kind or thread")
    match test.kind:
        case "shared":
            known = 0 <= test.slot < terms.shared_count and _fits(terms, test)
        case "location":
            known = isinstance(test.value, int) and not isinstance(test.value, bool)
        case "own":
            template = terms.numbers.templates[test.thread]
            known = 0 <= test.slot < terms.cell_counts(template) and _fits(terms, test)
        case _:
            known = (
                0 <= test.slot < len(certificate.ghosts)
                and isinstance(test.value, bool)
                and certificate.ghosts[test.slot].template == terms.numbers.templates[test.thread]
            )
    if not known:
        raise Refuted("a test of something that is not there")


def _fits(terms: FormulaTerms, test: CellTest) -> bool:
    held = terms.cell_type(test)
    if isinstance(held, PointerType):
        return False
    scalar: ScalarType = held  # type: ignore[assignment]  # a cell holds a scalar
    return contains(scalar, test.value) and isinstance(test.value, bool) == isinstance(
        held, BoolType
    )


def _check_conjunct(
    certificate: FormulaCertificate, position: int, claimed: Conjunct, terms: FormulaTerms
) -> None:
    numbers = terms.numbers
    if not 0 <= claimed.root < len(certificate.decisions) + 2:
        raise Refuted(f"conjunct {position} has no formula")
    threads = set(claimed.threads)
    if len(threads) != len(claimed.threads) or not threads <= set(range(len(numbers.templates))):
        raise Refuted(f"conjunct {position} is about threads that are not there")
    for node in terms.reachable(claimed.root):
        test = certificate.tests[certificate.decisions[node - 2].test]
        if test.kind in ("location", "own") and test.thread not in threads:
            raise Refuted(f"conjunct {position} looks at a thread that it is not about")
        named = [test.thread] if test.kind != "shared" else []
        if test.kind in ("shared", "own") and isinstance(terms.cell_type(test), TidType):
            assert isinstance(test.value, int)
            if test.value >= len(numbers.templates):
                raise Refuted(f"conjunct {position} names a thread that is not there")
            named.extend([] if test.value == NONE else [test.value])
        for t in named:
            if t not in threads and numbers.templates[t] in certificate.alike:
                raise Refuted(f"conjunct {position} names a thread that others can replace")
