"""Memory that gets content from outside: any value in every cell.

What a system call or a format writes is not computed: each cell that is written becomes any value
of its type, in a plain step of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.cell_by_cell import for_cells, is_large
from threadwise.frontends.c.lower.storage.places import folded
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER, fit
from threadwise.frontends.c.lower.values.types import ACTIVE, Unrepresentable, cells
from threadwise.frontends.c.types import CArray, CInteger, CPointer, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    AddressOf,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.types import ArrayType, MachineType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


_CHARACTER = 8
_INPUT = 32
"""Inputs of so many bits are sampled by a search: there may be many of them."""


def set_to_any(body: Body, place: Place, *, opaque: bool, many: bool = True) -> None:
    """Every cell of a place becomes any value; `opaque`: C knows which; `many`: so do others."""
    if opaque and body.span is not None:
        body.unit.approximated.add(body.span)
    several = is_large(place) or len(list(cells(place, place.type))) > 1

    def one(places: tuple[Place, ...]) -> None:
        if several:
            _keep_apart(body)
        _set_cell(body, places[0], many=many or several)

    for_cells(body, (place,), one)


def _set_cell(body: Body, cell: Place, *, many: bool) -> None:
    if isinstance(cell, FieldPlace) and cell.field == ACTIVE:
        what = "a union whose content comes from outside"
        raise Unrepresentable(what, (AddressOf(cell.base),), fills=True)
    if not isinstance(cell.type, MachineType):
        what = "pointers or locks whose content comes from outside"
        raise Unrepresentable(what, (AddressOf(cell),), fills=True)
    wide = MachineType(max(cell.type.width, _INPUT), signed=True)
    value = VariablePlace(body.temporary(wide if many else cell.type))
    body.step(Command(havocs=(value,)))
    stored = fit(cell.type.low, cell.type.high, Read(value))
    body.step(Command(assignments=(Assignment(cell, stored),)))


def _keep_apart(body: Body) -> None:
    """A cycle of one step: without it, choices one after the other would be one step."""
    here = body.node()
    body.move_to(here)
    body.add(here, Command())


def given_pointers(body: Body) -> list[tuple[tree.Expr, Expr]]:
    """The pointers among the unnamed arguments of the library function at hand."""
    found: list[tuple[tree.Expr, Expr]] = []
    for text, value in body.here.unnamed:
        if isinstance(unqualified(text.type), CPointer):
            found.append((_origin(text), value))  # type: ignore[arg-type]  # a scalar
    return found


def fork(body: Body, one: int, other: int, *, opaque: bool = True) -> None:
    """Go to either of two nodes; `opaque`: C knows to which."""
    if opaque and body.span is not None:
        body.unit.approximated.add(body.span)
    for target in (one, other):
        body.add(target, Command())


def any_arguments(body: Body, *, opaque: bool) -> Expr:
    """What the first pointers point to becomes any value; how many they are, or -1: any number.

    `opaque`: not every value is possible, so that no violation may rest on these. The number is
    chosen on the way, so there is no condition on it that a thread could wait for.
    """
    found = VariablePlace(body.temporary(MachineType(_INPUT, signed=True)))
    body.step(Command(assignments=(Assignment(found, number(-1)),)))
    done, more = body.node(), body.node()
    fork(body, done, more, opaque=opaque)
    body.at = more
    body.step(Command(assignments=(Assignment(found, number(0)),)))
    for position, (text, pointer) in enumerate(given_pointers(body)):
        more = body.node()
        fork(body, done, more, opaque=opaque)
        body.at = more
        for place in _written(body, text, pointer):
            set_to_any(body, place, opaque=opaque, many=False)
        body.step(Command(assignments=(Assignment(found, number(position + 1)),)))
    body.move_to(done)
    return Read(found)


def opaque_arguments(body: Body) -> None:
    """What some pointers point to becomes any value, as C knows."""
    for text, pointer in given_pointers(body):
        if pointer == NULL_POINTER:
            continue
        wanted, skipped = body.node(), body.node()
        fork(body, wanted, skipped)
        body.at = wanted
        for place in _written(body, text, pointer):
            set_to_any(body, place, opaque=True, many=False)
        body.graph.jump(body.at, skipped)
        body.at = skipped


def _origin(text: tree.Expr) -> tree.Expr:
    """A pointer before it was converted to another type."""
    while isinstance(text, tree.Convert) and isinstance(unqualified(text.operand.type), CPointer):
        text = text.operand
    return text


def _written(body: Body, text: tree.Expr, pointer: Expr) -> list[Place]:
    """What a conversion may write: an object, or all of an array of characters."""
    pointed = unqualified(text.type)
    assert isinstance(pointed, CPointer)
    target = unqualified(pointed.target)
    while isinstance(target, CArray) and target.size:
        target = unqualified(target.element)
    held = body.unit.types.of(target)
    character = isinstance(target, CInteger) and target.width == _CHARACTER
    single = isinstance(text, tree.AddressOf) and not isinstance(text.place, tree.Deref)
    if not character or (single and not isinstance(unqualified(pointed.target), CArray)):
        return [folded(pointer, held)]
    match pointer:
        case AddressOf(IndexPlace(base, _)):
            array = base.type
            assert isinstance(array, ArrayType)
            if isinstance(array.extent, int) and array.element == held:
                return [base]
        case _:
            pass
    raise Unrepresentable("text that is read into memory of unknown size", (pointer,), fills=True)
