"""A sample of the fault matrix: wrong lines in shared code lead to no wrong verdict."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence

import pytest

from benchmarks.faults import lists, pairs
from benchmarks.faults.by_hand import made_by_hand
from benchmarks.faults.mutations import ROOT, Fault, apply, drawn, faults_of
from benchmarks.faults.programs import Sample
from benchmarks.faults.runs import Baseline, Said, ask, with_fault
from benchmarks.faults.table import MODULES, matrix, outcome
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

TEXTS = dict(pairs.texts())


def test_modules_exist() -> None:
    assert len(MODULES) > 60
    assert all((ROOT / module).is_file() for module in MODULES)


def test_faults_are_drawn_from_reached_lines_in_a_fixed_order() -> None:
    module = "threadwise/transforms/forget.py"
    lines = {fault.line for fault in faults_of(module)}
    chosen = drawn(module, lines, 20, 1)
    assert chosen == drawn(module, lines, 20, 1)
    assert len({fault.kind for fault in chosen}) >= 7
    few = set(sorted(lines)[:5])
    assert {fault.line for fault in drawn(module, few, 20, 1)} <= few


def test_every_fault_of_a_module_is_a_program() -> None:
    for module in ("threadwise/backends/smt/fire.py", "threadwise/proofs/locksets/locks.py"):
        source = (ROOT / module).read_text(encoding="utf-8")
        ast.parse(source)
        found = faults_of(module)
        assert len(found) > 50
        assert len({fault.name for fault in found}) == len(found)


def fault(module: str, text: str, kind: str) -> Fault:
    """The first fault of a kind on a line with a text."""
    return next(f for f in faults_of(module) if text in f.text and f.kind == kind)


FAULTS = [
    ("threadwise/backends/smt/fire.py", "for a in action.assignments", "skipped element"),
    ("threadwise/backends/smt/encode.py", "parts = [self.term(expr.body", "skipped element"),
    ("threadwise/backends/smt/values.py", "for position in range(len(elements)", "off by one"),
    ("threadwise/backends/smt/shapes.py", "if chosen or self.threads.closed", "negated guard"),
    ("threadwise/backends/smt/logic.py", "if self.is_true(condition)", "negated guard"),
    ("threadwise/proofs/toolbox/smt/edges.py", "for a in action.assignments", "skipped element"),
    ("threadwise/proofs/toolbox/smt/terms.py", "if self.is_false(part)", "negated guard"),
    ("threadwise/transforms/forget.py", "if view.is_forgotten(target)", "negated guard"),
]
PROGRAMS = ("guard_wrong.tw", "counter_wrong.tw", "turns_wrong.tw", "junk_wrong.tw", "counter.tw")
ENGINES = ("horn", "tar", "counting", "digest")


@pytest.fixture(scope="module")
def before() -> Baseline:
    """What engines say without fault."""
    samples = [Sample(f"pairs/{name}", TEXTS[f"pairs/{name}"]) for name in PROGRAMS]
    return Baseline([ask(sample, engine) for sample in samples for engine in ENGINES], {})


LONG = 600.0
"""Seconds that no question takes, however slow the machine is."""


def no_wrong_verdict(wrong: Fault, before: Baseline, programs: Sequence[str] = PROGRAMS) -> None:
    """Ask all engines about programs."""
    truth = before.truth()
    assert sum("UNSAFE" in known.values() for known in truth.values()) >= 3
    asked = [
        (Sample(f"pairs/{name}", TEXTS[f"pairs/{name}"]), engine)
        for name in programs
        for engine in ENGINES
    ]
    said = list(with_fault(wrong, asked, truth, LONG))
    assert said
    row = outcome(wrong, said, before)
    assert row["outcome"] != "WRONG", row


@pytest.mark.parametrize(("module", "text", "kind"), FAULTS[::3])
def test_no_wrong_verdict(module: str, text: str, kind: str, before: Baseline) -> None:
    no_wrong_verdict(fault(module, text, kind), before, PROGRAMS[:1])


@pytest.mark.slow
@pytest.mark.parametrize(("module", "text", "kind"), FAULTS)
def test_no_wrong_verdict_in_all_programs(
    module: str, text: str, kind: str, before: Baseline
) -> None:
    no_wrong_verdict(fault(module, text, kind), before)


@pytest.mark.slow
@pytest.mark.parametrize("module", [m for m in MODULES if "/smt/" in m])
def test_faults_that_were_drawn(module: str, before: Baseline) -> None:
    lines = {each.line for each in faults_of(module)}
    for drawn_fault in drawn(module, lines, 2, seed=7):
        no_wrong_verdict(drawn_fault, before)


# -- lists and their locks -----------------------------------------------------------------------

LISTS = dict(lists.texts())
BROKEN = [name for name in LISTS if name.endswith("_wrong.c")]


def asked(name: str, engine: str, fault: Fault | None = None, *, audit: bool = True) -> list[str]:
    """What an engine says of races, and which defects there are, in a process with a fault."""
    here, there = os.pipe()
    loaded = Sample(name, LISTS[name]).load()
    child = os.fork()
    if child == 0:
        try:
            if fault is not None:
                apply(fault)
            options = CheckOptions(properties=("races",), engine=engine, audit=audit)
            result = check_loaded(name, lambda: loaded, options, in_process=True)
            verdicts = [found.verdict.value for found in result.properties]
            lines = [*verdicts, *(defect.message for defect in result.defects)]
            os.write(there, "\n".join(lines).encode())
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(here, encoding="utf-8") as told:
        said = told.read().splitlines()
    os.waitpid(child, 0)
    return said


@pytest.mark.parametrize(
    "name",
    [
        n if n == "lists/swapped_wrong.c" else pytest.param(n, marks=pytest.mark.slow)
        for n in BROKEN
    ],
)
def test_broken_variants_have_races(name: str) -> None:
    assert asked(name, "explicit") == ["UNSAFE"]


BY_HAND = {fault.kind: fault for fault in made_by_hand()}
NO_PROOF = [("units are never closed", "swapped"), ("no state has a successor", "popped")]
"""With these there is no proof, even of what is wrong: other rules ask for more."""
REFUTED = [
    ("what was closed is kept", "given"),
    ("any tree is there", "part"),
    ("who reads may change", "read"),
    ("everybody has a right", "cut"),
]


@pytest.mark.parametrize(("kind", "name"), NO_PROOF)
def test_some_wrong_rules_about_lists_prove_nothing(kind: str, name: str) -> None:
    assert asked(f"lists/{name}_wrong.c", "locksets", BY_HAND[kind], audit=False) == ["UNKNOWN"]


@pytest.mark.usefixtures("defects_expected")
@pytest.mark.parametrize(
    ("kind", "name"),
    [*REFUTED[:2], *(pytest.param(*each, marks=pytest.mark.slow) for each in REFUTED[2:])],
)
def test_runs_refute_proofs_by_wrong_rules_about_lists(kind: str, name: str) -> None:
    assert asked(f"lists/{name}_wrong.c", "locksets", BY_HAND[kind], audit=False) == ["SAFE"]
    said = asked(f"lists/{name}_wrong.c", "locksets", BY_HAND[kind])
    assert said[0] != "SAFE"
    assert "that a run refutes" in said[1]


def test_the_table_names_survivors() -> None:
    wrong = Fault("threadwise/transforms/forget.py", 3, "negated guard", 7, "if x:")
    said: list[dict[str, object]] = [
        {"program": "p", "engine": "e", "verdicts": {"a": "SAFE"}, "noticed": [], "wrong": ["a"]}
    ]
    before = Baseline([Said("p", "e", {"a": "UNSAFE"})], {})
    text = matrix([outcome(wrong, said, before)], before, before.truth())
    assert "survivor: threadwise/transforms/forget.py:7#3" in text
    assert "| in all | 1 | 1 |" in text


def test_nothing_is_written() -> None:
    module = ROOT / FAULTS[0][0]
    source = module.read_text(encoding="utf-8")
    sample = Sample("pairs/guard.tw", TEXTS["pairs/guard.tw"])
    list(with_fault(fault(*FAULTS[0]), [(sample, "horn")], {}, seconds=2.0))
    assert module.read_text(encoding="utf-8") == source
