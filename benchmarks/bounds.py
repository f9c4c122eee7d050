"""The bounds of FQ §2.2 measured: thread-modular checking against explicit search.

    python -m benchmarks.bounds

R and G take O(n·G·(G+L)) space and O(n·G·L·(n·G+d)) time, explicit search O(G·Lⁿ) states. Two
programs of the paper: with a boolean mutex G does not depend on n, and R and G grow with n; with
the owner's id in the mutex G grows with n itself, and R and G with n². Exponents are slopes of
lines through (log n, log size). Writes a section of docs/benchmarks.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.measuring import ROOT, exponent
from benchmarks.pages import conditions, write_section
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_program
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.semantics.oracle import explore
from threadwise.systems.concrete import ConcreteSystem

FOLDER = ROOT / "examples" / "flanagan_qadeer"
EXPLICIT = (1, 2, 3, 4, 5, 6)
WIDTH = 60


class Family(NamedTuple):
    """A program for growing n, and what the paper's bound gives."""

    name: str
    sizes: tuple[int, ...]
    space: float
    """The exponent of n in n·G·(G+L)."""


FAMILIES = (
    Family("simple_boolean", (10, 30, 100, 300, 1000), 1),
    Family("simple_owner", (10, 20, 50, 100, 200), 3),
)


class Point(NamedTuple):
    """The sizes of R and G for one n, and the computing time."""

    n: int
    pairs: int
    guarantees: int
    seconds: float


def measure(family: Family, n: int) -> Point:
    """Compute R and G, a role for every thread."""
    load = LoadOptions(defines={"N": str(n)})
    system = ConcreteSystem(load_program(str(FOLDER / f"{family.name}.tw"), load))
    started = time.process_time()
    fixpoint = thread_modular_fixpoint(system)
    taken = time.process_time() - started
    return Point(n, fixpoint.size, fixpoint.guarantee_count, taken)


def states(family: Family, n: int) -> int:
    """How many states explicit search visits."""
    load = LoadOptions(defines={"N": str(n)})
    return len(explore(load_program(str(FOLDER / f"{family.name}.tw"), load), ()).states)


def plot(explicit: Sequence[tuple[int, int]], modular: Sequence[tuple[int, int]]) -> str:
    """Sizes as bars, on a logarithmic scale: one place for a factor of two."""

    def bar(n: int, size: int) -> str:
        return f"{n:5}  {'█' * min(WIDTH, size.bit_length())}  {size:,}"

    lines = ["explicit search: states for n threads", *(bar(*point) for point in explicit)]
    lines += ["", "thread-modular: |R| + |G| for n threads", *(bar(*point) for point in modular)]
    return "\n".join(["```", *lines, "```"])


def section(family: Family) -> str:
    """Table, exponents and plot of one program."""
    points = [measure(family, n) for n in family.sizes]
    for point in points:
        print(family.name, *point, flush=True)
    explicit = [(n, states(family, n)) for n in EXPLICIT if family.name != "simple_owner" or n < 6]
    size = exponent([(p.n, p.pairs + p.guarantees) for p in points])
    seconds = exponent([(p.n, p.seconds) for p in points])
    rows = [f"| {p.n} | {p.pairs:,} | {p.guarantees:,} | {p.seconds:.2f} |" for p in points]
    factor = (explicit[-1][1] / explicit[0][1]) ** (1 / (explicit[-1][0] - explicit[0][0]))
    told = (
        f"|R| + |G| grows with n^{size:.2f} (the bound: n^{family.space:g}), time with "
        f"n^{seconds:.2f}; the states of explicit search with {factor:.1f}ⁿ."
    )
    head = [f"### {family.name}", "", "| n | R | G | seconds |", "|--:|--:|--:|--:|", *rows]
    picture = plot(explicit, [(p.n, p.pairs + p.guarantees) for p in points])
    return "\n".join([*head, "", told, "", picture])


def main() -> None:
    head = (
        f"## FQ, thread-modular versus explicit\n\n`python -m benchmarks.bounds`. {conditions()}"
    )
    write_section("fq", "\n\n".join([head, *map(section, FAMILIES)]))


if __name__ == "__main__":
    main()
