"""Invariants about shared variables alone: true or false for the same values of these, always."""

from __future__ import annotations

from typing import TypeAlias

from threadwise.ir.expr import (
    Binary,
    Clamp,
    Conditional,
    Const,
    Expr,
    IsInstance,
    Quantified,
    Read,
    Scope,
    ThreadAt,
    ThreadVariable,
    Unary,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.layout import ProgramLayout, size_of
from threadwise.ir.program import Program
from threadwise.ir.types import Value
from threadwise.semantics.state import GlobalStore

Values: TypeAlias = tuple[tuple[Value, ...], ...]

_PURE = Binary | Clamp | Conditional | Const | IsInstance | Quantified | ThreadAt
_PURE |= ThreadVariable | Unary | Wrap
"""What has a value that depends on those of its parts only."""


class SharedFormula:
    """The shared variables that a formula reads; None in place of them if it reads anything else.

    Whoever evaluates it in many states may do so once for the same `values`.
    """

    def __init__(self, program: Program, formula: Expr) -> None:
        layout = ProgramLayout.of(program)
        found: dict[tuple[int, int], None] = {}
        self._slots: tuple[slice, ...] | None = None
        for part in subexpressions(formula):
            if isinstance(part, _PURE):
                continue
            base = root(part.place) if isinstance(part, Read) else None
            if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.GLOBAL:
                return
            first = layout.globals.offset[base.variable.name]
            found[first, first + size_of(base.variable.type, layout.numbers)] = None
        self._slots = tuple(slice(*each) for each in found)

    def values(self, g: GlobalStore) -> Values | None:
        """What the value of the formula depends on; None if on something else, too."""
        if self._slots is None:
            return None
        return tuple(g.cells[slots] for slots in self._slots)
