"""Certificates that divide a race property: a proof for each part of the shared variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.properties import RaceProperty

if TYPE_CHECKING:
    from threadwise.ir.program import Program
    from threadwise.proofs.base.certificate import Certificate


class Part(NamedTuple):
    """Some shared variables, and a proof that there are no races on them."""

    variables: tuple[str, ...]
    proof: Certificate
    """For `part_of` the program."""


@dataclass(frozen=True)
class DividedCertificate:
    """Proofs of absence of races that together are about all shared variables."""

    kind: ClassVar[str] = "divided"

    program_hash: str
    properties: tuple[str, ...]
    """A single one, about races."""
    parts: tuple[Part, ...]


def part_of(program: Program, name: str, variables: tuple[str, ...]) -> Program:
    """The same program with a single property: there are no races on some variables."""
    whole = program.instance_of
    if whole is None:
        key = f"part {name} {variables}"
        if key not in program.made:
            program.made[key] = program.with_properties((RaceProperty(name, variables),))
        return program.made[key]
    counts = {
        template.name: template.count
        for template in program.templates
        if template.count is not None and whole.template[template.name].count is None
    }
    return part_of(whole, name, variables).with_counts(counts)
