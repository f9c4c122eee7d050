"""The `horn` engine: rely-guarantee proofs about k threads at once, found by Spacer.

Rules: `clauses`. Soundness: the solution is turned into formulas R about k representatives, and
the certificate (with the equations of `counting` that were used) is checked by code that knows
neither the clauses nor Spacer. k = 1 is thread-modular checking; what k proves, k + 1 can prove.

Termination: Spacer may run for ever; a limit on its own resource counter stops it. A derivation of
false is not an error of the program: k threads and their views may not suffice. So there are no
violations here, only hints: explicit search and bounded checking look for real ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from threadwise.backends.smt.decode import Decoder
from threadwise.backends.smt.environments import Environment
from threadwise.backends.smt.horn import HornClauses
from threadwise.backends.smt.logic import Logic
from threadwise.backends.smt.solver import UNITS_PER_STEP, Answer, Effort
from threadwise.core.errors import Unsupported
from threadwise.core.progress import Progress
from threadwise.engines.api import Finding, Proved, Task, Undecided
from threadwise.engines.counting.engine import counting_facts
from threadwise.engines.horn.clauses import Clauses
from threadwise.engines.horn.errors import split_formula
from threadwise.engines.horn.representatives import Representatives
from threadwise.engines.horn.tidy import tidy
from threadwise.evidence.certificate import RepresentativesCertificate, RepresentativesFormula
from threadwise.ir.expr import FALSE, TRUE, Expr
from threadwise.ir.fold import uses_memory
from threadwise.ir.formulas import formula_text, representatives
from threadwise.ir.linear import LinearInvariant
from threadwise.ir.printer import program_hash
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import DeadlockProperty, InvariantProperty, Property
from threadwise.ir.regions import body_locations, has_calls

SHARE = 4
"""Solving clauses gets so many times the steps that are left: one try decides."""
MOST_EFFORT = 60_000_000
"""Units of the solver's resource counter for one system of clauses."""
LARGEST_K = 3
DEFAULT_KS = (1, 2)
"""The numbers of representatives that are tried if the user asks for none."""


@dataclass(frozen=True)
class HornEngine:
    """Proofs with k representatives; without `counting` they take no equations as lemmas."""

    counting: bool = True
    name = "horn"

    def run(self, task: Task) -> Iterator[Finding]:
        """Try to prove the properties, with one representative, then with two."""
        program = task.program
        _refuse(program)
        possible: list[Property] = []
        for checked in task.properties:
            refusal = _refusal(checked)
            if refusal is None:
                possible.append(checked)
            else:
                yield Undecided((checked.name,), refusal)
        if not possible:
            return
        facts = _facts(task) if self.counting else ()
        fixed = sum(template.count or 0 for template in program.templates)
        reasons: dict[str, str] = {}
        for k in (task.options.k,) if task.options.k else DEFAULT_KS:
            if not program.has_any_number and fixed < k:
                break
            for proof in self._prove(task, k, facts, possible, reasons):
                yield proof
                possible = [p for p in possible if p.name not in proof.properties]
        for checked in possible:
            reason = reasons.get(checked.name, "the program has too few threads")
            yield Undecided((checked.name,), reason)

    def _prove(
        self,
        task: Task,
        k: int,
        facts: tuple[LinearInvariant, ...],
        properties: Sequence[Property],
        reasons: dict[str, str],
    ) -> Iterator[Proved]:
        """All properties together, or else one by one."""
        if not properties:
            return
        task.listener(Progress(self.name, f"{k} representatives"))
        found = _solve(task, k, facts, properties, reasons)
        if found is not None:
            yield found
        elif len(properties) > 1:
            for checked in properties:
                alone = _solve(task, k, facts, [checked], reasons)
                if alone is not None:
                    yield alone


def _facts(task: Task) -> tuple[LinearInvariant, ...]:
    try:
        return counting_facts(task.program, task.meter.check)
    except Unsupported:
        return ()


def _refuse(program: Program) -> None:
    if uses_memory(program):
        raise Unsupported("a heap in Horn clauses")
    if has_calls(program):
        raise Unsupported("procedure calls in Horn clauses")
    if not any(template.count != 0 for template in program.templates):
        raise Unsupported("Horn clauses without a thread")


def _refusal(checked: Property) -> str | None:
    if isinstance(checked, DeadlockProperty):
        return "Horn clauses over some threads say nothing about deadlocks"
    if isinstance(checked, InvariantProperty):
        try:
            split_formula(checked)
        except Unsupported as refusal:
            return str(refusal)
    return None


def _solve(
    task: Task,
    k: int,
    facts: tuple[LinearInvariant, ...],
    properties: Sequence[Property],
    reasons: dict[str, str],
) -> Proved | None:
    logic = Logic()
    threads = Representatives(task.program, k, logic)
    clauses = Clauses(threads, facts, task.meter.check)
    limit = task.options.solver_limit(_limit(task))
    effort = Effort(task.statistics, task.meter.check, limit)
    system = HornClauses(logic, effort, limit, eager=False)
    for clause in clauses.rules():
        system.add(clause.body, logic.false if clause.head is None else clause.head)
    for clause in clauses.limits():
        system.add(clause.body, logic.false)
    for checked in properties:
        for clause in clauses.errors(checked):
            system.add(clause.body, logic.false)
    names = tuple(checked.name for checked in properties)
    match system.solve():
        case Answer.SATISFIABLE:
            try:
                return Proved(names, _certificate(task.program, threads, system, names, facts))
            except Unsupported as refusal:
                reason = f"the proof cannot be written down: {refusal}"
        case Answer.UNSATISFIABLE:
            reason = f"{k} representatives do not suffice for a proof, or there is none"
        case Answer.UNKNOWN:
            reason = f"no proof with {k} representatives within the limits ({system.reason})"
    reasons.update((name, reason) for name in names)
    for _ in range(system.steps):
        task.meter.check()
    return None


def _limit(task: Task) -> int:
    """What a system of clauses may cost: no more than the steps that are left."""
    budget = task.meter.budget.steps
    if budget is None:
        return MOST_EFFORT
    left = budget - task.meter.steps
    return max(1, min(MOST_EFFORT, SHARE * left * UNITS_PER_STEP))


def _certificate(
    program: Program,
    threads: Representatives,
    system: HornClauses,
    names: tuple[str, ...],
    facts: tuple[LinearInvariant, ...],
) -> RepresentativesCertificate:
    formulas: list[RepresentativesFormula] = []
    for members in threads.everywhere():
        solution = _solution(threads, system, members)
        if solution != FALSE:
            templates = tuple(member.template for member in members)
            places = tuple(LocId(int(str(member.location))) for member in members)
            text = formula_text(program, solution, representatives(templates))
            formulas.append(RepresentativesFormula(templates, places, text))
    formulas.extend(_failed(program, threads, names))
    return RepresentativesCertificate(
        program_hash(program), names, threads.k, tuple(formulas), facts
    )


def _solution(threads: Representatives, system: HornClauses, members: list[Environment]) -> Expr:
    """What was found for some threads, in the program's own words."""
    logic = threads.logic
    decoder = Decoder()
    for member in members:
        decoder.environment(member)  # for tables, which are arguments as a whole
    ordered = threads.ordered(members)
    formals = []
    for number, (term, meaning) in enumerate(threads.arguments(threads.shared, ordered)):
        if meaning is None:
            formals.append(term)
        else:
            formals.append(logic.constant(f"argument {number}", term.sort()))
            decoder.name(formals[-1], meaning)
    relation = threads.atom(threads.shared, members).decl()
    return tidy(decoder.expression(system.formula(relation(*formals))))


def _failed(
    program: Program, threads: Representatives, names: tuple[str, ...]
) -> Iterator[RepresentativesFormula]:
    """Nothing is claimed where a thread has failed in a way that is not to be excluded."""
    for chosen in threads.combinations:
        for position, template in enumerate(chosen):
            for location in body_locations(program, template):
                failure = program.locations[location].failure
                if failure is None or failure.kind.is_limit:
                    continue
                if failure.property not in names:
                    places: list[LocId | None] = [None] * threads.k
                    places[position] = location
                    text = formula_text(program, TRUE, representatives(chosen))
                    yield RepresentativesFormula(chosen, tuple(places), text)
