"""The steps from every pair of a large table, all pairs at a location at once.

Same answer as the reference interpreter, pair by pair; a test compares the two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.thread_modular.check import FoundStep
from threadwise.proofs.toolbox.vector_paths import outcomes
from threadwise.proofs.toolbox.vectors import Batch, VectorEvaluator, as_number
from threadwise.semantics.state import LocalStore
from threadwise.semantics.step import Interpreter

Row = tuple[int, int, LocalStore]


def vector_steps(
    interpreter: Interpreter, certificate: ThreadModularCertificate, tick: Callable[[], object]
) -> Iterator[FoundStep]:
    """Every step from every pair; raises OverflowError or Unsupported where one is out of reach.

    Values must be numbers that fit 64 bits, and paths through atomic blocks must be short.
    """
    evaluator = VectorEvaluator(interpreter)
    for batch, rows in _batches(interpreter, certificate):
        tick()
        for after, edges in outcomes(evaluator, batch, ()):
            shared, own = after.shared.tolist(), after.own.tolist()
            for position, origin in enumerate(after.origin.tolist()):
                t, g, l = rows[origin]
                moved = after.pc, tuple(own[position])
                yield FoundStep(t, g, l, edges, tuple(shared[position]), moved)


def _batches(
    interpreter: Interpreter, certificate: ThreadModularCertificate
) -> Iterator[tuple[Batch, list[Row]]]:
    """All pairs, grouped by template and location."""
    table = np.array(
        [[as_number(value) for value in cells] for cells in certificate.globals], dtype=np.int64
    ).reshape(len(certificate.globals), len(interpreter.layout.globals.cells))
    groups: defaultdict[tuple[str, int], list[Row]] = defaultdict(list)
    for t, pairs in enumerate(certificate.reached):
        for g, l in pairs:
            groups[interpreter.layout.numbers.templates[t], l.pc].append((t, g, l))
    for (template, pc), rows in groups.items():
        width = len(rows[0][2].thread) + len(rows[0][2].locals)
        own = np.array(
            [[as_number(v) for v in (*l.thread, *l.locals)] for _, _, l in rows], dtype=np.int64
        ).reshape(len(rows), width)
        threads = np.array([t for t, _, _ in rows], dtype=np.int64)
        shared = table[[g for _, g, _ in rows]]
        yield Batch(template, pc, threads, shared, own, np.arange(len(rows))), rows
