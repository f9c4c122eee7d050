"""What certificate checkers have in common: how they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import Property


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


def claimed_properties(program: Program, names: Sequence[str]) -> list[Property]:
    """The properties a certificate claims; Refuted if the program has none of that name."""
    by_name = {checked.name: checked for checked in program.properties}
    for name in names:
        if name not in by_name:
            raise Refuted(f"the program has no property `{name}`")
    return [by_name[name] for name in names]
