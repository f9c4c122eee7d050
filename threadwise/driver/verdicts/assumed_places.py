"""What users assume of places of C programs that the tool does not model, or has no value for.

    --assume-unreached x.c:9   no run gets past what ends the model there: a thread that would,
                               waits in front of it forever, and is part of no deadlock
    --assume-any-value x.c:9   what is not computed there may really be any value: violations
                               that rest on it count

A place is named by its line and the end of its path, so that evidence can be checked again from
another folder. What is assumed is listed with the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from threadwise.core.errors import InputError
from threadwise.ir.beyond import is_beyond
from threadwise.ir.commands import Command
from threadwise.ir.expr import FALSE
from threadwise.ir.program import Edge, FailureKind, Location, LocId, Procedure, Program

if TYPE_CHECKING:
    from threadwise.core.c_options import COptions
    from threadwise.core.source import Span
    from threadwise.frontends.c import LoadedC


def under_assumptions(loaded: LoadedC, options: COptions) -> LoadedC:
    """The program as users assume it to be; raises InputError if there is no such place."""
    program, ends = _without_ends(loaded.lowered.program, options.unreached)
    approximated, values = _without_doubt(loaded.lowered.approximated, options.any_value)
    lowered = replace(loaded.lowered, program=program, approximated=approximated)
    return replace(
        loaded,
        lowered=lowered,
        assumptions=(*loaded.assumptions, *ends, *values),
        allowing=lambda doubts: under_assumptions(loaded.allowing(doubts), options),
    )


def place_of(span: Span) -> str:
    """How options name a place."""
    return f"{PurePath(span.path).name}:{span.line}"


def _is_at(span: Span | None, place: str) -> bool:
    path, _, line = place.rpartition(":")
    if span is None or str(span.line) != line:
        return False
    named, known = PurePath(path).parts, PurePath(span.path).parts
    return bool(named) and known[-len(named) :] == named


def _without_ends(program: Program, places: Iterable[str]) -> tuple[Program, list[str]]:
    left_out: dict[LocId, str] = {}
    for place in sorted(places):
        found = [each for each in program.locations if _ends_at(each, place)]
        if not found:
            spans = (each.span for each in program.locations if _ends(each))
            known = sorted({place_of(span) for span in spans if span is not None})
            raise _nowhere("--assume-unreached", place, "ends the model", known)
        for location in found:
            assert location.failure is not None
            left_out[location.id] = location.failure.message
    if not left_out:
        return program, []
    change = _waiting(program, frozenset(left_out))
    procedures = tuple(change(procedure) for procedure in program.procedures)
    told = [f"no run gets past {message}" for message in dict.fromkeys(left_out.values())]
    return replace(program, procedures=procedures), told


def _ends(location: Location) -> bool:
    """Whether it ends the model. How many threads may be created has an option of its own."""
    failure = location.failure
    return failure is not None and failure.kind.is_limit and failure.kind is not FailureKind.SLOTS


def _ends_at(location: Location, place: str) -> bool:
    return _ends(location) and _is_at(location.span, place)


def _waiting(program: Program, ends: frozenset[LocId]) -> Callable[[Procedure], Procedure]:
    """Threads in front of these ends loop there for ever."""
    before = {edge.source for edge in program.edges if edge.target in ends}

    def location(old: Location) -> Location:
        return replace(old, failure=None, final=True) if old.id in ends else old

    def edge(old: Edge) -> Edge:
        if old.target in ends:
            if program.locations[old.source].atomic:
                raise InputError.of("--assume-unreached cannot name a place in an atomic block")
            assert isinstance(old.action, Command)
            guard = Command(old.action.guard)
            return replace(old, target=old.source, action=guard, operation=None)
        if old.source in before and is_beyond(old):
            return replace(old, action=Command(FALSE), operation=None)
        return old

    def procedure(old: Procedure) -> Procedure:
        locations = tuple(map(location, old.locations))
        return replace(old, locations=locations, edges=tuple(map(edge, old.edges)))

    return procedure


def _without_doubt(
    approximated: frozenset[Span], places: Iterable[str]
) -> tuple[frozenset[Span], list[str]]:
    certain: set[Span] = set()
    told: list[str] = []
    for place in sorted(places):
        found = {span for span in approximated if _is_at(span, place)}
        if not found:
            known = sorted({place_of(span) for span in approximated})
            raise _nowhere("--assume-any-value", place, "leaves a value open", known)
        certain |= found
        told.append(f"{place}: what is not computed there may be any value")
    return approximated - certain, told


def _nowhere(option: str, place: str, what: str, known: list[str]) -> InputError:
    hint = f"what {what}: {', '.join(known[:5])}" if known else "no line does"
    return InputError.of(f"{option} {place}: nothing {what} there", hint=hint)
