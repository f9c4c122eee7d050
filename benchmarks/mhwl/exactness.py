"""Where exactness costs, and where it does not: AFR and TMMCIR side by side, sizes of diagrams.

    python -m benchmarks.mhwl.exactness [--results FILE]

MHWL's headline, TMMCIR against exact search, depends on how large the diagram of all reachable
states is. Two families of MUX-SEM: as printed, and with a pool of slots of which every process
takes one before it asks for the semaphore. Runs without symmetry and without audit; writes a
section of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import check
from benchmarks.mhwl.runs import EXAMPLES
from benchmarks.pages import conditions, write_section
from threadwise.backends.bdd.model import Model
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_program
from threadwise.engines.symbolic.proofs import UNCONFIRMED
from threadwise.engines.symbolic.reachability import Reachability, going_actions

SLOTS = """
const int N = 3;
bool x = true;                     // the semaphore is free
bool taken[N] = false;

thread p[N] {
    int[0..N-1] s = 0;
    while (true) {
        havoc s;
L0:     await(!taken[s]) { taken[s] = true; }
L1:     await(x) { x = false; }
L2:     skip;                      // critical
L3:     atomic { x = true; }
        atomic { taken[s] = false; }
    }
}

invariant exclusion:
    forall i, j: p. i != j ==>
        !((at(i, L2) || at(i, L3)) && (at(j, L2) || at(j, L3)));
"""
"""Which process has which slot is a permutation: no order of variables makes its diagram small."""

FAMILIES = {"MUX-SEM": (20, 50, 100, 200), "MUX-SEM with slots": (2, 3, 4, 5, 6, 7, 8)}
WAYS = (10, 20, 40, 80)
ENGINES = ("afr", "tmmcir")

WHY = """\
Why AFR is the faster one on MUX-SEM here, and the slower one in the paper: the reachable states
of MUX-SEM have a small diagram when the variables of a process are neighbours in the order, since
all that matters of the processes before it is whether one of them is inside. AFR builds this one
set in two sweeps, which apply the actions of the N processes one after the other, each to what is
known so far, on a diagram that grows with N. TMMCIR computes a component R̄_j for each process, and
each takes the guarantees of the N - 1 others: N times as many actions, and the ghosts of all
processes are in every diagram. Exact search that goes breadth first, all actions applied to the
same set, is another matter (last table): it takes N + 3 rounds, and on the way there are sets of
states in which so many processes have moved, whose diagrams grow with N². Its time grows as that
of the paper's AFR does, with an exponent between 4 and 5, and is of the same size. So we take the
paper's AFR to be closer to that than to ours, and the difference to be one of methods.

Exactness costs where the reachable states themselves have no small diagram. In the second family
every process holds a slot of its own: who has which is a permutation, and its diagram grows
exponentially in every order. A component forgets the slots of the others. There the headline shows
again: TMMCIR takes its one refinement with 2N predicates and next to no time, AFR two to three
times as long for every process more, and its result is soon too large to be checked."""


class Point(NamedTuple):
    """One run: seconds, nodes, and the verdict, or why there is none."""

    seconds: float
    nodes: int | None
    said: str


def measure(family: str, engine: str, size: int, limit: int) -> Point:
    """One run of the command line."""
    with tempfile.TemporaryDirectory() as folder:
        file = EXAMPLES / "mux_sem.tw"
        if family != "MUX-SEM":
            file = Path(folder) / "slots.tw"
            file.write_text(SLOTS, encoding="utf-8")
        report, seconds = check(
            file,
            *("-D", f"N={size}", "--engine", engine, "--property", "exclusion"),
            *("--no-symmetry", "--no-audit", "--time-limit", str(limit)),
        )
    assert report is not None
    said = report.get("reason") or report["verdict"]
    return Point(seconds, report["statistics"].get("peak_bdd_nodes"), said)


class Way(NamedTuple):
    """How exact search got to the reachable states: rounds, largest diagram, seconds."""

    rounds: int
    nodes: int
    seconds: float


def breadth_first(size: int) -> Way:
    """MUX-SEM, all actions applied to the same set in every round."""
    load = LoadOptions(defines={"N": str(size)})
    model = Model.of(load_program(str(EXAMPLES / "mux_sem.tw"), load))
    groups = going_actions(model)
    started = time.process_time()
    reached, before, rounds, nodes = model.initial, model.manager.false, 0, 0
    while reached != before:
        before = reached
        for action in (action for group in groups for action in group):
            reached = reached | action.post(model.manager, before)
        rounds, nodes = rounds + 1, max(nodes, len(reached))
    return Way(rounds, nodes, time.process_time() - started)


def in_sweeps(size: int) -> Way:
    """MUX-SEM, every action applied to all that is known so far, as `afr` does."""
    load = LoadOptions(defines={"N": str(size)})
    model = Model.of(load_program(str(EXAMPLES / "mux_sem.tw"), load))
    search = Reachability(model)
    started = time.process_time()
    rounds, nodes, more = 0, 0, True
    while more:
        more = search.sweep()
        rounds, nodes = rounds + 1, max(nodes, len(search.reached))
    return Way(rounds, nodes, time.process_time() - started)


def ways() -> str:
    """Both ways to the reachable states of MUX-SEM."""
    lines = [
        "| N | breadth first: rounds | largest diagram | seconds "
        "| sweeps: rounds | largest diagram | seconds |",
        "| --: | --: | --: | --: | --: | --: | --: |",
    ]
    for size in WAYS:
        cells = [
            cell
            for way in (breadth_first(size), in_sweeps(size))
            for cell in (str(way.rounds), f"{way.nodes:,}", f"{way.seconds:.2f}")
        ]
        lines.append(f"| {' | '.join([str(size), *cells])} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def told(point: Point | None) -> list[str]:
    """The columns of a run; None: not run, since a smaller size was over the limit."""
    if point is None or point.said not in ("SAFE", UNCONFIRMED):
        return ["> limit", "-"]
    mark = "" if point.said == "SAFE" else " *"
    return [f"{point.seconds:.2f}{mark}", f"{point.nodes:,}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time-limit", type=int, default=300, help="seconds of a run")
    parser.add_argument("--results", type=Path, help="keep runs here, a line each")
    chosen = parser.parse_args()
    known: dict[tuple[str, str, int], Point] = {}
    if chosen.results is not None and chosen.results.exists():
        for row in map(json.loads, chosen.results.read_text(encoding="utf-8").splitlines()):
            known[row[0], row[1], row[2]] = Point(*row[3])
    lines = [
        "| model | N | AFR, seconds | AFR, BDDs | TMMCIR, seconds | TMMCIR, BDDs |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for family, sizes in FAMILIES.items():
        beyond: set[str] = set()
        for size in sizes:
            points: list[Point | None] = []
            for engine in ENGINES:
                key = (family, engine, size)
                if key not in known and engine not in beyond:
                    known[key] = measure(family, engine, size, chosen.time_limit)
                    if chosen.results is not None:
                        with chosen.results.open("a", encoding="utf-8") as kept:
                            print(json.dumps([*key, known[key]]), file=kept)
                points.append(known.get(key))
                if (found := points[-1]) is not None and told(found)[1] == "-":
                    beyond.add(engine)
            cells = [cell for point in points for cell in told(point)]
            lines.append(f"| {' | '.join([family, str(size), *cells])} |")
            print(lines[-1], flush=True)
    head = "## MHWL, where exactness costs\n\n`python -m benchmarks.mhwl.exactness`."
    limit = (
        f"`> limit`: more than {chosen.time_limit} s of wall time; *: the proof was found, but is "
        "too large for its checker, and the answer is UNKNOWN."
    )
    write_section(
        "exactness", "\n\n".join([f"{head} {conditions()} {limit}", "\n".join(lines), WHY, ways()])
    )


if __name__ == "__main__":
    main()
