"""Relaxed stores that a proof needs the order of, against all orders in which they may be seen.

One thread stores, `main` loads twice. Orders are enumerated here without the front end: whatever
is not a relaxed store keeps its place; a relaxed store may come before what precedes it, but not
before an acquire load, a release fence, or an access of the same variable.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.driver.verdicts import weak_orders
from threadwise.report.doubts import assumed_doubts

BLOCK = 8
NAMES = ("x", "y", "z")
RELAXED, RELEASE, UPDATE = "relaxed", "release", "update"
FENCE, LOAD = "fence", "load"
ORDERS = {RELAXED: "relaxed", RELEASE: "release", UPDATE: "relaxed"}


@dataclass(frozen=True)
class Access:
    """What the thread does in one statement."""

    kind: str
    name: str = ""
    value: int = 0

    @property
    def text(self) -> str:
        """The statement."""
        match self.kind:
            case "fence":
                return "atomic_thread_fence(memory_order_release);"
            case "load":
                return f"(void)atomic_load_explicit(&{self.name}, memory_order_acquire);"
            case "update":
                return (
                    f"atomic_exchange_explicit(&{self.name}, {self.value}, memory_order_relaxed);"
                )
            case _:
                order = ORDERS[self.kind]
                return f"atomic_store_explicit(&{self.name}, {self.value}, memory_order_{order});"

    def stays_behind(self, other: Access) -> bool:
        """Whether others see this after an earlier access of the same thread."""
        if self.kind not in (RELAXED, UPDATE) or other.kind in (FENCE, LOAD):
            return True
        return self.name == other.name


def orders(accesses: Sequence[Access]) -> Iterator[tuple[Access, ...]]:
    """All orders in which the accesses may be seen."""
    count = len(accesses)
    fixed = {
        (one, other)
        for other in range(count)
        for one in range(other)
        if accesses[other].stays_behind(accesses[one])
    }

    def extended(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == count:
            yield done
        for each in range(count):
            if each not in done and all(a in done for a, b in fixed if b == each):
                yield from extended((*done, each))

    for order in extended(()):
        yield tuple(accesses[each] for each in order)


def results(order: Sequence[Access], loads: tuple[str, str]) -> set[tuple[int, int]]:
    """What two loads, one after the other, may return beside accesses in this order."""
    states: list[dict[str, int]] = [dict.fromkeys(NAMES, 0)]
    for access in order:
        written = {access.name: access.value} if access.kind in ORDERS else {}
        states.append({**states[-1], **written})
    first, second = loads
    return {
        (states[i][first], states[j][second])
        for i in range(len(states))
        for j in range(i, len(states))
    }


def drawn(seed: int) -> tuple[list[Access], tuple[str, str], tuple[int, int]] | None:
    """A thread, what `main` loads, and results that it asserts not to get."""
    rng = random.Random(seed)
    kinds = [RELAXED, RELAXED, RELAXED, RELEASE, RELEASE, UPDATE, FENCE, LOAD]
    accesses = [
        Access(rng.choice(kinds), rng.choice(NAMES), rng.randint(1, 2))
        for _ in range(rng.randint(3, 5))
    ]
    first, second, _ = rng.sample(NAMES, 3)
    loads = first, second
    kept = results(accesses, loads)
    others = [(a, b) for a, b in product(range(3), repeat=2) if (a, b) not in kept]
    seen = set().union(*(results(order, loads) for order in orders(accesses)))
    likely = [pair for pair in others if pair in seen]
    if not others:
        return None
    return accesses, loads, rng.choice(likely if likely and rng.random() < 0.7 else others)


def is_named(accesses: Sequence[Access], loads: tuple[str, str], never: tuple[int, int]) -> bool:
    """Whether the verdict for the program assumes something about its accesses."""
    body = "\n".join(access.text for access in accesses)
    first, second = (f"atomic_load_explicit(&{name}, memory_order_acquire)" for name in loads)
    text = f"""#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int {", ".join(NAMES)};
void *run(void *arg) {{
{body}
return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0);
int one = {first}; int two = {second};
assert(!(one == {never[0]} && two == {never[1]}));
return 0; }}
"""
    given = LoadOptions()
    options = CheckOptions(("assertions",), "explicit", given, Budget(steps=400_000))
    source = [SourceFile("t.c", text)]
    found = check_loaded("t.c", lambda: load_c_sources(source, given), options, in_process=True)
    assert found.verdict.value == "SAFE", text
    return bool(assumed_doubts(found))


@pytest.mark.parametrize("block", range(0, 96, BLOCK))
def test_a_store_is_named_iff_its_order_matters(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What proofs say; runs by the memory orders would take some of them away."""
    monkeypatch.setattr(weak_orders, "beyond_interleavings", lambda *_: {})
    for seed in range(block, block + BLOCK):
        found = drawn(seed)
        if found is not None:
            accesses, loads, never = found
            matters = any(never in results(order, loads) for order in orders(accesses))
            assert is_named(accesses, loads, never) == matters, found


def test_both_answers_are_drawn() -> None:
    known = [found for seed in range(96) if (found := drawn(seed)) is not None]
    named = [any(never in results(o, loads) for o in orders(a)) for a, loads, never in known]
    assert 10 < sum(named) < len(named) - 10
