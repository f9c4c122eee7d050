"""The paper's five tables with the paper's figures beside ours, written to docs/benchmarks.md.

    python -m benchmarks.mhwl                       everything
    python -m benchmarks.mhwl --only 1 --largest 50 parts of it, printed only
    python -m benchmarks.mhwl --plots build/mhwl    time against N as PNG, too

Each row is one run of the command line, evidence check included, without symmetry reduction, which
the paper does not have either; the last rows of a table are TMMCIR with it. TMMC is Algorithm 1 as
printed. NuSMV runs when it is on the PATH, on SMV text made from the same program, by default and
with `-dynamic`; the better counts. Growth is the exponent of a line through (log N, log time), of
ours after the time of a run with N = 2 was taken off: loading takes longer than small models.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import ROOT, check, exponent
from benchmarks.mhwl.paper import METHODS, TABLES, Figures, Table
from benchmarks.mhwl.smv import smv_text
from benchmarks.pages import conditions, write_section
from threadwise.core.options import LoadOptions
from threadwise.driver import load_program

EXAMPLES = ROOT / "examples" / "meng_he_wang_liu"
PROPERTY = {"philosophers_four_steps": "no_shared_fork"}
SYMMETRIC = "TMMCIR, symmetry"
Row = tuple[str, int, Figures | None]
"""Method, N, what we found."""


def ours(table: Table, engine: str, size: int, limit: int, *, symmetry: bool = False) -> Figures:
    """One run of the command line."""
    report, elapsed = check(
        EXAMPLES / f"{table.model}.tw",
        *("-D", f"N={size}", *table.options, "--engine", engine),
        *("--property", PROPERTY.get(table.model, "exclusion")),
        *("--symmetry" if symmetry else "--no-symmetry", "--time-limit", str(limit), "--no-audit"),
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


def loading(table: Table, engine: str) -> float:
    """What a run takes that has next to nothing to do."""
    return ours(table, engine, 2, 60).time_s or 0.0


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


def rows(table: Table, largest: int, limit: int) -> Iterator[Row]:
    """All rows of a table."""
    for method, size in table.rows:
        if size <= largest:
            engine = METHODS[method]
            if engine is None:
                yield method, size, nusmv(table, size, limit)
            else:
                yield method, size, ours(table, engine, size, limit)
    for method, size in table.rows:
        if method == "TMMCIR" and size <= largest:
            yield SYMMETRIC, size, ours(table, "tmmcir", size, limit, symmetry=True)


# -- text ----------------------------------------------------------------------------------------


def shown(figures: Figures | None) -> list[str]:
    """The columns of one side."""
    if figures is None:
        return ["-"] * 5
    time_s = f"{figures.time_s:.2f}" if figures.time_s is not None else "> limit"
    cells = [figures.nodes, figures.refinements, figures.predicates]
    told = ["-" if cell is None else str(cell) for cell in cells]
    return [time_s, *told, "Y" if figures.conclusive else "N"]


def line(cells: list[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


COLUMNS = ("seconds", "BDDs", "ref", "preds", "conclusive")
HEADER = [
    line(["method", "N", *(f"{name}, {who}" for who in ("paper", "ours") for name in COLUMNS)]),
    line(["---", *["--:"] * 11]),
]


def growth(table: Table, found: list[Row]) -> Iterator[str]:
    """How time grows with N, theirs and ours, method by method."""
    for method, engine in METHODS.items():
        if engine is None:
            continue
        theirs = [
            (float(n), f.time_s)
            for (m, n), f in table.rows.items()
            if m == method and f.time_s is not None
        ]
        least = loading(table, engine)
        mine = [
            (float(n), max(f.time_s - least, 0.005))
            for m, n, f in found
            if m == method and f is not None and f.time_s is not None
        ]
        told = ["-" if e is None else f"{e:.1f}" for e in (exponent(theirs), exponent(mine))]
        if told != ["-", "-"]:
            yield f"{method} {told[0]} / {told[1]}"


def text_of(table: Table, found: list[Row]) -> str:
    """A table as a section of the page."""
    lines = [f"### {table.title}", "", *HEADER]
    agree = []
    for method, size, figures in found:
        printed = table.rows.get((method, size))
        lines.append(line([method, str(size), *shown(printed), *shown(figures)]))
        if printed is not None and figures is not None:
            agree.append((method, size, printed.conclusive, figures.conclusive))
    different = [f"{m} at {n}" for m, n, theirs, mine in agree if theirs != mine]
    same = "equal" if not different else f"equal but for {', '.join(different)}"
    lines += ["", f"Conclusive: {same}. Growth, paper / ours: {'; '.join(growth(table, found))}."]
    return "\n".join(lines)


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
    parser.add_argument("--plots", type=Path, help="where to draw time against N")
    chosen = parser.parse_args()
    parts = []
    for number, table in enumerate(TABLES, start=1):
        if chosen.only in (None, number):
            found = []
            for row in rows(table, chosen.largest, chosen.time_limit):
                print(table.model, row[0], row[1], *shown(row[2]), flush=True)
                found.append(row)
            parts.append(text_of(table, found))
            print(parts[-1], flush=True)
            if chosen.plots is not None:
                plot(table, found, chosen.plots)
    if chosen.only is None:
        limit = f"`> limit`: more than {chosen.time_limit} s of wall time."
        head = f"## MHWL, Tables 1 to 5\n\n`python -m benchmarks.mhwl`. {conditions()} {limit}"
        write_section("mhwl", "\n\n".join([head, *parts]))


if __name__ == "__main__":
    main()
