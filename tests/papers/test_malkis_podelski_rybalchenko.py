"""Malkis, Podelski & Rybalchenko, "Thread-Modular Verification Is Cartesian Abstract
Interpretation", ICTAC 2006."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from tests.papers.reading import paper_program, place, proved_one_by_one
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.driver.selection import select_properties
from threadwise.engines import cartesian
from threadwise.engines.api import Engine, Proved, Task
from threadwise.engines.cartesian_engine import CartesianEngine, FrontierEngine
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.thread_modular.exactness import measure_exactness
from threadwise.semantics.oracle import explore
from threadwise.systems.api import JointState
from threadwise.systems.concrete import ConcreteSystem

TINY = "malkis_podelski_rybalchenko/tiny"
COUNTER = "malkis_podelski_rybalchenko/binary_counter"
ENDS = ("B", "D")


def tiny() -> ConcreteSystem:
    return ConcreteSystem(paper_program(TINY))


def pairs(system: ConcreteSystem, t: int, members: Collection[Any]) -> set[tuple[int, str]]:
    """Pairs of one thread as the paper writes them: (g, pc)."""
    return {(g[0], place(system, l, ENDS[t])) for g, l in members}


def triples(system: ConcreteSystem, states: Collection[Any]) -> set[tuple[int, str, str]]:
    """States as the paper writes them: (g, pc1, pc2)."""
    return {
        (g[0], place(system, ls[0], ENDS[0]), place(system, ls[1], ENDS[1])) for g, ls in states
    }


R1 = {(0, "A"), (0, "B"), (1, "A"), (1, "B")}
R2 = {(0, "C"), (0, "D"), (1, "D")}
REACHABLE = {(0, "A", "C"), (0, "B", "C"), (1, "A", "D"), (1, "B", "D"), (0, "B", "D")}


def test_tiny_sets() -> None:
    """§3, §5: R1 and R2, by the rules and by Theorem 3."""
    system = tiny()
    fixpoint = thread_modular_fixpoint(system)
    definitions = cartesian.theorem_3(system), cartesian.cartesian_fixpoint(system)
    for sets in (fixpoint.reached, *definitions):
        assert [pairs(system, t, members) for t, members in enumerate(sets)] == [R1, R2]


def test_a_step_needs_all_threads_to_be_somewhere() -> None:
    """§7: post of gamma T, where no state of gamma T has the store of a pair of T_1."""
    system = tiny()
    (start,) = cartesian.initial(system)
    (moved,) = (step for step in system.step(system.roles[1], start[0], start[1][1]))
    sets = frozenset({(start[0], start[1][0])}), frozenset({(moved.g, moved.l)})
    assert cartesian.gamma(sets) == frozenset()
    exact = cartesian.alpha(system, cartesian.post(system, cartesian.gamma(sets)))
    assert cartesian.post_sharp(system, sets) == exact


def test_tiny_represented_states() -> None:
    """§3: one state more than is reachable, (0, A, D)."""
    system = tiny()
    represented = triples(system, cartesian.gamma(cartesian.theorem_3(system)))
    assert represented == REACHABLE | {(0, "A", "D")}
    assert triples(system, cartesian.theorem_6(system)) == represented
    assert len(explore(system.program, ()).states) == len(REACHABLE)


def test_tiny_chain() -> None:
    """§8: the iterates of λS. C(init ∪ post S)."""
    system = tiny()
    start = cartesian.initial(system)
    chain = [cartesian.gamma(cartesian.alpha(system, start))]
    while len(chain) < 2 or chain[-1] != chain[-2]:
        grown = start | cartesian.post(system, chain[-1])
        chain.append(cartesian.gamma(cartesian.alpha(system, grown)))
    assert [triples(system, states) for states in chain[:-1]] == [
        {(0, "A", "C")},
        {(0, "A", "C"), (0, "B", "C"), (1, "A", "D")},
        REACHABLE | {(0, "A", "D")},
    ]


def test_tiny_frontiers() -> None:
    """§10: abstracting only what is new keeps (0, A, D) out."""
    system = tiny()
    chain = list(cartesian.frontiers(system))
    assert [triples(system, cartesian.gamma(sets)) for sets in chain] == [
        {(0, "A", "C")},
        {(0, "B", "C"), (1, "A", "D")},
        {(0, "B", "D"), (1, "B", "D")},
    ]


def test_tiny_precision() -> None:
    """What excludes (0, A, D) alone is true but not provable."""
    invariants = ["one_before_zero", "starts_at_zero"]
    proved, _ = proved_one_by_one(paper_program(TINY), invariants)
    assert proved == {"starts_at_zero"}


def test_counter_sets() -> None:
    """§10, after Example 13: R1, R2, R3 for n = 3, as (t, pc)."""
    system = ConcreteSystem(paper_program(COUNTER, N=3))
    fixpoint = thread_modular_fixpoint(system)
    both = {(1, "L0"), (1, "L1")}
    carried = {(2, "L0"), (3, "L0"), (0, "L0")}
    sets = [{(g[0], place(system, l, "")) for g, l in members} for members in fixpoint.reached]
    assert sets == [
        both | carried,
        both | carried | {(2, "L1")},
        both | carried | {(2, "L1"), (3, "L1")},
    ]


@pytest.mark.parametrize("n", [8, 16])
def test_cartesian_fixpoint_needs_no_product(n: int) -> None:
    """Theorem 3 factor by factor: the sets of the rules, where gamma(R) has 2^(n+1) - 1 states."""
    system = ConcreteSystem(paper_program(COUNTER, N=n))
    sets = cartesian.cartesian_fixpoint(system)
    assert sets == tuple(map(frozenset, thread_modular_fixpoint(system).reached))
    assert sum(map(len, sets)) == 3 * n * (n + 1) // 2


@pytest.mark.parametrize(("name", "sizes"), [("tiny", (6, 5)), ("binary_counter", (31, 31))])
def test_exactness(name: str, sizes: tuple[int, int]) -> None:
    """What a proof adds: (0, A, D) to `tiny`, nothing to the binary counter."""
    program = paper_program(f"malkis_podelski_rybalchenko/{name}")
    properties = select_properties(program, ["range", "mutex"])
    (finding,) = CartesianEngine().run(Task(program, properties))
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, ThreadModularCertificate)
    found = measure_exactness(program, finding.certificate)
    assert (found.represented, found.reachable) == sizes
    assert found.is_exact is (name == "binary_counter")


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_counter_is_exact_and_polynomial(n: int) -> None:
    """Example 13: |R| = 3n(n+1)/2, |G| = 2n, and gamma(R) is the set of reachable states."""
    system = ConcreteSystem(paper_program(COUNTER, N=n))
    fixpoint = thread_modular_fixpoint(system)
    assert fixpoint.size == 3 * n * (n + 1) // 2
    assert fixpoint.guarantee_count == 2 * n
    sets = tuple(frozenset(reached) for reached in fixpoint.reached)
    represented = {
        system.reference_state(JointState(g, ls, tuple(() for _ in ls)))
        for g, ls in cartesian.gamma(sets)
    }
    assert represented == explore(system.program, ()).states
    assert len(represented) == 2 ** (n + 1) - 1


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_frontier_search_is_exponential(n: int) -> None:
    """Theorem 12: 2^(n+1) - 2 steps from T⁰ to the last new frontier, each a single state."""
    system = ConcreteSystem(paper_program(COUNTER, N=n))
    chain = list(cartesian.frontiers(system))
    assert len(chain) - 1 == 2 ** (n + 1) - 2
    assert all(len(cartesian.gamma(sets)) == 1 for sets in chain)


@pytest.mark.parametrize("n", [10, pytest.param(14, marks=pytest.mark.slow)])
def test_frontier_search_counts(n: int) -> None:
    """Theorem 12 at larger sizes: the chain visits the 2^(n+1) - 1 states one by one."""
    system = ConcreteSystem(paper_program(COUNTER, N=n))
    assert sum(1 for _ in cartesian.frontiers(system)) == 2 ** (n + 1) - 1


UNBOUNDED = """
int x = 0;
thread t[2] { while (true) { x = x + 1; } }
invariant positive: x >= 0;
"""


@pytest.mark.parametrize("engine", [CartesianEngine(), FrontierEngine()])
def test_an_unbounded_counter_ends_at_the_limit(engine: Engine) -> None:
    program = model(UNBOUNDED)
    task = Task(program, program.properties, meter=Meter(Budget(steps=5_000)))
    with pytest.raises(BudgetExhausted):
        list(engine.run(task))


def test_counter_is_proved() -> None:
    proved, _ = proved_one_by_one(paper_program(COUNTER, N=6), ["all"])
    everything = {checked.name for checked in paper_program(COUNTER, N=6).properties}
    assert proved == everything - {"deadlocks"}
