"""The question other engines ask: can these paths of threads be interleaved, and if not, why?

A path lists the steps of one thread, each as its edges. The answer is a schedule that takes every
step of every path, in some order, and ends in a violation; or a refutation: a set of steps that
cannot all happen in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from threadwise.backends.smt.interleavings.unrolling import Choose, Point
from threadwise.backends.smt.solver import Answer, Effort
from threadwise.engines.bounded.query import Query, Schedule
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import Property

ThreadPath = Sequence[tuple[Edge, ...]]
"""The steps of one thread, in order."""


@dataclass(frozen=True)
class Refutation:
    """There is no such interleaving.

    `core` are steps, by thread and number, that exclude each other in every order; empty if the
    solver did not know, as `decided` says.
    """

    core: tuple[tuple[int, int], ...]
    decided: bool = True
    reason: str = ""


def find_interleaving(
    program: Program,
    paths: Mapping[int, ThreadPath],
    goal: Property | None = None,
    effort: Effort | None = None,
) -> Schedule | Refutation:
    """A schedule that takes all steps of all paths and ends in a violation of the goal.

    All counts of the program must be fixed; threads without a path stay at their entries.
    """
    query = Query(program, effort or Effort(), _along(paths))
    for thread in query.threads:
        for _ in paths.get(thread.thread, ()):
            if thread.extend() is None:
                return Refutation(((thread.thread, len(thread.slots)),))
    goals = query.finish()
    violation = query.logic.true if goal is None else goals.violation(goal)
    everything = [slot.executed for thread in query.threads for slot in thread.slots]
    looked = query.reach(goals, violation, everything)
    if looked.schedule is not None:
        return looked.schedule
    if looked.answer is Answer.UNKNOWN:
        return Refutation((), decided=False, reason=looked.reason)
    named = {
        slot.executed.get_id(): (slot.thread, slot.number)
        for thread in query.threads
        for slot in thread.slots
    }
    return Refutation(tuple(sorted(named[term.get_id()] for term in looked.core)))


def _along(paths: Mapping[int, ThreadPath]) -> Callable[[int], Choose]:
    def choose_for(thread: int) -> Choose:
        path = paths.get(thread, ())

        def choose(point: Point, number: int) -> Sequence[tuple[Edge, ...]]:
            if number >= len(path) or path[number][0].source != point.location:
                return ()
            return (path[number],)

        return choose

    return choose_for
