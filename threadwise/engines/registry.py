"""All engines, in the order in which `auto` tries them: cheapest first.

To add an engine: write its module, add an entry here, and a kind of certificate in
`threadwise.proofs` if its proofs are of a new shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from threadwise.core.quick_dataclass import dataclass
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
    """For steps whose cost grows with the number of threads."""
    heap: int = 1
    """So many times that where there is a heap."""
    cells: int | None = None
    """So many cells of shared memory take a microsecond more, where steps copy all of it."""


@dataclass(frozen=True)
class EngineInfo:
    """What users need to know about an engine, and where its class is."""

    name: str
    summary: str
    source: str
    answers: str
    engine: str | Callable[[], Engine]
    """Its class, as "module:class" in this package, so that a run loads those it needs; or what
    makes one."""
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

    def create(self) -> Engine:
        """A new engine."""
        if not isinstance(self.engine, str):
            return self.engine()
        module, _, name = self.engine.partition(":")
        made: Engine = getattr(import_module(f"threadwise.engines.{module}"), name)()
        return made


_LISTED = (
    EngineInfo(
        "thread-modular",
        "each thread against the inferred guarantees of the others",
        "Flanagan & Qadeer 2003, §2.2",
        "SAFE, UNKNOWN",
        "thread_modular.thread_modular_engine:ThreadModularEngine",
        cost=StepCost(80),
        enumerates=True,
    ),
    EngineInfo(
        "reduction",
        "search over whole transactions, found by right and left movers",
        "Qadeer, Rajamani & Rehof 2004, §4",
        "SAFE, UNSAFE; UNKNOWN for races and deadlocks and where stacks are unbounded",
        "reduction.reduction_engine:ReductionEngine",
        in_auto=False,
    ),
    EngineInfo(
        "digest",
        "checking of locks, thread ids and flags by threads and states; other data is forgotten",
        "Flanagan & Qadeer 2003, §2.2, on an abstraction",
        "SAFE, UNKNOWN; races and failures only",
        "digest:DigestEngine",
        cost=StepCost(70),
    ),
    EngineInfo(
        "locksets",
        "which locks threads hold, what they own and who runs when; memory by points-to sets",
        "Savage et al. 1997 and Engler & Ashcraft 2003, with proofs",
        "SAFE, UNKNOWN; races and failures only",
        "locksets.lockset_engine:LocksetEngine",
        cost=StepCost(15, per_thread=4),
        late=True,
    ),
    EngineInfo(
        "lock-order",
        "one order in which locks are taken and threads joined; any number of threads",
        "Coffman, Elphick & Shoshani 1971, with proofs",
        "SAFE, UNKNOWN; deadlocks only",
        "lock_order.lock_order_engine:LockOrderEngine",
        cost=StepCost(15),
    ),
    EngineInfo(
        "explicit",
        "breadth-first search over all interleavings; shortest traces",
        "Flanagan & Qadeer 2003, §2.1 and §3",
        "SAFE, UNSAFE; UNKNOWN where stacks or thread counts are unbounded",
        "explicit:ExplicitEngine",
        cost=StepCost(20, per_thread=6, heap=5, cells=2),
    ),
    EngineInfo(
        "persistent",
        "explicit search that interleaves only where it matters; few switches first",
        "persistent sets (Godefroid 1996); Flanagan & Qadeer 2003, §2.1",
        "SAFE, UNSAFE; UNKNOWN for invariants and where stacks or thread counts are unbounded",
        "persistent.persistent_engine:PersistentEngine",
        cost=StepCost(10, per_thread=20, heap=5, cells=2),
        enumerates=True,
        late=True,
    ),
    EngineInfo(
        "walks",
        "single runs under schedules that tend to show errors; finds what lies deep",
        "Sen 2008; Burckhardt, Kothari, Musuvathi & Nagarakatte 2010",
        "UNSAFE, UNKNOWN",
        "walks.walks_engine:WalksEngine",
        cost=StepCost(15, per_thread=2, heap=2, cells=8),
    ),
    EngineInfo(
        "tmmcir",
        "thread-modular checking in BDDs, showing threads' own variables to others as needed",
        "Meng, He, Wang & Liu 2012, Algorithms 2 and 3",
        "SAFE, UNSAFE; UNKNOWN for races, deadlocks, calls and data without bound",
        "symbolic.tmmcir:TmmcirEngine",
        cost=StepCost(100),
        enumerates=True,
        late=True,
    ),
    EngineInfo(
        "local-proof",
        "the Cartesian fixpoint in BDDs, exposing as needed",
        "Cohen & Namjoshi 2009; Meng, He, Wang & Liu 2012, §5",
        "SAFE, UNSAFE; UNKNOWN for races, deadlocks, calls and data without bound",
        "symbolic.local_proof:LocalProofEngine",
        in_auto=False,
    ),
    EngineInfo(
        "tmmc",
        "thread-modular checking in BDDs, guarantees without regard to reachability",
        "Meng, He, Wang & Liu 2012, Algorithm 1",
        "SAFE, UNKNOWN",
        "symbolic.tmmc:TmmcEngine",
        in_auto=False,
    ),
    EngineInfo(
        "tmmc-printed",
        "the same, guarantees from all local stores, as printed",
        "Meng, He, Wang & Liu 2012, Algorithm 1",
        "SAFE, UNKNOWN",
        "symbolic.tmmc:TmmcPrintedEngine",
        in_auto=False,
    ),
    EngineInfo(
        "afr",
        "exact forward reachability in BDDs",
        "Meng, He, Wang & Liu 2012, §5",
        "SAFE, UNSAFE; UNKNOWN for races, deadlocks, calls and data without bound",
        "symbolic.afr:AfrEngine",
        in_auto=False,
    ),
    EngineInfo(
        "summaries",
        "search over whole transactions with procedure summaries; recursion of any depth inside",
        "Qadeer, Rajamani & Rehof 2004, §5",
        "SAFE, UNSAFE; UNKNOWN for races and deadlocks and where recursion leaves transactions",
        "summaries.summaries_engine:SummariesEngine",
        cost=StepCost(50),
        enumerates=True,
        late=True,
    ),
    EngineInfo(
        "counting",
        "linear invariants over numbers of threads per location and shared cells",
        "place invariants of Petri nets",
        "SAFE, UNKNOWN",
        "counting.counting_engine:CountingEngine",
        cost=StepCost(500),
    ),
    EngineInfo(
        "horn",
        "k threads at once against the guarantees of the others, as Horn clauses; unbounded data",
        "Gupta, Popeea & Rybalchenko 2011; Hoenicke, Majumdar & Podelski 2017",
        "SAFE, UNKNOWN; UNSAFE where a short bounded search finds a schedule",
        "horn.horn_engine:HornEngine",
        cost=StepCost(15),
    ),
    EngineInfo(
        "tar",
        "thread-modular checking under predicates found by refuting spurious errors; any data",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §2, Algorithm TAR",
        "SAFE, UNSAFE; UNKNOWN where a proof is not thread-modular",
        "tar.tar_engine:TarEngine",
        cost=StepCost(100),
    ),
    EngineInfo(
        "tar-havoc",
        "the same, assuming any values of what the others may write",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §3",
        "SAFE, UNSAFE, UNKNOWN",
        "tar.tar_engine:TarHavocEngine",
        in_auto=False,
    ),
    EngineInfo(
        "tar-a",
        "predicates found by refinement on the product of all threads; up to 4 threads",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §2, Algorithm A",
        "SAFE, UNSAFE, UNKNOWN",
        "tar.tar_engine:TarAEngine",
        in_auto=False,
    ),
    EngineInfo(
        "tar-b",
        "the same, assuming that the others may take any of their steps at any time",
        "Henzinger, Jhala, Majumdar & Qadeer 2003, §2, Algorithm B",
        "SAFE, UNSAFE; UNKNOWN where a proof is not strongly thread-modular",
        "tar.tar_engine:TarBEngine",
        in_auto=False,
    ),
    EngineInfo(
        "bounded",
        "all interleavings of a length in one query to a solver; data without bound",
        "–",
        "UNSAFE, UNKNOWN; SAFE where runs are bounded",
        "bounded.bounded_engine:BoundedEngine",
        cost=StepCost(60),
        where_runs_end=True,
    ),
    EngineInfo(
        "cartesian",
        "thread-modular checking as a least fixpoint of abstract interpretation; enumerates",
        "Malkis, Podelski & Rybalchenko 2006, Theorem 3",
        "SAFE, UNKNOWN",
        "cartesian_engine:CartesianEngine",
        in_auto=False,
    ),
    EngineInfo(
        "cartesian-frontier",
        "the Cartesian abstraction kept apart for each step; more precise, may take long",
        "Malkis, Podelski & Rybalchenko 2006, §10",
        "SAFE, UNKNOWN",
        "cartesian_engine:FrontierEngine",
        in_auto=False,
    ),
)
ENGINES: Mapping[str, EngineInfo] = MappingProxyType({info.name: info for info in _LISTED})
