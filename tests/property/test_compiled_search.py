"""Machine code finds the same states and the same violations as compiled Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.property import c_threads
from tests.property.comparison import load, reachable
from tests.property.programs import Features, RandomChooser, generate
from tests.property.test_statements import Draw
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, InputError, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.core.statistics import Name
from threadwise.driver.loading import load_c_sources
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.compiled_search import CompiledSearch
from threadwise.engines.explicit import Search
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.state_set.check import check_state_by_state
from threadwise.proofs.state_set.table import StateTable
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay

CI = 2
BLOCK = 100
BLOCKS = 8
STEPS = 20_000
STATE_LIMIT = 4_000
FEATURES = Features(calls=False, recursion=False)


class InPython(Search):
    compiled_after = None


class InMachineCode(Search):
    compiled_after = 0


def search(kind: type[Search], program: Program) -> tuple[list[Finding], int, Search] | None:
    """What a search finds, and among how many states; None if it takes too long."""
    task = Task(program, program.properties, meter=Meter(Budget(steps=STEPS)))
    search = kind(task, program_hash(program), {})
    try:
        found = list(search.run())
    except BudgetExhausted:
        return None
    return found, int(task.statistics.get(Name.STATES)), search


def violations(program: Program, found: list[Finding]) -> dict[str, int]:
    """The properties violated, with the lengths of the traces, which are replayed."""
    traces = [finding.trace for finding in found if isinstance(finding, Violated)]
    for trace in traces:
        replay(program, trace)
    return {trace.property: len(trace.moves) for trace in traces}


def same_states(program: Program) -> bool:
    """Whether there are few states that fit machine code; asserts that it finds just them."""
    system = ConcreteSystem(program)
    task = Task(program, program.properties)
    states = reachable(system, STATE_LIMIT)
    if states is None:
        return False
    try:
        compiled = CompiledSearch(task, system)
        for _ in compiled.suspects():
            pass
    except Unsupported:
        return False
    assert {compiled.state(position) for position in range(len(compiled))} == set(states)
    return True


def compare(program: Program) -> bool:
    """Whether there was something to compare."""
    try:
        if program.has_any_number or not same_states(program):
            return False
        slow, fast = search(InPython, program), search(InMachineCode, program)
    except Unsupported:
        return False
    if slow is None or fast is None:
        return False
    assert violations(program, fast[0]) == violations(program, slow[0])
    for finding in fast[0]:
        if isinstance(finding, Proved):
            assert fast[1] == slow[1]
            damaged(program, finding.certificate)
    return True


def damaged(program: Program, certificate: object) -> None:
    """Both checkers accept a proof, and both refuse it when a state is taken out."""
    assert isinstance(certificate, StateSetCertificate)
    states = certificate.states
    assert isinstance(states, StateTable)
    accepted = check_certificate(program, certificate, lambda: None)
    assert accepted == check_state_by_state(program, certificate, lambda: None)
    last = len(states) - 1
    less = StateSetCertificate(certificate.program_hash, certificate.properties, states[:last])
    for check in (check_certificate, check_state_by_state):
        with pytest.raises(Refuted):
            check(program, less, lambda: None)


def programs(seed: int) -> Iterator[Program]:
    """A random model, and random C of two kinds."""
    with suppress(InputError):  # a few of the texts are refused
        yield load(generate(RandomChooser.of(seed), FEATURES))
    for text in (Draw(seed).program(), c_threads.generate(seed)):
        yield load_c_sources([SourceFile("random.c", text)], LoadOptions()).worked_on


def compared(seeds: range) -> int:
    found = [
        replace(program, properties=(*program.properties, DeadlockProperty("every deadlock")))
        for seed in seeds
        for program in programs(seed)
    ]
    return sum(map(compare, found))


def test_a_sample() -> None:
    assert compared(range(CI)) > CI // 2


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_many(block: int) -> None:
    first = CI + block * BLOCK
    assert compared(range(first, first + BLOCK)) > BLOCK // 2
