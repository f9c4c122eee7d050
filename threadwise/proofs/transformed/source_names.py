"""Names of the simplified program in those of the source.

Simplification makes a variable of each member of a record, of those that the thread library
declares, too: `pool.filled.waiting` is inside of the condition variable `pool.filled`, and
`pool.guard.lock` is the mutex `pool.guard`. No user has heard of such members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import Program
from threadwise.ir.text.source_terms import is_of_library
from threadwise.ir.types import RecordType, Type
from threadwise.proofs.base.explanation import ThreadExplanation
from threadwise.proofs.base.locations import Location, Pair, Side

_PATH = re.compile(r"(?<![\w.>\]])[A-Za-z_]\w*(?:\.\w+)+")
"""Members of a variable."""


@dataclass(frozen=True)
class SourceNames:
    """The names that the program of record has for what a simpler one splits."""

    record: Program

    def text(self, text: str) -> str:
        """A text with objects of the thread library in the place of their members."""
        return _PATH.sub(lambda found: self._whole(found[0]) or found[0], text)

    def locations(self, locations: Iterable[Location]) -> tuple[Location, ...]:
        """Shared locations; what is inside of the thread library is told if it is undecided."""
        found: dict[str, Location] = {}
        for location in locations:
            whole = self._whole(location.name)
            if whole is not None and location.is_proved:
                continue
            told = replace(
                location,
                name=whole or location.name,
                protections=tuple(dict.fromkeys(map(self.text, location.protections))),
                undecided=tuple(map(self._pair, location.undecided)),
            )
            known = found.get(told.name)
            found[told.name] = told if known is None else _both(known, told)
        return tuple(found.values())

    def explanation(self, thread: ThreadExplanation) -> ThreadExplanation:
        """What a proof says, without what is inside of the thread library."""
        own = (note for note in thread.notes if self._whole(note.partition(":")[0]) is None)
        return replace(thread, notes=tuple(map(self.text, own)))

    def _pair(self, pair: Pair) -> Pair:
        return replace(pair, first=self._side(pair.first), second=self._side(pair.second))

    def _side(self, side: Side) -> Side:
        locks = tuple(dict.fromkeys(map(self.text, side.locks)))
        return replace(side, place=self.text(side.place), locks=locks)

    def _whole(self, path: str) -> str | None:
        """The object of the thread library that a path leads into; None: it does not."""
        steps = path.split(".")
        for end in range(1, len(steps) + 1):
            held = self._globals.get(".".join(steps[:end]))
            while isinstance(held, RecordType):
                if is_of_library(held):
                    return ".".join(steps[:end])
                if end == len(steps):
                    break
                held = dict(held.fields).get(steps[end])
                end += 1
        return None

    @cached_property
    def _globals(self) -> dict[str, Type]:
        return {d.variable.name: d.variable.type for d in self.record.globals}


def _both(one: Location, other: Location) -> Location:
    """Two parts of an object as one location."""
    return Location(
        one.name,
        tuple(dict.fromkeys((*one.protections, *other.protections))),
        (*one.undecided, *other.undecided),
        one.crowd | other.crowd,
        one.kernel and other.kernel,
    )
