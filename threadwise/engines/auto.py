"""The default strategy: every engine of the registry, cheapest first, in growing slices.

An engine that does not finish within a slice is stopped for the next one and gets another
run, from the start, with a larger slice: so an engine that diverges cannot keep another one from
answering, and the time wasted is a fraction of the time used.

A slice is about as long for every engine, but it is no time: it is a number of steps, so that the
same input has the same answer everywhere. Steps of engines take very different times, from some
20 µs for a state of a small model to a millisecond for a piece of a query, hence each engine says
what its steps cost (`StepCost`), and a slice buys as many as it pays for.

Where data has no bound, engines that go through all values seldom end: they get less, and those
that can prove something without come before most of them. `explicit` finds errors all the same.
Where there are no loops, `bounded` decides everything: it comes early, and gets more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from threadwise.analyses.regions import longest_run
from threadwise.analyses.unbounded import has_unbounded_data
from threadwise.engines.api import Engine
from threadwise.engines.registry import ENGINES, EngineInfo, StepCost
from threadwise.ir.fold import allocates, uses_memory
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import Program

AUTO = "auto"
AUTO_SLICES = tuple(500_000 * 4**k for k in range(9))
"""About how many microseconds an engine gets, round by round; after the last it is given up."""

FIRST_GRANTS = (100_000, 250_000)
"""The same for engines side by side, which lose nothing by waiting for their next turn."""

GRANT = 500_000
"""And in all later rounds."""

LESS = 4
"""Engines that go through all values get such a part of a slice where there is no bound."""

MORE = 6
"""An engine that terminates if all runs do gets so many times a slice for such programs."""

ASSUMED_THREADS = 4
"""How many threads a template with any number of them has in explicit states."""


def auto_engines() -> list[EngineInfo]:
    """The engines to try, in order.

    Facts cost time, so thread-modular checking does without at first; with them it comes after
    `counting`, which finds them.
    """
    found: list[EngineInfo] = []
    for info in ENGINES.values():
        if info.name == "thread-modular":
            found.append(replace(info, engine=_without_facts))
        elif info.in_auto:
            found.append(info)
        if info.name == "counting":
            found.append(
                replace(
                    ENGINES["thread-modular"],
                    name="thread-modular --facts",
                    engine=_with_facts,
                    cost=StepCost(400),
                    late=True,
                )
            )
    return found


def _without_facts() -> Engine:
    from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine

    return ThreadModularEngine(facts=False)


def _with_facts() -> Engine:
    from threadwise.engines.thread_modular.counted import CountedEngine

    return CountedEngine()


def arranged(engines: Sequence[EngineInfo], program: Program) -> list[EngineInfo]:
    """The engines in the order that suits a program."""
    if has_unbounded_data(program):
        return sorted(engines, key=lambda info: info.late)
    if not _runs_end(program):
        return list(engines)
    found = [info for info in engines if not info.where_runs_end]
    early = next((i for i, info in enumerate(found) if info.name == "persistent"), -1) + 1
    found[early:early] = [info for info in engines if info.where_runs_end]
    return found


def _runs_end(program: Program) -> bool:
    """Whether so many threads take so many steps, as the text says, and use no pointers."""
    if program.has_any_number or uses_memory(program):
        return False
    return longest_run(program) is not None


def _shared_cells(program: Program) -> int:
    """How many cells all threads share, about: the elements per thread are not counted."""
    return sum(
        size_of(declaration.variable.type, NO_THREADS)
        for declaration in program.globals
        if has_static_size(declaration.variable.type)
    )


def steps_within(info: EngineInfo, program: Program, microseconds: int) -> int:
    """How many steps of an engine a slice pays for."""
    if info.enumerates and has_unbounded_data(program):
        microseconds //= LESS
    if info.where_runs_end and _runs_end(program):
        microseconds *= MORE
    return max(1, microseconds // step_cost(info, program))


def step_cost(info: EngineInfo, program: Program) -> int:
    """About how many microseconds a step of an engine takes."""
    threads = sum(
        ASSUMED_THREADS if template.count is None else template.count
        for template in program.templates
    )
    cost = info.cost.base + info.cost.per_thread * threads
    if info.cost.heap != 1 and allocates(program):
        cost *= info.cost.heap
    if info.cost.cells is not None:
        cost += _shared_cells(program) // info.cost.cells
    return cost


def microseconds_for(info: EngineInfo, program: Program, steps: int) -> int:
    """A slice that pays for so many steps."""
    many = 10**12
    return steps * many // steps_within(info, program, many) + 1
