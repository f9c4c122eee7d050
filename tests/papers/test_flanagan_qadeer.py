"""Flanagan & Qadeer, "Thread-Modular Model Checking", SPIN 2003."""

from __future__ import annotations

import pytest

from tests.papers.reading import paper_program, place, proved_one_by_one
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.ir.types import NONE
from threadwise.systems.concrete import ConcreteSystem

THREE_PROPERTIES = {"exclusion", "assertions", "free_means_one"}
SIZES = [(2, 20), (5, 110), (10, 420), (20, 1640), (50, 10100)]


@pytest.mark.parametrize(("n", "size"), SIZES)
def test_simple_grows_quadratically(n: int, size: int) -> None:
    """§1.1: 2n(2n+1) members of R, 5n of G."""
    system = ConcreteSystem(paper_program("flanagan_qadeer/simple_owner", N=n))
    fixpoint = thread_modular_fixpoint(system)
    assert fixpoint.size == size == 2 * n * (2 * n + 1)
    assert fixpoint.guarantee_count == 5 * n


@pytest.mark.parametrize("n", [2, 5])
def test_simple_has_the_printed_sets(n: int) -> None:
    """§1.1: R and G, member by member."""
    system = ConcreteSystem(paper_program("flanagan_qadeer/simple_owner", N=n))
    fixpoint = thread_modular_fixpoint(system)
    for tid in system.roles:
        others = [other for other in system.roles if other != tid]
        held_by_another = {(m, x) for m in others for x in (0, 1)}
        assert {(g, place(system, l, "L6")) for g, l in fixpoint.reached[tid]} == {
            *(((NONE, 1), pc) for pc in ("L1", "L6")),
            *((g, pc) for g in held_by_another for pc in ("L1", "L6")),
            *(((tid, 1), pc) for pc in ("L2", "L4", "L5")),
            ((tid, 0), "L3"),
        }
        assert set(fixpoint.guarantees[tid]) == {
            ((NONE, 1), (tid, 1)),
            ((tid, 1), (NONE, 1)),
            ((tid, 0), (tid, 1)),
            ((tid, 1), (tid, 0)),
            ((tid, 1), (tid, 1)),
        }


@pytest.mark.parametrize("n", [2, 5, 10])
def test_simple_is_proved(n: int) -> None:
    """§1.1: all three properties, and the statistics say how large R and G are."""
    program = paper_program("flanagan_qadeer/simple_owner", N=n)
    proved, task = proved_one_by_one(program, ["all"])
    assert proved == {checked.name for checked in program.properties}
    assert task.statistics.as_dict() == {"states": 2 * n * (2 * n + 1), "guarantees": 5 * n}


def test_boolean_mutex_is_too_little() -> None:
    """§1.2: R is everything, and none of the three properties can be proved."""
    program = paper_program("flanagan_qadeer/simple_boolean")
    system = ConcreteSystem(program)
    fixpoint = thread_modular_fixpoint(system)
    pairs = [p for reached in fixpoint.reached for p in reached if not system.is_stopped(p[1])]
    assert len(pairs) == 48 == 2 * 2 * 2 * 6
    assert {g for g, _ in pairs} == {(m, x) for m in (False, True) for x in (0, 1)}
    proved, _ = proved_one_by_one(program, THREE_PROPERTIES)
    assert proved == set()


@pytest.mark.parametrize("n", [2, 4])
def test_auxiliary_variables_make_it_provable_again(n: int) -> None:
    """§1.2, last paragraph."""
    program = paper_program("flanagan_qadeer/simple_apc", N=n)
    proved, _ = proved_one_by_one(program, ["all"])
    assert proved == {checked.name for checked in program.properties}


@pytest.mark.parametrize("name", ["simple_owner_bug", "simple_boolean_bug", "simple_apc_bug"])
def test_seeded_bugs_are_not_proved(name: str) -> None:
    proved, _ = proved_one_by_one(paper_program(f"flanagan_qadeer/{name}"), ["all"])
    assert not proved & {"exclusion", "race_free x", "races"}
    assert not any(checked.startswith("assert") for checked in proved)
