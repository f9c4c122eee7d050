"""Meng, He, Wang & Liu, "Thread-modular model checking with iterative refinement", 2012."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program, proved_one_by_one
from threadwise.semantics.oracle import explore

FOLDER = "meng_he_wang_liu"


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_sizes_of_the_semaphore_family(n: int) -> None:
    """(N+1) 2^N states with a boolean semaphore, (2N+1) 2^N with a note of the last holder."""
    assert len(explore(paper_program(f"{FOLDER}/mux_sem", N=n), ()).states) == (n + 1) * 2**n
    last = paper_program(f"{FOLDER}/mux_sem_last", N=n)
    assert len(explore(last, ()).states) == (2 * n + 1) * 2**n


@pytest.mark.parametrize(
    ("name", "proved"),
    [("mux_sem", False), ("mux_sem_augmented", True), ("mux_sem_count", False)],
)
def test_exclusion_needs_what_threads_cannot_see(name: str, proved: bool) -> None:
    """The semaphore alone does not say who is inside; exposing the location does."""
    found, _ = proved_one_by_one(paper_program(f"{FOLDER}/{name}"), ["exclusion"])
    assert (found == {"exclusion"}) is proved
