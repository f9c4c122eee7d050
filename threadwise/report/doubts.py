"""What is assumed of behaviour that the standards allow and users doubt."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from threadwise.core.doubts import Doubt, DoubtKind
from threadwise.results.result import Assumed, Result
from threadwise.results.verdict import Verdict

_CREATED = " are created"
_LIFETIMES = (
    "local variables are not used after",
    "variables of threads are not used after",
    "free is not given the address of a local",
)
MANY = 5
"""More lines than this of one kind are only counted in the verdict."""


def doubts(result: Result) -> list[Assumed]:
    """What the proofs of a result assume not to happen, in the order of the source.

    If proofs of several properties assume it, it matters if it does for one of them.
    """
    found: dict[Doubt, Assumed] = {}
    for checked in result.properties:
        for assumed in checked.doubts:
            known = found.get(assumed.doubt)
            if known is None or _weight(assumed) > _weight(known):
                found[assumed.doubt] = assumed
    return sorted(found.values(), key=lambda each: (each.doubt.path, each.doubt.line))


def _weight(assumed: Assumed) -> tuple[bool, bool, bool]:
    return assumed.matters is True, assumed.trace is not None, assumed.matters is None


def assumed_doubts(result: Result) -> list[str]:
    """The same by what is assumed: "no spurious wake-up (queue.c:31, queue.c:40)"."""
    return listed_doubts([assumed.doubt for assumed in doubts(result)], result.file)


def about_memory(result: Result) -> list[str]:
    """Assumptions that are a part of the question, where `memory` was asked and is SAFE."""
    asked = any(
        checked.kind == "memory" and checked.verdict is Verdict.SAFE
        for checked in result.properties
    )
    return [each for each in result.assumptions if asked and each.startswith(_LIFETIMES)]


def about_threads(result: Result) -> list[str]:
    """How many threads are assumed to be created, at most."""
    return [each for each in result.assumptions if each.endswith(_CREATED)]


def listed_doubts(found: Iterable[Doubt], file: str = "") -> list[str]:
    """What is assumed if none of this happens, each with its places."""
    by_text: dict[str, list[Doubt]] = {}
    for doubt in found:
        by_text.setdefault(doubt.denied, []).append(doubt)
    return [_listed(text, places, file) for text, places in by_text.items()]


def _listed(text: str, places: list[Doubt], file: str) -> str:
    if places[0].kind is DoubtKind.WEAK_ORDER and all(place.path == file for place in places):
        lines = list(dict.fromkeys(str(place.line) for place in places))
        several = len(lines) > 1
        text = text.replace("access", "accesses") if several else text
        return f"{text} at line{'s' if several else ''} {_enumerated(lines)}"
    return f"{text} ({_enumerated(list(dict.fromkeys(map(_place, places))))})"


def _enumerated(names: list[str]) -> str:
    shown = ", ".join(names[:MANY])
    return shown if len(names) <= MANY else f"{shown} and {len(names) - MANY} more"


def _place(doubt: Doubt) -> str:
    return f"{PurePath(doubt.path).name}:{doubt.line}"


def told_doubt(assumed: Assumed, file: str) -> str:
    """A line about one place: what is assumed there, and whether it matters."""
    told = _listed(assumed.doubt.denied, [assumed.doubt], file)
    match assumed.matters:
        case None:
            return f"{told}; whether it matters was not tried"
        case False:
            return f"{told}; alone it does not matter, but no proof allows it with others"
        case True if assumed.example is not None:
            return f"{told}; {assumed.example}"
        case True:
            return f"{told}; no proof was found without"
