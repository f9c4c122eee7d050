"""Search over persistent sets finds what explicit search finds, on random programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.property.comparison import MAX_DEPTH, load
from tests.property.mixed_programs import mixed_program_of
from tests.property.test_simplify import plain, plain_program
from threadwise.analyses.touches import Touches
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.persistent.choice import Chooser
from threadwise.engines.persistent.persistent_engine import PersistentEngine
from threadwise.engines.persistent.ways_out import WaysOut
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, PerThread
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.semantics.evaluate import Region
from threadwise.semantics.oracle import explore
from threadwise.semantics.step import Interpreter
from threadwise.traces.replay import replay
from threadwise.transforms.pipeline import simplified

CI = 10
NIGHTLY = 2000
STEPS = 3000


def findings(engine: ExplicitEngine | PersistentEngine, program: Program) -> list[Finding] | None:
    task = Task(program, program.properties, meter=Meter(Budget(steps=STEPS)))
    try:
        return list(engine.run(task))
    except BudgetExhausted:
        return None


def violated(found: list[Finding]) -> set[str]:
    return {finding.trace.property for finding in found if isinstance(finding, Violated)}


def states(found: list[Finding]) -> int | None:
    for finding in found:
        if isinstance(finding, Proved):
            return len(finding.certificate.states)  # type: ignore[attr-defined]
    return None


def compare(program: Program) -> tuple[int, int] | None:
    """How many states both searches need for a proof; asserts that they agree."""
    full = findings(ExplicitEngine(), program)
    if full is None:
        return None
    reduced = findings(PersistentEngine(), program)
    if reduced is None:  # its steps are not those of machine code
        return None
    assert violated(reduced) == violated(full)
    for finding in reduced:
        if isinstance(finding, Violated):
            replay(program, finding.trace)
        elif isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
    ours, theirs = states(reduced), states(full)
    assert (ours is None) == (theirs is None)
    return (0, 0) if ours is None or theirs is None else (ours, theirs)


def sample(seeds: range) -> tuple[int, int]:
    total = [0, 0]
    for seed in seeds:
        program = plain_program(seed)
        if not program.has_any_number:
            simple = simplified(program)
            for variant in (program, simple):
                found = compare(variant)
                if found is not None:
                    assert found[0] <= found[1]
                    total[0] += found[0]
                    total[1] += found[1]
    return total[0], total[1]


def test_a_sample() -> None:
    ours, theirs = sample(range(CI))
    assert 0 < ours < theirs


@pytest.mark.slow
def test_many() -> None:
    ours, theirs = sample(range(CI, NIGHTLY))
    assert 0 < ours < theirs


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_touches_contain_the_accesses(seed: int, *, mixed: bool) -> None:
    check_touches(plain(load(mixed_program_of(seed))) if mixed else plain_program(seed))


OTHERS = """tid first; bool seen[t]; bool slot[w];
thread w() { if (self.index == 0) { spawn w(); join first; } else { slot[0] = true; } }
thread t[2] { first = self; seen[first] = !seen[first]; first = spawn w(); }"""


def test_touches_of_what_belongs_to_other_threads() -> None:
    check_touches(load(OTHERS))


def check_touches(program: Program) -> None:
    """What steps access is among what their edges may touch, cell by cell."""
    if program.has_any_number:
        program = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    interpreter = Interpreter(program)
    touches = Touches.regions(program, interpreter.layout.numbers)
    for state in sorted(explore(program, (), MAX_DEPTH).states)[:300]:
        for thread in interpreter.threads:
            for edge in program.outgoing[state.locals[thread].pc]:
                masks = touches.of(edge, thread)
                for *_, accesses in interpreter.fire(edge, thread, state.g, state.locals[thread]):
                    for access in accesses:
                        assert access.cell.region is Region.GLOBAL
                        seen = masks.written if access.write else masks.read
                        assert seen & region_of(interpreter, touches, access.cell.slot)


def region_of(interpreter: Interpreter, touches: Touches, slot: int) -> int:
    """The region of one shared cell."""
    layout = interpreter.layout.globals
    variable = layout.cells[slot].variable
    extent = variable.type.extent if isinstance(variable.type, ArrayType) else None
    if not isinstance(extent, PerThread):
        return touches.bits[variable.name]
    threads = interpreter.layout.numbers.ranges[extent.template]
    size = sum(cell.variable == variable for cell in layout.cells) // len(threads)
    number = (slot - layout.offset[variable.name]) // size
    return touches.cells[variable.name, threads[number]]


def certified(seed: int) -> tuple[Program, PersistentCertificate] | None:
    program = plain_program(seed)
    if program.has_any_number:
        return None
    for finding in findings(PersistentEngine(), program) or ():
        if isinstance(finding, Proved):
            certificate = finding.certificate
            assert isinstance(certificate, PersistentCertificate)
            return program, certificate
    return None


def test_mutants_are_refused() -> None:
    """Nothing claimed about threads, order or futures, and no state, may be left out."""
    tried = 0
    for seed in range(40):
        found = certified(seed)
        if found is None:
            continue
        program, good = found
        count = len(good.states)
        chosen = [t for t in good.chosen if t != -1]
        mutants = [replace(good, states=good.states[1:], chosen=good.chosen[1:])]
        if chosen:
            mutants.append(replace(good, states=good.states[::-1], chosen=good.chosen[::-1]))
            empty = [[(0, 0)] * len(program.locations) for _ in good.futures]
            if any(masks != (0, 0) for rows in good.futures for masks in rows):
                mutants.append(replace(good, futures=empty))
            mutants.append(replace(good, chosen=[-1] * count))
        for mutant in mutants[:3]:
            tried += 1
            with pytest.raises(Refuted):
                check_certificate(program, mutant, lambda: None)
    assert tried > 20


def careless_in_circles(self: WaysOut, position: int, successors: Iterable[int]) -> bool:
    """Any successor is a way out."""
    return bool(list(successors))


def careless(*_: object) -> bool:
    """A condition that always holds."""
    return True


def never(*_: object) -> bool:
    """A condition that never holds."""
    return False


@pytest.mark.parametrize(
    ("part", "name", "instead", "count"),
    [
        (WaysOut, "lead", careless_in_circles, 60),
        (Chooser, "_alone", careless, 60),
        (Chooser, "_goes_on", careless, 60),
        pytest.param(Chooser, "_waits_for", never, 1000, marks=pytest.mark.slow),
    ],
)
def test_proofs_of_careless_searches_are_refused(
    monkeypatch: pytest.MonkeyPatch, part: type, name: str, instead: object, count: int
) -> None:
    """A search without one of the conditions proves what is false; the checker does not."""
    monkeypatch.setattr(part, name, instead)
    wrong = 0
    for seed in range(count):
        program = plain(load(mixed_program_of(seed)))
        if program.has_any_number:
            continue
        for finding in findings(PersistentEngine(), program) or ():
            if isinstance(finding, Proved):
                found = explore(program, program.properties, MAX_DEPTH)
                if found.violated & set(finding.properties):
                    wrong += 1
                    with pytest.raises(Refuted):
                        check_certificate(program, finding.certificate, lambda: None)
    assert wrong
