"""The kernel against the other rules, and against programs that are known to have a race."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.unit.proofs.locksets.kernel.proving import (
    at_most,
    certificate_of,
    claims_of,
    everything,
    nothing,
    undecided,
)
from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.ir.program import Program
from threadwise.proofs.locksets.analysed import analysed
from threadwise.proofs.locksets.check import LocksetChecker
from threadwise.proofs.locksets.kernel.check import Kernel
from threadwise.proofs.locksets.kernel.claims import Cell, Refused
from threadwise.proofs.locksets.kernel.weaken import Weakening, sites

ROOT = Path(__file__).parents[5]
NEAR_MISSES = sorted((ROOT / "tests" / "near_misses").glob("*.c"))
RACY = sorted((ROOT / "tests/unit/engines/locksets/racy").glob("*.c"))
EXAMPLES = [
    path
    for path in sorted((ROOT / "examples").glob("c*/*.c"))
    if "main(" in path.read_text(encoding="utf-8")  # others are drivers, for `--entry`
    and path.parent.name != "c_library"  # these need headers and tables of their own
]
UNSAFE = [p for p in EXAMPLES if "expect races: UNSAFE" in p.read_text(encoding="utf-8")]
HAS_RACE = [*UNSAFE, *RACY, *(p for p in NEAR_MISSES if "BUG: races" in p.read_text("utf-8")[:20])]

WORK = 20_000
MORE = {"near_misses/obj_own_lock_vs_parent"}
"""Where the kernel knows by points-to that two names are one mutex, and other rules do not."""


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def cases(paths: list[Path]) -> list[object]:
    """Programs of some hundred lines are for the night."""
    slow = pytest.mark.slow
    large = {path for path in paths if path.parent.name in ("c_daemons", "c_servers")}
    return [pytest.param(p, marks=slow if p in large else (), id=named(p)) for p in paths]


def program_at(path: Path, head: str = "") -> Program:
    """What proofs by locksets are about."""
    source = SourceFile(path.name, head + path.read_text(encoding="utf-8"))
    return analysed(load_c_sources([source], LoadOptions()).worked_on)


@pytest.mark.parametrize("path", cases(HAS_RACE))
def test_races_are_not_settled(path: Path) -> None:
    """Neither with what `locksets` claims, nor with all that could be claimed."""
    program = program_at(path, "#define BUG\n" if path in NEAR_MISSES else "")
    with suppress(Refused, Unsupported):
        assert undecided(program, claims_of(program))
    with suppress(Refused):
        assert undecided(program, Weakening(program, everything(program), at_most(WORK)).run())


@pytest.mark.parametrize("path", cases([*EXAMPLES, *NEAR_MISSES]))
def test_what_the_kernel_settles_other_rules_settle_too(path: Path) -> None:
    program = program_at(path)
    try:
        kernel = Kernel(program, claims_of(program), nothing)
        kernel.check()
    except (Refused, Unsupported):
        return
    left = {cell for cell, _, _, rule in kernel.pairs() if rule is None}
    checker = LocksetChecker(program, certificate_of(program), nothing)
    checker.run()
    names = sites(program)
    open_ = {each for found, _, _, rule in checker.pairs() if rule is None for each in found}
    cells = {Cell(names.get(target.object, target.object), target.cell) for target in open_}
    # In the semantics accesses to mutexes do not race, also if one of them is `free`.
    objects = kernel.ground.objects
    more = {c for c in cells - left if c.object in objects.shapes and not objects.is_sync(c)}
    assert bool(more) == (named(path) in MORE)
