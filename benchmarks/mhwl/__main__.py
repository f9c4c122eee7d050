"""The paper's five tables with the paper's figures beside ours, and time against N as PNG.

    python -m benchmarks.mhwl                       everything
    python -m benchmarks.mhwl --only 1 --largest 50 parts of it
    python -m benchmarks.mhwl --plots build/mhwl    where the pictures go

Each row is one run of the command line, evidence check included. NuSMV runs when it is on the
PATH, on SMV text made from the same program, by default and with `-dynamic`; the better counts.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.mhwl.paper import METHODS, TABLES, Figures, Table
from benchmarks.mhwl.smv import smv_text
from threadwise.core.options import LoadOptions
from threadwise.driver import load_program

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "meng_he_wang_liu"
HEADER = "{:8} {:>5} | {:>10} {:>10} {:>5} {:>6} {:>3} | {:>10} {:>10} {:>5} {:>6} {:>3}"
PROPERTY = {"dining_philosophers": "no_shared_fork"}


def ours(table: Table, engine: str, size: int, limit: int) -> Figures:
    """One run of the command line."""
    command = [sys.executable, "-m", "threadwise", "check", str(EXAMPLES / f"{table.model}.tw")]
    command += ["-D", f"N={size}", *table.options, "--engine", engine, "--format", "json"]
    command += ["--property", PROPERTY.get(table.model, "exclusion")]
    command += ["--time-limit", str(limit)]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    elapsed = time.monotonic() - started
    report = json.loads(done.stdout)
    figures = report["statistics"]
    refining = engine in ("tmmcir", "local-proof")
    return Figures(
        elapsed,
        figures.get("peak_bdd_nodes"),
        figures.get("refinements") if refining else None,
        figures.get("predicates") if refining else None,
        report["verdict"] in ("SAFE", "UNSAFE"),
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


def shown(figures: Figures | None) -> list[str]:
    """The columns of one side."""
    if figures is None:
        return ["-"] * 5
    time_s = f"{figures.time_s:.3f}" if figures.time_s is not None else "> limit"
    cells = [figures.nodes, figures.refinements, figures.predicates]
    told = ["na" if cell is None else str(cell) for cell in cells]
    return [time_s, *told, "Y" if figures.conclusive else "N"]


def run(table: Table, largest: int, limit: int) -> Iterator[tuple[str, int, Figures | None]]:
    """All rows of a table, printed as they come."""
    print(f"\n{table.title}")
    columns = ("time s", "BDDs", "ref", "preds", "Y/N")
    print(HEADER.format("method", "N", *columns, *columns) + "    (paper | ours)")
    for (method, size), printed in table.rows.items():
        if size > largest:
            continue
        engine = METHODS[method]
        found = nusmv(table, size, limit) if engine is None else ours(table, engine, size, limit)
        print(HEADER.format(method, size, *shown(printed), *shown(found)), flush=True)
        yield method, size, found


def plot(table: Table, rows: list[tuple[str, int, Figures | None]], folder: Path) -> None:
    """Time against N, theirs dashed."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 5))
    for color, method in enumerate(METHODS):
        theirs = [
            (size, f.time_s)
            for (m, size), f in table.rows.items()
            if m == method and f.time_s is not None
        ]
        mine = [(n, f.time_s) for m, n, f in rows if m == method and f is not None and f.time_s]
        for points, style, who in ((theirs, "--", "paper"), (mine, "-", "threadwise")):
            if points:
                xs, ys = zip(*sorted(points), strict=True)
                axes.plot(xs, ys, style, marker="o", color=f"C{color}", label=f"{method}, {who}")
    axes.set(title=table.title, xlabel="N", ylabel="seconds", yscale="log")
    axes.legend(fontsize="small")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{table.model}.png", dpi=120)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, choices=range(1, 6), help="one table")
    parser.add_argument("--largest", type=int, default=300, help="skip larger sizes")
    parser.add_argument("--time-limit", type=int, default=300)
    parser.add_argument("--plots", type=Path, default=ROOT / "build" / "mhwl")
    chosen = parser.parse_args()
    for number, table in enumerate(TABLES, start=1):
        if chosen.only in (None, number):
            rows = list(run(table, chosen.largest, chosen.time_limit))
            plot(table, rows, chosen.plots)
            print(f"picture: {chosen.plots / table.model}.png")


if __name__ == "__main__":
    main()
