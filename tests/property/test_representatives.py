"""Tables of thread-modular proofs, rewritten as formulas: accepted, and refused without a row."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from tests.property.comparison import load, nothing
from tests.property.programs import Features, RandomChooser, generate
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.expr import Quantified, Quantifier
from threadwise.ir.fold import subexpressions
from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import DeadlockProperty, InvariantProperty, Property
from threadwise.ir.types import BoolType, EnumType, MutexType, PerThread, TidType, Value
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import Cells, LocalStore

FEATURES = Features(calls=False)
Row = tuple[int, Cells, LocalStore]


def literal(cell: Cell, value: Value) -> str:
    match cell.type:
        case BoolType():
            return "true" if value else "false"
        case TidType():
            return "none" if value == -1 else f"{value}#tid"
        case EnumType(name, members):
            return f"{name}::{members[int(value)]}"  # type: ignore[arg-type]
        case _:
            return str(value)


def name_of(cell: Cell, layout: ProgramLayout) -> str:
    held = cell.variable.type
    if isinstance(held, MutexType):
        return f"{cell.name}.owner"
    if not isinstance(getattr(held, "extent", None), PerThread):
        return cell.name.replace("]", "].owner") if _of_mutexes(cell) else cell.name
    base, _, position = cell.name.partition("[")
    start = layout.numbers.ranges[held.extent.template].start  # type: ignore[union-attr]
    return f"{base}[{int(position[:-1]) + start}#tid]"


def _of_mutexes(cell: Cell) -> bool:
    return isinstance(getattr(cell.variable.type, "element", None), MutexType)


def rewritten(
    program: Program, proof: ThreadModularCertificate, rows: list[Row]
) -> RepresentativesCertificate:
    """The rows of R as formulas, one per template and location."""
    layout = ProgramLayout.of(program)
    cases: dict[tuple[str, LocId], list[str]] = defaultdict(list)
    for thread, g, l in rows:
        template = layout.numbers.templates[thread]
        body = program.template[template].body
        own = (*layout.thread[template].cells, *layout.local[body].cells)
        parts = [f"t1 == {thread}#tid"]
        for cell, value in zip(layout.globals.cells, g, strict=True):
            parts.append(f"{name_of(cell, layout)} == {literal(cell, value)}")
        for cell, value in zip(own, (*l.thread, *l.locals), strict=True):
            parts.append(f"t1::{name_of(cell, layout)} == {literal(cell, value)}")
        cases[template, l.pc].append("(" + " && ".join(parts) + ")")
    formulas = [
        RepresentativesFormula((template,), (place,), case)
        for (template, place), listed in cases.items()
        for case in listed
    ]
    return RepresentativesCertificate(proof.program_hash, proof.properties, 1, formulas)


def is_universal(checked: Property) -> bool:
    """Whether formulas about some threads can prove a property."""
    if isinstance(checked, InvariantProperty):
        found = subexpressions(checked.formula)
        return sum(isinstance(part, Quantified) for part in found) <= 1 and not any(
            isinstance(part, Quantified) and part.quantifier is Quantifier.EXISTS
            for part in subexpressions(checked.formula)
        )
    return not isinstance(checked, DeadlockProperty)


def compare(seed: int) -> int:
    """Compare one random program; how many proofs and refutations there were."""
    program = load(generate(RandomChooser.of(seed), FEATURES))
    asked = tuple(p for p in program.properties if is_universal(p))
    engine = ThreadModularEngine()
    done = 0
    for finding in engine.run(Task(program, asked, EngineOptions(symmetry=False))):
        if not isinstance(finding, Proved):
            continue
        proof = finding.certificate
        assert isinstance(proof, ThreadModularCertificate)
        rows = [(t, proof.globals[g], l) for t, rs in enumerate(proof.reached) for g, l in rs]
        if len(rows) > 40:
            continue
        whole = rewritten(program, proof, rows)
        try:
            check_certificate(program, whole, nothing)
        except Unsupported:
            continue
        done += 1
        drop = random.Random(seed).randrange(len(rows))
        with pytest.raises(Refuted):
            check_certificate(
                program, rewritten(program, proof, rows[:drop] + rows[drop + 1 :]), nothing
            )
        assert not explore(program, asked).violated & set(finding.properties)
    return done


def test_random_programs() -> None:
    assert sum(compare(seed) for seed in range(9)) >= 3


@pytest.mark.slow
def test_many_random_programs() -> None:
    assert sum(compare(seed) for seed in range(9, 300)) > 50
