"""What keeps engines from an answer, put together: what to tell of a property that stays open."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from threadwise.engines.api import Undecided
from threadwise.results.blockers import Blocker, Nearness

_PLACE = re.compile(r"unsupported: (\S+:\d+: .*)", re.DOTALL)


def blocker_of(engine: str, finding: Undecided) -> Blocker:
    """What a finding says, as a type. Engines that know better say so themselves."""
    told = finding.reason
    if finding.nearness is not None:
        return Blocker(finding.nearness, told, engine, finding.bound)
    if finding.bound is not None:
        return Blocker(Nearness.BOUND, told, engine, finding.bound)
    place = _PLACE.fullmatch(told)
    if place is not None:
        return Blocker(Nearness.POSSIBLE, place[1], engine)
    return Blocker(Nearness.SUSPECT if finding.applies else Nearness.SCOPE, told, engine)


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
