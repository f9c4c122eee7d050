"""Bounded search with a sufficient bound agrees with brute force; replay agrees with stepping."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

from tests.property.comparison import load, reachable
from tests.property.programs import Features, RandomChooser, generate
from tests.property.test_simplify import violated as brute_force
from tests.property.test_statements import Draw, forms
from threadwise.backends.smt.solver import Answer, Effort
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.bounded.bounded_engine import BoundedEngine
from threadwise.engines.bounded.query import Query
from threadwise.engines.explicit import ExplicitEngine
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.semantics.oracle import explore
from threadwise.semantics.recorded_moves import follow, initial_state
from threadwise.semantics.state import Choice, Move, State
from threadwise.semantics.step import Interpreter
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay
from threadwise.traces.trace import Trace

MOST_STATES = 150
PROOF_STEPS = 5_000
"""Of the solver: enough for short programs."""


def sufficient(trace: Trace) -> int:
    """How many steps of one thread a trace has at most."""
    return max((sum(m.thread == t for m in trace.moves) for t in range(10)), default=0)


def compare(seed: int) -> int:
    """Compare one random program; how many questions were asked."""
    text = generate(RandomChooser.of(seed), Features())
    program = load(text)
    asked = tuple(p for p in program.properties if not isinstance(p, DeadlockProperty))
    try:
        if reachable(ConcreteSystem(program), MOST_STATES) is None:
            return 0
        answer = explore(program, asked, max_depth=4)
        task = Task(program, asked, EngineOptions(max_depth=4))
        shortest = {
            finding.trace.property: sufficient(finding.trace)
            for finding in ExplicitEngine().run(task)
            if isinstance(finding, Violated)
        }
    except Unsupported:
        return 0
    asked_for = 0
    for length in sorted({3, *shortest.values()}):
        if length > 9:
            continue
        query = Query(program, Effort())
        for _ in range(length):
            query.deepen(range(len(query.threads)), lambda: None)
        goals = query.finish()
        for checked in asked:
            looked = query.reach(goals, goals.violation(checked))
            asked_for += 1
            assert looked.answer is not Answer.UNKNOWN, text
            if looked.schedule is not None:
                assert checked.name in answer.violated or answer.cut, (checked.name, text)
                schedule = looked.schedule
                moves = schedule.moves
                trace = Trace(program_hash(program), checked.name, schedule.initial, moves)
                replay(program, trace)
            else:
                needed = shortest.get(checked.name)
                assert needed is None or needed > length, (checked.name, text)
    return asked_for


def test_sufficient_bound_is_brute_force() -> None:
    assert sum(compare(seed) for seed in range(8)) > 20


@pytest.mark.slow
def test_sufficient_bound_is_brute_force_on_many() -> None:
    assert sum(compare(seed) for seed in range(8, 150)) > 300


# -- proofs -----------------------------------------------------------------------------------


def prove(program: Program) -> tuple[set[str], set[str]]:
    """What a bounded search proves and violates; certificates are checked, wrong ones refused."""
    asked = tuple(p for p in program.properties if not isinstance(p, DeadlockProperty))
    task = Task(program, asked, meter=Meter(Budget(steps=PROOF_STEPS)))
    proved: set[str] = set()
    violated: set[str] = set()
    lengths: tuple[int, ...] = ()
    with suppress(BudgetExhausted, Unsupported):
        for finding in BoundedEngine().run(task):
            if isinstance(finding, Violated):
                violated.add(finding.trace.property)
            elif isinstance(finding, Proved):
                assert isinstance(finding.certificate, InterleavingsCertificate)
                lengths = finding.certificate.lengths
                text = json.dumps(certificate_to_json(finding.certificate, LoadOptions()))
                again = certificate_from_json(json.loads(text), "certificate")
                checked = check_certificate(program, again, lambda: None)
                proved.update(checked.properties)
    for name in violated if lengths else ():
        lie = InterleavingsCertificate(program_hash(program), (name,), lengths)
        with pytest.raises(Refuted):
            check_certificate(program, lie, lambda: None)
    return proved, violated


def compare_proofs(program: Program, text: str) -> int:
    """Compare proofs with brute force; how many properties were proved."""
    try:
        searched = brute_force(program)
    except Unsupported:
        return 0
    if searched is None:
        return 0
    proved, violated = prove(program)
    assert not proved & searched[0], text
    assert violated <= searched[0], text
    return len(proved)


def test_proofs_agree_with_brute_force() -> None:
    texts = [generate(RandomChooser.of(seed), Features()) for seed in range(203, 207)]
    assert sum(compare_proofs(load(text), text) for text in texts) > 20
    drawn = [Draw(seed).program() for seed in range(300, 303)]
    assert sum(compare_proofs(forms(text)[1], text) for text in drawn) > 2


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_proofs_agree_with_brute_force_on_many(block: int) -> None:
    seeds = range(1000 + 30 * block, 1030 + 30 * block)
    texts = [generate(RandomChooser.of(seed), Features()) for seed in seeds]
    assert sum(compare_proofs(load(text), text) for text in texts) > 1
    drawn = [Draw(seed).program() for seed in seeds]
    assert sum(compare_proofs(forms(text)[1], text) for text in drawn) > 10


# -- following recorded choices ---------------------------------------------------------------


def offered(interpreter: Interpreter, state: State) -> dict[Move, State]:
    return dict(interpreter.successors(state))


def changed(move: Move, program: Program, rng: random.Random) -> Move:
    """The move with something wrong with it, perhaps."""
    choices = list(move.choices)
    i = rng.randrange(len(choices))
    choice = choices[i]
    match rng.randrange(4):
        case 0:
            choices[i] = choice._replace(edge=EdgeId(rng.randrange(-1, len(program.edges) + 1)))
        case 1:
            choices.insert(i, Choice(EdgeId(rng.randrange(len(program.edges)))))
        case 2:
            del choices[i]
        case _:
            chosen = (rng.randrange(-9, 9), *choice.values[1:]) if choice.values else ()
            choices[i] = choice._replace(values=chosen)
    return Move(rng.randrange(-1, 3) if rng.randrange(3) == 0 else move.thread, tuple(choices))


def compare_following(seed: int) -> int:
    rng = random.Random(seed)
    program = load(generate(RandomChooser.of(seed), Features()))
    interpreter = Interpreter(program)
    followed = 0
    for start in list(interpreter.initial_states())[:3]:
        assert initial_state(interpreter, start.g.cells) == start
        broken = (*start.g.cells[1:], 99)
        listed = [state.g.cells for state in interpreter.initial_states()]
        assert (initial_state(interpreter, broken) is not None) == (broken in listed)
        state = start
        for _ in range(30):
            moves = offered(interpreter, state)
            if not moves:
                break
            for move, after in moves.items():
                assert follow(interpreter, state, move) == after
                other = changed(move, program, rng)
                assert follow(interpreter, state, other) == moves.get(other), other
                followed += 1
            state = rng.choice(list(moves.values()))
    return followed


def test_following_is_stepping() -> None:
    assert sum(compare_following(seed) for seed in range(40)) > 800
