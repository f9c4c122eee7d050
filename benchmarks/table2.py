"""HJMQ Table 2: iterations, queries and time of `tar` beside the paper's.

    python benchmarks/table2.py

The paper ran BLAST on C programs it does not print, on a machine of 700 MHz; the models here are
written from its description. Times are processor seconds of the engine and of the check of its
evidence. Outer iterations are refinements, inner ones weakenings of the assumptions.
"""

from __future__ import annotations

import time
from pathlib import Path

from threadwise.core.budget import UNLIMITED, Meter
from threadwise.driver.loading import load_program
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.proofs.base.registry import check_certificate
from threadwise.traces.replay import replay

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "henzinger_jhala_majumdar_qadeer"
ROWS = (
    ("simple", "x", (3, 97, 693, 1.208)),
    ("simple_bug", "x", (2, 131, 466, 0.220)),
    ("producer_consumer", "data", (4, 505, 4349, 5.048)),
    ("producer_consumer_bug", "data", (1, 149, 331, 0.403)),
    ("time_varying", "buffer", (4, 612, 11219, 9.653)),
    ("time_varying_bug", "buffer", (1, 61, 190, 0.259)),
)


def measure(name: str, variable: str) -> tuple[str, int, int, int, float]:
    """Verdict, outer and inner iterations, queries and seconds for one model."""
    program = load_program(str(FOLDER / f"{name}.tw"))
    task = Task(program, select_properties(program, [f"race_free {variable}"]))
    task.meter = Meter(UNLIMITED)
    started = time.process_time()
    verdict = "UNKNOWN"
    for finding in TarEngine().run(task):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            verdict = "SAFE"
        elif isinstance(finding, Violated):
            replay(program, finding.trace)
            verdict = "UNSAFE"
    seconds = time.process_time() - started
    figures = task.statistics
    outer = int(figures.get("refinements")) + 1
    inner, queries = int(figures.get("inner_iterations")), int(figures.get("solver_queries"))
    return verdict, outer, inner, queries, seconds


def main() -> None:
    """Print the table."""
    print(f"{'':24}{'tar':^40}{'paper':^36}")
    header = f"{'outer':>7}{'inner':>7}{'queries':>9}{'time':>9}"
    print(f"{'':24}{'verdict':8}{header}    {header}")
    for name, variable, paper in ROWS:
        verdict, outer, inner, queries, seconds = measure(name, variable)
        ours = f"{verdict:8}{outer:>7}{inner:>7}{queries:>9}{seconds:>7.2f} s"
        theirs = f"{paper[0]:>7}{paper[1]:>7}{paper[2]:>9}{paper[3]:>7.2f} s"
        print(f"{name:24}{ours}    {theirs}")


if __name__ == "__main__":
    main()
