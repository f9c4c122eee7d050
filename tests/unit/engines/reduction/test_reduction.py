"""Search over transactions: what it finds, what it must not lose, how it accounts for itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.movers import footprints
from threadwise.engines.movers.classify import _Classifier, classify
from threadwise.engines.movers.footprints import Footprint
from threadwise.engines.movers.sources import Source
from threadwise.engines.reduction import reduction_engine as reduction_engine
from threadwise.engines.reduction.partition import Part, Partition
from threadwise.engines.reduction.reduction_engine import ReductionEngine
from threadwise.engines.reduction.search import ReducedSearch
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local
from threadwise.traces.replay import replay


def answers(program: Program, max_depth: int = 50) -> tuple[dict[str, str], Task]:
    """The verdict for each property, all evidence checked."""
    task = Task(program, program.properties, EngineOptions(max_depth=max_depth))
    found: dict[str, str] = {}
    for finding in ReductionEngine().run(task):
        match finding:
            case Violated(trace):
                replay(program, trace)
                found[trace.property] = "UNSAFE"
            case Proved(names, certificate):
                check_certificate(program, certificate, lambda: None)
                found |= dict.fromkeys(names, "SAFE")
            case Undecided(names, reason):
                found |= dict.fromkeys(names, reason)
    return found, task


def verdicts(text: str, max_depth: int = 50) -> dict[str, str]:
    return answers(model(text), max_depth)[0]


# Programs that a slightly wrong reduction gets wrong. Each is UNSAFE.
PINNED = {
    # N must not depend on g: at `either`, with x == 0, only `skip` is enabled, and it moves left.
    "g_dependent": (
        "assert:3",
        """int[0..1] x;
thread t { while (true) { assume(x == 0);
    either { assume(x == 1); assert(false); } or { skip; } } }
thread u { x = 1; }""",
    ),
    # A step may enable one that is blocked: x = 1 and the assumption are never enabled together.
    "blocked": (
        "assert:3",
        """int[0..1] x; int[0..1] y;
thread t { x = 1; y = 1; }
thread u { assume(x == 1); assert(y == 1); }""",
    ),
    # A mutex that is read is no lock.
    "mutex_read": (
        "assert:3",
        """mutex m; int[0..1] x;
thread t { acquire(m); x = 1; release(m); }
thread u { assert(m == none); }""",
    ),
    # C3: a transaction that commits and never ends.
    "endless": (
        "assert:3",
        """int[0..1] x;
thread t { x = 1; while (true) { skip; } }
thread u { assert(x == 0); }""",
    ),
    # One thread's failure must not hide another's: t must finish its transaction by failing.
    "two_failures": (
        "assert:3",
        """int[0..1] x;
thread t { x = 1; assert(false); }
thread u { assert(x == 0); }""",
    ),
    # What an invariant can see is no mover.
    "visible": (
        "alone",
        """thread t[2] { skip; middle: skip; skip; }
invariant alone: forall i, j: t. i != j ==> !(at(i, middle) && at(j, middle));""",
    ),
}


@pytest.mark.parametrize("name", PINNED)
def test_pinned_programs_are_unsafe(name: str) -> None:
    violated, text = PINNED[name]
    assert verdicts(text)[violated] == "UNSAFE"


# -- undoing a correction ------------------------------------------------------------------------


def ignore_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conflicts only between edges that are enabled together."""

    def compare(
        self: _Classifier, g: Global, whom: Sequence[Role], stores: Sequence[Sequence[Local]]
    ) -> None:
        def enabled(t: Role, l: Local) -> list[Footprint]:
            fired = {step.choices[0].edge for step in self.system.step(t, g, l)}
            mine = [judged.footprint for judged in self.judged[t][l]]
            return [footprint for footprint in mine if footprint.edge.id in fired]

        for t in whom:
            others = [
                f for u in self.system.roles if u != t for l in stores[u] for f in enabled(u, l)
            ]
            touched = written = 0
            for other in others:
                touched |= other.touched
                written |= other.written
            for l in stores[t]:
                for judged in self.judged[t][l]:
                    if judged.footprint in enabled(t, l):
                        self._judge(judged, t, touched, written, stores)

    monkeypatch.setattr(_Classifier, "_compare", compare)


def only_enabled_steps_after_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """L of a node looks only at the steps that the initial global store enables."""
    original = Partition._part

    def part(self: Partition, t: Role, l: Local, phase: bool) -> Part:
        found = original(self, t, l, phase)
        if found == "N" and not phase and l not in self.initial[t]:
            (g,) = (store for store, _ in self.system.initial(t))
            fired = [step.choices[0].edge for step in self.system.step(t, g, l)]
            if fired and all(self.movers.of(t, l, edge).left for edge in fired):
                return "L"
        return found

    monkeypatch.setattr(Partition, "_part", part)


def every_mutex_is_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprints, "find_locks", lambda program: frozenset({"m"}))


def no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReducedSearch, "_broken", lambda self: [])


def stop_at_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    original = ReducedSearch.schedulable

    def schedulable(self: ReducedSearch, state: object) -> list[Role]:
        stopped = any(map(self.system.is_stopped, state.joint.locals))  # type: ignore[attr-defined]
        return [] if stopped else original(self, state)  # type: ignore[arg-type]

    monkeypatch.setattr(ReducedSearch, "schedulable", schedulable)


def nothing_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduction_engine, "Visibility", lambda program, formulas: None)


UNDONE = {
    "blocked": ignore_blocked,
    "g_dependent": only_enabled_steps_after_commit,
    "mutex_read": every_mutex_is_a_lock,
    "endless": no_repair,
    "two_failures": stop_at_failures,
    "visible": nothing_is_visible,
}


@pytest.mark.parametrize("name", PINNED)
def test_without_its_correction_a_pinned_error_is_lost(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the checker, which shares no code with the engine, refuses the wrong proof."""
    UNDONE[name](monkeypatch)
    violated, text = PINNED[name]
    program = model(text)
    task = Task(program, tuple(p for p in program.properties if p.name == violated))
    if name == "two_failures":
        task = Task(program, program.properties[:-2])
    (proof,) = (f for f in ReductionEngine().run(task) if isinstance(f, Proved))
    assert violated in proof.properties
    with pytest.raises(Refuted):
        check_certificate(program, proof.certificate, lambda: None)


# -- what it answers -----------------------------------------------------------------------------

LOCKED = """mutex m; int[0..2] x;
thread t[2] { int[0..2] r; acquire(m); r = x; x = r + 1; assert(x > r); release(m); }
invariant small: x <= 2;
race_free x;
"""


def test_answers_for_what_it_preserves() -> None:
    found = verdicts(LOCKED)
    assert [name for name, answer in found.items() if answer == "SAFE"] == [
        "range",
        "mutex",
        "assert:2",
        "small",
    ]
    assert found["races"] == "reduction does not preserve properties of kind race"
    assert found["deadlocks"] == "reduction does not preserve properties of kind deadlock"


def test_a_deadlock_is_never_safe() -> None:
    text = """mutex a1; mutex a2;
thread t { acquire(a1); acquire(a2); release(a2); release(a1); }
thread u { acquire(a2); acquire(a1); release(a1); release(a2); }"""
    found = verdicts(text)
    assert found["deadlocks"] == "reduction does not preserve properties of kind deadlock"
    program = model(text)
    (deadlock,) = (p for p in program.properties if p.name == "deadlocks")
    findings = list(ExplicitEngine().run(Task(program, (deadlock,))))
    assert isinstance(findings[0], Violated)


def test_a_critical_section_is_one_transaction() -> None:
    """Two threads of six steps, one after the other, in both orders: 24 states."""
    text = """mutex m; int[0..2] x;
thread t[2] { skip; acquire(m); x = x + 1; x = x - 1; release(m); skip; }"""
    program = model(text)
    _, task = answers(program)
    explicit = Task(program, program.properties)
    list(ExplicitEngine().run(explicit))
    assert (task.statistics.get("states"), explicit.statistics.get("states")) == (24, 40)


def test_moved_nodes_are_counted() -> None:
    _, task = answers(model(PINNED["endless"][1]))
    assert task.statistics.get("moved_to_n") == 1
    _, task = answers(model(LOCKED))
    assert task.statistics.get("moved_to_n") == 0


def test_limits_of_the_model_leave_everything_open() -> None:
    text = """thread worker() { skip; }
thread t { spawn worker(); spawn worker(); spawn worker(); }"""
    found = verdicts(text)
    assert "SAFE" not in found.values()
    assert any("threads" in reason for reason in found.values())


def test_recursion_to_a_bound() -> None:
    text = """bool b; void f() { if (b) { f(); } }
thread t { b = true; f(); } thread u { b = false; }"""
    found, task = answers(model(text), max_depth=4)
    assert "at most 4 calls" in found["range"]
    assert task.statistics.get("states") > 0


def test_what_is_not_supported() -> None:
    for text in ("thread t[*] { skip; }",):
        program = model(text)
        with pytest.raises(Unsupported):
            list(ReductionEngine().run(Task(program, program.properties)))


def test_initial_stores_and_ends_are_outside() -> None:
    system = ConcreteSystem(model("mutex m; thread t[2] { acquire(m); release(m); }"))
    movers = classify(Source(system, system, thread_modular_fixpoint(system)))
    partition = Partition(system, movers)
    parts = {
        (system.program.edges[edge].text if edge is not None else "end"): [
            partition.part(Role(0), l, phase) for phase in (True, False)
        ]
        for l in movers.stores(Role(0))
        for edge in [next(iter(movers.at(Role(0), l)), None)]
        if not system.is_stopped(l)
    }
    assert parts == {
        "acquire(m)": ["N", "N"],
        "release(m)": ["R", "L"],
        "end": ["N", "N"],
    }
