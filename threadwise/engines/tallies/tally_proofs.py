"""Proofs with tallies: candidates of the analysis, those that are inductive, a certificate."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.analyses.regions import has_calls, thread_locations
from threadwise.backends.smt.solver import Effort
from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.engines.api import Finding, Proved, Task
from threadwise.engines.tallies.analysis import Analysis
from threadwise.engines.tallies.candidates import Candidates, candidates
from threadwise.engines.tallies.induction import Induction
from threadwise.ir.expr import FALSE
from threadwise.ir.fold import conjunction, uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.ir.text.printer import program_hash
from threadwise.ir.text.thread_formulas import formula_text, representatives
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.proofs.transformed.certificate import Tally, TransformedCertificate
from threadwise.transforms.tally import tally

MOST_EFFORT = 3_000_000
"""Units of the solver's resource counter for one query."""


def with_tallies(task: Task) -> Iterator[Finding]:
    """Prove what follows from what each thread contributes, if the program has few threads."""
    asked = [p for p in task.properties if isinstance(p, FailureProperty)]
    program = task.program
    if not asked or uses_memory(program) or has_calls(program):
        return
    try:
        tallied = tally(program)
    except Unsupported:
        tallied = program
    try:
        found = _found(tallied)
    except Unsupported:
        return
    task.listener(Progress("horn", "what each thread contributes"))
    limit = task.options.solver_limit(MOST_EFFORT)
    induction = Induction(tallied, found, Effort(task.statistics, task.meter.check, limit))
    induction.run()
    if not induction.excludes(induction.limits()):
        return
    proved = tuple(p.name for p in asked if induction.excludes(induction.violations(p)))
    if not proved:
        return
    excluded = [*induction.limits()]
    for checked in asked:
        if checked.name in proved:
            excluded += induction.violations(checked)
    proof: Certificate = _certificate(tallied, proved, induction.needed(excluded))
    if tallied is not program:
        proof = TransformedCertificate(program_hash(program), proved, (Tally(),), proof)
    yield Proved(proved, proof)


def _found(program: Program) -> Candidates:
    analysis = Analysis(program)
    analysis.run()
    return candidates(analysis)


def _certificate(
    program: Program, names: tuple[str, ...], left: Candidates
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
    return RepresentativesCertificate(program_hash(program), names, 1, tuple(formulas))
