"""What certificate checkers have in common: how they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import Property
from threadwise.proofs.base.locations import Location


class Refuted(Exception):  # noqa: N818 - the answer of a checker, not a fault
    """A certificate that does not prove what it claims."""


@dataclass(frozen=True)
class CheckedProof:
    """What a checker learnt: the properties proved, the edges and locations the proof reaches."""

    properties: tuple[str, ...]
    taken_edges: frozenset[EdgeId]
    visited_locations: frozenset[int]
    assumptions: tuple[str, ...] = ()
    """What the proof rests on besides the program, for the report."""
    locations: Mapping[str, tuple[Location, ...]] = field(default_factory=dict)
    """Per race property that the proof speaks of: all shared locations. A property is proved if
    all of them are; of the others, these are what is proved in part."""
    simpler: CheckedProof | None = None
    """The same by the edges and locations of the simplified program, if it is about one."""
    simplified: Program | None = field(default=None, repr=False)
    """That program."""
    found: object = field(default=None, repr=False, compare=False)
    """What the checker claims besides the certificate; its monitor tests that, too."""

    def closest(self, record: Program) -> tuple[Program, CheckedProof]:
        """The program that the proof says most of, that of record or the simplified one."""
        if self.simpler is None or self.simplified is None:
            return record, self
        return self.simplified, self.simpler

    @property
    def partial(self) -> tuple[str, ...]:
        """The properties that are proved of some locations only."""
        return tuple(name for name in self.locations if name not in self.properties)


def claimed_properties(program: Program, names: Sequence[str]) -> list[Property]:
    """The properties a certificate claims; Refuted if the program has none of that name."""
    by_name = {checked.name: checked for checked in program.properties}
    for name in names:
        if name not in by_name:
            raise Refuted(f"the program has no property `{name}`")
    return [by_name[name] for name in names]
