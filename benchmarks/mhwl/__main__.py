"""The paper's five tables with the paper's figures beside ours, written to docs/benchmarks.md.

    python -m benchmarks.mhwl                         everything
    python -m benchmarks.mhwl --results build/mhwl    the same, going on where it was interrupted
    python -m benchmarks.mhwl --only 1 --largest 50   parts of it, printed only
    python -m benchmarks.mhwl --plots build/plots     time against N as PNG, too

Each row is one run of the command line, evidence check included, without symmetry reduction and
without audit, which the paper does not have either; the last rows of a table are TMMCIR with
symmetry, and below is TMMCIR with the audit, as it is by default. TMMC is Algorithm 1 as printed.
NuSMV runs when it is on the PATH, on SMV text made from the same program, by default and with
`-dynamic`; the better counts. Growth is the exponent of a line through (log N, log time), of ours
after the time of a run with N = 2 was taken off: loading takes longer than small models.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import exponent
from benchmarks.mhwl.paper import METHODS, TABLES, Figures, Table
from benchmarks.mhwl.runs import AUDITED, Row, Runs
from benchmarks.pages import conditions, write_section

MOST_AUDITED = 200
"""Up to this size TMMCIR runs with the audit, too."""

LEAST = 0.1
"""What is left after loading was taken off means nothing below so many seconds."""


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


def growth(table: Table, found: list[Row], runs: Runs) -> Iterator[str]:
    """How time grows with N, theirs and ours, method by method."""
    for method, engine in METHODS.items():
        if engine is None:
            continue
        theirs = [
            (float(n), f.time_s)
            for (m, n), f in table.rows.items()
            if m == method and f.time_s is not None
        ]
        least = runs.loading(table, method)
        mine = [
            (float(n), f.time_s - least)
            for m, n, f in found
            if m == method and f is not None and f.time_s is not None and f.time_s > least + LEAST
        ]
        told = ["-" if e is None else f"{e:.1f}" for e in (exponent(theirs), exponent(mine))]
        if told != ["-", "-"]:
            yield f"{method} {told[0]} / {told[1]}"


def audited(table: Table, found: list[Row], runs: Runs) -> Iterator[str]:
    """TMMCIR as it is by default, for the sizes that are in the table."""
    for method, size, figures in found:
        done = figures is not None and figures.time_s is not None
        if method == "TMMCIR" and done and size <= MOST_AUDITED:
            again = runs.run(table, AUDITED, size)
            assert again is not None
            yield f"{shown(again)[0]} at {size}"


def text_of(table: Table, found: list[Row], runs: Runs) -> str:
    """A table as a section of the page."""
    lines = [f"### {table.title}", "", *HEADER]
    agree = []
    for method, size, figures in found:
        printed = table.rows.get((method, size))
        lines.append(line([method, str(size), *shown(printed), *shown(figures)]))
        if printed is not None and figures is not None:
            agree.append((method, size, printed, figures))
    different = [
        f"{m} at {n}{' (the paper: over an hour)' if theirs.time_s is None else ''}"
        for m, n, theirs, mine in agree
        if theirs.conclusive != mine.conclusive
    ]
    same = "equal" if not different else f"equal but for {', '.join(different)}"
    told = "; ".join(growth(table, found, runs))
    lines += ["", f"Conclusive: {same}. Growth, paper / ours: {told}."]
    lines += [f"TMMCIR with audit, seconds: {', '.join(audited(table, found, runs))}."]
    return "\n".join(lines)


def plot(table: Table, rows: list[Row], folder: Path) -> None:
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
    parser.add_argument("--time-limit", type=int, default=300, help="seconds of a run")
    parser.add_argument("--results", type=Path, help="keep runs here, a line each")
    parser.add_argument("--plots", type=Path, help="where to draw time against N")
    chosen = parser.parse_args()
    runs = Runs(chosen.time_limit, chosen.results)
    parts = []
    for number, table in enumerate(TABLES, start=1):
        if chosen.only in (None, number):
            found = []
            for row in runs.rows(table, chosen.largest):
                print(table.model, row.method, row.size, *shown(row.figures), flush=True)
                found.append(row)
            parts.append(text_of(table, found, runs))
            print(parts[-1], flush=True)
            if chosen.plots is not None:
                plot(table, found, chosen.plots)
    if chosen.only is None:
        limit = f"`> limit`: more than {chosen.time_limit} s of wall time."
        head = f"## MHWL, Tables 1 to 5\n\n`python -m benchmarks.mhwl`. {conditions()} {limit}"
        write_section("mhwl", "\n\n".join([head, *parts]))


if __name__ == "__main__":
    main()
