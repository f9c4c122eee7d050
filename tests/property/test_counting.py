"""Counting and Horn clauses on random programs: brute force and thread-modular checking agree."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.property.comparison import Comparison, load, nothing
from tests.property.programs import Features, RandomChooser, generate
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided
from threadwise.engines.counting.counting_engine import CountingEngine
from threadwise.engines.counting.facts import counting_facts
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.quantities import (
    CellQuantity,
    FrameCount,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
    cell_quantities,
    place_of,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.counting.check import check_equations
from threadwise.semantics.evaluate import View
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.symmetric.errors import mixes_quantifiers

COUNTED = 9
NIGHTLY_COUNTED = 200
SOLVED = 1
BLOCK = 10
BLOCKS = range(SOLVED, SOLVED + 4 * BLOCK, BLOCK)
"""Where each block of the nightly corpora begins."""
STATE_LIMIT = 700
STEPS = 4_000
"""What Horn clauses may cost."""
FINITE = Features(calls=False, spawn=False, tids=False, mutexes=False)


class Values:
    """The quantities of states of an instance."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.interpreter = Interpreter(program)

    def of(self, quantity: Quantity, state: State) -> int:
        match quantity:
            case LocationCount(location):
                return sum(l.pc == location for l in state.locals)
            case FrameCount(call):
                return sum(frame.call == call for stack in state.stacks for frame in stack)
            case ThreadTotal(template):
                return len(self.interpreter.layout.numbers.ranges[template])
            case CellQuantity(_, _, equals):
                view = View(self.program, self.interpreter.layout, 0, state.g, state.locals[0])
                value = view.load(view.resolve(place_of(self.program, quantity)))
                assert isinstance(value, int)
                return int(value) if equals is None else int(value == equals)

    def holds(self, fact: LinearInvariant, state: State) -> bool:
        total = sum(factor * self.of(quantity, state) for quantity, factor in fact.terms)
        return total + fact.constant == 0


def program_of(seed: int) -> str:
    """One program of the corpus: with calls, any number of threads, or neither."""
    kinds = (
        Features(any_number=True),
        Features(calls=False),
        Features(calls=False, any_number=True),
    )
    return generate(RandomChooser.of(seed), kinds[seed % 3])


def instances(program: Program) -> list[Program]:
    names = [template.name for template in program.templates if template.count is None]
    if not names:
        return [program]
    return [program.with_counts(dict.fromkeys(names, count)) for count in range(5)]


def proved(
    program: Program, engine: CountingEngine | HornEngine | ThreadModularEngine, k: int = 1
) -> tuple[set[str], bool]:
    """What an engine proves, every proof checked, and whether it answered for everything."""
    found: set[str] = set()
    task = Task(program, program.properties, EngineOptions(k=k), Meter(Budget(steps=STEPS)))
    conclusive = True
    try:
        for finding in engine.run(task):
            if isinstance(finding, Proved):
                check_certificate(program, finding.certificate, nothing)
                found |= set(finding.properties)
            elif isinstance(finding, Undecided) and "within the limits" in finding.reason:
                conclusive = False
    except (Unsupported, BudgetExhausted):
        conclusive = False
    return found, conclusive


def counting_is_right(text: str, limit: int = STATE_LIMIT) -> int:
    """Facts hold in every state, proofs are true; how many facts about cells there were."""
    program = load(text)
    facts = counting_facts(program, nothing)
    claimed = proved(program, CountingEngine())[0]
    for instance in instances(program):
        system = ConcreteSystem(instance)
        if not system.roles or Comparison.explored(text, instance, system, limit) is None:
            continue
        answer = explore(instance, instance.properties, max_depth=3)
        values = Values(instance)
        for state in answer.states:
            if not values.interpreter.is_stopped(state):
                assert all(values.holds(fact, state) for fact in facts), (state, text)
        assert not claimed & answer.violated, text
        assert not (claimed and answer.limits), text
    return sum(any(isinstance(q, CellQuantity) for q, _ in fact.terms) for fact in facts)


def damaged(fact: LinearInvariant, random: Random, quantities: list[Quantity]) -> LinearInvariant:
    """A fact with something changed: a factor, a quantity, the constant, a term more or less."""
    terms = list(fact.terms)
    at = random.randrange(len(terms))
    match random.randrange(5):
        case 0:
            return LinearInvariant(tuple(terms), fact.constant + random.choice((-1, 1)))
        case 1:
            terms[at] = (terms[at][0], terms[at][1] + random.choice((-1, 1, 2)))
        case 2:
            terms[at] = (random.choice(quantities), terms[at][1])
        case 3:
            del terms[at]
        case _:
            terms.append((random.choice(quantities), random.choice((-2, -1, 1, 2))))
    return LinearInvariant(tuple(terms), fact.constant)


def mutants_are_right(seed: int, limit: int = STATE_LIMIT) -> tuple[int, int]:
    """A damaged fact that the checker accepts holds anyway; how many were accepted, refuted."""
    text = program_of(seed)
    program = load(text)
    random = Random(seed)
    facts = counting_facts(program, nothing)
    quantities: list[Quantity] = [LocationCount(p.id) for p in program.locations if not p.atomic]
    quantities += cell_quantities(program)
    accepted: list[LinearInvariant] = []
    refuted = 0
    for _ in range(6 if facts else 0):
        mutant = damaged(random.choice(facts), random, quantities)
        try:
            check_equations(program, (mutant,), nothing)
            accepted.append(mutant)
        except Refuted:
            refuted += 1
    for instance in instances(program) if accepted else ():
        system = ConcreteSystem(instance)
        if not system.roles or Comparison.explored(text, instance, system, limit) is None:
            continue
        values = Values(instance)
        for state in explore(instance, (), max_depth=3).states:
            if not values.interpreter.is_stopped(state):
                assert all(values.holds(mutant, state) for mutant in accepted), (state, text)
    return len(accepted), refuted


def test_damaged_facts_are_refuted() -> None:
    counts = [mutants_are_right(seed) for seed in range(4)]
    assert sum(refuted for _, refuted in counts) > 10


@pytest.mark.slow
def test_many_damaged_facts() -> None:
    counts = [mutants_are_right(seed, 3000) for seed in range(4, NIGHTLY_COUNTED)]
    assert sum(refuted for _, refuted in counts) > 4 * sum(accepted for accepted, _ in counts)


@pytest.mark.parametrize("seed", range(COUNTED))
def test_counting(seed: int) -> None:
    counting_is_right(program_of(seed))


@pytest.mark.slow
def test_counting_on_a_large_corpus() -> None:
    counts = [
        counting_is_right(program_of(seed), 3000) for seed in range(COUNTED, NIGHTLY_COUNTED)
    ]
    assert sum(count > 0 for count in counts) > 0.5 * len(counts)


def horn_is_right(text: str) -> Counter[str]:
    """k = 1 without lemmas is thread-modular checking; more k proves more, all of it true.

    Left out are properties about all threads at once: deadlocks, and `exists` in formulas.
    """
    program = load(text)
    answers: Counter[str] = Counter()
    plain, all_answered = proved(program, HornEngine(counting=False))
    modular, _ = proved(program, ThreadModularEngine())
    assert plain <= modular, text
    if all_answered:
        answers["compared"] += 1
        beyond = {
            p.name
            for p in program.properties
            if isinstance(p, DeadlockProperty) or mixes_quantifiers(p)
        }
        assert modular - beyond <= plain, text
    one, with_facts = proved(program, HornEngine(), 1)
    assert plain <= one or not with_facts, text  # facts take steps, too
    two, answered = proved(program, HornEngine(), 2)
    threads = sum(template.count or 0 for template in program.templates)
    if answered and threads >= 2:
        answers["k = 2"] += 1
        assert one <= two, text
    answer = explore(program, program.properties)
    assert not (one | two) & answer.violated, text
    answers["safe"] += len(one | two)
    return answers


@pytest.mark.parametrize("seed", range(SOLVED))
def test_horn(seed: int) -> None:
    horn_is_right(generate(RandomChooser.of(seed), FINITE))


@pytest.mark.slow
@pytest.mark.parametrize("first", BLOCKS)
def test_horn_on_a_large_corpus(first: int) -> None:
    answers: Counter[str] = Counter()
    for seed in range(first, first + BLOCK):
        answers += horn_is_right(generate(RandomChooser.of(seed), FINITE))
    assert answers["compared"]
    assert answers["k = 2"]


def any_number_is_right(text: str) -> bool:
    """What is proved for any number of threads holds for each number of them."""
    program = load(text)
    claimed = proved(program, HornEngine(), 1)[0] | proved(program, HornEngine(), 2)[0]
    for instance in instances(program):
        system = ConcreteSystem(instance)
        if not system.roles or Comparison.explored(text, instance, system, STATE_LIMIT) is None:
            continue
        answer = explore(instance, instance.properties)
        assert not claimed & answer.violated, text
        assert not (claimed and answer.limits), text
    return bool(claimed)


@pytest.mark.parametrize("seed", range(SOLVED))
def test_horn_with_any_number(seed: int) -> None:
    any_number_is_right(generate(RandomChooser.of(seed), Features(calls=False, any_number=True)))


@pytest.mark.slow
@pytest.mark.parametrize("first", BLOCKS)
def test_horn_with_any_number_on_a_large_corpus(first: int) -> None:
    features = Features(calls=False, any_number=True)
    seeds = range(first, first + BLOCK)
    some = sum(any_number_is_right(generate(RandomChooser.of(seed), features)) for seed in seeds)
    assert some
