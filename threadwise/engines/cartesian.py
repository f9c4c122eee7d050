"""Cartesian abstract interpretation (MPR): executable definitions, as short as the paper's.

    alpha(S)_t  =  { (g, ls t) | (g, ls) ∈ S }
    gamma(T)    =  { (g, ls) | (g, ls t) ∈ T_t for all t }
    post(S)     =  the successors of S; a thread in `wrong` has none of its own

    Theorem 3   (R_t)_t  = lfp λT. alpha(init ∪ post(gamma T)), equals `engines.thread_modular`
    Theorem 6   gamma(R) = lfp λS. C(init ∪ post S),  C = gamma ∘ alpha
    Frontier    T⁰ = alpha init,  Tⁱ⁺¹ = alpha(post(gamma Tⁱ)),
                until gamma Tᵏ⁺¹ ⊆ ⋃ᵢ gamma Tⁱ

These are definitions to compare with, not to run on anything large: gamma enumerates products. The
frontier search keeps the Cartesian abstraction of each step apart, so it is more precise than R,
but may need exponentially many steps (the binary counter, MPR Example 13).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias

from threadwise.systems.api import JointSystem

System: TypeAlias = JointSystem[Any, Any, Any, Any]
Joint: TypeAlias = tuple[Any, tuple[Any, ...]]
"""A global store and one local store per thread."""
Product: TypeAlias = tuple[frozenset[tuple[Any, Any]], ...]
"""One set of pairs (g, l) per thread."""
Tick: TypeAlias = Callable[[], object]


def idle() -> None:
    """Nothing to account for."""


def initial(system: System) -> frozenset[Joint]:
    """The initial states."""
    return frozenset((state.g, state.locals) for state in system.joint_initial())


def post(system: System, states: frozenset[Joint]) -> frozenset[Joint]:
    """The successors of a set of states."""
    return frozenset(
        (step.g, (*ls[:t], step.l, *ls[t + 1 :]))
        for g, ls in states
        for t in system.roles
        for step in system.step(t, g, ls[t])
    )


def alpha(system: System, states: frozenset[Joint]) -> Product:
    """The projections on each thread."""
    return tuple(frozenset((g, ls[t]) for g, ls in states) for t in system.roles)


def gamma(sets: Product) -> frozenset[Joint]:
    """All states whose projections lie in the sets."""
    stores = {g for members in sets for g, _ in members}
    return frozenset(
        (g, ls) for g in stores for ls in product(*([l for h, l in m if h == g] for m in sets))
    )


def theorem_3(system: System, tick: Tick = idle) -> Product:
    """lfp λT. alpha(init ∪ post(gamma T))."""
    start = initial(system)
    sets: Product = tuple(frozenset() for _ in system.roles)
    while True:
        tick()
        after = alpha(system, start | post(system, gamma(sets)))
        if after == sets:
            return sets
        sets = after


def theorem_6(system: System) -> frozenset[Joint]:
    """lfp λS. C(init ∪ post S)."""
    start = initial(system)
    states: frozenset[Joint] = frozenset()
    while True:
        after = gamma(alpha(system, start | post(system, states)))
        if after == states:
            return states
        states = after


def frontiers(system: System, tick: Tick = idle) -> Iterator[Product]:
    """The chain T⁰, T¹, …, Tᵏ of frontier search."""
    frontier = alpha(system, initial(system))
    seen: frozenset[Joint] = frozenset()
    while not gamma(frontier) <= seen:
        tick()
        yield frontier
        seen |= gamma(frontier)
        frontier = alpha(system, post(system, gamma(frontier)))


def post_sharp(system: System, sets: Product) -> Product:
    """alpha(post(gamma T)) without the product (MPR, rule POST#).

    A step of e at g is possible iff every thread has a local store that occurs with g.
    """
    everywhere = frozenset.intersection(*(frozenset(g for g, _ in m) for m in sets))
    steps = [
        [(g, l, step) for g, l in members if g in everywhere for step in system.step(t, g, l)]
        for t, members in zip(system.roles, sets, strict=True)
    ]
    result: list[frozenset[tuple[Any, Any]]] = []
    for t, members in zip(system.roles, sets, strict=True):
        own = {(step.g, step.l) for _, _, step in steps[t]}
        others = {
            (step.g, l)
            for e in system.roles
            if e != t
            for g, _, step in steps[e]
            for h, l in members
            if h == g
        }
        result.append(frozenset(own | others))
    return tuple(result)


def union(sets: Sequence[Product]) -> Product:
    """The union, thread by thread."""
    return tuple(frozenset().union(*members) for members in zip(*sets, strict=True))
