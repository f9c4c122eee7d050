"""The executable definitions of Cartesian abstract interpretation."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.engines import cartesian
from threadwise.systems.concrete import ConcreteSystem

SYSTEM = ConcreteSystem(model("int[0..1] x; thread t { x = 1; } thread u { x = 0; }"))
T0, T1 = ((loc.id,) for loc in SYSTEM.program.procedure["t"].locations)
U0, U1 = ((loc.id,) for loc in SYSTEM.program.procedure["u"].locations)


def test_alpha_projects() -> None:
    states = frozenset({((0,), (T0, U0)), ((1,), (T1, U0))})
    assert cartesian.alpha(SYSTEM, states) == (
        frozenset({((0,), T0), ((1,), T1)}),
        frozenset({((0,), U0), ((1,), U0)}),
    )


def test_gamma_combines_what_has_the_same_store() -> None:
    sets = (frozenset({((0,), T0), ((0,), T1), ((1,), T1)}), frozenset({((0,), U0)}))
    assert cartesian.gamma(sets) == {((0,), (T0, U0)), ((0,), (T1, U0))}


def test_they_are_a_galois_connection() -> None:
    states = cartesian.theorem_6(SYSTEM)
    assert states <= cartesian.gamma(cartesian.alpha(SYSTEM, states))
    some = frozenset(list(states)[:2])
    assert some <= cartesian.gamma(cartesian.alpha(SYSTEM, some))


def test_post_takes_one_step() -> None:
    start = cartesian.initial(SYSTEM)
    assert start == {((0,), (T0, U0))}
    assert cartesian.post(SYSTEM, start) == {((1,), (T1, U0)), ((0,), (T0, U1))}
    assert cartesian.post(SYSTEM, frozenset({((0,), (T1, U1))})) == frozenset()


def test_post_sharp_needs_everybody_somewhere() -> None:
    nobody = (frozenset({((0,), T0)}), frozenset({((1,), U0)}))
    assert cartesian.post_sharp(SYSTEM, nobody) == (frozenset(), frozenset())


def test_union_goes_thread_by_thread() -> None:
    chain = list(cartesian.frontiers(SYSTEM))
    united = cartesian.union(chain)
    assert all(part <= whole for sets in chain for part, whole in zip(sets, united, strict=True))
    assert {g for g, _ in united[0]} == {(0,), (1,)}
