"""Which waits a thread can still end, by control flow, from its current location.

A wait depends on cells of shared memory; a write to one of them may end it. Cells and
written places are abstracted by *keys*, flow-insensitively:

    variable q.items.value      a cell of a named variable; all elements of an array are one
    object q, cond.released     a cell of a variable, by the member of the innermost record it is
    member cond.released        the same cell, whatever it is part of: the only ones on the heap
    member unsigned int         likewise by its type, for pointers to single cells

A place that is written by name has the first key. One that is written through a pointer has the
second for each variable that the pointer may lead to (`threadwise.analyses.points_to`), or the
third if that is not known. A cell has all of them, so they meet if they may be the same cell: C
that gets at a member through a pointer to another kind of record is not followed.

`TAKE`, `WAKE` and `PASS` end no wait of their own kind, `INITIALISE` ends none at all.

    helps(l)    what edges write on paths from l on before the procedure returns, called procedures
                and started threads included; a set of pairs of key and kind, as a bit mask
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from threadwise.analyses.points_to import PointsTo
from threadwise.ir.commands import TAKING, Call, Command, OperationKind
from threadwise.ir.expr import (
    FALSE,
    DerefPlace,
    FieldPlace,
    IndexPlace,
    Place,
    Scope,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import action_places, root
from threadwise.ir.layout import ThreadNumbers, extent_of
from threadwise.ir.program import Edge, FailureKind, LocId, Program
from threadwise.ir.types import Address, ArrayType, MutexType, RecordType, Type, fields_of

Key = tuple[str, str, str]


class Helping:
    """What each location of a program can help with."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._bits: dict[tuple[Key, OperationKind | None], int] = {}

    def mask(self, keys: Iterator[Key], kind: OperationKind | None) -> int:
        """What ends a wait of some kind for cells with these keys."""
        spared = kind if kind in TAKING else None
        found = 0
        for key in keys:
            for writer in (None, *TAKING):
                if writer is None or writer is not spared:
                    found |= self._bits.get((key, writer), 0)
        return found

    @cached_property
    def helps(self) -> list[int]:
        """By location, what can be written before its procedure returns."""
        return self._reached([(edge.source, self._written(edge)) for edge in self.program.edges])

    @cached_property
    def beyond(self) -> list[int]:
        """By location, whether something is reached that is not modelled and might end waits.

        That is a limit whose other side is not known at all, or a call or write of whatever is
        given to it (`threadwise.ir.beyond`).
        """
        program = self.program
        return self._reached(
            (edge.source, int(_is_unknown(program, edge))) for edge in program.edges
        )

    def _reached(self, own: Iterable[tuple[LocId, int]]) -> list[int]:
        """By location, the union of what holds of it and of all that is reached from there."""
        program = self.program
        reached = [0] * len(program.locations)
        for here, said in own:
            reached[here] |= said
        behind: list[dict[LocId, None]] = [{} for _ in program.locations]
        """From where a location is reached, or what begins there is called or started."""
        for edge in program.edges:
            for there in (edge.target, *self._begun(edge)):
                behind[there][edge.source] = None
        pending = [location.id for location in program.locations]
        waiting = set(pending)
        while pending:
            there = pending.pop()
            waiting.discard(there)
            for here in behind[there]:
                grown = reached[here] | reached[there]
                if grown != reached[here]:
                    reached[here] = grown
                    if here not in waiting:
                        waiting.add(here)
                        pending.append(here)
        return reached

    def _begun(self, edge: Edge) -> list[LocId]:
        """Where procedures and threads begin that an edge calls or starts."""
        program = self.program
        if isinstance(edge.action, Call):
            return [program.procedure[edge.action.procedure].entry]
        operation = edge.operation
        if operation is None or operation.kind is not OperationKind.SPAWN:
            return []
        templates = [each for each in program.templates if each.pool]
        if isinstance(operation.subject, ThreadAt):
            templates = [program.template[operation.subject.template]]
        return [program.procedure[each.body].entry for each in templates]

    @cached_property
    def _pointers(self) -> PointsTo:
        return PointsTo(self.program)

    def _written(self, edge: Edge) -> int:
        kind = None if edge.operation is None else edge.operation.kind
        if kind is OperationKind.INITIALISE or not isinstance(edge.action, Command):
            return 0
        writer = kind if kind in TAKING else None
        found = 0
        for place in action_places(edge.action):
            for key in self._keys(edge, place):
                found |= self._bits.setdefault((key, writer), 1 << len(self._bits))
        return found

    def _keys(self, edge: Edge, place: Place) -> Iterator[Key]:
        base = root(place)
        if isinstance(base, VariablePlace):
            if base.variable.scope is Scope.GLOBAL:
                yield "variable", _path(place), ""
            return
        member = _member(place)
        procedure = self.program.procedure_of[edge.source].name
        targets = self._pointers.of(base.pointer, procedure)
        if targets is None:
            yield "member", "", member
            return
        for target in targets:
            if isinstance(target, Address) and 0 <= target.number < len(self.program.globals):
                name = self.program.globals[target.number].variable.name
                yield "object", name, member


def _is_unknown(program: Program, edge: Edge) -> bool:
    """Whether an edge leads to what is not modelled, and might do anything."""
    operation, failure = edge.operation, program.locations[edge.target].failure
    if operation is not None and operation.kind is OperationKind.UNKNOWN_CALL:
        return operation.subject is not None
    wild = OperationKind.UNKNOWN_WRITE, OperationKind.UNKNOWN_FILL
    if operation is not None and operation.kind in wild:
        return True
    limit = failure is not None and failure.kind is FailureKind.LIMIT
    return limit and edge.action.guard != FALSE


def cell_keys(held: Type, numbers: ThreadNumbers, name: str | None) -> Iterator[tuple[Key, ...]]:
    """The keys of each cell of a variable, or of an object on the heap if it has no name."""
    for path, member, scalar in _cells(held, numbers, name or "", ""):
        members = (member, scalar) if member else (scalar,)
        keys: list[Key] = [("member", "", each) for each in members]
        if name is not None:
            keys.append(("variable", path, ""))
            keys += [("object", name, each) for each in members]
        yield tuple(keys)


def _cells(
    held: Type, numbers: ThreadNumbers, path: str, member: str
) -> Iterator[tuple[str, str, str]]:
    match held:
        case ArrayType():
            for _ in range(extent_of(held, numbers)):
                inner = f"{member}[]" if member else ""
                yield from _cells(held.element, numbers, f"{path}[]", inner)
        case RecordType() | MutexType():
            for field, part in fields_of(held):
                inner = f"{_name(held)}.{field}"
                yield from _cells(part, numbers, f"{path}.{field}", inner)
        case _:
            yield path, member, str(held)


def _path(place: Place) -> str:
    """A place in a variable, all elements of arrays alike."""
    match place:
        case VariablePlace(variable):
            return variable.name
        case FieldPlace(base, field):
            return f"{_path(base)}.{field}"
        case IndexPlace(base, _):
            return f"{_path(base)}[]"
        case DerefPlace():
            raise TypeError(place)


def _member(place: Place) -> str:
    """Which member of the innermost record a place is; its type if it is in none."""
    base, elements = place, ""
    while isinstance(base, IndexPlace):
        base, elements = base.base, f"{elements}[]"
    if not isinstance(base, FieldPlace):
        return str(place.type)
    held = base.base.type
    assert isinstance(held, RecordType | MutexType)
    return f"{_name(held)}.{base.field}{elements}"


def _name(held: RecordType | MutexType) -> str:
    return held.name if isinstance(held, RecordType) else "mutex"
