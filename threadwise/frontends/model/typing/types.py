"""Types as written, and initial values, in terms of the IR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.expressions import Expressions
from threadwise.frontends.model.typing.typed import Typed, describe
from threadwise.ir.expr import FALSE, Const, IndexPlace, Place
from threadwise.ir.fold import number
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import AnyValue, DefaultValue, FillValue, Initial, ListedValues
from threadwise.ir.types import (
    BOOL,
    INT,
    MUTEX,
    TID,
    ArrayType,
    MutexType,
    Overflow,
    PerThread,
    RangeType,
    ScalarType,
    Type,
    default_value,
    is_scalar,
)

_WORDS: dict[str, Type] = {"bool": BOOL, "int": INT, "tid": TID, "mutex": MUTEX}
_OVERFLOW = {"": Overflow.ERROR, "wrap": Overflow.WRAP, "saturate": Overflow.SATURATE}
_MOST_ELEMENTS = 1_000_000


def element_type(syntax: ast.TypeSyntax, expressions: Expressions) -> Type | None:
    """The type before the name in a declaration."""
    reporter, symbols = expressions.reporter, expressions.symbols
    if isinstance(syntax, ast.WordType):
        found = _WORDS.get(syntax.word) or symbols.enums.get(syntax.word)
        if found is None:
            known = [*_WORDS, *symbols.enums]
            reporter.unknown(syntax, "type", syntax.word, known)
        return found
    low = expressions.constant(syntax.low, INT)
    high = expressions.constant(syntax.high, INT)
    if low is None or high is None:
        return None
    assert isinstance(low.value, int)
    assert isinstance(high.value, int)
    if low.value > high.value:
        reporter.error(syntax, f"empty range {low.value}..{high.value}")
        return None
    return RangeType(low.value, high.value, _OVERFLOW[syntax.overflow])


def value_type(syntax: ast.TypeSyntax, expressions: Expressions) -> Type | None:
    """The type of a parameter, a result or a constant: anything but a mutex."""
    held = element_type(syntax, expressions)
    if isinstance(held, MutexType):
        expressions.reporter.error(syntax, "a mutex cannot be passed as a value")
        return None
    return held


def declared_type(node: ast.Declaration, expressions: Expressions) -> Type | None:
    """The type of a variable, with the extents after its name."""
    held = element_type(node.type, expressions)
    size = 1
    for syntax in reversed(node.extents):
        extent = _extent(syntax, expressions)
        if extent is None or held is None:
            held = None
            continue
        size *= extent if isinstance(extent, int) else 1
        held = ArrayType(held, extent)
    if size > _MOST_ELEMENTS:
        expressions.reporter.error(node, f"an array of more than {_MOST_ELEMENTS} elements")
        return None
    return held


def _extent(syntax: ast.Expression, expressions: Expressions) -> int | PerThread | None:
    if isinstance(syntax, ast.Name) and syntax.name in expressions.symbols.templates:
        return PerThread(syntax.name)
    if isinstance(syntax, ast.Name) and expressions.symbols.kind(syntax.name) is None:
        symbols = expressions.symbols
        hint = expressions.reporter.near(syntax.name, [*symbols.constants, *symbols.templates])
        message = f"unknown constant or thread template `{syntax.name}`"
        if syntax.name not in symbols.places:
            expressions.reporter.error(syntax, message, hint)
            return None
    size = expressions.constant(syntax, INT)
    if size is None:
        return None
    assert isinstance(size.value, int)
    if size.value < 1:
        expressions.reporter.error(syntax, f"an array of {size.value} elements")
        return None
    return size.value


@dataclass(frozen=True, slots=True)
class Filled:
    """One value for all cells."""

    value: Typed


@dataclass(frozen=True, slots=True)
class Listed:
    """One value per cell, in memory order."""

    values: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value of the type, for all cells."""


Contents: TypeAlias = Filled | Listed | Anything
"""What an initialiser puts into a variable."""


def contents(syntax: ast.Initialiser, held: Type, expressions: Expressions) -> Contents | None:
    """The meaning of an initialiser for a variable of the type."""
    reporter = expressions.reporter
    scalar = scalar_of(held)
    if isinstance(scalar, MutexType):
        if isinstance(syntax, ast.NoThread):
            return Filled(Typed(NOBODY))
        reporter.error(
            syntax, "a mutex is free at the start: only `none` can be its initial value"
        )
        return None
    match syntax:
        case ast.AnyInitialiser():
            return Anything()
        case ast.ListInitialiser():
            values = _listed(syntax, held, expressions)
            return None if values is None else Listed(tuple(values))
        case ast.Spawn():
            reporter.error(syntax, "`spawn` cannot be an initial value here")
            return None
        case _:
            value = _initial_value(syntax, scalar, expressions)
            return None if value is None else Filled(value)


def scalar_of(held: Type) -> Type:
    """The type of the innermost elements."""
    while isinstance(held, ArrayType):
        held = held.element
    return held


def _listed(
    syntax: ast.ListInitialiser, held: Type, expressions: Expressions
) -> list[Typed] | None:
    reporter = expressions.reporter
    if not isinstance(held, ArrayType) or isinstance(held.extent, PerThread):
        reporter.error(syntax, f"a list cannot initialise {describe(held)}")
        return None
    if len(syntax.elements) != held.extent:
        found = len(syntax.elements)
        reporter.error(syntax, f"{found} initial values for {held.extent} elements")
        return None
    values: list[Typed] = []
    for element in syntax.elements:
        inner: list[Typed] | None = None
        if isinstance(held.element, ArrayType):
            if isinstance(element, ast.ListInitialiser):
                inner = _listed(element, held.element, expressions)
            else:
                reporter.error(element, f"expected a list of {held.element.extent} values")
        elif isinstance(element, ast.AnyInitialiser | ast.ListInitialiser | ast.Spawn):
            reporter.error(element, "expected one value")
        else:
            value = _initial_value(element, held.element, expressions)
            inner = None if value is None else [value]
        if inner is None:
            return None
        values += inner
    return values


def _initial_value(syntax: ast.Expression, held: Type, expressions: Expressions) -> Typed | None:
    value = expressions.assigned(syntax, held)
    if value is not None:
        for check, message in value.checks:
            if check == FALSE:
                expressions.reporter.error(syntax, message)
                return None
    return value


def initial(contained: Contents) -> Initial | None:
    """The contents as an initial value, if all of it is constant."""
    match contained:
        case Anything():
            return AnyValue()
        case Filled(Typed(Const(value, _), ())):
            return FillValue(value)
        case Filled():
            return None
        case Listed(values):
            constants = [v.expr for v in values if isinstance(v.expr, Const) and not v.checks]
            if len(constants) < len(values):
                return None
            return ListedValues(tuple(constant.value for constant in constants))


def default_constant(held: Type) -> Const:
    """What a scalar without initialiser holds."""
    assert is_scalar(held)
    scalar: ScalarType = held  # type: ignore[assignment]
    value = default_value(scalar)
    if isinstance(value, int) and not isinstance(value, bool) and isinstance(held, RangeType):
        return number(value)
    return Const(value, held)


def cells(place: Place) -> Iterator[Place]:
    """The scalars a place consists of, in memory order; none of it is per thread."""
    held = place.type
    if isinstance(held, ArrayType):
        assert isinstance(held.extent, int)
        for position in range(held.extent):
            yield from cells(IndexPlace(place, number(position)))
    else:
        yield place


DEFAULT = DefaultValue()
