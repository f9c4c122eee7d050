"""How many steps threads are likely to take at most, where their runs are short.

A few runs with random schedules and inputs tell. It is a guess: the search asks the solver whether
it is right before it uses it.
"""

from __future__ import annotations

from threadwise.analyses.loops import starting_values, steps_until_end
from threadwise.analyses.regions import has_calls
from threadwise.core.errors import Unsupported
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Procedure, Program
from threadwise.semantics.schedule import RandomSchedule
from threadwise.semantics.step import Interpreter
from threadwise.systems.samples import sample_values

RUNS = 24
"""So many runs are made."""

ADMITTED = (slice(1, 2), slice(0, 2), slice(None))
"""Which samples are inputs, run by run: most assumptions about inputs admit 1, many also 0."""

MOST_STEPS = 130
"""If all threads together take more steps than this, runs are not short."""

SWITCHING = 0.3
"""How likely another thread goes on: runs of threads that wait for each other have to end, too."""


def likely_lengths(program: Program) -> tuple[int, ...] | None:
    """The most steps of each thread in some runs; None unless all of these are short."""
    if program.has_any_number or uses_memory(program):
        return None
    samples = sample_values(program) or ()
    interpreters = [Interpreter(program, samples[some]) for some in ADMITTED]
    lengths = [0] * len(interpreters[0].threads)
    try:
        for seed in range(RUNS):
            run = _run(interpreters[seed % len(interpreters)], seed)
            lengths = [max(most, taken) for most, taken in zip(lengths, run, strict=True)]
            if sum(lengths) > MOST_STEPS:
                return None
    except Unsupported:  # it depends on inputs that cannot be listed
        return None
    return tuple(lengths)


def _run(interpreter: Interpreter, seed: int) -> list[int]:
    """How many steps each thread takes in one run."""
    schedule = RandomSchedule(seed, SWITCHING)
    start = schedule.start(interpreter)
    taken = [0] * len(interpreter.threads)
    for transition in schedule.walk(interpreter, start, MOST_STEPS + 1):
        taken[transition.move.thread] += 1
    return taken


def is_brief(program: Program) -> bool:
    """Whether the text bounds all runs, and some that were tried are short."""
    bodies = [program.procedure[template.body] for template in program.templates]
    return (
        not has_calls(program) and all(map(_ends, bodies)) and likely_lengths(program) is not None
    )


def _ends(body: Procedure) -> bool:
    nodes = [location.id for location in body.locations]
    return steps_until_end(nodes, body.edges, starting_values(body.edges)) is not None
