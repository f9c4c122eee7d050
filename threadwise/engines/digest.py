"""Checking of the synchronisation of a program: other data is projected away first.

Which locks are held, which threads run or were joined, and the flags that threads set for each
other decide most races; the data that locks protect does not. So the program is checked thread by
thread after everything else was projected away (`threadwise.transforms.forget`): loops over data,
unbounded counters and inputs cost nothing then. A proof for the projection is a proof for the
program. What is kept:

    owners of locks, ids of threads, variables that only synchronise
    variables that take few values, all of them constants of the program: flags and phases
    what is stored in something that is kept, or indexes it

What that leaves open is tried once more with only the *contents* of shared memory projected away:
numbers that no condition and no index depends on. Then it is known which part of an array each
thread works on (`for (i = id * 25; i < id * 25 + 25; i++) a[i] = …`).

Where threads count together, at a barrier or by taking numbers, one thread's view is not enough.
So both projections are also searched state by state if no input is left that has too many values.

Answers SAFE or UNKNOWN: a race of what is left may be none of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from threadwise.analyses.worklist import reached
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import Engine, Finding, Proved, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.resolving import with_resolved_memory
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import (
    Conditional,
    Const,
    Expr,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    place_expressions,
    read_places,
    root,
    uses_memory,
)
from threadwise.ir.layout import NO_THREADS, initial_choices
from threadwise.ir.program import AnyValue, Program
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import Value
from threadwise.proofs.transformed.certificate import Forget, TransformedCertificate
from threadwise.systems.samples import sample_values
from threadwise.transforms.forget import MOST_VALUES, forget, forgettable, may_be_any, variable_key

SLICES = (20_000, None)
"""How many steps each attempt may take, at first and then."""

_Attempt: TypeAlias = tuple[Engine, tuple[str, ...], Program]

REASON = "what synchronises the threads does not exclude it, whatever the data are"


class DigestEngine:
    """Forget, then check thread by thread, and state by state."""

    name = "digest"

    def run(self, task: Task) -> Iterator[Finding]:
        """Prove what does not depend on data, of the program without pointers."""
        yield from with_resolved_memory(task, self._prove)

    def _prove(self, task: Task) -> Iterator[Finding]:
        kept = tuple(p for p in task.properties if isinstance(p, RaceProperty | FailureProperty))
        left = tuple(p.name for p in task.properties if p not in kept)
        if left:
            reason = "forgetting data does not keep deadlocks and invariants"
            yield Undecided(left, reason, applies=False)
        if not kept:
            return
        if uses_memory(task.program):
            raise Unsupported("forgetting data beside pointers")
        projections = _Projections(task, {checked.name: checked for checked in kept})
        yield from projections.proofs()
        if projections.open:
            names = tuple(projections.open)
            if not projections.tried and projections.refused is not None:
                raise projections.refused
            reason = REASON if projections.tried else "there is no data to forget"
            yield Undecided(names, reason, applies=projections.tried)


class _Projections:
    """What is left of a program without some variables, and what can be proved of it."""

    def __init__(self, task: Task, open_properties: dict[str, Property]) -> None:
        self.task = replace(task, at_limit=lambda _: None)
        self.open = open_properties
        self.tried = False
        """Whether a search has come to its end."""
        self.refused: Unsupported | None = None
        self.violated: set[tuple[tuple[str, ...], str]] = set()
        """What is forgotten, and a property that the rest violates: it has no proof."""
        self.forgotten: dict[tuple[str, ...], Program] = {}
        """What is forgotten, with the rest."""
        for chosen in (data_of, contents_of):
            try:
                names = chosen(task.program)
                if names and names not in self.forgotten:
                    self.forgotten[names] = forget(task.program, names)
            except Unsupported as error:
                self.refused = self.refused or error

    def proofs(self) -> Iterator[Finding]:
        """Thread by thread, then state by state; what takes long begins again without a limit."""
        attempts: list[_Attempt] = [
            (ThreadModularEngine(facts=False), names, rest)
            for names, rest in self.forgotten.items()
        ]
        attempts += [
            (ExplicitEngine(), names, rest)
            for names, rest in reversed(self.forgotten.items())
            if not rest.has_any_number and sample_values(rest) is None
        ]
        for steps in SLICES:
            left: list[_Attempt] = []
            for attempt in attempts:
                try:
                    yield from self._proofs(*attempt, steps)
                    self.tried = True
                except Unsupported as error:
                    self.refused = self.refused or error
                except BudgetExhausted as error:
                    self.task.meter.allows(error)
                    left.append(attempt)
                if not self.open:
                    return
            attempts = left

    def _proofs(
        self, engine: Engine, forgotten: tuple[str, ...], rest: Program, steps: int | None
    ) -> Iterator[Finding]:
        """What an engine proves of a projection; its violations may be none of the program."""
        meter = self.task.meter if steps is None else self.task.meter.slice(steps)
        asked = {n: p for n, p in self.open.items() if (forgotten, n) not in self.violated}
        if not asked:
            return
        task = replace(self.task, program=rest, properties=tuple(asked.values()), meter=meter)
        for finding in engine.run(task):
            if isinstance(finding, Violated):
                self.violated.add((forgotten, finding.trace.property))
                asked.pop(finding.trace.property, None)
                if not asked:
                    return
            elif isinstance(finding, Proved):
                for name in finding.properties:
                    self.open.pop(name, None)
                whole = program_hash(self.task.program)
                certificate = TransformedCertificate(
                    whole, finding.properties, (Forget(forgotten),), finding.certificate
                )
                yield Proved(finding.properties, certificate)


def data_of(program: Program, *, keep_shared: bool = True) -> tuple[str, ...]:
    """The variables to forget; without `keep_shared` also shared flags and phases."""
    variables = variables_of(program)
    unknown = {
        key
        for key, variable in variables.items()
        if variable.scope is Scope.GLOBAL and not keep_shared and forgettable(variable.type)
    }
    values = few_values(program, variables, unknown)
    kept = {
        key
        for key, variable in variables.items()
        if key not in unknown
        and (variable.sync or not forgettable(variable.type) or values[key] is not None)
    }
    while True:
        needed = {key for key in _needed(program, kept) if key not in kept | unknown}
        if not keep_shared:
            needed |= {key for key in _passed(program, kept) if key not in kept | unknown}
        if not needed:
            break
        kept |= needed
    return closed_loss(program, (key for key in variables if key not in kept))


def contents_of(program: Program) -> tuple[str, ...]:
    """Shared data that only passes through: numbers that no index and no way depends on.

    What is left are the locals that say where a thread is in an array.
    """
    variables = variables_of(program)
    steering = _steering(program)
    return closed_loss(
        program,
        (
            key
            for key, variable in variables.items()
            if variable.scope is Scope.GLOBAL
            and not variable.sync
            and forgettable(variable.type)
            and key not in steering
        ),
    )


def _steering(program: Program) -> set[str]:
    """What guards and indices depend on, directly or through what is assigned."""
    found: set[str] = set()
    sources: dict[str, set[str]] = {}
    for procedure in program.procedures:
        for edge in procedure.edges:
            read = [*read_places(edge.action.guard)]
            places = [*action_places(edge.action)]
            for expr in action_expressions(edge.action):
                places += read_places(expr)
            for place in places:
                for index in place_expressions(place):
                    read += read_places(index)
            found |= {_key(place, procedure.name) for place in read}
            if isinstance(edge.action, Command):
                for assignment in edge.action.assignments:
                    key = _key(assignment.target, procedure.name)
                    given = {_key(p, procedure.name) for p in read_places(assignment.value)}
                    sources.setdefault(key, set()).update(given)
    return set(reached(found, lambda key: sources.get(key, ())))


def closed_loss(program: Program, names: Iterable[str]) -> tuple[str, ...]:
    """Some variables, and those that would have to take any value; raises Unsupported."""
    variables = variables_of(program)
    lost = set(names)
    while True:
        more = {key for key in _overwhelmed(program, lost) if key not in lost}
        if not more:
            return tuple(sorted(lost))
        for key in more:
            if not forgettable(variables[key].type):
                raise Unsupported(f"data that decides what {variables[key].name} does")
        lost |= more


def variables_of(program: Program) -> dict[str, Variable]:
    """All variables, by the names by which they are forgotten."""
    found = {d.variable.name: d.variable for d in program.globals}
    for template in program.templates:
        for d in template.variables:
            found[variable_key(d.variable, "")] = d.variable
    for procedure in program.procedures:
        for variable in (*procedure.parameters, *(d.variable for d in procedure.locals)):
            found[variable_key(variable, procedure.name)] = variable
    return found


def _key(place: Place, procedure: str) -> str:
    base = root(place)
    assert isinstance(base, VariablePlace)
    return variable_key(base.variable, procedure)


# -- flags ---------------------------------------------------------------------------------------


def few_values(
    program: Program, variables: dict[str, Variable], unknown: Iterable[str] = ()
) -> dict[str, frozenset[Value] | None]:
    """The constants each variable can hold, whatever happens; None if they may be many."""
    found: dict[str, frozenset[Value] | None] = {key: frozenset() for key in variables}
    _add_initial(program, found)
    found.update(dict.fromkeys(unknown))
    changed = True
    while changed:
        changed = False
        for procedure in program.procedures:
            for edge in procedure.edges:
                for key, more in _given(edge.action, procedure.name, found):
                    before = found[key]
                    if before is None:
                        continue
                    joined = None if more is None else before | more
                    if joined is not None and len(joined) > MOST_VALUES:
                        joined = None
                    if joined != before:
                        found[key] = joined
                        changed = True
    return found


def _add_initial(program: Program, found: dict[str, frozenset[Value] | None]) -> None:
    for declaration, procedure in program.declarations:
        key = variable_key(declaration.variable, procedure)
        if isinstance(declaration.initial, AnyValue):
            found[key] = None
        elif forgettable(declaration.variable.type):
            choices = initial_choices(declaration, NO_THREADS)
            found[key] = frozenset(value for choice in choices if choice for value in choice)
    for procedure_ in program.procedures:
        for parameter in procedure_.parameters:
            found[variable_key(parameter, procedure_.name)] = None


def _given(
    action: object, procedure: str, found: dict[str, frozenset[Value] | None]
) -> Iterator[tuple[str, frozenset[Value] | None]]:
    if isinstance(action, Call):
        if action.result is not None:
            yield _key(action.result, procedure), None
    elif isinstance(action, Command):
        for assignment in action.assignments:
            key = _key(assignment.target, procedure)
            yield key, _values_of(assignment.value, procedure, found)
        for place in action.havocs:
            yield _key(place, procedure), None


def _values_of(
    expr: Expr, procedure: str, found: dict[str, frozenset[Value] | None]
) -> frozenset[Value] | None:
    match expr:
        case Const(value, _):
            return frozenset({value})
        case Read(place):
            return found[_key(place, procedure)]
        case Conditional(_, then, otherwise):
            first = _values_of(then, procedure, found)
            second = _values_of(otherwise, procedure, found)
            return None if first is None or second is None else first | second
        case _:
            return None


# -- closure -------------------------------------------------------------------------------------


def _needed(program: Program, kept: set[str]) -> Iterator[str]:
    """What indexes something that is kept, and what is stored in something that is kept."""
    for procedure in program.procedures:
        for edge in procedure.edges:
            if isinstance(edge.action, Command):
                for assignment in edge.action.assignments:
                    if _key(assignment.target, procedure.name) in kept:
                        for place in read_places(assignment.value):
                            yield _key(place, procedure.name)
            places = [*action_places(edge.action)]
            for expr in action_expressions(edge.action):
                places += read_places(expr)
            for place in places:
                if _key(place, procedure.name) in kept:
                    for index in place_expressions(place):
                        for inner in read_places(index):
                            yield _key(inner, procedure.name)


def _passed(program: Program, kept: set[str]) -> Iterator[str]:
    """What is passed to parameters that are kept, and returned to where it is kept."""
    for procedure in program.procedures:
        for edge in procedure.edges:
            if not isinstance(edge.action, Call):
                continue
            callee = program.procedure[edge.action.procedure]
            for parameter, argument in zip(callee.parameters, edge.action.arguments, strict=True):
                if variable_key(parameter, callee.name) in kept:
                    yield from (_key(place, procedure.name) for place in read_places(argument))
            result = edge.action.result
            if result is not None and _key(result, procedure.name) in kept:
                for inner in callee.edges:
                    if isinstance(inner.action, Return) and inner.action.value is not None:
                        places = read_places(inner.action.value)
                        yield from (_key(place, callee.name) for place in places)


_LARGE = "assignments to large variables"
"""Among facts about the code of a program."""


def _overwhelmed(program: Program, lost: set[str]) -> Iterator[str]:
    """Kept variables that are given a forgotten value and have too many values of their own.

    Parameters, and what takes the result of a call, cannot be given any value.
    """
    for procedure in program.procedures:
        for edge in procedure.edges:
            if isinstance(edge.action, Call):
                yield from _passed_on(program, procedure.name, edge.action, lost)
    for key, sources in _large(program):
        if sources is None or not sources.isdisjoint(lost):
            yield key


def _large(program: Program) -> Sequence[tuple[str, frozenset[str] | None]]:
    """Variables with many values that are assigned to, each with what the value is made of: None
    where it is any. It is remembered with the program."""
    known = program.code.get(_LARGE)
    if known is None:
        known = program.code[_LARGE] = tuple(dict.fromkeys(_assigned(program)))
    assert isinstance(known, tuple)
    return known


def _assigned(program: Program) -> Iterator[tuple[str, frozenset[str] | None]]:
    for procedure in program.procedures:
        for edge in procedure.edges:
            if not isinstance(edge.action, Command):
                continue
            for assignment in edge.action.assignments:
                if not may_be_any(assignment.target.type):
                    read = read_places(assignment.value)
                    sources = frozenset(_key(place, procedure.name) for place in read)
                    yield _key(assignment.target, procedure.name), sources
            for place in edge.action.havocs:
                if not may_be_any(place.type):
                    yield _key(place, procedure.name), None


def _passed_on(program: Program, caller: str, call: Call, lost: set[str]) -> Iterator[str]:
    callee = program.procedure[call.procedure]
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        if any(_key(place, caller) in lost for place in read_places(argument)):
            yield variable_key(parameter, callee.name)
    returned = (edge.action for edge in callee.edges if isinstance(edge.action, Return))
    values = (action.value for action in returned if action.value is not None)
    if call.result is not None and any(
        _key(place, callee.name) in lost for value in values for place in read_places(value)
    ):
        yield _key(call.result, caller)
