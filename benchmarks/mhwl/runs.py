"""Runs for the tables: ours by the command line, NuSMV's on the same program; kept in a file.

Each run is a line of JSON, so that a table that was interrupted goes on where it stopped. A method
that was over the limit is not run with more threads: it says so, and counts as over the limit.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT, check
from benchmarks.mhwl.paper import METHODS, Figures, Table
from benchmarks.mhwl.smv import smv_text
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_program

EXAMPLES = ROOT / "examples" / "meng_he_wang_liu"
PROPERTY = {"philosophers_four_steps": "no_shared_fork"}
SYMMETRIC = "TMMCIR, symmetry"
AUDITED = "TMMCIR, audited"
SMALLEST = 2
"""A run with so many threads has next to nothing to do: it takes what loading takes."""
OVER = Figures(None, None, None, None, conclusive=False)


class Row(NamedTuple):
    """Method, N, what we found; None: there is no such tool here."""

    method: str
    size: int
    figures: Figures | None


class Runs:
    """Runs within a limit of wall time, looked up where they are known."""

    def __init__(self, limit: int, results: Path | None) -> None:
        self.limit = limit
        self.results = results
        self._known: dict[tuple[str, str, int], Figures] = {}
        if results is not None and results.exists():
            for line in results.read_text(encoding="utf-8").splitlines():
                model, method, size, figures = json.loads(line)
                self._known[model, method, size] = Figures(*figures)

    def rows(self, table: Table, largest: int) -> Iterator[Row]:
        """All rows of a table, TMMCIR with symmetry last."""
        for method, size in table.rows:
            if size <= largest:
                yield Row(method, size, self.run(table, method, size))
        for method, size in table.rows:
            if method == "TMMCIR" and size <= largest:
                yield Row(SYMMETRIC, size, self.run(table, SYMMETRIC, size))

    def loading(self, table: Table, method: str) -> float:
        """What a run takes that has next to nothing to do."""
        found = self.run(table, method, SMALLEST)
        return 0.0 if found is None or found.time_s is None else found.time_s

    def run(self, table: Table, method: str, size: int) -> Figures | None:
        """What a method says about a model of some size."""
        key = (table.model, method, size)
        if key in self._known:
            return self._known[key]
        if any(
            (model, tried) == key[:2] and n < size and figures.time_s is None
            for (model, tried, n), figures in self._known.items()
        ):
            return OVER
        found = self._measured(table, method, size)
        if found is not None:
            self._known[key] = found
            if self.results is not None:
                with self.results.open("a", encoding="utf-8") as lines:
                    print(json.dumps([*key, found]), file=lines)
        return found

    def _measured(self, table: Table, method: str, size: int) -> Figures | None:
        options = ["--no-symmetry", "--no-audit"]
        match method:
            case "NuSMV":
                return nusmv(table, size, self.limit)
            case _ if method == SYMMETRIC:
                options = ["--symmetry", "--no-audit"]
            case _ if method == AUDITED:
                options = ["--no-symmetry"]
        engine = METHODS.get(method, "tmmcir")
        assert engine is not None
        return ours(table, engine, size, [*options, "--time-limit", str(self.limit)])


def ours(table: Table, engine: str, size: int, options: list[str]) -> Figures:
    """One run of the command line."""
    report, elapsed = check(
        EXAMPLES / f"{table.model}.tw",
        *("-D", f"N={size}", *table.options, "--engine", engine),
        *("--property", PROPERTY.get(table.model, "exclusion"), *options),
    )
    assert report is not None
    figures = report["statistics"]
    refining = engine in ("tmmcir", "local-proof")
    conclusive = report["verdict"] in ("SAFE", "UNSAFE")
    over = not conclusive and engine != "tmmc-printed"
    return Figures(
        None if over else elapsed,
        figures.get("peak_bdd_nodes"),
        figures.get("refinements") if refining else None,
        figures.get("predicates") if refining else None,
        conclusive,
    )


def nusmv(table: Table, size: int, limit: int) -> Figures | None:
    """NuSMV on the same program; None if there is none."""
    tool = shutil.which("NuSMV") or shutil.which("nusmv")
    if tool is None:
        return None
    defines = {"N": str(size)}
    if table.options:
        defines.update([table.options[1].split("=")])
    program = load_program(str(EXAMPLES / f"{table.model}.tw"), LoadOptions(defines=defines))
    best: float | None = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.smv"
        wanted = PROPERTY.get(table.model, "exclusion")
        path.write_text(smv_text(program, wanted), encoding="utf-8")
        for options in ([], ["-dynamic"]):
            started = time.monotonic()
            try:
                done = subprocess.run(
                    [tool, *options, str(path)],
                    capture_output=True,
                    text=True,
                    timeout=limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                continue
            if "is true" in done.stdout or "is false" in done.stdout:
                elapsed = time.monotonic() - started
                best = elapsed if best is None else min(best, elapsed)
    return Figures(best, None, None, None, best is not None)
