"""Features of programs that a kind of proof may not support.

Every checker declares which of these features it supports (`TREATS`), and refuses programs with
others before it reads a certificate: it would ignore a feature that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from threadwise.ir.expr import Expr, PointerExpr, SelfId, SelfIndex
from threadwise.ir.fold import action_expressions, allocates, subexpressions, uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import IntType, TidType, parts_of
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.paths import has_calls


class Feature(Enum):
    """Something that programs may have; the value completes "a program with …"."""

    ANY_NUMBER = "any number of threads"
    CALLS = "calls"
    HEAP = "a heap"
    POINTERS = "pointers"
    CREATION = "threads that are created"
    THREAD_IDS = "thread ids"
    UNBOUNDED = "integers without bounds"
    OWN_VARIABLES = "variables of each thread"
    LIMITS = "places where the model ends"
    ATOMIC_REGIONS = "atomic regions"


ALL = frozenset(Feature)
"""For checkers that treat what is a feature today; name what is left out."""


def refuse_others(program: Program, treated: frozenset[Feature], proof: str) -> None:
    """Raises Refuted if a program has a feature that is not among those treated."""
    for feature in Feature:
        if feature not in treated and has(program, feature):
            raise Refuted(f"{proof} for a program with {feature.value}")


def has(program: Program, feature: Feature) -> bool:
    """Whether a program has a feature."""
    match feature:
        case Feature.ANY_NUMBER:
            return program.has_any_number
        case Feature.CALLS:
            return has_calls(program)
        case Feature.HEAP:
            return allocates(program)
        case Feature.POINTERS:
            formulas = [p.formula for p in program.properties if isinstance(p, InvariantProperty)]
            parts = (part for formula in formulas for part in subexpressions(formula))
            return uses_memory(program) or any(isinstance(part, PointerExpr) for part in parts)
        case Feature.CREATION:
            return any(template.pool for template in program.templates)
        case Feature.THREAD_IDS:
            names_itself = any(isinstance(part, SelfId | SelfIndex) for part in _parts(program))
            return names_itself or _declares(program, TidType)
        case Feature.UNBOUNDED:
            return _declares(program, IntType)
        case Feature.OWN_VARIABLES:
            return any(template.variables for template in program.templates)
        case Feature.LIMITS:
            failures = (location.failure for location in program.locations)
            return any(failure is not None and failure.kind.is_limit for failure in failures)
        case Feature.ATOMIC_REGIONS:
            return any(location.atomic for location in program.locations)


def _parts(program: Program) -> Iterator[Expr]:
    """Every expression of every edge, and those that they consist of."""
    for edge in program.edges:
        for whole in action_expressions(edge.action):
            yield from subexpressions(whole)


def _declares(program: Program, held: type[IntType | TidType]) -> bool:
    """Whether a variable or a parameter has cells of a type."""
    types = [declaration.variable.type for declaration, _ in program.declarations]
    types += [p.type for procedure in program.procedures for p in procedure.parameters]
    return any(isinstance(part, held) for each in types for part in parts_of(each))
