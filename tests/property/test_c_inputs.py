"""A few values stand for all of an input: random programs have the same verdicts with all values.

With the pass (`transforms.simplify.few_inputs`), whose results are verified, and without it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

import pytest

from tests.unit.frontends.c.checking import lowered, verdicts
from threadwise.ir.commands import Command
from threadwise.proofs.simplified import check as check_passes
from threadwise.transforms import pipeline
from threadwise.transforms.simplify import few_inputs

BLOCK = 3
MOST = 9
"""Inputs are at most this, so that all values can be tried."""
BEFORE = """#include <pthread.h>
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
struct pair { unsigned char a, b; };
unsigned char g, h = 3, kept[2];
struct pair p = {1, 9};
static unsigned char input(void) {
    unsigned char v = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(v <= 9);
    return v;
}
"""
SHARED = ["g", "h", "kept[0]", "kept[1]", "p.a", "p.b"]


class Writing:
    """Writes a program from a seed; it reads few inputs, copies and compares them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.inputs = 3

    def text(self) -> str:
        """Half of the programs have a thread beside `main`."""
        threads = self.rng.random() < 0.5
        other = "\n".join(self.statements(["u"], 3)) if threads else ""
        run = f"void *run(void *arg) {{ unsigned char u = 2;\n{other}\nreturn 0; }}"
        create = "pthread_t t; pthread_create(&t, 0, run, 0);" if threads else ""
        join = "pthread_join(t, 0);" if threads else ""
        body = "\n".join(self.statements(["x", "y"], 5))
        held = ", ".join(self.condition(["x", "y"]) for _ in range(2))
        checks = " ".join(f"assert({each});" for each in held.split(", "))
        return (
            f"{BEFORE}{run}\nint main(void) {{ unsigned char x = 4, y = 5; {create}\n"
            f"{body}\n{join}\n{checks}\nreturn 0; }}\n"
        )

    def statements(self, own: list[str], count: int) -> Iterator[str]:
        for _ in range(count):
            place = self.rng.choice([*own, *own, *SHARED])
            match self.rng.randrange(5):
                case 0 | 1 if self.inputs:
                    self.inputs -= 1
                    yield f"{place} = input();"
                case 2:
                    yield f"if ({self.condition(own)}) {place} = {self.value(own)};"
                case _:
                    yield f"{place} = {self.value(own)};"

    def value(self, own: list[str]) -> str:
        return self.rng.choice([*own, *SHARED, str(self.rng.randint(0, MOST))])

    def condition(self, own: list[str]) -> str:
        one = self.rng.choice([*own, *SHARED])
        if self.rng.random() < 0.4:
            other = self.rng.choice([*own, *SHARED])
            return f"{one} {self.rng.choice(['==', '!='])} {other}"
        op = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"{one} {op} {self.rng.randint(0, MOST + 1)}"


def check(seed: int, patch: pytest.MonkeyPatch) -> bool:
    """Compare the verdicts for a program; whether its inputs have fewer values."""
    text = Writing(seed).text()
    few = verdicts(text, "assertions")
    simpler = not _has_wide_choices(text)
    with patch.context() as within:
        for name in (few_inputs.NAME, few_inputs.COUNTED):
            within.setitem(pipeline.PASSES, name, lambda program, _: program)
        if not _has_wide_choices(text):
            return False
        every = verdicts(text, "assertions")
    assert few == every, text
    assert "UNKNOWN" not in every.values(), text
    return simpler


def _has_wide_choices(text: str) -> bool:
    return any(isinstance(e.action, Command) and e.action.havocs for e in lowered(text).edges)


@pytest.mark.parametrize("block", range(0, 60, BLOCK))
def test_verdicts_are_those_of_all_values(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    simpler = [check(seed, monkeypatch) for seed in range(block, block + BLOCK)]
    assert any(simpler), "no program of the block has fewer values"


def test_too_few_values_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison fails if a gap between constants has no value, and no checker looks."""
    monkeypatch.setattr(few_inputs, "_representatives", lambda constants, each, held: {0})
    monkeypatch.setattr(check_passes, "is_verified", lambda *_: True)
    with pytest.raises(AssertionError):
        list(map(partial(check, patch=monkeypatch), range(20)))
