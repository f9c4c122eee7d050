"""The question of a single run: with which values do threads take these steps in this order?

Steps are executed symbolically, one after the other, so the formula is as long as the run: orders
of steps, which make questions about interleavings large, are given here.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.backends.smt import models
from threadwise.backends.smt.interleavings.goals import Goals
from threadwise.backends.smt.interleavings.unrolling import Point, Standing, Unrolling
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer, Effort, Model
from threadwise.backends.smt.values import Symbolic
from threadwise.core.errors import Unsupported
from threadwise.engines.bounded.query import Query, Schedule
from threadwise.ir.commands import Command
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import Property
from threadwise.semantics.state import Choice, Move

TakenStep = tuple[int, tuple[Edge, ...]]
"""The thread that takes a step, and its edges."""


class Runs:
    """Questions about runs of one program, all counts of which are fixed."""

    def __init__(self, program: Program, effort: Effort) -> None:
        self.query = Query(program, effort)

    def along(self, steps: Sequence[TakenStep], goal: Property) -> Schedule | None:
        """A run that takes these steps and ends in a violation, if the solver finds one.

        Raises Unsupported where there are calls.
        """
        self.query.solver.push()
        try:
            run = _Run(self.query)
            for thread, edges in steps:
                run.take(self.query.threads[thread], edges)
            return run.ending_in(goal)
        finally:
            self.query.solver.pop()


class _Run:
    """A run whose inputs are symbols."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.shared = query.runs.initial
        for thread in query.threads:
            thread.standing = dict(thread.active)
        self.taken: list[tuple[int, list[tuple[Edge, Sequence[Symbolic]]]]] = []

    def take(self, thread: Unrolling, edges: Sequence[Edge]) -> None:
        """One step more."""
        if any(not isinstance(edge.action, Command) for edge in edges):
            raise Unsupported("a run with calls")
        ((point, standing),) = thread.standing.items()
        assert point.location == edges[0].source
        env = thread.environment(point, standing, self.shared)
        chosen: list[tuple[Edge, Sequence[Symbolic]]] = []
        terms: list[Term] = []
        for edge in edges:
            fired = self.query.runs.steps.firing.fire(edge, env)
            terms.extend(fired.terms)
            chosen.append((edge, fired.chosen))
            env = fired.after
        self.query.solver.add(*terms)
        self.shared = env.shared
        there = Point((), edges[-1].target)
        thread.standing = {there: Standing(self.query.logic.true, env.own)}
        self.taken.append((thread.thread, chosen))

    def ending_in(self, goal: Property) -> Schedule | None:
        """Values of all inputs with which the last state violates a property."""
        query = self.query
        goals = Goals(query.runs.steps, query.threads, self.shared)
        query.solver.add(query.runs.known, goals.violation(goal))
        if query.solver.check() is not Answer.SATISFIABLE:
            return None
        model = query.solver.model()
        chosen = {value for each in goals.chosen for value in models.cells(model, each)}
        inputs = tuple(sorted(value for value in chosen if type(value) is int))
        return Schedule(query.initial(model), tuple(self._moves(model)), inputs)

    def _moves(self, model: Model) -> list[Move]:
        return [
            Move(
                thread,
                tuple(
                    Choice(edge.id, tuple(models.scalar(model, value) for value in values))
                    for edge, values in chosen
                ),
            )
            for thread, chosen in self.taken
        ]
