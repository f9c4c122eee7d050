"""Schedules: which thread takes the next step, and which step.

A schedule picks an initial state and then one transition after the other. `RandomSchedule` is
fair to threads: it first picks among those that can step, then among the steps of that thread. The
same seed gives the same run on every machine and version of Python.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from threadwise.semantics.state import GlobalStore, State
from threadwise.semantics.step import Interpreter, Transition

Item = TypeVar("Item")


class Schedule(Protocol):
    """Makes the choices that a program leaves open."""

    def start(self, interpreter: Interpreter) -> State:
        """An initial state."""

    def choose(self, state: State, offered: Sequence[Transition]) -> Transition | None:
        """One of the transitions on offer (there is at least one), or None to stop."""


class RandomSchedule:
    """Chooses by pseudo-random numbers that only depend on the seed.

    `switching` is how likely a walk looks for another thread although the last one can go on.
    """

    def __init__(self, seed: int, switching: float = 1.0) -> None:
        self._numbers = random.Random(seed)
        self._switching = switching
        self._last: int | None = None

    def start(self, interpreter: Interpreter) -> State:
        """An initial state, each free cell chosen by itself instead of listing all states."""
        offered = interpreter.initial_cells
        cells = [0 if values is None else values[0] for values in offered]
        drawn = 0
        for place, values in enumerate(offered):
            if values is None or len(values) > 1:
                self._pass_over(place - drawn)
                drawn = place + 1
                declared = interpreter.layout.globals.cells[place]
                choices = tuple(interpreter.domain(declared.type)) if values is None else values
                cells[place] = self.pick(choices)
        self._pass_over(len(cells) - drawn)
        locals_ = tuple(interpreter.initial_local(thread) for thread in interpreter.threads)
        return State(GlobalStore(tuple(cells)), locals_, tuple(() for _ in locals_))

    def choose(self, state: State, offered: Sequence[Transition]) -> Transition:
        """A step of a randomly chosen thread."""
        threads = list(dict.fromkeys(transition.move.thread for transition in offered))
        thread = self.pick(threads)
        return self.pick([t for t in offered if t.move.thread == thread])

    def walk(self, interpreter: Interpreter, start: State, steps: int) -> Iterator[Transition]:
        """Up to `steps` transitions; those of other threads are not computed."""
        state = start
        for _ in range(steps):
            chosen = None if interpreter.is_stopped(state) else self._step(interpreter, state)
            if chosen is None:
                return
            yield chosen
            state = chosen.state

    def _step(self, interpreter: Interpreter, state: State) -> Transition | None:
        left = list(interpreter.threads)
        goes_on = self._switching < 1 and not self.happens(self._switching)
        while left:
            thread = self._last if goes_on and self._last in left else self.pick(left)
            left.remove(thread)
            offered = list(interpreter.thread_successors(state, thread))
            if offered:
                self._last = thread
                return self.pick(offered)
        return None

    def happens(self, likely: float) -> bool:
        """Whether something happens that is so likely."""
        return self._numbers.random() < likely

    def _pass_over(self, count: int) -> None:
        """Leave out so many numbers, as if each had picked the one item there is: two words of
        32 bits each."""
        if count:
            self._numbers.getrandbits(64 * count)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of some items."""
        # Only `random` itself promises the same numbers in every version of Python.
        return items[int(self._numbers.random() * len(items))]


def run(
    interpreter: Interpreter, schedule: Schedule, start: State, steps: int
) -> Iterator[Transition]:
    """Up to `steps` transitions from a state, as the schedule chooses them."""
    state = start
    for _ in range(steps):
        offered = list(interpreter.successors(state))
        chosen = schedule.choose(state, offered) if offered else None
        if chosen is None:
            return
        yield chosen
        state = chosen.state
