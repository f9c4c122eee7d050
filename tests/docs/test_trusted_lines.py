"""What docs/assumptions.md says about the lines that one trusts is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.loaded import BASE as LOADED_BASE
from benchmarks.loaded import IN_C, REFUSING, loaded, of_columns
from benchmarks.trusted import COLUMNS, KERNEL, VERIFIED, front_ends, kinds, needed, path_of, table
from threadwise.proofs.base.registry import KINDS, kind_named

PAGE = (Path(__file__).parents[2] / "docs" / "assumptions.md").read_text(encoding="utf-8")
BASE = ("semantics", "ir", "core")
TOLERATED = 0.1
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
TOLD = {
    name: (int(own.replace(",", "")), int(base.replace(",", "")))
    for name, own, base in ROW.findall(PAGE)
}
FOUND = dict(table())


def _close(told: int, found: int) -> bool:
    return abs(told - found) <= max(TOLERATED * found, 100)


def test_every_kind_is_told() -> None:
    assert TOLD.keys() == FOUND.keys()


@pytest.mark.parametrize("name", FOUND)
def test_lines(name: str) -> None:
    own = sum(FOUND[name][column] for column in COLUMNS if column not in BASE)
    base = sum(FOUND[name][column] for column in BASE)
    assert _close(TOLD[name][0], own), f"{own} lines; `python -m benchmarks.trusted` counts"
    assert _close(TOLD[name][1], base), f"{base} lines; `python -m benchmarks.trusted` counts"


def test_the_kernel_of_locksets_is_small_and_by_itself() -> None:
    own = sum(FOUND[KERNEL][column] for column in COLUMNS if column not in BASE)
    assert own <= 1_600
    proofs = {module for module in needed(kinds()[KERNEL]) if ".proofs." in module}
    assert all(module.startswith("threadwise.proofs.locksets.kernel.") for module in proofs)
    assert FOUND[KERNEL]["analyses"] == FOUND[KERNEL]["transforms"] == 0


def test_front_ends() -> None:
    told = re.search(r"([\d,]+) lines for models, ([\d,]+) for C", PAGE)
    assert told is not None
    for number, found in zip(told.groups(), front_ends(), strict=True):
        assert _close(int(number.replace(",", "")), found)


def test_no_kind_rests_on_an_engine_or_on_a_transformation() -> None:
    for root in kinds().values():
        packages = {module.split(".")[1] for module in needed(root) if "." in module}
        assert not packages & {"engines", "systems", "transforms", "frontends", "driver"}, root


def test_what_is_left_out_is_there() -> None:
    assert all(map(path_of, VERIFIED))


INNER = {"transformed": ("symmetric",), "divided": ("locksets", "state-set")}
"""Of which kinds the proofs are that the sample has inside."""


def _counted(name: str) -> set[str]:
    """What is counted for a kind of proof: its checker, and what reads its files."""
    kind = kind_named(name)
    parts = {part.partition(":")[0] for part in (kind.check_part, kind.read_part)}
    return {m for part in ("kind", *parts) for m in needed(f"{kind.package}.{part}")}


@pytest.mark.parametrize("name", KINDS)
def test_certify_loads_nothing_that_is_not_counted(name: str) -> None:
    counted = {m for kind in (name, *INNER.get(name, ())) for m in _counted(kind)}
    counted.add("threadwise.proofs.transformed.certificate")  # the driver asks whether it is one
    ours = ("threadwise.proofs.", "threadwise.backends.")
    found = {module for module in loaded(name) if module.startswith(ours)}
    modules = {m for m in found if (path_of(m) or Path()).name != "__init__.py"}
    assert {m for m in modules - counted if ".proofs.base." not in m} == set()


def test_rules_that_are_not_needed_are_not_loaded() -> None:
    found = {m.removeprefix("threadwise.proofs.locksets.") for m in loaded(IN_C)}
    assert {"kernel.check", "kernel_first"} <= found
    assert found.isdisjoint(
        {"check", "step", "accesses", "calling", "belonging", "retelling", "frozen", "assignment"}
    )
    unused = ("containers.guarded", "containers.handover", "refined.check", "resources.effects")
    assert not [module for module in found if module.startswith(unused)]


BEFORE = {
    "state-set": 13_074,
    "symmetric": 14_134,
    "reduction": 14_333,
    "summaries": 14_614,
    "formulas": 15_883,
    "representatives": 17_497,
    IN_C: 16_808,
}
"""What was loaded before the packages were moved; see docs/adr/310-what-only-refuses.md."""


@pytest.mark.parametrize("name", BEFORE)
def test_not_more_is_trusted_than_before(name: str) -> None:
    found = of_columns(loaded(name, REFUSING))
    assert sum(found[column] for column in LOADED_BASE) <= BEFORE[name]


def test_what_only_refuses_is_asked() -> None:
    assert REFUSING.keys() <= loaded(IN_C)
