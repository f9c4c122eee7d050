"""Linear invariants for people: `readers == #reader(reading, line 12)`.

`#t(places)` is the number of threads of a template at some places, `#t` the number of all of them.
Equations that only say that every thread is somewhere are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from threadwise.core.words import count
from threadwise.ir.program import LocId, Program
from threadwise.ir.quantities import (
    CellQuantity,
    FrameCount,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
    place_of,
)
from threadwise.ir.types import EnumType
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.counting.certificate import CountingCertificate


def explain_counting(
    program: Program, certificate: CountingCertificate
) -> Iterator[ThreadExplanation]:
    """The equations."""
    told = tuple(equations(program, certificate.invariants))
    yield ThreadExplanation("numbers of threads", told, (), ())


def explain_equations(
    program: Program, lemmas: Sequence[LinearInvariant]
) -> Iterator[ThreadExplanation]:
    """The equations that a proof of another kind uses, if any."""
    if lemmas:
        yield ThreadExplanation("numbers of threads", tuple(equations(program, lemmas)), (), ())


def summarise_counting(certificate: CountingCertificate) -> ProofSummary:
    """How many equations there are."""
    size = len(certificate.invariants)
    return ProofSummary(
        size, f"{count(size, 'equation')} between shared cells and numbers of threads"
    )


def equations(program: Program, invariants: Iterable[LinearInvariant]) -> list[str]:
    """The invariants that say something, in the program's own names."""
    return [_equation(program, invariant) for invariant in invariants if invariant.is_about_cells]


def _equation(program: Program, invariant: LinearInvariant) -> str:
    left: list[tuple[str, int]] = []
    right: list[tuple[str, int]] = []
    for name, factor in _named(program, invariant.terms):
        (left if factor > 0 else right).append((name, abs(factor)))
    constant = -invariant.constant
    if constant > 0 or not right:
        right.append((str(constant), 1))
    elif constant < 0:
        left.append((str(-constant), 1))
    return f"{_sum(left)} == {_sum(right)}"


def _sum(terms: Sequence[tuple[str, int]]) -> str:
    told = [name if factor == 1 else f"{factor} * {name}" for name, factor in terms]
    return " + ".join(told) or "0"


def _named(program: Program, terms: Iterable[tuple[Quantity, int]]) -> Iterable[tuple[str, int]]:
    """Terms with names; places with the same factor are put together."""
    cells: list[tuple[str, int]] = []
    places: dict[tuple[str, int], list[LocId]] = {}
    for quantity, factor in terms:
        match quantity:
            case CellQuantity():
                cells.append((cell_name(program, quantity), factor))
            case ThreadTotal(template):
                cells.append((f"#{template}", factor))
            case FrameCount(call):
                edge = program.edges[call]
                where = f"line {edge.span.line}" if edge.span else f"edge {call}"
                cells.append((f"#waiting({where})", factor))
            case LocationCount(location):
                owner = program.procedure_of[location].name
                places.setdefault((owner, factor), []).append(location)
    for (owner, factor), locations in places.items():
        told = dict.fromkeys(location_name(program, location) for location in locations)
        cells.append((f"#{owner}({', '.join(told)})", factor))
    return cells


def cell_name(program: Program, cell: CellQuantity) -> str:
    """A cell as the program writes it; with a value, the question whether the cell has it."""
    place = place_of(program, cell)
    name = cell.variable + "".join(
        f"[{part}]" if isinstance(part, int) else "" if part == "owner" else f".{part}"
        for part in cell.path
    )
    if cell.equals is None:
        return name
    if isinstance(place.type, EnumType):
        return f"({name} == {place.type.members[cell.equals]})"
    return f"({name} == none)"


def location_name(program: Program, location: LocId) -> str:
    """A location: its label, or its line."""
    found = program.locations[location]
    if found.labels:
        return found.labels[0]
    if found.final:
        return "the end"
    return f"line {found.span.line}" if found.span is not None else f"location {location}"
