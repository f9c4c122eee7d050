"""Cartesian abstract interpretation (MPR): executable definitions, as short as the paper's.

    alpha(S)_t  =  { (g, ls t) | (g, ls) ∈ S }
    gamma(T)    =  { (g, ls) | (g, ls t) ∈ T_t for all t }
    post(S)     =  the successors of S; a thread in `wrong` has none of its own

    Theorem 3   (R_t)_t  = lfp λT. alpha(init ∪ post(gamma T)), equals `engines.thread_modular`
    Theorem 6   gamma(R) = lfp λS. C(init ∪ post S),  C = gamma ∘ alpha
    Frontier    T⁰ = alpha init,  Tⁱ⁺¹ = alpha(post(gamma Tⁱ)),
                until gamma Tᵏ⁺¹ ⊆ ⋃ᵢ gamma Tⁱ

`alpha`, `gamma`, `post`, `theorem_3` and `theorem_6` are definitions to compare with: gamma
enumerates products. What engines run is `post_sharp`, the best abstract transformer
alpha ∘ post ∘ gamma computed factor by factor, without the product:

    g ∈ T  :<=>  every T_t has a pair (g, _): there is a state with g in gamma T

    (g, l) ∈ T_t, g ∈ T, T(t, g, l) ∋ (g', l')                            (own step)
    -----------------------------------------                             [MPR, POST#]
    (g', l') ∈ post#(T)_t

    (g, l) ∈ T_t, (g, m) ∈ T_e, e ≠ t, g ∈ T, T(e, g, m) ∋ (g', m')       (step of another)
    ---------------------------------------------------------------       [MPR, POST#]
    (g', l) ∈ post#(T)_t

Frontier search has a separate Cartesian abstraction for each step, so it is more precise than R,
but may need exponentially many steps (the binary counter, MPR Example 13). Only its test for the
end enumerates the states of gamma Tⁱ: a union of products is no product.
"""

from __future__ import annotations

from collections import defaultdict
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


# -- definitions ---------------------------------------------------------------------------------


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
    return frozenset(represented(sets))


def theorem_3(system: System) -> Product:
    """lfp λT. alpha(init ∪ post(gamma T))."""
    start = initial(system)
    sets: Product = tuple(frozenset() for _ in system.roles)
    while True:
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


# -- factor by factor ----------------------------------------------------------------------------


def post_sharp(system: System, sets: Product, tick: Tick = idle) -> Product:
    """alpha(post(gamma T)) without the product (MPR, rule POST#)."""
    at = _by_store(sets)
    everywhere = set(at[0]).intersection(*at[1:])
    result: list[set[tuple[Any, Any]]] = [set() for _ in sets]
    for e in system.roles:
        for g in everywhere:
            targets: dict[Any, None] = {}
            for l in at[e][g]:
                tick()
                for step in system.step(e, g, l):
                    result[e].add((step.g, step.l))  # own step
                    targets[step.g] = None
            for t in system.roles if targets else ():
                if t != e:  # step of another
                    result[t].update((g_, l) for g_ in targets for l in at[t][g])
    return tuple(map(frozenset, result))


def cartesian_fixpoint(system: System, tick: Tick = idle) -> Product:
    """lfp λT. alpha(init) ∪ post#(T): what Theorem 3 defines, by the transformer above."""
    start = alpha(system, initial(system))
    sets: Product = tuple(frozenset() for _ in system.roles)
    while True:
        after = union([start, post_sharp(system, sets, tick)])
        if after == sets:
            return sets
        sets = after


def frontiers(system: System, tick: Tick = idle) -> Iterator[Product]:
    """The chain T⁰, T¹, …, Tᵏ of frontier search."""
    frontier = alpha(system, initial(system))
    seen: set[Joint] = set()
    while True:
        known = len(seen)
        for state in represented(frontier):
            tick()
            seen.add(state)
        if len(seen) == known:
            return
        yield frontier
        frontier = post_sharp(system, frontier, tick)


def represented(sets: Product) -> Iterator[Joint]:
    """The states of gamma, one by one and each once."""
    at = _by_store(sets)
    for g in set(at[0]).intersection(*at[1:]):
        for ls in product(*(members[g] for members in at)):
            yield g, ls


def union(sets: Sequence[Product]) -> Product:
    """The union, thread by thread."""
    return tuple(frozenset().union(*members) for members in zip(*sets, strict=True))


def _by_store(sets: Product) -> list[dict[Any, list[Any]]]:
    """Per thread, the local stores that occur with each global store."""
    found: list[dict[Any, list[Any]]] = []
    for members in sets:
        at: defaultdict[Any, list[Any]] = defaultdict(list)
        for g, l in members:
            at[g].append(l)
        found.append(at)
    return found
