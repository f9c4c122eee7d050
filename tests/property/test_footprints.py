"""What footprints say of a state holds in runs from there in which one thread does not move."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random

import pytest

from tests.every_engine import loaded
from tests.property.c_heap_threads import generate as with_heap
from tests.property.c_threads import generate as with_threads
from tests.property.comparison import load
from tests.property.mixed_programs import mixed_program_of
from tests.property.test_simplify import plain
from threadwise.analyses.touches import Touches
from threadwise.core.errors import Unsupported
from threadwise.engines.persistent.futures import futures
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Program
from threadwise.ir.types import Address
from threadwise.proofs.base.touched import touched
from threadwise.proofs.toolbox.thread_moves import successors_by, thread_moves
from threadwise.semantics.footprints import Footprints, FootprintsAt
from threadwise.semantics.foresight import Foresight
from threadwise.semantics.recorded_moves import follow
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter

WALK = 40
AHEAD = 25


class Walker:
    """Random runs of a program, and what footprints say of them; objects keep their numbers."""

    def __init__(self, program: Program, seed: int) -> None:
        self.random = Random(seed)
        self.interpreter = Interpreter(program)
        touches = Touches.regions(program, self.interpreter.layout.numbers)
        self.footprints = Footprints(self.interpreter, touches)
        self.futures = [futures(program, touches, t) for t in self.interpreter.threads]
        self.seen: Counter[str] = Counter()

    def walk(self) -> None:
        """One run, with a look ahead at each of its states."""
        state: State | None = next(iter(self.interpreter.initial_states()))
        for _ in range(WALK):
            if state is None or self.interpreter.is_stopped(state):
                return
            for still in self.interpreter.threads:
                self._look_ahead(state, still)
            state = self._stepped(state, None)

    def _look_ahead(self, state: State, still: int) -> None:
        """A run in which a thread does not move."""
        future = [self.futures[t][state.locals[t].pc] for t in self.interpreter.threads]
        at = self.footprints.at(state, still, future)
        now: State | None = state
        for _ in range(AHEAD):
            if now is None or self.interpreter.is_stopped(now):
                return
            now = self._stepped(now, at)

    def _stepped(self, state: State, at: FootprintsAt | None) -> State | None:
        """The state after a random step."""
        order = [t for t in self.interpreter.threads if at is None or t != at.still]
        self.random.shuffle(order)
        for thread in order:
            moves = list(self.interpreter.step(thread, state.g, state.locals[thread]))
            if moves:
                step = self.random.choice(moves)
                chosen = list(thread_moves(self.interpreter, state, thread))
                after = next(successors_by(state, thread, [chosen[moves.index(step)]]))
                if at is not None:
                    self._check(state, Move(thread, step.choices), after, at)
                return after
        return None

    def _check(self, state: State, move: Move, after: State, at: FootprintsAt) -> None:
        """What a step touches is in its thread's footprint, and what is apart stays as it is."""
        claimed = at.footprint(move.thread)
        mine = self.footprints.exact(state, at.still)
        for access in touched(self.interpreter, state, move):
            address = self.footprints.cells.address(access.cell)
            assert address is not None
            self.seen["accesses"] += 1
            if not self._is_new(address, at):
                assert at.meets(at.still, [address], claimed, written=not access.write)
        if mine is not None and at.is_apart(move.thread):
            self.seen["apart"] += 1
            assert self.footprints.exact(after, at.still) == mine
            if not self.interpreter.is_stopped(after):
                self._check_commutes(state, move, after, at.still)

    def _check_commutes(self, state: State, move: Move, after: State, still: int) -> None:
        for step in self.interpreter.step(still, state.g, state.locals[still]):
            mine = Move(still, step.choices)
            first = follow(self.interpreter, state, mine)
            assert first is not None
            if not self.interpreter.is_stopped(first):
                self.seen["commuting"] += 1
                both = follow(self.interpreter, first, move)
                assert both is not None
                assert both == follow(self.interpreter, after, mine)

    def _is_new(self, address: Address, at: FootprintsAt) -> bool:
        return address.number >= self.footprints.cells.declared + len(at.state.g.heap)


def walked(program: Program, seed: int) -> Counter[str]:
    if program.has_any_number:
        program = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    if any(isinstance(edge.action, Call | Return) for edge in program.edges):
        return Counter()
    walker = Walker(program, seed)
    with suppress(Unsupported):  # a run of this program ends there
        walker.walk()
    return walker.seen


def walked_c(seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        for text in (with_heap(seed), with_threads(seed)):
            found += walked(loaded(text).worked_on, seed)
    return found


def test_c_in_runs() -> None:
    found = walked_c(range(2))
    assert min(found[each] for each in ("accesses", "apart", "commuting")) > 100


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_much_c_in_runs(block: int) -> None:
    assert walked_c(range(100 + 5 * block, 105 + 5 * block))["apart"]


def test_models_in_runs() -> None:
    found: Counter[str] = Counter()
    for seed in range(25):
        found += walked(plain(load(mixed_program_of(seed))), seed)
    assert found["accesses"] > 100


def careless(*_: object, **__: object) -> bool:
    """A condition that always holds."""
    return True


def rests(self: Foresight, address: Address) -> object:
    """Every shared cell keeps its value."""
    return self.cells.content(self.g, address)


@pytest.mark.parametrize(
    ("part", "name", "instead"),
    [(FootprintsAt, "is_apart", careless), (Foresight, "_at_rest", rests)],
)
def test_runs_notice_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, part: type, name: str, instead: object
) -> None:
    monkeypatch.setattr(part, name, instead)
    with pytest.raises(AssertionError):
        walked_c(range(12))


def test_other_objects_of_the_same_number_are_looked_at_again() -> None:
    """States are compared up to the numbers of objects, so that numbers are given again."""
    text = """
        #include <stdlib.h>
        int main(void) { int *p = malloc(2 * sizeof *p); if (p) p[1] = 7; return 0; }
    """
    walker = Walker(plain(loaded(text).worked_on), 0)
    state = next(iter(walker.interpreter.initial_states()))
    while not state.g.heap:
        after = walker._stepped(state, None)
        assert after is not None
        state = after
    (target,) = state.g.heap
    shorter = target._replace(cells=target.cells[:1])
    other = state._replace(g=state.g._replace(heap=(shorter,)))
    foreseen = [walker.footprints.foreseen(each, 0, 0) for each in (state, other, state)]
    assert foreseen[0] is foreseen[2]
    assert foreseen[0].written != foreseen[1].written
