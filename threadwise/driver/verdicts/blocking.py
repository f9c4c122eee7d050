"""Why a property stays open: the reasons of the engines, put together for the report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace

from threadwise.core.growth import Growth, GrowthKind
from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.api import Undecided
from threadwise.results.blockers import Blocker, Nearness

_CUT_BY = {"max-depth": GrowthKind.RECURSION}
"""What the options are about that cut a search."""
_PLACE = re.compile(r"unsupported: (\S+:\d+: .*)", re.DOTALL)


def blocker_of(engine: str, finding: Undecided) -> Blocker:
    """The reason of a finding, as a type, unless the engine gives one itself."""
    told = finding.reason
    if finding.nearness is not None:
        return Blocker(finding.nearness, told, engine, finding.bound, finding.cause)
    if finding.bound is not None:
        cause = finding.cause or _CUT_BY.get(finding.bound[0])
        return Blocker(Nearness.BOUND, told, engine, finding.bound, cause)
    place = _PLACE.fullmatch(told)
    if place is not None:
        return Blocker(Nearness.POSSIBLE, place[1], engine)
    nearness = Nearness.SUSPECT if finding.applies else Nearness.SCOPE
    return Blocker(nearness, told, engine, cause=finding.cause)


def placed(
    blockers: Sequence[Blocker], growth: Sequence[Growth], *, cut: bool = False
) -> tuple[Blocker, ...]:
    """The blockers, the nearest first, with the place in the source that the nearest is about.

    `cut`: the search did not end; then what makes it so long is nearer than what is suspected.
    """
    found = sorted(blockers, key=lambda blocker: blocker.nearness)
    caused = next(
        (b for b in found if b.cause is not None and b.nearness <= Nearness.SUSPECT), None
    )
    near = found[0] if caused is None or found[0].nearness <= Nearness.BOUND else caused
    place = next((each for each in growth if each.kind is near.cause), None)
    if place is not None:
        found.remove(near)
        told = f"{place.span.path}:{place.span.line}: {near.told}"
        found.insert(0, replace(near, told=told))
    elif cut and growth and near.nearness >= Nearness.SUSPECT:
        found.insert(0, Blocker(Nearness.SIZE, growth[0].told))
    return tuple(found)


@dataclass
class Blockers:
    """What engines said about properties that they could not decide."""

    found: dict[str, dict[Blocker, Undecided]] = field(default_factory=dict)
    """By property, in the order in which it was found."""

    def note(self, engine: str, finding: Undecided) -> None:
        """An engine cannot decide something."""
        blocker = blocker_of(engine, finding)
        for name in finding.properties:
            self.found.setdefault(name, {})[blocker] = finding

    def of(self, name: str) -> tuple[Blocker, ...]:
        """The blockers of a property, the nearest to an answer first.

        Of several as near, what was found last comes first; but the first engine's scope.
        """
        found = list(self.found.get(name, ()))
        scopes = [each for each in found if each.nearness is Nearness.SCOPE]
        others = [each for each in reversed(found) if each.nearness is not Nearness.SCOPE]
        return tuple(sorted([*others, *scopes], key=lambda blocker: blocker.nearness))

    def finding(self, name: str, blocker: Blocker) -> Undecided:
        """All that an engine said."""
        return self.found[name][blocker]
