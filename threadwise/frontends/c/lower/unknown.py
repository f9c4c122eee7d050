"""Calls of functions without a description: they use what they are given (`ir.beyond`).

Such a function may read and write, in plain steps, everything that can be reached from its
arguments and from what was given to such functions before; it returns any number, or a pointer
that is null, fresh, or leads to that. It changes no lock and starts no thread: an assumption,
listed for each of them with the places of its calls. Where that cannot be assumed the call is a
limit: a function that may be called back, or a name or a type that says locks, threads, waiting or
jumps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.library.uses import is_made_of_pointers
from threadwise.frontends.c.lower.beyond import go_on
from threadwise.frontends.c.lower.values.types import cells, is_aggregate
from threadwise.frontends.c.types import (
    CArray,
    CFunction,
    CLock,
    CPointer,
    CRecord,
    CThreadId,
    CType,
    CVoid,
    unqualified,
)
from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import Expr, IntToPointer, Place, Read, VariablePlace
from threadwise.ir.types import PointerType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

Argument = Expr | Place

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LIST = """
    lock locks locked unlock trylock mutex rwlock rwlocks spinlock mtx wait waits sem semaphore
    cond condvar cnd barrier thread threads pthread thrd spawn join fork vfork clone longjmp setjmp
    siglongjmp sigsetjmp jmp jump makecontext swapcontext setcontext signal sigaction dlsym dlopen
    callback atexit
"""
_TELLING = frozenset(_LIST.split())
_OURS = "struct __tw_"


def unknown_call(
    body: Body, function: tree.Function, expr: tree.Call, arguments: Sequence[Argument]
) -> Argument | None:
    """What a call of a function without a description does."""
    refused = _refused(body, function, expr)
    held = unqualified(expr.type)
    if refused is not None:
        body.limit(f"a call of {function.shown}, which nobody describes, {refused}")
        return _nothing(body, held)
    body.unit.note_unknown(function, body.span)
    result: VariablePlace | None = None
    if not isinstance(held, CVoid):
        result = VariablePlace(body.temporary(body.unit.types.of(held)))
    results = [] if result is None else list(cells(result, result.type))
    pointers = list(_pointers(body, expr.arguments, arguments))
    what = f"unknown function {function.shown}"
    go_on(body, what, OperationKind.UNKNOWN_CALL, pointers or [None], results)
    if function.no_return:
        body.end()
        return _nothing(body, held)
    if result is None:
        return None
    return result if is_aggregate(held) else Read(result)


def _nothing(body: Body, held: CType) -> Argument | None:
    """Some result, where none is needed any more."""
    if isinstance(held, CVoid):
        return None
    if is_aggregate(held):
        return VariablePlace(body.temporary(body.unit.types.of(held)))
    return body.expressions.dummy(held)


def _pointers(
    body: Body, texts: Sequence[tree.Expr], arguments: Sequence[Argument]
) -> Iterator[Expr]:
    """The pointers that are passed, those inside of records included."""
    for text, argument in zip(texts, arguments, strict=False):
        held = unqualified(text.type)
        if is_aggregate(held):
            place = VariablePlace(body.temporary(body.unit.types.of(held)))
            body.places.copy(place, argument, held)  # type: ignore[arg-type]  # an aggregate
            yield from (
                Read(cell)
                for cell in cells(place, place.type)
                if isinstance(cell.type, PointerType)
            )
        elif isinstance(held, CPointer) and not _is_literal(text):
            yield argument  # type: ignore[misc]  # a scalar
        elif is_made_of_pointers(text):
            yield IntToPointer(argument)  # type: ignore[arg-type]  # a scalar


def _refused(body: Body, function: tree.Function, expr: tree.Call) -> str | None:
    """Why a call may do what is not bounded."""
    words = {word.lower() for word in _WORDS.findall(function.shown)}
    telling = sorted(words & _TELLING)
    if telling:
        return f"whose name says `{telling[0]}`"
    records = body.unit.types.records
    for text in expr.arguments:
        held = unqualified(_origin(text).type)
        direct = unqualified(held.target) if isinstance(held, CPointer) else held
        if isinstance(direct, CThreadId | CLock) or _is_lock(direct, records):
            return "which gets a lock or a thread"
        if any(isinstance(part, CFunction) for part in _reached(held, records)):
            return "which can get at a function to call"
    return None


def _is_lock(held: CType, records: Mapping[str, tree.Record]) -> bool:
    record = records.get(held.key) if isinstance(held, CRecord) else None
    return record is not None and record.shown.startswith(_OURS)


def _reached(held: CType, records: Mapping[str, tree.Record]) -> Iterator[CType]:
    """The types of objects that a value leads to, as far as types say."""
    pending, seen = [unqualified(held)], set()
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        yield current
        match current:
            case CPointer(target):
                pending.append(unqualified(target))
            case CArray(element):
                pending.append(unqualified(element))
            case CRecord(key):
                record = records.get(key)
                fields = () if record is None else record.fields
                pending.extend(unqualified(field.type) for field in fields)
            case _:
                pass


def leads_on(text: tree.Expr, records: Mapping[str, tree.Record]) -> bool:
    """Whether what a pointer points to may hold pointers to further objects."""
    held = unqualified(_origin(text).type)
    pointed = unqualified(held.target) if isinstance(held, CPointer) else held
    return any(
        isinstance(part, CPointer) and not isinstance(unqualified(part.target), CFunction)
        for part in _reached(pointed, records)
    )


def _origin(text: tree.Expr) -> tree.Expr:
    """A pointer before it was converted to another type."""
    while isinstance(text, tree.Convert) and isinstance(unqualified(text.operand.type), CPointer):
        text = text.operand
    return text


def _is_literal(text: tree.Expr) -> bool:
    origin = _origin(text)
    return isinstance(origin, tree.Decay) and isinstance(origin.place, tree.StringLiteral)
