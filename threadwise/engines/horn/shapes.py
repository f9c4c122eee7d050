"""The shapes of guesses: which disjunctions of literals (`literals`) are tried.

`Guesses` keeps those that all steps keep; what is worth guessing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.literals import (
    DISTANCE,
    NEXT,
    NOBODY_THERE,
    Guess,
    Literal,
)
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Read,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.operations import NOBODY
from threadwise.ir.pool_cells import FINISHED
from threadwise.ir.program import Program, stated_values
from threadwise.ir.types import (
    BoolType,
    EnumType,
    MachineType,
    MutexType,
    RangeType,
    TidType,
    is_integer,
)

MOST_NUMBERS = 2
MOST_CONSTANTS = 9
MOST_COMPARED = 8
"""Integers that are compared with each other, at most."""
MOST_FLAGS = 6
"""Values of flags that may mean that no thread is inside, at most."""
MOST_DISTANT = 4
MOST_DISTANCES = 4


def shapes(
    arguments: Sequence[Argument],
    numbers: Sequence[int],
    constants: Sequence[int],
    distances: Sequence[int] = (),
) -> Iterator[Guess]:
    """That the location is unreachable, comparisons of integers, lock invariants, facts on κ."""
    yield NOBODY_THERE
    if any(is_kappa(argument.meaning) for argument in arguments):
        yield from _about_kappa(arguments, numbers)
        yield from _about_creations(arguments, constants)
        yield from _about_cells(arguments, constants)
    else:
        yield from _about_numbers(arguments)
        ids = [i for i, a in enumerate(arguments) if _is_handle(a.meaning)]
        yield from ((("is", i, told),) for i in ids for told in (0, 1))
    yield from _about_locks(arguments, constants)
    if distances:
        yield from _about_distances(arguments, distances)


def _about_distances(arguments: Sequence[Argument], distances: Sequence[int]) -> Iterator[Guess]:
    """How far shared integers are apart, with wrap-around: always, or while a lock is free."""
    shared = [i for i, a in enumerate(arguments) if _is_variable(a)][:MOST_DISTANT]
    for i, j in permutations(shared, 2):
        held, other = arguments[i].meaning, arguments[j].meaning
        if held is None or other is None or held.type != other.type:
            continue
        if not isinstance(held.type, MachineType) or held.type.low:
            continue
        claims: list[Literal] = [(f"{DISTANCE}{held.type.high} {n}", i, j) for n in distances]
        claims.append(("!=", i, j))
        yield from ((claim,) for claim in claims)
        for gate in gates_of(arguments):
            yield from ((gate.shut, claim) for claim in claims)


def distances_of(program: Program) -> list[int]:
    """The numbers that differences with wrap-around are compared with, and those before them."""
    found: dict[int, None] = {}
    for edge in program.edges:
        for part in subexpressions(edge.action.guard):
            match part:
                case Binary(op, Wrap(0, _, Binary(BinaryOp.SUB, left, right)), Const(int(bound))):
                    if (
                        op in _COMPARING
                        and not isinstance(left, Const)
                        and not isinstance(right, Const)
                    ):
                        found.update({bound: None, bound - 1: None})
                case _:
                    pass
    return [bound for bound in found if bound > 0][:MOST_DISTANCES]


def _about_kappa(arguments: Sequence[Argument], numbers: Sequence[int]) -> Iterator[Guess]:
    """Short disjunctions about a followed thread."""
    kappas = [i for i, a in enumerate(arguments) if is_kappa(a.meaning)]
    signs: list[Literal] = [
        ("is", i, 1) for i, a in enumerate(arguments) if is_formula(a) and _is_telling(a)
    ]
    signs += [
        ("==#", i, number)
        for i, a in enumerate(arguments)
        for number in numbers
        if isinstance(a.meaning, Read) and is_integer(a.meaning.type) and i not in kappas
    ]
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)]
    shared = [i for i, a in enumerate(arguments) if _is_number(a, Read) and i not in kappas]
    passed: list[Literal] = [
        (kind, i, kappa) for kappa in kappas for i in own for kind in ("until", "!=")
    ]
    yield from ((unlike,) for unlike in passed if unlike[0] == "!=")
    yield from (((">=#", i, 0),) for i in (*own, *shared))
    passed += [("is", i, 1) for i, a in enumerate(arguments) if _is_elsewhere(a.meaning)]
    before: list[Literal] = [("is", i, 0) for i, a in enumerate(arguments) if is_member(a.meaning)]
    equal: list[Literal] = [("==", i, kappa) for kappa in kappas for i in (*own, *shared)]
    for sign in signs:
        yield (sign,)
        yield from ((first, sign) for first in passed if first[1] != sign[1])
        told = cell_of(arguments[sign[1]].meaning)
        yield from ((b, sign) for b in before if cell_of(arguments[b[1]].meaning) != told)
    yield from ((other,) for other in before)
    yield from ((same,) for same in equal)
    yield from ((first, same) for first in before for same in equal)
    for i in own:
        yield from ((("==", i, j),) for j in (*own, *shared) if i != j)
        yield from ((("+1==", i, j),) for j in shared)
        yield from (((kind, i, j),) for j in own if i != j for kind in ("<=", "<"))


def _about_creations(arguments: Sequence[Argument], constants: Sequence[int]) -> Iterator[Guess]:
    """How many threads were created, and that an index is below that."""
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)]
    for j, argument in enumerate(arguments):
        if not _is_number(argument, Read) or not _is_sync(argument.meaning):
            continue
        yield from ((("<=#", j, n),) for n in constants if n >= 0)
        yield from ((("<", i, j),) for i in own)
        kappas = [i for i, a in enumerate(arguments) if is_kappa(a.meaning)]
        yield from ((("<", i, j),) for i in kappas)


def _about_cells(arguments: Sequence[Argument], constants: Sequence[int]) -> Iterator[Guess]:
    """What is so if κ is one of so many (created, joined), and what was read of its cells."""
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)]
    shared = [i for i, a in enumerate(arguments) if _is_variable(a)]
    signs = [i for i, a in enumerate(arguments) if is_formula(a) and _is_telling(a)]
    for kappa in (i for i, a in enumerate(arguments) if is_kappa(a.meaning)):
        for n in (number for number in constants if number > 0):
            for i in signs:
                yield (("is", i, 1), (">=#", kappa, n), ("<=#", kappa, -1))
    for e in (i for i, a in enumerate(arguments) if _is_elsewhere(a.meaning)):
        yield from ((("is", e, 1), ("==", i, j)) for i in own for j in shared)


def _about_numbers(arguments: Sequence[Argument]) -> Iterator[Guess]:
    """How integers of threads compare with shared ones and with each other's."""
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)]
    shared = [i for i, a in enumerate(arguments) if _is_number(a, Read)]
    if len(shared) > MOST_COMPARED:
        shared = [i for i in shared if not _is_element(arguments[i].meaning)][:MOST_COMPARED]
    for i in (*own, *shared):
        yield ((">=#", i, 0),)
    for i in own:
        for j in shared:
            yield from (((kind, i, j),) for kind in ("==", "!=", "<", "<="))
            yield (("<=", j, i),)
    for i, j in combinations(own, 2):
        left, right = arguments[i].meaning, arguments[j].meaning
        assert isinstance(left, ThreadRead)
        assert isinstance(right, ThreadRead)
        if left.place == right.place and left.thread != right.thread:
            yield (("!=", i, j),)
    for i, j in combinations(shared, 2):
        yield from (((kind, a, b),) for kind in ("==", "<=") for a, b in ((i, j), (j, i)))


def _about_locks(arguments: Sequence[Argument], constants: Sequence[int]) -> Iterator[Guess]:
    """Who holds locks, and what holds of shared integers: always, or while a lock is free."""
    holding = [i for i, a in enumerate(arguments) if _is_holder(a.meaning)]
    gates = gates_of(arguments)
    if not holding and not gates:
        return
    yield from ((("is", i, told),) for i in holding for told in (0, 1))
    shared = [i for i, a in enumerate(arguments) if _is_variable(a)][:MOST_COMPARED]
    own = [i for i, a in enumerate(arguments) if _is_number(a, ThreadRead)][:MOST_COMPARED]
    counters = [i for i, a in enumerate(arguments) if _is_number(a, Read) and _is_sync(a.meaning)]
    claims = [*_about_constants(shared, constants), *_about_pairs(arguments, shared, shared)]
    yield from ((claim,) for claim in (*claims, *_about_constants(counters, constants)))
    for gate in gates:
        yield from ((gate.shut, claim) for claim in claims if gate.argument not in claim[1:])
    yield from ((claim,) for claim in _about_constants(own, constants))
    yield from ((claim,) for claim in _about_pairs(arguments, own, shared))


def _about_constants(integers: Sequence[int], constants: Sequence[int]) -> Iterator[Literal]:
    for i in integers:
        yield from ((kind, i, n) for n in constants for kind in ("==#", "<=#", ">=#"))


def _about_pairs(
    arguments: Sequence[Argument], left: Sequence[int], right: Sequence[int]
) -> Iterator[Literal]:
    for i in left:
        for j in right:
            if i != j:
                yield from ((kind, i, j) for kind in ("==", "<=", "+1=="))
                following = _successor(arguments[i], arguments[j])
                if following is not None:
                    yield following, i, j
                    yield following, j, i


def _successor(left: Argument, right: Argument) -> str | None:
    """The literal that says that one machine integer comes after another of its type."""
    held = left.meaning.type if left.meaning is not None else None
    if not isinstance(held, MachineType) or right.meaning is None or right.meaning.type != held:
        return None
    return f"{NEXT}{held.low} {held.high}"


def is_formula(argument: Argument) -> bool:
    """Whether it is true or false."""
    return argument.meaning is not None and isinstance(argument.meaning.type, BoolType)


def _is_telling(argument: Argument) -> bool:
    """Not a comparison of ids, unless with a thread that the program names."""
    meaning = argument.meaning
    if isinstance(meaning, Binary) and isinstance(meaning.left.type, TidType):
        return isinstance(meaning.right, ThreadAt)
    return True


def _is_number(argument: Argument, kind: type) -> bool:
    meaning = argument.meaning
    return meaning is not None and isinstance(meaning, kind) and is_integer(meaning.type)


def _is_variable(argument: Argument) -> bool:
    """Whether it is a shared integer that locks may protect: data, no element of an array."""
    match argument.meaning:
        case Read(VariablePlace(variable) | FieldPlace(VariablePlace(variable)) as place):
            return is_integer(place.type) and not variable.sync
        case _:
            return False


def _is_sync(meaning: Expr | None) -> bool:
    match meaning:
        case Read(VariablePlace(variable)):
            return variable.sync and not is_kappa(meaning)
        case _:
            return False


def _is_element(meaning: Expr | None) -> bool:
    return isinstance(meaning, Read) and isinstance(meaning.place, IndexPlace)


def is_member(meaning: Expr | None) -> bool:
    """Whether it says that something is a member of an enumeration."""
    return isinstance(meaning, Binary) and isinstance(meaning.left.type, EnumType)


def is_integer_argument(argument: Argument) -> bool:
    """Whether it is an integer, shared or a thread's own, that relations may be about."""
    meaning = argument.meaning
    if not isinstance(meaning, Read | ThreadRead) or not is_integer(meaning.type):
        return False
    return not is_kappa(meaning) and not _is_element(meaning)


class Gate(NamedTuple):
    """A lock, or a flag of two values that may be used as one."""

    argument: int
    free: int
    """The value of the argument while no thread is inside."""
    shut: Literal
    """That a thread is inside."""


def gates_of(arguments: Sequence[Argument]) -> list[Gate]:
    """The arguments that say that a lock is free; of flags, both values may say so.

    Likewise, that a followed thread has finished, and that its cell was read last.
    """
    found: list[Gate] = []
    flags: list[Gate] = []
    for i, argument in enumerate(arguments):
        meaning = argument.meaning
        if (_is_holder(meaning) and _is_nobody(meaning)) or _is_finished(meaning):
            found.append(Gate(i, 1, ("is", i, 0)))
        elif _is_elsewhere(meaning):
            found.append(Gate(i, 0, ("is", i, 1)))
        elif isinstance(meaning, Read) and not _is_sync(meaning):
            held = meaning.type
            if isinstance(held, BoolType):
                flags += [Gate(i, free, ("is", i, 1 - free)) for free in (0, 1)]
            elif isinstance(held, RangeType) and (held.low, held.high) == (0, 1):
                flags += [Gate(i, free, ("==#", i, 1 - free)) for free in (0, 1)]
    return [*found, *flags[:MOST_FLAGS]]


def _is_finished(meaning: Expr | None) -> bool:
    """Whether it says that a thread has finished."""
    match meaning:
        case Binary(BinaryOp.EQ, Read(VariablePlace()), right):
            return right == FINISHED
        case _:
            return False


def _is_holder(meaning: Expr | None) -> bool:
    """Whether it compares the owner of a lock."""
    match meaning:
        case Binary(BinaryOp.EQ, Read(FieldPlace(base, "owner")), _):
            return isinstance(base.type, MutexType)
        case _:
            return False


def _is_handle(meaning: Expr | None) -> bool:
    """Whether it compares an id that a thread keeps, with none or with a thread."""
    match meaning:
        case Binary(BinaryOp.EQ, ThreadRead(), Const() | ThreadVariable() | ThreadAt()):
            return isinstance(meaning.left.type, TidType)
        case _:
            return False


def _is_nobody(meaning: Expr | None) -> bool:
    return isinstance(meaning, Binary) and meaning.right == NOBODY


def cell_of(meaning: Expr | None) -> Expr | None:
    """What is compared with a member, if it is a comparison; otherwise the argument itself."""
    return meaning.left if isinstance(meaning, Binary) else meaning


def is_kappa(meaning: Expr | None) -> bool:
    """Whether it is the position of a followed thread, or of the cell kept of an array."""
    match meaning:
        case Read(VariablePlace(variable)):
            return variable.name.endswith(".kappa")
        case _:
            return False


def _is_elsewhere(meaning: Expr | None) -> bool:
    match meaning:
        case ThreadRead(_, VariablePlace(variable)):
            return variable.name.endswith(".elsewhere")
        case _:
            return False


def compared_numbers(program: Program) -> list[int]:
    """A few numbers other than 0 that the program compares with."""
    found: dict[int, None] = {}
    for edge in program.edges:
        for part in subexpressions(edge.action.guard):
            match part:
                case Binary(BinaryOp.EQ | BinaryOp.NE, _, Const(value, _)):
                    if type(value) is int and value and is_integer(part.left.type):
                        found[value] = None
                case _:
                    pass
    return list(found)[:MOST_NUMBERS]


def constants_of(program: Program) -> list[int]:
    """A few numbers that the program starts with, assigns or compares with.

    Where `x + 3 <= 90` is asked, x will be set to at most 90, and is known to be at most 87.
    """
    found: dict[int, None] = {0: None}
    for edge in program.edges:
        for part in subexpressions(edge.action.guard):
            match part:
                case Binary(op, left, Const(int(bound))) if op in _COMPARING:
                    shift = _shift(left)
                    if shift is not None:
                        found.update({bound: None, bound - shift: None})
                case _:
                    pass
    for declaration in program.globals:
        if is_integer(declaration.variable.type):
            found.update((v, None) for v in stated_values(declaration.initial) if type(v) is int)
    for edge in program.edges:
        for expr in action_expressions(edge.action):
            for part in subexpressions(expr):
                if isinstance(part, Const) and type(part.value) is int and is_integer(part.type):
                    found[part.value] = None
    return list(found)[:MOST_CONSTANTS]


_COMPARING = (BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)


def _shift(expr: Expr) -> int | None:
    """What is added to a variable, if an expression is that."""
    if isinstance(expr, Wrap):
        return _shift(expr.operand)
    match expr:
        case Read():
            return 0 if is_integer(expr.type) else None
        case Binary(BinaryOp.ADD, left, Const(int(number))):
            known = _shift(left)
            return None if known is None else known + number
        case Binary(BinaryOp.SUB, left, Const(int(number))):
            known = _shift(left)
            return None if known is None else known - number
        case _:
            return None
