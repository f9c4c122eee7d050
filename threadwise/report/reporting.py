"""Which findings are reported: comments in the source, a baseline, `--only`, `--exclude`.

Nothing of this has any influence on what is analysed. A finding that is left out is counted, and
the verdict is that for the rest:

| property               | left out               | the rest is                                   |
|------------------------|------------------------|-----------------------------------------------|
| one of a place         | the property           | the other properties                          |
| races                  | pairs of accesses      | UNSAFE if a run shows another pair, SAFE if a |
|                        |                        | checked proof excludes all others, or UNKNOWN |
| another of the program | the run that was found | UNKNOWN: nobody looked for others             |

So what is left out never hides anything else. A race is left out because of a comment if one of
its two accesses is marked, because of `--exclude` only if both lie there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import PurePath

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.proofs.base.locations import Location, Pair
from threadwise.report.findings import Sources, findings
from threadwise.report.markers import Marker, Markers
from threadwise.results.result import PropertyResult, ProvedInPart, Result, Suppressed, Why
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace

OF_A_PLACE = frozenset({"assertion", "invariant"})
"""Kinds of which each property is about one place."""
RACE = "race"

NOT_LOOKED_FOR = "what was found is suppressed; nobody looked for others of its kind"
NOT_PROVED = "what was found is suppressed; of other accesses nothing is proved"
Lines = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Choice:
    """What the user wants to see."""

    only: tuple[str, ...] = ()
    """Patterns of paths, and names of shared locations."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths."""
    known: frozenset[str] = frozenset()
    """The fingerprints of the baseline."""


EVERYTHING = Choice()


def reported(result: Result, sources: Sources, choice: Choice = EVERYTHING) -> Result:
    """The same without what is not to be reported; `sources` are the files that were read."""
    markers = Markers.of(sources)
    if not markers.all and choice == EVERYTHING:
        return result
    report = _Report(sources, choice, markers)
    answers = [each for c in result.properties for each in report.of(c)]
    spare = [each for each in answers if each.spare and each.verdict is Verdict.UNKNOWN]
    told = (*result.warnings, *markers.complaints(), *report.needless(result))
    return replace(
        result,
        properties=tuple(each for each in answers if each not in spare),
        warnings=told,
        assumptions=tuple(dict.fromkeys((*result.assumptions, *report.assumptions))),
        suppressed=tuple(report.suppressed),
        spare=(*result.spare, *spare),
    )


@dataclass
class _Report:
    """Goes through the answers for one program."""

    sources: Sources
    choice: Choice
    markers: Markers
    suppressed: list[Suppressed] = field(default_factory=list)
    noted: set[tuple[str, Lines, frozenset[str]]] = field(default_factory=set)
    """Property, lines and locations of what is left out."""
    used: set[Marker] = field(default_factory=set)
    assumptions: list[str] = field(default_factory=list)
    """What the proofs rest on that make the rest SAFE."""

    def of(self, checked: PropertyResult) -> Iterator[PropertyResult]:
        """What is reported in the place of an answer."""
        if checked.verdict is Verdict.SAFE:
            yield checked
        elif checked.kind in OF_A_PLACE:
            if not self._is_left_out(checked):
                yield checked
        elif checked.kind == RACE:
            yield self._races(checked)
        elif checked.trace is not None and self._is_left_out(checked):
            yield _unknown(checked, NOT_LOOKED_FOR)
        else:
            yield checked

    def needless(self, result: Result) -> Iterator[Diagnostic]:
        """Markers that nothing needs: all that they could be about is proved."""
        proved = {c.kind for c in result.properties}
        proved -= {c.kind for c in result.properties if c.verdict is not Verdict.SAFE}
        for marker in self.markers.all:
            if marker not in self.used and marker.kinds and marker.kinds <= proved:
                yield Diagnostic(
                    Severity.WARNING, "nothing is found here that could be ignored", marker.span
                )

    def _is_left_out(self, checked: PropertyResult, names: Sequence[str] = ()) -> bool:
        """Whether an answer is not reported; then it is noted."""
        places = places_of(checked)
        print_ = self._fingerprint(checked) if checked.trace is not None else None
        why = self._why(checked.kind, places, names, print_)
        if why is None:
            return False
        message = checked.trace.violation if checked.trace else checked.reason or "undecided"
        answer = checked if checked.trace is not None else None
        self._note(checked, why, message, places, names, answer)
        return True

    def _note(
        self,
        checked: PropertyResult,
        why: tuple[Why, str | None],
        message: str,
        places: Sequence[Span],
        names: Sequence[str],
        answer: PropertyResult | None = None,
    ) -> None:
        name, kind = checked.name, checked.kind
        key = name, lines_of(places), frozenset(names or [message])
        if key not in self.noted:  # a location may have several pairs in the same two lines
            self.noted.add(key)
            new = Suppressed(name, kind, why[0], message, tuple(places), why[1], answer)
            self.suppressed.append(new)

    def _fingerprint(self, checked: PropertyResult) -> str:
        (finding,) = findings([Result("", (checked,))], self.sources)
        return finding.fingerprint

    def _why(
        self, kind: str, places: Sequence[Span], names: Sequence[str], fingerprint: str | None
    ) -> tuple[Why, str | None] | None:
        """Why something in these places is not reported, and what the user says; else None."""
        marker = self.markers.at(kind, places)
        if marker is not None:
            self.used.add(marker)
            return Why.COMMENT, marker.reason
        if fingerprint in self.choice.known:
            return Why.BASELINE, None
        if len(places) < (2 if kind == RACE else 1):
            return None
        paths = [span.path for span in places]
        only, exclude = self.choice.only, self.choice.exclude
        if only and not any(_matches(each, only) for each in paths) and not {*names} & {*only}:
            return Why.EXCLUDED, None
        if exclude and all(_matches(each, exclude) for each in paths):
            return Why.EXCLUDED, None
        return None

    # -- races ----------------------------------------------------------------------------------

    def _races(self, checked: PropertyResult) -> PropertyResult:
        part = checked.part
        runs: dict[str | None, DescribedTrace] = {}
        if checked.trace is not None:
            runs[None] = checked.trace
            runs.update({} if part is None else part.witnesses)
        before = len(self.suppressed)
        kept = {name: run for name, run in runs.items() if self._shows(checked, name, run)}
        answers = (s.answer for s in self.suppressed if s.answer is not None)
        known = {lines_of(places_of(each)) for each in answers if each.name == checked.name}
        left = None if part is None else self._left(checked, part, known, {*runs} - {*kept})
        if len(self.suppressed) == before:
            return checked
        return self._rest(checked, kept, left)

    def _shows(self, checked: PropertyResult, name: str | None, run: DescribedTrace) -> bool:
        """Whether a run is reported."""
        answer = replace(checked, trace=run, part=None)
        names = [name] if name is not None else locations_at(checked, places_of(answer))
        return not self._is_left_out(answer, names)

    def _left(
        self,
        checked: PropertyResult,
        part: ProvedInPart,
        known: set[Lines],
        shown: set[str | None],
    ) -> ProvedInPart:
        """What is undecided without pairs that are left out."""
        locations: list[Location] = []
        for location in part.locations:
            pairs = [
                p for p in location.undecided if not self._covers(checked, location, p, known)
            ]
            if location.is_proved or pairs or location.crowd:
                locations.append(replace(location, undecided=tuple(pairs)))
        witnesses = {name: run for name, run in part.witnesses.items() if name not in shown}
        return replace(part, locations=tuple(locations), witnesses=witnesses)

    def _covers(
        self, checked: PropertyResult, location: Location, pair: Pair, known: set[Lines]
    ) -> bool:
        """Whether an undecided pair of accesses is left out."""
        places = [s.span for s in (pair.first, pair.second) if s.span is not None]
        if len(places) < 2:
            return False
        # Where several locations are accessed in the same lines, a run is about one of them.
        if lines_of(places) in known and len(locations_at(checked, places)) == 1:
            return True
        why = self._why(RACE, places, [location.name], None)
        if why is not None:
            told = f"{pair.first.told}; {pair.second.told}"
            self._note(checked, why, told, places, [location.name])
        return why is not None

    def _rest(
        self,
        checked: PropertyResult,
        kept: dict[str | None, DescribedTrace],
        left: ProvedInPart | None,
    ) -> PropertyResult:
        """The answer for what is not left out."""
        if kept:
            run = kept.get(None) or next(iter(kept.values()))
            return replace(
                checked, trace=run, location=run.location or checked.location, part=left
            )
        if left is not None and _proves_all(left):
            self.assumptions += left.assumptions
            return PropertyResult(
                checked.name,
                checked.kind,
                Verdict.SAFE,
                left.engine,
                audit=left.audit,
                doubts=left.doubts,
                part=left,
            )
        if checked.trace is None:
            return replace(checked, part=left)
        return replace(_unknown(checked, NOT_PROVED), part=left)


def _proves_all(part: ProvedInPart) -> bool:
    """Whether a proof excludes every race, in whatever a run may do."""
    return part.is_of_all_runs and all(each.is_proved for each in part.locations)


def _unknown(checked: PropertyResult, reason: str) -> PropertyResult:
    return PropertyResult(
        checked.name, checked.kind, Verdict.UNKNOWN, reason=reason, spare=checked.spare
    )


def places_of(checked: PropertyResult) -> tuple[Span, ...]:
    """Where an answer shows: both accesses of a race, all threads of a deadlock."""
    trace = checked.trace
    if trace is not None and trace.story is not None:
        found = tuple(row.span for row in trace.story.end if row.span is not None)
        if found:
            return found
    span = (trace.location if trace is not None else None) or checked.location
    return () if span is None else (span,)


def lines_of(places: Iterable[Span]) -> Lines:
    """The lines of places."""
    return frozenset((span.path, span.line) for span in places)


def locations_at(checked: PropertyResult, places: Iterable[Span]) -> list[str]:
    """The shared locations that accesses in the lines of these places may meet in."""
    return _locations_at(() if checked.part is None else checked.part.locations, places)


def the_location_at(locations: Iterable[Location], places: Iterable[Span]) -> str | None:
    """The only one of these locations that accesses in the lines of these places may meet in."""
    found = _locations_at(locations, places)
    return found[0] if len(found) == 1 else None


def _locations_at(locations: Iterable[Location], places: Iterable[Span]) -> list[str]:
    lines = lines_of(places)
    return [
        location.name
        for location in locations
        if any(
            lines_of(s.span for s in (pair.first, pair.second) if s.span is not None) == lines
            for pair in location.undecided
        )
    ]


# -- patterns ------------------------------------------------------------------------------------


def _matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path, as it is or from here, is one of these or lies in one of these folders."""
    names = {
        PurePath(os.path.normpath(path)).as_posix(),
        PurePath(os.path.relpath(path)).as_posix(),
    }
    return any(_pattern(each).fullmatch(name) for each in patterns for name in names)


def _pattern(text: str) -> re.Pattern[str]:
    """`*` stays within a folder, `**` does not; a folder stands for all that is in it."""
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", PurePath(text).as_posix())
    told = "".join(words.get(part, re.escape(part)) for part in parts)
    return re.compile(f"{told}(?:/.*)?")
