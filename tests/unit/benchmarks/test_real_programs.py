"""Why locations of real programs are undecided, in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.real_programs import cause_of
from threadwise.proofs.locksets.naming import ESCAPED_MEMORY

BARE = "neither holds a lock"


def pair(first: str, second: str, thread: str = "main") -> dict[str, Any]:
    """A read of a place by a thread, and a write to another by `work`."""
    read = {"place": first, "thread": thread, "write": False}
    write = {"place": second, "thread": "work", "write": True}
    return {"lacking": BARE, "accesses": [read, write]}


@pytest.mark.parametrize(
    ("name", "pairs", "cause"),
    [
        ("n", [], "too many pairs of accesses"),
        ("__library_moment.tm_sec", [pair("x", "x")], "static memory of library functions"),
        ("n", [pair("n", ESCAPED_MEMORY)], "an unknown function may access whatever it was given"),
        ("n", [pair("n", "n", "__library_handler")], "a signal handler"),
        ("c.size", [pair("c->size", "*c")], "a write to a whole object: free, memset, bytes"),
        ("n", [pair("*p", "n")], f"{BARE}: read through a pointer and write of a variable"),
        ("n", [pair("n", "n")], f"{BARE}: read of a variable and write of a variable"),
        (
            "t.n",
            [pair("t[i].n", "c->n")],
            f"{BARE}: read of a variable by an index and write through a pointer",
        ),
    ],
)
def test_causes(name: str, pairs: list[dict[str, Any]], cause: str) -> None:
    assert cause_of(name, pairs) == cause


def test_most_pairs_decide() -> None:
    pairs = [pair("n", ESCAPED_MEMORY), pair("n", "n"), pair("n", "n")]
    assert cause_of("n", pairs) == f"{BARE}: read of a variable and write of a variable"
