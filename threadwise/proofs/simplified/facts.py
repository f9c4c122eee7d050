"""What passes claim to hold at locations: verified here, edge by edge.

    values   locals that hold a constant at a location
    bounds   of local integers at a location
    targets  the addresses that the pointers in a variable can hold, anywhere

A claim holds if it holds at the start, and every edge that can be taken leads from claims that
hold to claims that hold. Locations without claims are those that are never reached. Other threads
do not touch locals; what is said of global variables is about all edges (`shared`, targets).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Return
from threadwise.ir.expr import (
    FALSE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import DEFAULT, Edge, LocId, Procedure, Program
from threadwise.ir.types import contains, default_value, is_scalar
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.flow import local_names
from threadwise.proofs.simplified.normal import Normal, canonical, is_never
from threadwise.proofs.simplified.shared import Shared
from threadwise.proofs.toolbox import intervals
from threadwise.proofs.toolbox.bounds import assigned_locals, check_bounds, written_locals
from threadwise.proofs.toolbox.intervals import Bounds, Known

Values = Mapping[str, Const]


@dataclass(frozen=True)
class Facts:
    """Claims about locals at locations; a location that is missing is not reached."""

    program: Program
    shared: Shared
    values: Mapping[LocId, Values] | None = None
    bounds: Mapping[LocId, Known] | None = None
    _found: dict[tuple[Expr | Const | None, ...], Expr] = field(default_factory=dict)
    """Normal forms of terms, given what the locals in them hold."""

    def reached(self, location: LocId) -> bool:
        """Whether a location may be reached."""
        return (self.values is None or location in self.values) and (
            self.bounds is None or location in self.bounds
        )

    def normal(self, location: LocId, *, within: Known | None = None) -> Normal:
        """Normal forms at a location; bounds may be narrower than those claimed there."""
        known = {} if self.values is None else self.values[location]
        ranges = within or ({} if self.bounds is None else self.bounds[location])

        def value(place: Place) -> Const | None:
            if isinstance(place, VariablePlace) and place.variable.scope is Scope.LOCAL:
                return known.get(place.variable.name)
            return None if self.values is None else self.shared.value(place)

        def limits(expr: Expr) -> Bounds:
            return intervals.bounds(expr, ranges)

        return Normal(
            value,
            self.shared.is_written if self.values is not None else lambda _: False,
            limits if self.bounds is not None else None,
        )

    def excludes(self, edge: Edge) -> bool:
        """Whether a guard is false wherever a thread gets to the edge."""
        here = edge.source
        if not self.reached(here):
            return True
        if edge.action.guard == FALSE:
            return True
        if self.bounds is not None:
            return intervals.assumed(edge.action.guard, self.bounds[here]) is None
        return self.values is not None and is_never(self.normal_form(here, edge.action.guard))

    def normal_form(self, here: LocId, expr: Expr) -> Expr:
        """The normal form of a term at a location.

        What is said of locals is all that differs from one location to another.
        """
        known = {} if self.values is None else self.values[here]
        if self.bounds is not None:
            return self.normal(here).of(expr)
        key = (expr, *map(known.get, local_names(expr)))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self.normal(here).of(expr)
        return found

    def narrowed(self, edge: Edge) -> Known | None:
        """Bounds where an edge can be taken."""
        if self.bounds is None:
            return None
        return intervals.assumed(edge.action.guard, self.bounds[edge.source])

    def check(self) -> None:
        """Raises Refuted unless the claims hold."""
        for procedure in self.program.procedures:
            if self.values is not None:
                self._check_values(procedure, self.values)
            if self.bounds is not None:
                check_bounds(procedure, self.bounds)

    # -- values ----------------------------------------------------------------------------------

    def _check_values(self, procedure: Procedure, claims: Mapping[LocId, Values]) -> None:
        starts = _defaults(procedure)
        for name, constant in claims.get(procedure.entry, {}).items():
            if starts.get(name) != canonical(constant):
                raise Refuted(f"`{name}` does not start with the value that is claimed")
        if procedure.entry not in claims:
            raise Refuted("where a procedure begins is reached")
        for edge in procedure.edges:
            if edge.source not in claims or isinstance(edge.action, Return):
                continue
            wrong = self._wrong(edge, claims[edge.source], claims.get(edge.target))
            if wrong is not None and not self.excludes(edge):
                raise Refuted(f"edge {edge.id}: {wrong}")

    def _wrong(self, edge: Edge, before: Values, after: Values | None) -> str | None:
        """What is claimed behind an edge without reason."""
        if after is None:
            return "where it leads is reached"
        if not after:
            return None
        written = written_locals(edge.action)
        pinned: dict[str, Const] | None = None
        given = assigned_locals(edge.action)
        for name, constant in after.items():
            if name not in written and before.get(name) is constant:
                continue
            wanted = canonical(constant)
            if name in written:
                value = given.get(name)
                if value is None or self.normal_form(edge.source, value) != wanted:
                    return f"`{name}` may hold something else"
                continue
            known = before.get(name)
            if known is not None and canonical(known) == wanted:
                continue
            pinned = _pinned(edge.action.guard, before) if pinned is None else pinned
            if pinned.get(name) != wanted:
                return f"`{name}` may hold something else"
        return None


def _defaults(procedure: Procedure) -> dict[str, Const]:
    """Scalar locals that start with the default of their type."""
    return {
        d.variable.name: canonical(Const(default_value(d.variable.type), d.variable.type))  # type: ignore[arg-type]  # scalar
        for d in procedure.locals
        if d.initial == DEFAULT and is_scalar(d.variable.type)
    }


def _pinned(guard: Expr, known: Values) -> dict[str, Const]:
    """Locals that have a value where a guard holds, since it says `x == c && …`.

    So does `x == y` where `y` is known to hold `c`.
    """
    found: dict[str, Const] = {}
    for part in conjuncts(guard):
        match part:
            case Binary(BinaryOp.EQ, Read(VariablePlace(variable)), other):
                constant = _held(other, known)
                if (
                    constant is not None
                    and variable.scope is Scope.LOCAL
                    and is_scalar(variable.type)
                    and contains(variable.type, constant.value)  # type: ignore[arg-type]  # scalar
                ):
                    found[variable.name] = canonical(constant)
            case _:
                pass
    return found


def _held(expr: Expr, known: Values) -> Const | None:
    """What a constant, or a local that is known to hold one, is."""
    match expr:
        case Const():
            return expr
        case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
            return known.get(variable.name)
        case _:
            return None


def locals_of(procedure: Procedure) -> Iterator[str]:
    """The names of the parameters and locals of a procedure."""
    yield from (parameter.name for parameter in procedure.parameters)
    yield from (declaration.variable.name for declaration in procedure.locals)
