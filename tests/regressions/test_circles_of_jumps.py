"""Loops without a step: a thread that spins is not stuck; an atomic block that does never ends."""

from __future__ import annotations

import pytest

import threadwise
from threadwise import Verdict


def verdict(body: str) -> Verdict:
    model = f"thread t {{ {body} }}\ndeadlock_free;\n"
    return threadwise.check(model, properties="deadlocks", in_process=True).verdict


@pytest.mark.parametrize(
    "body",
    [
        "either { while (true) { } } or { assume(false); }",
        "either { assume(false); } or { L: goto L; }",
        "while (true) { }",
    ],
)
def test_a_branch_that_spins_can_be_chosen(body: str) -> None:
    assert verdict(body) is Verdict.SAFE


@pytest.mark.parametrize(
    "body",
    [
        "atomic { L: goto L; }",
        "atomic { while (true) { } }",
        "atomic { either { while (true) { } } or { skip; } }",
        "either { atomic { L: goto L; } } or { skip; }",
    ],
)
def test_an_endless_atomic_block_is_unknown(body: str) -> None:
    assert verdict(body) is Verdict.UNKNOWN
