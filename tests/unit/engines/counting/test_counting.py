"""Counting: which equations are found, and what they prove."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_source
from threadwise.engines.api import Proved, Task
from threadwise.engines.counting.counting_engine import CountingEngine
from threadwise.engines.counting.facts import counting_facts
from threadwise.engines.counting.invariants import linear_invariants
from threadwise.ir.program import LocId, Program
from threadwise.ir.quantities import CellQuantity, LinearInvariant, LocationCount
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.reader import read_program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.counting.explain import equations


def nothing() -> None:
    pass


def told(text: str) -> list[str]:
    """The facts about shared cells, in words."""
    program = model(text)
    return equations(program, counting_facts(program, nothing))


def certificates(program: Program) -> list[CountingCertificate]:
    found = CountingEngine().run(Task(program, program.properties))
    return [
        f.certificate
        for f in found
        if isinstance(f, Proved) and isinstance(f.certificate, CountingCertificate)
    ]


def proved(text: str) -> set[str]:
    program = model(text)
    names: set[str] = set()
    for certificate in certificates(program):
        names |= set(check_certificate(program, certificate, nothing).properties)
    return names


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "int c; thread t[*] { c = c + 1; in: skip; c = c - 1; }",
            ["c == #t(in, line 1)"],
        ),
        (
            "int s = 2; thread t[*] { await(s > 0) { s = s - 1; } in: skip; out: s = s + 1; }",
            ["s + #t(in, out) == 2"],
        ),
        (
            "bool b; thread t[*] { await(!b) { b = true; } in: skip; out: b = false; }",
            ["b == #t(in, out)"],
        ),
        (
            "mutex m; thread t[*] { acquire(m); in: skip; out: release(m); }",
            ["(m == none) + #t(in, out) == 1"],
        ),
        (
            "int a[2]; int[0..1] i; thread t[*] { a[i] = a[i] + 1; in: skip; }",
            ["a[0] + a[1] == #t(in, the end)", "i == 0"],
        ),
        (
            "enum E { red, blue } E e; thread t[*] { await(e == red) { e = blue; } in: skip; "
            "out: atomic { assume(e == blue); e = red; } }",
            ["(e == red) + #t(in, out) == 1", "(e == blue) == #t(in, out)"],
        ),
        ("int c; thread t[*] { c = 2 * c; }", []),
        ("int c = *; thread t[*] { c = c + 1; }", []),
        ("int c; thread t { havoc c; }", []),
        (
            "int c; void f() { c = c + 1; } thread t[*] { f(); in: skip; }",
            ["c == #f(line 1) + #t(in, the end)"],
        ),
    ],
)
def test_equations(text: str, facts: list[str]) -> None:
    assert told(text) == facts


def test_a_guess_that_is_wrong_is_dropped() -> None:
    text = "bool b; thread t[*] { b = true; in: skip; out: b = false; }"
    program = model(text)
    guessed = linear_invariants(program, toggling=True)
    assert any(CellQuantity("b") in dict(fact.terms) for fact in guessed)
    assert told(text) == []


SEMAPHORE_IN_C = """
#include <pthread.h>
#include <semaphore.h>
sem_t s; int x;
void *f(void *a) { sem_wait(&s); x = 1; BODY sem_post(&s); return 0; }
int main(void) {
    pthread_t t; sem_init(&s, 0, 1);
    for (int i = 0; i < 9; i++) pthread_create(&t, 0, f, 0);
    AFTER return 0;
}
"""


@pytest.mark.parametrize(
    ("body", "after", "there"),
    [
        ("", "", True),
        ("sem_destroy(&s); sem_init(&s, 0, 1);", "", False),
        ("", "sem_destroy(&s); sem_init(&s, 0, 1);", False),
        ("sem_post(&s);", "", False),
    ],
)
def test_a_semaphore_that_is_initialised_once_counts_who_is_inside(
    body: str, after: str, there: bool
) -> None:
    """That it had its first value until then, and never its last, is guessed and then checked."""
    text = SEMAPHORE_IN_C.replace("BODY", body).replace("AFTER", after)
    program = load_source(SourceFile("x.c", text))
    found = equations(program, counting_facts(program, nothing))
    assert any("s.value + #f(" in fact for fact in found) == there


def test_a_constant_that_is_stored_again_is_no_beginning() -> None:
    text = "int[0..9] wrap c; thread t[*] { c = 1; in: skip; }"
    assert all("c ==" not in fact and "c +" not in fact for fact in told(text))


SEMAPHORE = """
int[0..2] s = 2;
thread t[*] { while (true) { await(s > 0) { s = s - 1; } in: skip; out: atomic { s = s + 1; } } }
invariant two: forall i, j, k: t.
    i != j && j != k && i != k ==> !(at(i, in) && at(j, in) && at(k, in));
"""


def test_a_counting_semaphore_lets_two_in() -> None:
    assert {"two", "range"} <= proved(SEMAPHORE)


def test_a_counting_semaphore_lets_more_than_one_in() -> None:
    text = SEMAPHORE.replace("i != j && j != k && i != k ==>", "i != j ==>").replace(
        "&& at(k, in)", ""
    )
    assert "two" not in proved(text)


def test_races_are_excluded_by_a_flag() -> None:
    flag = "bool b; int x; thread t[*] { await(!b) { b = true; } x = x + 1; b = false; }"
    assert "races" in proved(flag)  # who could read b has to wait while it is set
    assert "race_free x" in proved(flag + "race_free x;")
    unguarded = flag.replace("await(!b)", "atomic")
    assert "race_free x" not in proved(unguarded + "race_free x;")


def test_assertions_follow_from_counts() -> None:
    text = "int c; thread t[*] { c = c + 1; assert(c > 0); c = c - 1; }"
    assert "assert:1" in proved(text)
    assert "assert:1" not in proved(text.replace("c > 0", "c > 1"))


def test_limits_of_the_model_stop_the_proof() -> None:
    text = "int x; thread w() { x = 1; } thread main { spawn w(); spawn w(); spawn w(); }"
    assert proved(text) == set()


def test_a_thread_that_begins_in_a_limit_stops_the_proof() -> None:
    program = read_program(
        'program "p"\nthread main[1] runs main\nprocedure main() {\n  entry 0\n'
        '  location 0 failure limit `` "fork"\n}\nproperty assertion `assert:1` default\n'
    )
    with pytest.raises(Unsupported):
        certificates(program)
    claim = CountingCertificate(program_hash(program), ("assert:1",), ())
    assert refused(program, claim)


# -- the checker ------------------------------------------------------------------------------


def good() -> tuple[Program, CountingCertificate]:
    program = model(SEMAPHORE)
    (certificate,) = certificates(program)
    return program, certificate


def refused(program: Program, certificate: CountingCertificate) -> bool:
    try:
        check_certificate(program, certificate, nothing)
    except Refuted:
        return True
    return False


def test_every_change_of_a_good_proof_is_noticed() -> None:
    program, certificate = good()
    assert not refused(program, certificate)
    for k, fact in enumerate(certificate.invariants):
        others = certificate.invariants[:k], certificate.invariants[k + 1 :]
        for changed in mutants(fact):
            mutant = replace(certificate, invariants=(*others[0], changed, *others[1]))
            assert refused(program, mutant), changed


def mutants(fact: LinearInvariant) -> list[LinearInvariant]:
    found = [replace(fact, constant=fact.constant + change) for change in (-1, 1)]
    for k, (quantity, factor) in enumerate(fact.terms):
        rest = fact.terms[:k], fact.terms[k + 1 :]
        found.append(replace(fact, terms=(*rest[0], (quantity, factor + 1), *rest[1])))
        found.append(replace(fact, terms=(*rest[0], *rest[1])))
    return found


def test_quantities_that_do_not_exist_are_refused() -> None:
    program, certificate = good()
    for quantity in (
        LocationCount(LocId(99)),
        CellQuantity("s", (0,)),
        CellQuantity("nothing"),
        CellQuantity("s", (), 1),
    ):
        fact = LinearInvariant(((quantity, 0),), 0)
        mutant = replace(certificate, invariants=(*certificate.invariants, fact))
        assert refused(program, mutant), quantity


def test_too_large_a_claim_is_refused() -> None:
    program, certificate = good()
    names = tuple(p.name for p in program.properties)
    assert refused(program, replace(certificate, properties=names))  # deadlocks
    assert refused(program, replace(certificate, invariants=()))
