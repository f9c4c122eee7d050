"""All engines, in the order in which `auto` tries them: cheapest first.

To add an engine: write its module, add an entry here, and a kind of certificate in
`threadwise.proofs` if its proofs are of a new shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from threadwise.engines.api import Engine


@dataclass(frozen=True)
class StepCost:
    """About how many microseconds a step of an engine's meter takes: what `auto` shares out by.

    Measured on models and C programs that take an engine seconds; within an engine it varies by a
    factor of three or so either way. `horn`, `tar` and `bounded` say a quarter of it or less,
    hence get more than others: most of their answers take a second, from the start each time.
    """

    base: int
    per_thread: int = 0
    """For steps that look at all threads of a state."""
    heap: int = 1
    """So many times that where there is a heap."""
    cells: int | None = None
    """So many cells of shared memory take a microsecond more, where steps copy all of it."""


@dataclass(frozen=True)
class EngineInfo:
    """What the user is told about an engine, and how to get one."""

    name: str
    summary: str
    source: str
    answers: str
    create: Callable[[], Engine]
    in_auto: bool = True
    """Whether `auto` tries it; definitions that only serve comparison are left out."""
    cost: StepCost = StepCost(100)
    enumerates: bool = False
    """Whether its proofs go through all values of the data; where there is no bound, `auto` gives
    it a quarter of the time."""
    late: bool = False
    """Whether `auto` tries it last where data has no bound."""
    where_runs_end: bool = False
    """Whether it decides all programs without loops, given time."""


def _thread_modular() -> Engine:
    from threadwise.engines.thread_modular.engine import (
        ThreadModularEngine,
    )

    return ThreadModularEngine()


def _reduction() -> Engine:
    from threadwise.engines.reduction.engine import ReductionEngine

    return ReductionEngine()


def _summaries() -> Engine:
    from threadwise.engines.summaries.engine import SummariesEngine

    return SummariesEngine()


def _counting() -> Engine:
    from threadwise.engines.counting.engine import CountingEngine

    return CountingEngine()


def _bounded() -> Engine:
    from threadwise.engines.bounded.engine import BoundedEngine

    return BoundedEngine()


def _horn() -> Engine:
    from threadwise.engines.horn.engine import HornEngine

    return HornEngine()


def _cartesian() -> Engine:
    from threadwise.engines.cartesian_engine import CartesianEngine

    return CartesianEngine()


def _frontier() -> Engine:
    from threadwise.engines.cartesian_engine import FrontierEngine

    return FrontierEngine()


def _persistent() -> Engine:
    from threadwise.engines.persistent.engine import PersistentEngine

    return PersistentEngine()


def _walks() -> Engine:
    from threadwise.engines.walks.engine import WalksEngine

    return WalksEngine()


def _digest() -> Engine:
    from threadwise.engines.digest import DigestEngine

    return DigestEngine()


def _explicit() -> Engine:
    from threadwise.engines.explicit import ExplicitEngine

    return ExplicitEngine()


def _tar() -> Engine:
    from threadwise.engines.tar.engine import TarEngine

    return TarEngine()


def _tar_a() -> Engine:
    from threadwise.engines.tar.engine import TarAEngine

    return TarAEngine()


def _tar_b() -> Engine:
    from threadwise.engines.tar.engine import TarBEngine

    return TarBEngine()


def _tar_havoc() -> Engine:
    from threadwise.engines.tar.engine import TarHavocEngine

    return TarHavocEngine()


def _tmmcir() -> Engine:
    from threadwise.engines.symbolic.tmmcir import TmmcirEngine

    return TmmcirEngine()


def _local_proof() -> Engine:
    from threadwise.engines.symbolic.local_proof import LocalProofEngine

    return LocalProofEngine()


def _tmmc() -> Engine:
    from threadwise.engines.symbolic.tmmc import TmmcEngine

    return TmmcEngine()


def _afr() -> Engine:
    from threadwise.engines.symbolic.afr import AfrEngine

    return AfrEngine()


def _lock_order() -> Engine:
    from threadwise.engines.lock_order.engine import LockOrderEngine

    return LockOrderEngine()


def _locksets() -> Engine:
    from threadwise.engines.locksets.engine import LocksetEngine

    return LocksetEngine()


_LISTED = (
    EngineInfo(
        "thread-modular",
        "each thread against the inferred guarantees of the others",
        "Flanagan & Qadeer 2003, §2.2",
        "SAFE, UNKNOWN",
        _thread_modular,
        cost=StepCost(80),
        enumerates=True,
    ),
    EngineInfo(
        "reduction",
        "search over whole transactions, found by right and left movers",
        "Qadeer, Rajamani & Rehof 2004, §4",
        "SAFE, UNSAFE; UNKNOWN for races and deadlocks and where stacks are unbounded",
        _reduction,
        in_auto=False,
    ),
    EngineInfo(
        "digest",
        "thread-modular checking of locks, thread ids and flags; all other data is forgotten",
        "Flanagan & Qadeer 2003, §2.2, on an abstraction",
        "SAFE, UNKNOWN; races and failures only",
        _digest,
        cost=StepCost(70),
    ),
    EngineInfo(
        "locksets",
        "which locks threads hold, what they own and who runs when; memory by points-to sets",
        "Savage et al. 1997 and Engler & Ashcraft 2003, with proofs",
        "SAFE, UNKNOWN; races and failures only",
        _locksets,
        cost=StepCost(15, per_thread=4),
        late=True,
    ),
    EngineInfo(
        "lock-order",
        "one order in which locks are taken and threads joined; any number of threads",
        "Coffman, Elphick & Shoshani 1971, with proofs",
        "SAFE, UNKNOWN; deadlocks only",
        _lock_order,
        cost=StepCost(15),
    ),
    EngineInfo(
        "explicit",
        "breadth-first search over all interleavings; shortest traces",
        "Flanagan & Qadeer 2003, §2.1 and §3",
        "SAFE, UNSAFE; UNKNOWN where stacks or thread counts are unbounded",
        _explicit,
        cost=StepCost(20, per_thread=6, heap=5, cells=2),
    ),
    EngineInfo(
        "persistent",
        "explicit search that interleaves only where it matters; few switches first",
        "persistent sets (Godefroid 1996); Flanagan & Qadeer 2003, §2.1",
        "SAFE, UNSAFE; UNKNOWN for invariants and where stacks or thread counts are unbounded",
        _persistent,
        cost=StepCost(10, per_thread=20, heap=5, cells=2),
        enumerates=True,
        late=True,
    ),
    EngineInfo(
        "walks",
        "single runs under schedules that tend to show errors; finds what lies deep",
        "Sen 2008; Burckhardt, Kothari, Musuvathi & Nagarakatte 2010",
        "UNSAFE, UNKNOWN",
        _walks,
        cost=StepCost(15, per_thread=2, heap=2, cells=8),
    ),
    EngineInfo(
        "tmmcir",
        "thread-modular checking in BDDs, showing threads' own variables to others as needed",
        "Meng, He, Wang & Liu 2012, Algorithms 2 and 3",
        "SAFE, UNSAFE; UNKNOWN for races, deadlocks, calls and data without bound",
        _tmmcir,
        cost=StepCost(100),
        enumerates=True,
        late=True,
    ),
    EngineInfo(
        "local-proof",
        "the Cartesian fixpoint in BDDs, exposing as needed",
        "Cohen & Namjoshi 2009; Meng, He, Wang & Liu 2012, §5",
        "SAFE, UNSAFE; UNKNOWN for races, deadlocks, calls and data without bound",
        _local_proof,
        in_auto=False,
    ),
    EngineInfo(
        "tmmc",
        "thread-modular checking in BDDs, guarantees without regard to reachability",
        "Meng, He, Wang & Liu 2012, Algorithm 1",
        "SAFE, UNKNOWN",
        _tmmc,
        in_auto=False,
    ),
    EngineInfo(
        "afr",
        "exact forward reachability in BDDs",
        "Meng, He, Wang & Liu 2012, §5",
        "SAFE, UNSAFE; UNKNOWN for races, deadlocks, calls and data without bound",
        _afr,
        in_auto=False,
    ),
    EngineInfo(
        "summaries",
        "search over whole transactions with procedure summaries; recursion of any depth inside",
        "Qadeer, Rajamani & Rehof 2004, §5",
        "SAFE, UNSAFE; UNKNOWN for races and deadlocks and where recursion leaves transactions",
        _summaries,
        cost=StepCost(50),
        enumerates=True,
        late=True,
    ),
    EngineInfo(
        "counting",
        "linear invariants over numbers of threads per location and shared cells",
        "place invariants of Petri nets",
        "SAFE, UNKNOWN",
        _counting,
        cost=StepCost(500),
    ),
    EngineInfo(
        "horn",
        "k threads at once against the guarantees of the others, as Horn clauses; unbounded data",
        "Gupta, Popeea & Rybalchenko 2011; Hoenicke, Majumdar & Podelski 2017",
        "SAFE, UNKNOWN; UNSAFE where a short bounded search finds a schedule",
        _horn,
        cost=StepCost(15),
    ),
    EngineInfo(
        "tar",
        "thread-modular checking under predicates found by refuting spurious errors; any data",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §2, Algorithm TAR",
        "SAFE, UNSAFE; UNKNOWN where a proof is not thread-modular",
        _tar,
        cost=StepCost(100),
    ),
    EngineInfo(
        "tar-havoc",
        "the same, assuming any values of what the others may write",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §3",
        "SAFE, UNSAFE, UNKNOWN",
        _tar_havoc,
        in_auto=False,
    ),
    EngineInfo(
        "tar-a",
        "predicates found by refinement on the product of all threads; up to 4 threads",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §2, Algorithm A",
        "SAFE, UNSAFE, UNKNOWN",
        _tar_a,
        in_auto=False,
    ),
    EngineInfo(
        "tar-b",
        "the same, assuming that the others may take any of their steps at any time",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §2, Algorithm B",
        "SAFE, UNSAFE; UNKNOWN where a proof is not strongly thread-modular",
        _tar_b,
        in_auto=False,
    ),
    EngineInfo(
        "bounded",
        "all interleavings of a length in one query to a solver; data without bound",
        "–",
        "UNSAFE, UNKNOWN; SAFE where runs are bounded",
        _bounded,
        cost=StepCost(60),
        where_runs_end=True,
    ),
    EngineInfo(
        "cartesian",
        "thread-modular checking as a least fixpoint of abstract interpretation; enumerates",
        "Malkis, Podelski & Rybalchenko 2006, Theorem 3",
        "SAFE, UNKNOWN",
        _cartesian,
        in_auto=False,
    ),
    EngineInfo(
        "cartesian-frontier",
        "the Cartesian abstraction kept apart for each step; more precise, may take long",
        "Malkis, Podelski & Rybalchenko 2006, §10",
        "SAFE, UNKNOWN",
        _frontier,
        in_auto=False,
    ),
)
ENGINES: Mapping[str, EngineInfo] = MappingProxyType({info.name: info for info in _LISTED})
