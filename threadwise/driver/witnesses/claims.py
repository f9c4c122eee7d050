"""Claims about places of a C program, checked by checking the program that makes them.

Invariants of witnesses become claims in the text (`frontends/c/instrument`), and the program with
them is checked like any other: a claim that holds is proved, one that does not has a trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from threadwise.core.budget import Budget
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.core.reading import read_source
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.driver.witnesses.conditions import NotUnderstood, holds
from threadwise.frontends.c.instrument import (
    Change,
    Claim,
    Ghost,
    Instrumented,
    NoPlaceError,
    Place,
    instrumented,
)
from threadwise.report.witnesses.model import CorrectnessWitness, Location
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict


def is_always_true(expression: str) -> bool:
    """Whether an expression is true whatever the variables are."""
    try:
        return holds(expression, lambda _: None)
    except NotUnderstood:
        return False


@dataclass(frozen=True)
class CheckedClaims:
    """The program with its claims, checked."""

    answers: tuple[PropertyResult | None, ...]
    """For each claim; None: the place is never reached, or nothing was decided."""
    result: Result

    def verdict(self, number: int) -> Verdict:
        """What is known of a claim."""
        answer = self.answers[number]
        return Verdict.UNKNOWN if answer is None else answer.verdict

    def told(self, number: int, expression: str) -> Verdict:
        """The same, knowing the expression: what is always true leaves nothing to check."""
        if self.answers[number] is not None or not is_always_true(expression):
            return self.verdict(number)
        return Verdict.SAFE


def sources_of(file: str, load: LoadOptions) -> list[SourceFile]:
    """The files of a program."""
    return [read_source(path) for path in (file, *load.c.beside)]


def with_claims(
    witness: CorrectnessWitness, sources: Sequence[SourceFile], paths: dict[str, str]
) -> Instrumented:
    """The program with what a witness claims; raises InputError for places that there are not."""

    def place(location: Location) -> Place:
        path = paths.get(location.file_name, location.file_name)
        return Place(path, location.line, location.column)

    try:
        return instrumented(
            sources,
            [Claim(place(i.location), i.value, i.loop) for i in witness.invariants],
            [Ghost(g.name, g.type, g.initial) for g in witness.ghosts],
            [Change(place(u.location), u.changes) for u in witness.updates],
        )
    except NoPlaceError as error:
        raise InputError.of(f"the witness names a place that is none: {error}") from None


def checked_claims(
    file: str, load: LoadOptions, made: Instrumented, budget: Budget, *, jobs: int | None = None
) -> CheckedClaims:
    """Check the claims of a program; raises InputError if it is none with them."""
    count = len(made.claims)
    options = CheckOptions(properties=("assertions",), load=load, budget=budget, jobs=jobs)
    sources = list(made.sources)
    result = check_loaded(file, lambda: load_c_sources(sources, load), options)
    answers: list[PropertyResult | None] = [None] * count
    for checked in result.properties:
        span = checked.location
        if span is None:
            continue
        number = made.claims.get((span.path, span.line, span.column))
        if number is not None:
            answers[number] = checked
    return CheckedClaims(tuple(answers), result)
