"""Proofs with tallies: candidates of the analysis, those that are inductive, a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from threadwise.analyses.regions import has_calls, thread_locations
from threadwise.backends.smt.solver import Effort
from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.engines.api import Finding, Proved, Task
from threadwise.engines.tallies.analysis import Analysis, split_cell
from threadwise.engines.tallies.candidates import Candidates, candidates
from threadwise.engines.tallies.cells import Bounds
from threadwise.engines.tallies.induction import Induction
from threadwise.engines.tallies.parametric import ParametricThreads, parametric_of
from threadwise.ir.expr import FALSE, Binary, BinaryOp, Expr, Read
from threadwise.ir.fold import conjunction, number, uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.ir.quantities import LinearInvariant
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.thread_formulas import formula_text, representatives
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.proofs.transformed.certificate import (
    Interrupt,
    Step,
    Tally,
    TransformedCertificate,
)
from threadwise.transforms.interrupt import interrupt
from threadwise.transforms.tally import tally

MOST_EFFORT = 3_000_000
"""Units of the solver's resource counter for one query."""


def with_tallies(task: Task) -> Iterator[Finding]:
    """Prove what follows from what each thread contributes, if the program has few threads."""
    asked = [p for p in task.properties if isinstance(p, FailureProperty)]
    program = task.program
    if not asked or uses_memory(program) or has_calls(program):
        return
    steps: tuple[Step, ...] = (Tally(),)
    try:
        tallied = tally(program)
    except Unsupported:
        tallied, steps = program, ()
    changed = interrupt(tallied)
    if changed is not tallied:
        steps = (*steps, Interrupt())
    left = {checked.name: checked for checked in asked}
    try:
        for found in _attempts(changed, task.meter.check):
            task.listener(Progress("horn", "what each thread contributes"))
            proof = _proof(task, changed, list(left.values()), found)
            if proof is not None:
                names = proof.properties
                whole = TransformedCertificate(program_hash(program), names, steps, proof)
                yield Proved(names, whole if steps else proof)
                left = {name: checked for name, checked in left.items() if name not in names}
            if not left:
                return
    except Unsupported:
        return


def with_accounts(task: Task) -> Iterator[Finding]:
    """Prove what follows from what all threads have done, however many, where they are joined."""
    left = {p.name: p for p in task.properties if isinstance(p, FailureProperty)}
    program = task.program
    if not left or uses_memory(program) or has_calls(program):
        return
    parametric = parametric_of(program)
    if parametric is None:
        return
    try:
        for found in _attempts(parametric.program, task.meter.check, parametric):
            task.listener(Progress("horn", "what all threads have done"))
            proof = _proof(
                task, parametric.program, list(left.values()), found, parametric.lemmas()
            )
            if proof is not None:
                names = proof.properties
                whole = TransformedCertificate(
                    program_hash(program), names, parametric.steps, proof
                )
                yield Proved(names, whole)
                left = {name: checked for name, checked in left.items() if name not in names}
            if not left:
                return
    except Unsupported:
        return


def _attempts(
    program: Program, tick: Callable[[], object], parametric: ParametricThreads | None = None
) -> Iterator[Candidates]:
    """Candidates: of the analysis, then with those of two cases of a constant."""
    analysis = Analysis(program, parametric=parametric, tick=tick)
    analysis.run()
    found = candidates(analysis)
    yield found
    name = split_cell(analysis)
    if name is None:
        return
    constant = Read(analysis.shared[name].place)
    cases: list[tuple[Bounds, Expr]] = [
        ((1, None), Binary(BinaryOp.GE, constant, number(1))),
        ((None, 0), Binary(BinaryOp.LE, constant, number(0))),
    ]
    for limits, given in cases:
        case = Analysis(program, {name: limits}, parametric, tick)
        case.run()
        for place, formulas in candidates(case, [given]).items():
            found[place] = list(dict.fromkeys([*found.get(place, ()), *formulas]))
    yield found


def _proof(
    task: Task,
    program: Program,
    asked: Sequence[FailureProperty],
    found: Candidates,
    lemmas: Sequence[LinearInvariant] = (),
) -> RepresentativesCertificate | None:
    limit = task.options.solver_limit(MOST_EFFORT)
    effort = Effort(task.statistics, task.meter.check, limit)
    induction = Induction(program, found, effort, lemmas)
    induction.run()
    if not induction.excludes(induction.limits()):
        return None
    proved = [p for p in asked if induction.excludes(induction.violations(p))]
    if not proved:
        return None
    excluded = [*induction.limits()]
    for checked in proved:
        excluded += induction.violations(checked)
    names = tuple(checked.name for checked in proved)
    return _certificate(program, names, induction.needed(excluded), tuple(lemmas))


def _certificate(
    program: Program,
    names: tuple[str, ...],
    left: Candidates,
    lemmas: tuple[LinearInvariant, ...],
) -> RepresentativesCertificate:
    formulas: list[RepresentativesFormula] = []
    for template in program.templates:
        who = representatives((template.name,))
        for location in thread_locations(program, template.name):
            failure = program.locations[location].failure
            held = left.get((template.name, location), [])
            if failure is not None:
                if failure.kind.is_limit or failure.property in names:
                    continue
                held = []
            if FALSE in held:
                continue
            text = formula_text(program, conjunction(held), who)
            formulas.append(RepresentativesFormula((template.name,), (location,), text))
    return RepresentativesCertificate(program_hash(program), names, 1, tuple(formulas), lemmas)
