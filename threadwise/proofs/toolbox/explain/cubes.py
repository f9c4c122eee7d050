"""Short formulas for sets of valuations.

A *cube* gives each variable a set of possible values; a set of valuations is written as a
disjunction of cubes, found by merging: two cubes that differ in one variable only become one. The
result is exact. It need not be the shortest, but every order of merging that starts from another
variable is tried and the shortest taken.

    {(m: none, x: 1), (m: other, x: 0), (m: other, x: 1)}   is   m == none && x == 1 || m == other
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.types import EnumType, RangeType, ScalarType, TidType
from threadwise.proofs.base.explanation import Formula

Shown = bool | int | str
"""A value as it is shown: ids and enum members by name."""
Valuation = tuple[Shown, ...]
Cube = tuple[frozenset[Shown], ...]

ORDER_LIMIT = 2000
"""For more valuations than this only one order of merging is tried."""


@dataclass(frozen=True)
class ShownVariable:
    """A variable of a formula, with all values it ever takes."""

    name: str
    type: ScalarType
    values: frozenset[Shown]


def merge(valuations: Iterable[Valuation]) -> list[Cube]:
    """A short list of disjoint cubes that together are exactly the valuations."""
    start = [tuple(frozenset([value]) for value in valuation) for valuation in set(valuations)]
    if not start:
        return []
    width = len(start[0])
    orders = [[*range(k, width), *range(k)] for k in range(max(width, 1))]
    if len(start) > ORDER_LIMIT:
        orders = orders[:1]
    candidates = [_merge_in_order(start, order) for order in orders]
    return min(candidates, key=lambda cubes: (len(cubes), _sorted_key(cubes)))


def _merge_in_order(cubes: Sequence[Cube], order: Sequence[int]) -> list[Cube]:
    current = list(cubes)
    while True:
        before = len(current)
        for variable in order:
            groups: dict[Cube, set[Shown]] = {}
            for cube in current:
                rest = (*cube[:variable], frozenset[Shown](), *cube[variable + 1 :])
                groups.setdefault(rest, set()).update(cube[variable])
            current = [
                (*rest[:variable], frozenset(values), *rest[variable + 1 :])
                for rest, values in groups.items()
            ]
        if len(current) == before:
            return sorted(current, key=_cube_key)


def _cube_key(cube: Cube) -> list[list[str]]:
    return [sorted(map(str, values)) for values in cube]


def _sorted_key(cubes: Sequence[Cube]) -> list[list[list[str]]]:
    return [_cube_key(cube) for cube in cubes]


def formula(cubes: Sequence[Cube], variables: Sequence[ShownVariable]) -> Formula:
    """Cubes as program text; what they have in common is said once."""
    if not cubes:
        return Formula("false", ())
    shared = [
        values if all(cube[k] == values for cube in cubes) else variable.values
        for k, (variable, values) in enumerate(zip(variables, cubes[0], strict=True))
    ]
    common = conjunction(tuple(shared), variables)
    if len(cubes) == 1:
        return Formula(common, ())
    rest = [
        variable if cubes[0][k] != shared[k] or shared[k] == variable.values else None
        for k, variable in enumerate(variables)
    ]
    kept = [k for k, variable in enumerate(rest) if variable is not None]
    differing = [variables[k] for k in kept]
    cases = [conjunction(tuple(cube[k] for k in kept), differing) for cube in cubes]
    return Formula(common, tuple(cases))


def conjunction(cube: Cube, variables: Sequence[ShownVariable]) -> str:
    """One cube as program text; variables that may have any of their values are left out."""
    literals = [
        literal(variable, values)
        for variable, values in zip(variables, cube, strict=True)
        if values != variable.values
    ]
    return " && ".join(literals) or "true"


def literal(variable: ShownVariable, values: frozenset[Shown]) -> str:
    """That a variable has one of some values, as program text."""
    name = variable.name
    if values <= {True, False} and all(isinstance(value, bool) for value in values):
        return name if values == {True} else f"!{name}"
    if len(values) == 1:
        return f"{name} == {_text(next(iter(values)))}"
    missing = variable.values - values
    if len(missing) == 1 and isinstance(variable.type, TidType | EnumType):
        return f"{name} != {_text(next(iter(missing)))}"
    numbers = sorted(value for value in values if isinstance(value, int))
    if len(numbers) == len(values) and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return _interval(variable, numbers[0], numbers[-1])
    if len(missing) == 1:
        return f"{name} != {_text(next(iter(missing)))}"
    return f"{name} in {{{', '.join(_text(value) for value in sorted(values, key=str))}}}"


def _interval(variable: ShownVariable, low: int, high: int) -> str:
    known = [value for value in variable.values if isinstance(value, int)]
    if known and low == min(known):
        return f"{variable.name} <= {high}"
    if known and high == max(known):
        return f"{variable.name} >= {low}"
    return f"{low} <= {variable.name} <= {high}"


def bounds(variable: ShownVariable) -> str | None:
    """What is true of a variable everywhere, beyond its type; None if nothing is."""
    values = variable.values
    if len(values) == 1:
        return literal(ShownVariable(variable.name, variable.type, frozenset()), values)
    if isinstance(variable.type, RangeType):
        every = frozenset(range(variable.type.low, variable.type.high + 1))
        whole = ShownVariable(variable.name, variable.type, every)
        return None if values == every else literal(whole, values)
    if isinstance(variable.type, EnumType):
        every_member = frozenset[Shown](variable.type.members)
        whole = ShownVariable(variable.name, variable.type, every_member)
        return None if values == every_member else literal(whole, values)
    return None


def _text(value: Shown) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def universe(valuations: Iterable[Valuation], width: int) -> list[frozenset[Shown]]:
    """All values of each variable."""
    found: list[set[Shown]] = [set() for _ in range(width)]
    for valuation in valuations:
        for values, value in zip(found, valuation, strict=True):
            values.add(value)
    return [frozenset(values) for values in found]
