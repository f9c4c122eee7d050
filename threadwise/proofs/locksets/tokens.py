"""Shared numbers that serve as locks: flags, binary semaphores, and counts of readers.

A thread holds the *token* of such a cell from the step that takes it to the step that gives it
back. `N` is the cell; every write of the program must be one of these, or the cell is no lock:

    flag        take: N := c while N == 0, c not 0       give: N := 0 with the token
                keep: N := c while N != 0, c not 0
    semaphore   take: N := N - 1 while N > 0             give: N := N + 1 with the token
    readers     take: N := N + 1 while W is free         give: N := N - 1 with the token
    any         to begin with: a constant, while no other thread runs or in an object of one's own,
                and without the token: 0; 0 or 1 for a semaphore

Then a flag that is taken is not 0, and the tokens of a semaphore and its value add up to at most
1: one thread at a time has the token. `readers` belongs to a mutex W in the same record, which
must be acquired only while N == 0: then no thread reads while one owns W, since N is at least
the number of tokens. (A count wraps around after 2^32 acquisitions that are not given back.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.operations import is_free
from threadwise.ir.types import MutexType, RecordType, fields_of, is_scalar
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.knowledge import Knowledge

_NONZERO = {BinaryOp.NE: True, BinaryOp.EQ: False}
_POSITIVE = _NONZERO | {BinaryOp.GT: True, BinaryOp.LE: False}
_ZERO = {BinaryOp.EQ: True, BinaryOp.NE: False, BinaryOp.GT: False, BinaryOp.LE: True}
"""How comparisons with 0 come out for a number that is known to be such."""


class Use(Enum):
    """What a write to such a cell is."""

    TAKE = "take"
    GIVE = "give"
    BEGIN = "begin"
    KEEP = "keep"
    """Another value that means the same."""


def group_of(name: str) -> str:
    """What a variable is a part of: a record may be one variable per field, `r.f` for r."""
    return name.rpartition(".")[0]


def mutex_groups(variables: Iterable[Variable]) -> dict[str, Place]:
    """The mutexes that are the only ones among the variables of a record."""
    found: dict[str, list[Place]] = {}
    for variable in variables:
        if isinstance(variable.type, MutexType) and group_of(variable.name):
            found.setdefault(group_of(variable.name), []).append(VariablePlace(variable))
    return {name: mutexes[0] for name, mutexes in found.items() if len(mutexes) == 1}


def companion(cell: Place, groups: Mapping[str, Place]) -> Place | None:
    """The mutex beside a count of readers: the only one in the record."""
    if isinstance(cell, VariablePlace) and cell.variable.scope is Scope.GLOBAL:
        return groups.get(group_of(cell.variable.name))
    if not isinstance(cell, FieldPlace) or not isinstance(cell.base.type, RecordType):
        return None
    mutexes = [name for name, held in fields_of(cell.base.type) if isinstance(held, MutexType)]
    return FieldPlace(cell.base, mutexes[0]) if len(mutexes) == 1 else None


def use_of(
    discipline: Discipline,
    cell: Place,
    value: Expr | None,
    knowledge: Knowledge,
    *,
    mutex: Place | None,
    begins: bool,
) -> Use | None:
    """What a write to a named cell is, given what is known before it; None: no lock does that.

    `mutex` is the companion of the cell.
    """
    has_token = cell in knowledge.held
    step = step_of(cell, value)
    match discipline:
        case Discipline.FLAG:
            if isinstance(value, Const) and value.value and is_zero(cell, knowledge):
                return Use.TAKE
            if isinstance(value, Const) and value.value and _is_nonzero(cell, knowledge):
                return Use.KEEP
            if isinstance(value, Const) and not value.value and has_token:
                return Use.GIVE
        case Discipline.SEMAPHORE:
            if step == -1 and _is_positive(cell, knowledge):
                return Use.TAKE
            if step == 1 and has_token:
                return Use.GIVE
        case Discipline.READERS:
            if step == 1 and mutex is not None and is_free(mutex) in knowledge.facts:
                return Use.TAKE
            if step == -1 and has_token:
                return Use.GIVE
    if begins and not has_token and isinstance(value, Const):
        return Use.BEGIN if value.value in discipline.beginnings else None
    return None


def compared_to_zero(expr: Expr) -> tuple[BinaryOp, Place] | None:
    """The cell that a condition compares with 0, and how."""
    match expr:
        case Binary(op, Read(cell), Const(value, _)) if value == 0:
            return op, cell
        case _:
            return None


def known_number(
    op: BinaryOp, cell: Place, discipline: Discipline, knowledge: Knowledge, mutex: Place | None
) -> bool | None:
    """A comparison of a cell with 0, decided by the locks that are held."""
    taken = cell in knowledge.held
    match discipline:
        case Discipline.FLAG:
            return _NONZERO.get(op) if taken else None
        case Discipline.SEMAPHORE:
            return _ZERO.get(op) if taken else None
        case Discipline.READERS:
            if taken:
                return _POSITIVE.get(op)
            return _ZERO.get(op) if mutex is not None and mutex in knowledge.held else None


def step_of(cell: Place, value: Expr | None) -> int | None:
    """By how much a value differs from what a cell holds."""
    if isinstance(value, Wrap):
        value = value.operand
    match value:
        case Binary(BinaryOp.ADD, Read(place), Const(1, _)) if place == cell:
            return 1
        case Binary(BinaryOp.SUB, Read(place), Const(1, _)) if place == cell:
            return -1
        case Binary(BinaryOp.ADD, Read(place), Const(-1, _)) if place == cell:
            return -1
        case _:
            return None


def is_zero(cell: Place, knowledge: Knowledge) -> bool:
    """Whether a cell is known to be 0."""
    return (BinaryOp.EQ, cell) in map(compared_to_zero, knowledge.facts)


def _is_nonzero(cell: Place, knowledge: Knowledge) -> bool:
    told = (BinaryOp.NE, cell) in map(compared_to_zero, knowledge.facts)
    return told or any(number != 0 for number in _numbers(cell, knowledge))


def _is_positive(cell: Place, knowledge: Knowledge) -> bool:
    told = (BinaryOp.GT, cell) in map(compared_to_zero, knowledge.facts)
    return told or any(number > 0 for number in _numbers(cell, knowledge))


def _numbers(cell: Place, knowledge: Knowledge) -> Iterator[int]:
    """The constants that a cell is known to equal."""
    for fact in knowledge.facts:
        match fact:
            case Binary(BinaryOp.EQ, Read(place), Const(int(number), _)) if place == cell:
                yield number


def unread(mutex: Place, knowledge: Knowledge) -> list[Place]:
    """The numbers beside a mutex that are not known to be 0."""
    if not isinstance(mutex, FieldPlace) or not isinstance(mutex.base.type, RecordType):
        return []
    cells = [FieldPlace(mutex.base, name) for name, _ in fields_of(mutex.base.type)]
    return [
        cell
        for cell in cells
        if cell != mutex and is_scalar(cell.type) and not is_zero(cell, knowledge)
    ]
