"""What library functions read: memory that they are given and that they do not change.

Nothing depends on what is read, but another thread may be writing it: so each read is a plain
step. Of a block one cell is read, any: that shows every race. A text is read up to its end. Where
there is nothing to read (a null pointer, the end of an object, what was never written) the reading
ends; that memory has the type that its pointer says is assumed, where that is not known. If
`memory` is asked for, reading what was freed violates it, and reading beyond the end of an object
is a limit: some entries of the library read more than the function may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.cell_by_cell import UNROLLED
from threadwise.frontends.c.lower.storage.filling import fork, set_to_any
from threadwise.frontends.c.lower.storage.places import folded, moved
from threadwise.frontends.c.lower.values.arithmetic import (
    NULL_POINTER,
    ONE,
    ZERO,
    constant,
    opposite,
)
from threadwise.frontends.c.lower.values.requirements import (
    ARITHMETIC,
    INDEX,
    POINTER,
    TYPE,
    Requirement,
)
from threadwise.frontends.c.lower.values.types import cells
from threadwise.frontends.c.types import CInteger, CPointer, CType, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    IndexPlace,
    IsValid,
    Place,
    PointerAdd,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, number, root
from threadwise.ir.layout import NO_THREADS, size_of
from threadwise.ir.program import FailureKind
from threadwise.ir.types import (
    ArrayType,
    MachineType,
    MutexType,
    RangeType,
    RecordType,
    fields_of,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

_INDEX = MachineType(64, signed=True)
_LISTED = 8
"""So many objects are read by an edge each, more in a loop that finds one of them."""
_CHARACTER = 8
_CHOICES = 1 << 16
"""Among so many elements of an array a search chooses, among more it is given samples."""
_CONVERSION = re.compile(
    rb"%(?:%|[-+ #0']*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[a-zA-Z]))"
)
_ANY_INPUT = re.compile(rb"(?:[^%]|%%|%(?:hh|h|ll|l|j|z|t|L)?[diuxXocfFeEgG])*")
"""Input formats without texts, widths and the like."""
_MADE = "__tw_error_text"
MANY_CELLS = 64
"""Of an object with more of them, arrays are read at indices that are chosen."""
TYPED = "what library functions only read has the type that the pointers to it say"
ASSUMED = "what pointers given to printf and its like lead to may be read without a race"


def read_block(body: Body, pointer: Expr, element: CType, size: Expr) -> None:
    """Read any one cell of the objects in the first so many bytes."""
    if _is_own(pointer):
        return
    held, unit = body.unit.types.of(element), body.unit.types.size(element)
    known = constant(size)
    done = body.node()
    if known != 0:
        some = Binary(BinaryOp.GT, size, ZERO) if known is None else TRUE
        _must_live(body, pointer, some, done)
    if known is not None and known <= unit * _LISTED:
        for position in range(-(-known // unit)):
            _read_cells(body, folded(moved(pointer, number(position), held), held), done)
        if known == 0:
            body.graph.jump(body.at, done)
        body.at = done
        return
    index = VariablePlace(body.temporary(_INDEX))
    body.step(Command(assignments=(Assignment(index, ZERO),)))
    test, inside, more, found = (body.node() for _ in range(4))
    body.move_to(test)
    bytes_ = Read(index) if unit == 1 else Binary(BinaryOp.MUL, Read(index), number(unit))
    body.branch(Binary(BinaryOp.LT, bytes_, size), inside, done)
    body.at = inside
    fork(body, found, more, opaque=False)
    body.at = more
    body.arc(test, Command(assignments=(Assignment(index, _next(index)),)))
    body.at = found
    _read_cells(body, folded(moved(pointer, Read(index), held), held), done)
    body.at = done


def read_text(body: Body, pointer: Expr, element: CType, most: Expr | None = None) -> None:
    """Read characters up to a zero, or up to so many."""
    if not isinstance(element, CInteger) or element.width != _CHARACTER:
        body.unit.assume(ASSUMED)
        return
    if _is_own(pointer):
        return
    held = body.unit.types.of(element)
    test, inside, taken, more, done = (body.node() for _ in range(5))
    some = TRUE if most is None else Binary(BinaryOp.GT, most, ZERO)
    _must_live(body, pointer, some, done)
    _read_made(body, pointer, done)
    index = VariablePlace(body.temporary(_INDEX))
    body.step(Command(assignments=(Assignment(index, ZERO),)))
    body.move_to(test)
    limit = TRUE if most is None else Binary(BinaryOp.LT, Read(index), most)
    body.branch(limit, inside, done)
    body.at = inside
    character = _read_cell(body, folded(moved(pointer, Read(index), held), held), taken, done)
    body.at = taken
    body.branch(Binary(BinaryOp.NE, Read(character), ZERO), more, done)
    body.at = more
    body.arc(test, Command(assignments=(Assignment(index, _next(index)),)))
    body.at = done


def _read_made(body: Body, pointer: Expr, done: int) -> None:
    """Read a text that the library made, and that no other code may read.

    It is read by its own name: for proofs, what is read by the pointer may be any text.
    """
    made = body.unit.program.variables.get(_MADE)
    if made is None:
        return
    there = body.places.of(tree.VariableRef(made, made.type, made.span))
    other = body.node()
    is_made = Binary(BinaryOp.EQ, pointer, AddressOf(there))
    body.note_addresses(is_made)
    body.add(other, Command(opposite(is_made)))
    for cell in cells(there, there.type):
        into = VariablePlace(body.temporary(cell.type))
        body.add(done, Command(is_made, (Assignment(into, Read(cell)),)))
    body.at = other


def read_arguments(body: Body, format_: tree.Expr) -> None:
    """Read what the conversions of a format ask for; `%n` writes."""
    literal = literal_of(format_)
    if literal is None:
        if any(isinstance(unqualified(text.type), CPointer) for text, _ in body.here.unnamed):
            body.unit.assume(ASSUMED)
        return
    given = iter(body.here.unnamed)
    for conversion in _CONVERSION.finditer(_format(literal)):
        kind, precision = conversion["kind"], conversion["precision"]
        if kind is None:
            continue
        if conversion["width"] == b"*":
            next(given, None)
        most = _number(next(given, None)) if precision == b"*" else None
        if precision is not None and precision != b"*":
            most = number(int(precision or b"0"))
        argument = next(given, None)
        if argument is None:
            return
        _convert(body, conversion, argument, most)


def asks_for_any(format_: tree.Expr) -> bool:
    """Whether what the conversions of an input format store may be any value of its type."""
    literal = literal_of(format_)
    return literal is not None and _ANY_INPUT.fullmatch(_format(literal)) is not None


def _format(literal: tree.StringLiteral) -> bytes:
    """A format up to its NUL; its conversions are ASCII, one byte stands for all else."""
    end = literal.characters.index(0)
    return bytes(each if 0 < each < 128 else 0x80 for each in literal.characters[:end])


def _convert(
    body: Body,
    conversion: re.Match[bytes],
    argument: tuple[tree.Expr, Expr | Place],
    most: Expr | None,
) -> None:
    text, value = argument
    pointed = _target(text)
    if pointed is None or conversion["kind"] not in (b"s", b"S", b"n"):
        return
    if conversion["kind"] == b"n":
        place = folded(value, body.unit.types.of(pointed))  # type: ignore[arg-type]  # a scalar
        set_to_any(body, place, opaque=True, many=False)
    elif conversion["kind"] == b"s" and not conversion["length"]:
        if not is_literal(text):
            _must_be_given(body, value)  # type: ignore[arg-type]  # a scalar
            read_text(body, value, pointed, most)  # type: ignore[arg-type]  # a scalar
    else:
        body.unit.assume(ASSUMED)


def is_literal(pointer: tree.Expr) -> bool:
    """Whether a pointer is a text that must not be written."""
    return literal_of(pointer) is not None


def literal_of(pointer: tree.Expr) -> tree.StringLiteral | None:
    """The literal that a pointer is the address of, if it is one."""
    found: object = pointer
    while isinstance(found, tree.Convert):
        found = found.operand
    if isinstance(found, tree.Decay) and isinstance(found.place, tree.StringLiteral):
        return found.place
    return None


def _target(text: tree.Expr) -> CType | None:
    """What an argument points to, before it was converted; None: it is no pointer."""
    while isinstance(text, tree.Convert) and isinstance(unqualified(text.operand.type), CPointer):
        text = text.operand
    pointed = unqualified(text.type)
    return unqualified(pointed.target) if isinstance(pointed, CPointer) else None


def _number(argument: tuple[tree.Expr, Expr | Place] | None) -> Expr | None:
    return None if argument is None else argument[1]  # type: ignore[return-value]  # an int


def _is_own(pointer: Expr) -> bool:
    """Whether a pointer leads to a variable that no other thread can see."""
    while isinstance(pointer, PointerAdd):
        pointer = pointer.pointer
    if not isinstance(pointer, AddressOf):
        return False
    base = root(pointer.place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL


def _must_live(body: Body, pointer: Expr, some: Expr, done: int) -> None:
    """What is read has not ended; nothing is read of no bytes, and by a null pointer."""
    if not body.unit.options.lifetimes or isinstance(pointer, AddressOf | PointerAdd):
        return
    there, live, wrong = (body.node() for _ in range(3))
    is_given = Binary(BinaryOp.NE, pointer, NULL_POINTER)
    body.branch(conjunction((some, is_given)), there, done)
    body.at = there
    body.branch(IsValid(pointer), live, wrong)
    body.at = wrong
    body.add(body.limit_node(POINTER), Command())
    body.at = live


def _must_be_given(body: Body, pointer: Expr) -> None:
    """A null pointer for `%s` has no meaning, although many libraries print something."""
    if not body.unit.options.lifetimes:
        return
    given, wrong = body.node(), body.node()
    body.branch(Binary(BinaryOp.NE, pointer, NULL_POINTER), given, wrong)
    body.at = wrong
    body.add(body.limit_node(POINTER, FailureKind.UNDEFINED), Command())
    body.at = given


def _next(index: Place) -> Expr:
    return Binary(BinaryOp.ADD, Read(index), ONE)


def _read_cells(body: Body, place: Place, done: int) -> None:
    """Read any one cell of an object, or none: of several cells there may be none to read."""
    indices: list[Place] = []
    many = size_of(place.type, NO_THREADS) > MANY_CELLS
    readable = list(_readable(body, place, indices, 1 if many else UNROLLED))
    if indices:
        body.step(Command(havocs=tuple(indices)))
    if len(readable) == 1:
        _read_cell(body, readable[0], done, done)
        return
    for cell in readable:
        passed: list[Expr] = []
        for condition, what in _requirements(body, cell):
            if (target := _beyond(body, what)) is not None:
                body.add(target, Command(conjunction((*passed, opposite(condition)))))
            passed.append(condition)
        if FALSE not in passed:
            into = VariablePlace(body.temporary(cell.type))
            body.add(done, Command(conjunction(passed), (Assignment(into, Read(cell)),)))
    if readable:
        body.add(done, Command())
    else:
        body.graph.jump(body.at, done)


def _beyond(body: Body, what: str) -> int | None:
    """Where a read beyond the end of an object leads, if `memory` is asked for."""
    if not body.unit.options.lifetimes or what not in (INDEX, POINTER):
        return None
    return body.limit_node(what, FailureKind.UNDEFINED)


def _requirements(body: Body, cell: Place) -> list[Requirement]:
    """What must hold for a cell to be read."""
    found: list[Requirement] = []
    for condition, what in dict.fromkeys(body.unit.requirements.of(Read(cell))):
        if condition == TRUE:
            continue
        body.note_addresses(condition)
        if what in (TYPE, ARITHMETIC):
            body.unit.assume(TYPED)
        found.append((condition, what))
        if condition == FALSE:
            break
    return found


def _readable(body: Body, place: Place, indices: list[Place], unrolled: int) -> Iterator[Place]:
    """The cells of an object except locks; of a large array one, at an index that is chosen."""
    match place.type:
        case MutexType():
            return
        case ArrayType(_, int(extent)) if extent > unrolled:
            range_ = RangeType(0, extent - 1) if extent <= _CHOICES else _INDEX
            index = VariablePlace(body.temporary(range_))
            indices.append(index)
            yield from _readable(body, IndexPlace(place, Read(index)), indices, unrolled)
        case ArrayType(_, int(extent)):
            for position in range(extent):
                yield from _readable(body, IndexPlace(place, number(position)), indices, unrolled)
        case RecordType() as record:
            for name, _ in fields_of(record):
                yield from _readable(body, FieldPlace(place, name), indices, unrolled)
        case _:
            yield place


def _read_cell(body: Body, cell: Place, taken: int, done: int) -> Place:
    """Edges that read a cell, if it is there."""
    into = VariablePlace(body.temporary(cell.type))
    passed: list[Expr] = []
    for condition, what in _requirements(body, cell):
        beyond = _beyond(body, what)
        target = done if beyond is None else beyond
        body.add(target, Command(conjunction((*passed, opposite(condition)))))
        if condition == FALSE:
            return into
        passed.append(condition)
    body.add(taken, Command(conjunction(passed), (Assignment(into, Read(cell)),)))
    return into
