"""Reach sets as short formulas: cubes of truth values, merged where they differ in one thing.

Predicates that say which value a cell has are taken together: `m == 0`, `m == 1` and `m == 2` are
one choice among three values if m has no other, `owner == none` and `owner == self` one among
none, self and other. Two cubes that agree in all but one choice are one cube with both options;
a choice with all options says nothing. The formula is equivalent to the reach set it stands for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from threadwise.ir.expr import Binary, BinaryOp, Const, Expr, Read, SelfId, ThreadVariable
from threadwise.ir.fold import conjunction, negation
from threadwise.ir.operations import NOBODY
from threadwise.ir.text.thread_formulas import about, balanced
from threadwise.ir.types import INT, EnumType, RangeType, TidType, Type, Value
from threadwise.systems.predicate.predicates import Predicate

MANY = 64
"""Variables with more values are not taken as one choice."""

_OTHER = "other"
_TRUE = "true"
_TRUTH: frozenset[Hashable] = frozenset([_TRUE, "false"])
Options = frozenset[Hashable]


@dataclass(frozen=True)
class _Choice:
    """What a group of predicates is about: a cell, or one predicate alone."""

    subject: Expr
    options: Options


def disjunction(cubes: Iterable[Mapping[Predicate, bool]]) -> Expr:
    """One of the cubes holds."""
    found: dict[frozenset[tuple[_Choice, Options]], None] = {}
    for cube in cubes:
        chosen = _choices(cube)
        if chosen is not None:
            found[frozenset(chosen.items())] = None
    merged = _merged([dict(cube) for cube in found])
    return balanced(BinaryOp.OR, [_told(cube) for cube in merged])


def joint_disjunction(
    joint: Sequence[Sequence[Mapping[Predicate, bool]]], threads: Sequence[ThreadVariable]
) -> Expr:
    """One of the joint cubes holds, each with a cube for every thread."""
    parts = [
        conjunction(
            [about(t, disjunction([cube])) for t, cube in zip(threads, cubes, strict=True)]
        )
        for cubes in joint
    ]
    return balanced(BinaryOp.OR, list(dict.fromkeys(parts)))


def _choices(cube: Mapping[Predicate, bool]) -> dict[_Choice, Options] | None:
    """A cube as choices; None if it leaves no option."""
    chosen: dict[_Choice, Options] = {}
    for predicate, value in cube.items():
        choice, options = _choice(predicate.formula)
        kept = options if value else choice.options - options
        chosen[choice] = chosen.get(choice, choice.options) & kept
    if not all(chosen.values()):
        return None
    return {choice: options for choice, options in chosen.items() if options != choice.options}


def _choice(formula: Expr) -> tuple[_Choice, Options]:
    """The choice a predicate is about, and the options for which it is true."""
    match formula:
        case Binary(BinaryOp.EQ, Read() as cell, Const(value, _)):
            values = _values(cell.type)
            if values is not None and value in values:
                return _Choice(cell, values), frozenset([value])
        case Binary(BinaryOp.EQ, Read() as cell, SelfId()) if isinstance(cell.type, TidType):
            return _Choice(cell, frozenset([NOBODY.value, "self", _OTHER])), frozenset(["self"])
    return _Choice(formula, _TRUTH), frozenset([_TRUE])


def _values(held: Type) -> Options | None:
    match held:
        case TidType():
            return frozenset([NOBODY.value, "self", _OTHER])
        case EnumType(_, members):
            return frozenset(range(len(members)))
        case RangeType(low, high) if high - low < MANY:
            return frozenset(range(low, high + 1))
    return None


def _merged(cubes: list[dict[_Choice, Options]]) -> list[dict[_Choice, Options]]:
    """Cubes with those joined that differ in one choice, until none do."""
    changed = True
    while changed:
        changed = False
        kept: list[dict[_Choice, Options]] = []
        for cube in cubes:
            for position, other in enumerate(kept):
                joined = _joined(cube, other)
                if joined is not None:
                    kept[position] = joined
                    changed = True
                    break
            else:
                kept.append(cube)
        cubes = kept
    return cubes


def _joined(
    first: dict[_Choice, Options], second: dict[_Choice, Options]
) -> dict[_Choice, Options] | None:
    """One cube for two, if that says the same."""
    if _covers(first, second):
        return first
    if _covers(second, first):
        return second
    if first.keys() != second.keys():
        return None
    different = [choice for choice, options in first.items() if second[choice] != options]
    if len(different) != 1:
        return None
    (choice,) = different
    options = first[choice] | second[choice]
    rest = {known: kept for known, kept in first.items() if known != choice}
    return rest if options == choice.options else {**rest, choice: options}


def _covers(weak: dict[_Choice, Options], strong: dict[_Choice, Options]) -> bool:
    return all(choice in strong and strong[choice] <= options for choice, options in weak.items())


def _told(cube: dict[_Choice, Options]) -> Expr:
    ordered = sorted(cube.items(), key=lambda item: repr(item[0].subject))
    return conjunction([_one(choice, options) for choice, options in ordered])


def _one(choice: _Choice, options: Options) -> Expr:
    if not isinstance(choice.subject, Read) or choice.options == _TRUTH:
        return choice.subject if _TRUE in options else negation(choice.subject)
    excluded = choice.options - options
    if _OTHER in options or (len(excluded) < len(options) and _OTHER not in excluded):
        return conjunction([negation(_equation(choice.subject, v)) for v in _sorted(excluded)])
    return balanced(BinaryOp.OR, [_equation(choice.subject, v) for v in _sorted(options)])


def _sorted(options: Options) -> list[Hashable]:
    return sorted(options, key=lambda option: (isinstance(option, str), str(option).zfill(12)))


def _equation(cell: Read, option: Hashable) -> Expr:
    if option == "self":
        return Binary(BinaryOp.EQ, cell, SelfId())
    held = cell.type
    if isinstance(held, TidType):
        return Binary(BinaryOp.EQ, cell, NOBODY)
    written = held if isinstance(held, EnumType) else INT
    return Binary(BinaryOp.EQ, cell, Const(_value(option), written))


def _value(option: Hashable) -> Value:
    assert isinstance(option, int)
    return option
