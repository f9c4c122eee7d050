"""The checker of formula certificates accepts proofs and refuses what is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from tests.unit.semantics.running import model
from threadwise.analyses.regions import body_locations
from threadwise.backends.smt.second import is_available
from threadwise.core.load_options import LoadOptions
from threadwise.ir.program import LocId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.files import certificate_lines, read_certificates
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)

TICKET = """
int next;
int serving;
thread t[*] {
    int mine;
    while (true) {
        mine, next = next, next + 1;
        await(serving == mine) {}
crit:   skip;
        serving = serving + 1;
    }
}
invariant mutual: forall i, j: t. i != j && at(i, crit) ==> !at(j, crit);
"""

LOCKED = """
mutex m;
int x;
thread t[*] {
    int old;
    acquire(m);
    old = x;
    x = x + 1;
    assert(x == old + 1);
    release(m);
}
race_free x;
invariant natural: x >= 0;
"""


def certificate(
    program: Program, k: int, formulas: Mapping[Any, str], *names: str
) -> RepresentativesCertificate:
    listed = [
        RepresentativesFormula(
            tuple(t for t, _ in key), tuple(LocId(place) for _, place in key), text
        )
        for key, text in formulas.items()
    ]
    return RepresentativesCertificate(program_hash(program), names, k, listed)


def passes(program: Program, proof: RepresentativesCertificate, *, second: bool = False) -> bool:
    try:
        checked = check_certificate(program, proof, lambda: None, second_solver=second)
    except Refuted:
        return False
    return checked.properties == proof.properties


def locked_formulas(x: str = "x >= 0") -> dict[tuple[tuple[str, int], ...], str]:
    """At the start, then with the lock: at 1 before, at 2 after reading, at 3 after writing."""
    held = f"{x} && m.owner == t1"
    return {
        (("t", 0),): x,
        (("t", 1),): held,
        (("t", 2),): f"{held} && x == t1::old",
        (("t", 3),): f"{held} && x == t1::old + 1",
        (("t", 4),): held,
        (("t", 7),): x,
    }


def locked() -> tuple[Program, RepresentativesCertificate]:
    program = model(LOCKED)
    names = [p.name for p in program.properties if p.default]
    return program, certificate(program, 1, locked_formulas(), *names)


def ticket_formula(places: tuple[int, ...], parts: frozenset[str]) -> str:
    """What holds of two threads; a thread has a ticket after 0 and its turn after 1."""
    known = ["serving <= next"] if "order" in parts else []
    for i, place in enumerate(places, start=1):
        if place > 0 and "range" in parts:
            known.append(f"serving <= t{i}::mine && t{i}::mine < next")
        if place > 1 and "turn" in parts:
            known.append(f"t{i}::mine == serving")
    if all(place > 0 for place in places) and "different" in parts:
        known.append("t1::mine != t2::mine")
    return " && ".join(known) or "true"


ALL_PARTS = frozenset({"order", "range", "turn", "different"})


def ticket(parts: frozenset[str]) -> tuple[Program, RepresentativesCertificate]:
    program = model(TICKET)
    formulas = {
        (("t", a), ("t", b)): ticket_formula((a, b), parts) for a, b in product(range(4), repeat=2)
    }
    return program, certificate(program, 2, formulas, "mutual")


def test_one_representative_of_any_number() -> None:
    assert passes(*locked())


def test_two_representatives_of_any_number() -> None:
    assert passes(*ticket(ALL_PARTS))


@pytest.mark.skipif(not is_available(), reason="no second solver")
def test_two_solvers() -> None:
    assert passes(*locked(), second=True)


@pytest.mark.parametrize("missing", sorted(ALL_PARTS))
def test_every_part_is_needed(missing: str) -> None:
    assert not passes(*ticket(ALL_PARTS - {missing}))


@pytest.mark.parametrize("missing", range(6))
def test_every_location_is_needed(missing: int) -> None:
    program, proof = locked()
    kept = [item for i, item in enumerate(proof.formulas) if i != missing]
    assert not passes(program, replace(proof, formulas=kept))


def test_mutants_are_refused() -> None:
    program = model(LOCKED)
    names = [p.name for p in program.properties if p.default]
    for x in ("x > 0", "true", "false", "x == 0", "x >= 0 && x < 1000"):
        assert not passes(program, certificate(program, 1, locked_formulas(x), *names)), x
    lost = {key: text.replace("m.owner == t1", "true") for key, text in locked_formulas().items()}
    assert not passes(program, certificate(program, 1, lost, *names))
    assert not passes(program, replace(locked()[1], k=2))
    assert not passes(program, replace(locked()[1], program_hash="another"))
    assert not passes(program, replace(locked()[1], properties=("deadlocks",)))


@pytest.mark.parametrize(
    "text",
    ["x >=", "x && true", "y == 0", "t2::old == 0", "old == 0", "self == t1", "x + 1",
     "forall t2 in t: t2::old == 0", "t1 < 3", "t1::old == none"],
)  # fmt: skip
def test_what_is_no_formula_is_refused(text: str) -> None:
    program, proof = locked()
    bad = RepresentativesFormula(("t",), (LocId(0),), text)
    with pytest.raises(Refuted, match="a formula that is none"):
        check_certificate(program, replace(proof, formulas=[bad]), lambda: None)


def test_anywhere_stands_for_all_locations() -> None:
    program = model("int x; thread t[*] { x = x + 1; } invariant natural: x >= 0;")
    anywhere = RepresentativesFormula(("t",), (None,), "x >= 0")
    proof = RepresentativesCertificate(program_hash(program), ("natural",), 1, [anywhere])
    assert passes(program, proof)
    wrong = RepresentativesFormula(("t",), (None,), "x >= 1")
    assert not passes(program, replace(proof, formulas=[wrong]))


def test_races_need_the_lock() -> None:
    program, proof = locked()
    assert passes(program, replace(proof, properties=("race_free x",)))
    racy = model(LOCKED.replace("    acquire(m);\n", "").replace("    release(m);\n", ""))
    true_everywhere = [
        RepresentativesFormula(("t",), (place,), "true") for place in body_locations(racy, "t")
    ]
    claimed = RepresentativesCertificate(program_hash(racy), ("race_free x",), 1, true_everywhere)
    assert not passes(racy, claimed)


FIXED = """
int[0..3] turn;
thread a { await(turn == 0) { turn = 1; } assert(turn == 1); }
thread b[2] { await(turn == 2) { turn = 3; } }
"""


def test_fixed_threads_of_several_templates() -> None:
    program = model(FIXED)
    names = [p.name for p in program.properties if p.default]
    a, b = (body_locations(program, name) for name in "ab")
    failed = [p for p in a if program.locations[p].failure is not None]
    formulas = {
        **{(("a", p),): "turn == 0" if p == a[0] else "turn == 1" for p in a if p not in failed},
        **{(("b", p),): "turn <= 1" for p in b if p == b[0]},
    }
    assert passes(program, certificate(program, 1, formulas, *names))
    weaker = {**formulas, (("b", b[0]),): "turn <= 2"}
    assert not passes(program, certificate(program, 1, weaker, *names))


def test_more_representatives_than_threads() -> None:
    program = model("int x; thread a { x = 1; } invariant natural: x >= 0;")
    proof = RepresentativesCertificate(program_hash(program), ("natural",), 2, [])
    assert not passes(program, proof)
    nobody = model("int x = 1; thread a[*] { x = 1; } invariant zero: x == 0;")
    empty = RepresentativesCertificate(program_hash(nobody), ("zero",), 2, [])
    assert not passes(nobody, empty)


def test_files() -> None:
    program, proof = locked()
    load = LoadOptions()
    lines = list(certificate_lines(certificate_to_json(proof, load)))
    ((document, _),) = read_certificates(lines, "proof.json")
    again = certificate_from_json(document, "proof.json")
    assert isinstance(again, RepresentativesCertificate)
    assert passes(program, again)
    assert list(again.formulas) == list(proof.formulas)
