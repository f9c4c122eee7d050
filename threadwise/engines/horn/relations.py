"""Linear relations between integers that hold in some runs: worth guessing for all.

A few walks through the program, threads and inputs chosen by a fixed sequence of pseudo-random
numbers (the same on every machine), show what integers are at each location. The relations
c · x = d that all of this satisfies are a kernel, computed exactly; so `a == 2 * b` and
`sent == received + count` are found where the text shows neither. While a lock is held, relations
that it protects may not hold: they are looked for among the states in which it is free, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from threadwise.analyses.regions import has_calls
from threadwise.backends.exact import integer_kernel
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.expr import Expr
from threadwise.ir.program import LocId, Program
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import State
from threadwise.systems.api import JointState
from threadwise.systems.concrete import ConcreteSystem

SAMPLES = (0, 1, 2, -1)
"""What inputs are: small ones keep most programs going."""
INITIAL = 6
WALKS = 24
FEW_WALKS = 6
WIDE = 1_000
"""Where there are more shared cells, a step takes as long as many steps elsewhere."""
STEPS = 160
MOST_SAMPLES = 48
"""So many states are looked at for one location."""
SWITCHING = (0.5, 0.1, 0.02)
"""How often another thread has its turn."""
INSTANCES = 3
"""So many threads there are of templates with any number."""
MOST_TERMS = 4
LARGEST = 1 << 10
"""Coefficients of relations that are worth guessing."""

Relation = tuple[dict[int, int], int]
"""Coefficients by position, and the number that the sum is."""


class Walks:
    """States of a program, by template and location of a thread."""

    def __init__(self, program: Program) -> None:
        counts = {t.name: INSTANCES for t in program.templates if t.count is None}
        self.program = program.with_counts(counts) if counts else program
        self.seen: defaultdict[tuple[str, LocId], dict[tuple[int, int], State]] = defaultdict(dict)
        """By thread and number of the state: states may be large, and have many threads."""
        self._numbers: dict[State, int] = {}
        if has_calls(program):
            return
        try:
            self.system = ConcreteSystem(self.program, SAMPLES)
            self.initial = list(islice(self.system.joint_initial(), INITIAL))
            wide = len(self.system.layout.globals.cells) > WIDE
            for seed in range(FEW_WALKS if wide else WALKS):
                self._walk(Random(seed), SWITCHING[seed % len(SWITCHING)])
        except Unsupported:
            return

    def _walk(self, chosen: Random, switching: float) -> None:
        """One run: the end of the program is put off as long as another thread can go on."""
        system = self.system
        state: JointState[Any, Any, Any] = chosen.choice(self.initial)
        patience = 2 * len(system.roles)
        t = system.roles[0]
        for _ in range(STEPS):
            self._note(state)
            if any(map(system.is_stopped, state.locals)):
                return
            for _ in range(patience):
                if chosen.random() < switching:
                    t = chosen.choice(system.roles)
                steps = system.step(t, state.g, state.locals[t])
                if any(not system.is_stopped(step.l) for step in steps):
                    break
                t = chosen.choice(system.roles)
            else:
                return
            step = chosen.choice(steps)
            locals_ = (*state.locals[:t], step.l, *state.locals[t + 1 :])
            state = JointState(step.g, locals_, state.stacks)

    def _note(self, state: JointState[Any, Any, Any]) -> None:
        found = self.system.reference_state(state)
        number = self._numbers.setdefault(found, len(self._numbers))
        for t, template in enumerate(self.system.layout.numbers.templates):
            seen = self.seen[template, found.locals[t].pc]
            if len(seen) < MOST_SAMPLES:
                seen.setdefault((t, number), found)

    def values(
        self, where: tuple[str, LocId], told: Sequence[Expr | None], name: str
    ) -> list[list[int]]:
        """What some expressions about a thread at a location, called so, were; None is 0."""
        rows: dict[tuple[int, ...], None] = {}
        for (t, _), state in self.seen.get(where, {}).items():
            view = View(
                self.program,
                self.system.layout,
                t,
                state.g,
                state.locals[t],
                others=state.locals,
                bound={name: t},
            )
            try:
                rows[tuple(_value(view, expr) for expr in told)] = None
            except (Undefined, InternalError):
                continue
        return [list(row) for row in rows]


def _value(view: View, expr: Expr | None) -> int:
    value = 0 if expr is None else view.evaluate(expr)
    if not isinstance(value, int):
        raise Undefined
    return int(value)


def relations(rows: Sequence[Sequence[int]]) -> Iterator[Relation]:
    """The relations between the columns of some rows that are worth guessing."""
    if len(rows) < 3:
        return
    width = len(rows[0])
    sparse = [{**dict(enumerate(row)), width: 1} for row in rows]
    for vector in integer_kernel(sparse, width + 1):
        terms = {i: c for i, c in enumerate(vector[:width]) if c}
        small = all(abs(c) <= LARGEST for c in terms.values())
        if 2 <= len(terms) <= MOST_TERMS and small:
            yield terms, -vector[width]
