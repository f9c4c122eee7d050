"""What docs/assumptions.md says about the lines that one trusts is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.trusted import COLUMNS, KERNEL, VERIFIED, front_ends, kinds, needed, path_of, table

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
