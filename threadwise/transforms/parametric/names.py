"""Handles in a parametric abstraction, and the names of its variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, Expr, Scope, Variable, VariablePlace
from threadwise.ir.fold import read_places, root
from threadwise.ir.pool_cells import STARTED, PoolCells
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, EnumType, RangeType

Key = tuple[str, str]
"""A variable: its procedure (of globals: none) and its name."""

NOBODY = "nobody"
ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class Handle:
    """What replaces a variable of thread ids, or an array of them."""

    variable: Variable
    """Which pool the thread is of."""
    kappa: Variable | None = None
    """The position of the cell that is kept."""


@dataclass(frozen=True)
class ParametricPools:
    """The pools that become parametric templates, and the handles of their threads."""

    pools: tuple[str, ...]
    kinds: EnumType
    handles: Mapping[Key, Handle]
    copies: frozenset[Key]
    """Single handles that may be read from arrays: these may be `elsewhere`."""
    passed: Mapping[str, Const]
    """Cells of arguments that always get the same constant."""

    @staticmethod
    def of(
        program: Program, pools: Sequence[str], variables: Mapping[Key, Variable]
    ) -> ParametricPools:
        """The parametric templates of some pools, with new variables for those of ids."""
        kinds = EnumType("pool", (NOBODY, ELSEWHERE, *(f"of {name}" for name in pools)))
        handles: dict[Key, Handle] = {}
        for (procedure, name), variable in variables.items():
            told = Variable(f"{name}.pool", kinds, variable.scope, variable.sync)
            kappa = None
            if isinstance(variable.type, ArrayType):
                assert isinstance(variable.type.extent, int)
                positions = RangeType(0, variable.type.extent - 1)
                called = kappa_name(f"{procedure}.{name}" if procedure else name)
                kappa = Variable(called, positions, Scope.GLOBAL, sync=True)
            handles[procedure, name] = Handle(told, kappa)
        pooled = ParametricPools(tuple(pools), kinds, handles, frozenset(), {})
        pooled = replace(pooled, passed=pooled._constants(program))
        while (copies := pooled.copies.union(pooled._copied(program))) != pooled.copies:
            pooled = replace(pooled, copies=copies)
        return pooled

    def _constants(self, program: Program) -> dict[str, Const]:
        """The cells of pools that get one constant whenever a thread is started."""
        found: dict[str, list[Expr]] = {}
        for edge in program.edges:
            for each in edge.action.assignments if isinstance(edge.action, Command) else ():
                base = root(each.target)
                if isinstance(base, VariablePlace) and self.is_gone(base.variable):
                    found.setdefault(base.variable.name, []).append(each.value)
        passed: dict[str, Const] = {}
        for pool in self.pools:
            started = found.get(PoolCells(pool).status, []).count(STARTED)
            for name, told in found.items():
                always = len(told) == started and len(set(told)) == 1
                if always and PoolCells(pool).is_argument(name) and isinstance(told[0], Const):
                    passed[name] = told[0]
        return passed

    def _copied(self, program: Program) -> Iterator[Key]:
        """The single handles that get what may be elsewhere."""
        for procedure in program.procedures:
            for edge in procedure.edges:
                if not isinstance(edge.action, Command):
                    continue
                for each in edge.action.assignments:
                    if isinstance(each.target, VariablePlace) and self.may_be_elsewhere(
                        each.value, procedure.name
                    ):
                        yield self._key(each.target.variable, procedure.name)

    def may_be_elsewhere(self, value: Expr, procedure: str) -> bool:
        """Whether an expression may have the value of a cell that is not kept."""
        for place in read_places(value):
            base = root(place)
            if isinstance(base, VariablePlace):
                key = self._key(base.variable, procedure)
                known = self.handles.get(key)
                if known is not None and (known.kappa is not None or key in self.copies):
                    return True
        return False

    def _key(self, variable: Variable, procedure: str) -> Key:
        return "" if variable.scope is Scope.GLOBAL else procedure, variable.name

    def handle(self, variable: Variable, procedure: str) -> Handle | None:
        """What replaces a variable, if it holds ids."""
        return self.handles.get(self._key(variable, procedure))

    def is_gone(self, variable: Variable) -> bool:
        """Whether a variable is a cell of a pool."""
        return any(PoolCells(name).include(variable) for name in self.pools)

    def member(self, name: str) -> Const:
        """A pool, `NOBODY` or `ELSEWHERE`."""
        told = name if name in (NOBODY, ELSEWHERE) else f"of {name}"
        return Const(self.kinds.members.index(told), self.kinds)


def created_name(pool: str) -> str:
    """The variable that says whether a thread was created."""
    return f"{pool}.created"


def kappa_name(array: str) -> str:
    """The constant that says which cell of an array of handles is kept."""
    return f"{array}.kappa"
