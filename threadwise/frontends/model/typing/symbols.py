"""What the names of a model mean.

Constants, members of enumerations, shared variables, procedures and thread templates share one
name space, which everybody sees; locals may hide its names. Invariants have a name space of their
own, that of the properties.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.frontends.model.syntax import ast
from threadwise.ir.expr import Const, Scope, Variable
from threadwise.ir.pool import Pool
from threadwise.ir.types import INT, EnumType, Type

OPERATIONS = frozenset({"acquire", "release", "try_acquire", "choose", "holds", "at"})
"""The built-in operations that are written like calls; nothing else may have these names."""

BROKEN = Variable("", INT, Scope.LOCAL)
"""What a name means whose declaration is wrong: no further messages about it."""


@dataclass(frozen=True, slots=True)
class ProcedureSymbol:
    """A procedure; `result` None means `void`."""

    name: str
    syntax: ast.Procedure
    parameters: tuple[Variable, ...]
    result: Type | None


@dataclass(frozen=True, slots=True)
class TemplateSymbol:
    """A thread template; `count` None means any number; `pool` if threads start by `spawn`."""

    name: str
    syntax: ast.Thread
    count: int | None
    parameters: tuple[Variable, ...] = ()
    pool: Pool | None = None


BodySymbol = ProcedureSymbol | TemplateSymbol


@dataclass
class Symbols:
    """The global name space."""

    constants: dict[str, Const] = field(default_factory=dict)
    """Constants and the members of enumerations."""
    enums: dict[str, EnumType] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    procedures: dict[str, ProcedureSymbol] = field(default_factory=dict)
    templates: dict[str, TemplateSymbol] = field(default_factory=dict)
    places: dict[str, ast.Name] = field(default_factory=dict)
    """Where each name is declared."""

    def kind(self, name: str) -> str | None:
        """What a name is, in words."""
        if name in self.constants:
            return "a constant"
        if name in self.variables:
            return "a variable"
        if name in self.procedures:
            return "a procedure"
        if name in self.templates:
            return "a thread template"
        if name in self.enums:
            return "an enumeration"
        return "an operation" if name in OPERATIONS else None

    def bodies(self) -> Iterator[BodySymbol]:
        """Everything with statements."""
        yield from self.procedures.values()
        yield from self.templates.values()

    @property
    def pools(self) -> tuple[Pool, ...]:
        """The pools of the templates that `spawn` can start."""
        return tuple(t.pool for t in self.templates.values() if t.pool is not None)
