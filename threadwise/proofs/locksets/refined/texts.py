"""The claims of the more precise pass as text, for certificates, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from threadwise.core.documents import Json, as_integer, as_position, as_text
from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import Place
from threadwise.ir.program import LocId, Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.state import Below, Cells, State
from threadwise.proofs.locksets.texts import Reader

Words = Callable[[LocId, Place], str]
"""A place in the scope of the procedure that a location is in."""
Read = Callable[[LocId, str], Place]
"""And back; raises InputError."""


@dataclass(frozen=True)
class RefinementText:
    """`Refinement`, with its states in words."""

    claims: Refinement
    """All but the states."""
    states: Mapping[LocId, Json]


def write_refinement(refinement: Refinement, words: Words) -> RefinementText:
    """The claims of the more precise pass as text."""
    return RefinementText(
        replace(refinement, states={}),
        {
            location: _state_to_json(state, partial(words, location))
            for location, state in refinement.states.items()
        },
    )


def read_refinement(text: RefinementText, read: Read) -> Refinement:
    """What a second look says; raises Refuted."""
    states: dict[LocId, State] = {}
    for location, row in text.states.items():
        try:
            states[location] = _state_from_json(row, partial(read, location))
        except (InputError, ValueError, TypeError) as error:
            raise Refuted(f"a second look at location {location} cannot be read") from error
    return replace(text.claims, states=states)


def read_second_look(program: Program, text: RefinementText) -> Refinement:
    """What a second look says; raises Refuted."""
    readers: dict[str, Reader] = {}

    def place(location: LocId, words: str) -> Place:
        if not 0 <= location < len(program.locations):
            raise Refuted(f"the program has no location {location}")
        procedure = program.procedure_of[location]
        if procedure.name not in readers:
            readers[procedure.name] = Reader(program, procedure)
        return readers[procedure.name].place(words)

    return read_refinement(text, place)


def _state_to_json(state: State, text: Callable[[Place], str]) -> Json:
    rows: dict[str, Json] = {
        "locks": sorted([sorted(map(list, cells)), n] for cells, n in state.locks.items()),
        "tokens": sorted([*cell, text(place)] for cell, place in state.tokens),
        "late": sorted([*cell, *_below_to_json(b, text)] for cell, b in state.late.items()),
        "ranges": sorted([text(place), *range_] for place, range_ in state.ranges.items()),
        "copies": sorted([text(place), text(cell)] for place, cell in state.copies.items()),
    }
    return {name: found for name, found in rows.items() if found}


def _below_to_json(below: Below | None, text: Callable[[Place], str]) -> list[Json]:
    if below is None:
        return []
    return [text(below.first), text(below.variable) if below.variable else "", below.offset]


def _state_from_json(row: Json, read: Callable[[str], Place]) -> State:
    if not isinstance(row, dict):
        raise TypeError("a state is no record")
    late: dict[Target, Below | None] = {}
    for name, cell, *rest in row.get("late", ()):
        late[_target(name, cell)] = _below_from_json(rest, read)
    return State(
        {_cells(cells): as_position(times) for cells, times in row.get("locks", ())},
        frozenset(
            (_target(name, cell), read(as_text(place)))
            for name, cell, place in row.get("tokens", ())
        ),
        late,
        {
            read(as_text(place)): (as_integer(low), as_integer(high))
            for place, low, high in row.get("ranges", ())
        },
        {read(as_text(place)): read(as_text(cell)) for place, cell in row.get("copies", ())},
    )


def _below_from_json(rest: list[Json], read: Callable[[str], Place]) -> Below | None:
    if not rest:
        return None
    first, variable, offset = rest
    return Below(
        read(as_text(first)), read(as_text(variable)) if variable else None, as_integer(offset)
    )


def _cells(rows: Json) -> Cells:
    return frozenset(_target(name, cell) for name, cell in rows)


def _target(name: Json, cell: Json) -> Target:
    return Target(as_text(name), as_position(cell))
