"""Proofs of safe programs are no proofs of variants that are not safe."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.property import accepted_mutants, carried_families
from tests.property.carried_proofs import attempts, carried, is_accepted, proofs, variants
from tests.unit.semantics.running import model

FAST = ("explicit", "thread-modular", "persistent", "locksets", "reduction", "summaries", "digest")
NIGHTLY = 3000
BLOCK = 50


def test_a_few() -> None:
    found: Counter[str] = Counter()
    for seed in range(1, 5):
        found += attempts(seed, FAST, rounds=2)
    assert found.total() > 50


def test_what_is_still_true_is_accepted() -> None:
    """Carrying a proof is not what makes it wrong."""
    text = "int[0..3] x;\nthread t { x = 1; assert(x == %s); }"
    safe, other = model(text % "1"), model(text.replace("x = 1", "x = 2") % "2")
    kept = [carried(each, safe, "assert:2") for each in proofs(safe, FAST)]
    assert any(each is not None and is_accepted(safe, each) for each in kept)
    moved = [carried(each, other, "assert:2") for each in proofs(safe, ["explicit"])]
    assert not any(each is not None and is_accepted(other, each) for each in moved)


def test_variants_keep_their_lines() -> None:
    text = "int[0..2] x;\nthread t { x = 1; assert(x == 1); }\n"
    found = list(variants(text, random.Random(0), 100))
    assert len(found) > 5
    assert all(each != text and each.count("\n") == 2 for each in found)


@pytest.mark.parametrize("name", sorted(carried_families.families()))
def test_families(name: str) -> None:
    """Each is proved as it is, and a few of its carried proofs are refused."""
    assert carried_families.given(name)
    carried_families.attempts(sorted(carried_families.families()).index(name), rounds=1)


def test_what_is_accepted_holds_in_runs() -> None:
    found: Counter[str] = Counter()
    for seed in (2, 4, 5):
        found += accepted_mutants.attempts(seed, rounds=2)
    assert found


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 100 + NIGHTLY, BLOCK))
def test_many(first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + BLOCK):
        found += attempts(seed, rounds=9)
    assert found
