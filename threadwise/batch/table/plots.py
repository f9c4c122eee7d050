"""Plots as SVG: how many tasks are answered within which time, and two runs against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from threadwise.batch.table.rows import Row
from threadwise.core.errors import InputError

LEAST_S = 0.01
"""Times are shown on a logarithmic scale; no run of the tool is shorter than this."""


def quantile(runs: Mapping[str, Sequence[Row]], out: Path) -> None:
    """The "cactus" plot: the time of the n-th fastest right answer, for each run."""
    figure, axes = _figure()
    for name, rows in runs.items():
        times = sorted(max(row.wall_s or 0, LEAST_S) for row in rows if row.is_right)
        axes.step(range(1, len(times) + 1), times, where="post", label=name)
    axes.set_yscale("log")
    axes.set_xlabel("right answers")
    axes.set_ylabel("time of a task in s")
    axes.legend()
    _save(figure, out)


def scatter(
    first: tuple[str, Sequence[Row]], second: tuple[str, Sequence[Row]], out: Path
) -> None:
    """The time of each task that either run answers; at the edge: not answered."""
    (name, rows), (other_name, other_rows) = first, second
    others = {row.name: row for row in other_rows}
    pairs = [
        (row, others[row.name])
        for row in rows
        if row.name in others and (row.is_right or others[row.name].is_right)
    ]
    times = [row.wall_s for pair in pairs for row in pair if row.is_right and row.wall_s]
    edge = 2 * max(times, default=1.0)
    figure, axes = _figure()
    axes.scatter(
        [_at(row, edge) for row, _ in pairs], [_at(other, edge) for _, other in pairs], s=9
    )
    axes.plot([LEAST_S, edge], [LEAST_S, edge], linewidth=0.5, color="grey")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"{name}: time in s; at the edge: not answered")
    axes.set_ylabel(f"{other_name}: time in s")
    _save(figure, out)


def _at(row: Row, edge: float) -> float:
    return max(row.wall_s or LEAST_S, LEAST_S) if row.is_right else edge


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise InputError.of(
            "plots need Matplotlib", hint="pip install 'threadwise[plots]'"
        ) from None
    figure = Figure(figsize=(7, 5), layout="constrained")
    return figure, figure.subplots()


def _save(figure: Any, out: Path) -> None:
    import matplotlib as mpl

    try:
        # The same rows give the same file, and text stays text.
        with mpl.rc_context({"svg.hashsalt": "threadwise", "svg.fonttype": "none"}):
            figure.savefig(out, format="svg", metadata={"Date": None})
    except OSError as error:
        raise InputError.of(f"{out}: cannot be written: {error.strerror}") from None
