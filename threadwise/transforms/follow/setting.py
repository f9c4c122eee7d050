"""What is the same for all edges of a program that follows a thread."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Expr, IndexPlace, Place, Scope, ThreadAt, Variable, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import (
    DEFAULT,
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    ListedValues,
    Program,
)
from threadwise.ir.types import INT, ArrayType, PerThread, is_scalar
from threadwise.transforms.follow.names import Following, followed_name, variable_key


class Role(Enum):
    """Whose edge it is: κ's, that of another thread of the template, or of another template."""

    FOLLOWED = "followed"
    OTHER = "other"
    STRANGER = "stranger"


@dataclass(frozen=True)
class Setting:
    """Names, and the variables that take the place of others."""

    program: Program
    following: Following
    kappa: Variable
    next: tuple[Variable, Variable] | None
    """If threads are created: the counter of creations, with its bound and without."""
    cells: Mapping[str, Variable]
    """By key of an array: the variable for the cell of κ."""

    @staticmethod
    def of(program: Program, following: Following) -> Setting:
        """Find the arrays to follow; raises Unsupported if one cannot be."""
        template = program.template[following.template]
        wanted = set(following.arrays)
        cells: dict[str, Variable] = {}
        counter: tuple[Variable, Variable] | None = None
        name = followed_name(template.name, "next")
        for key, declaration in declared(program):
            variable = declaration.variable
            if _is_per_thread(variable, template.name) or key in wanted:
                cells[key] = _cell(variable, declaration)
                wanted.discard(key)
            elif template.pool and variable.name == name and variable.scope is Scope.GLOBAL:
                counter = variable, Variable(name, INT, Scope.GLOBAL, variable.sync)
        if wanted:
            raise Unsupported(f"following `{min(wanted)}`, which is no array")
        kappa = followed_name(template.name, "kappa")
        return Setting(
            program, following, Variable(kappa, INT, Scope.GLOBAL, sync=True), counter, cells
        )

    @property
    def template(self) -> str:
        """The template that is followed."""
        return self.following.template

    @property
    def followed_id(self) -> Expr:
        """The id of κ."""
        return ThreadAt(self.template, number(0))

    @property
    def others(self) -> str:
        """The template of all other threads."""
        return followed_name(self.template, "others")

    def cell(self, place: Place, procedure: str) -> tuple[Variable, Expr, Variable] | None:
        """For an element of a followed array: the array, the index, the variable for κ's."""
        if not isinstance(place, IndexPlace) or not isinstance(place.base, VariablePlace):
            return None
        array = place.base.variable
        found = self.cells.get(variable_key(array, procedure))
        return None if found is None else (array, place.index, found)

    def declaration(self, declaration: Declaration, procedure: str) -> Declaration:
        """A declaration in the program that follows."""
        variable = declaration.variable
        if self.next is not None and variable == self.next[0]:
            if declaration.initial != DEFAULT:
                raise Unsupported("a pool that does not start empty")
            return Declaration(self.next[1])
        cell = self.cells.get(variable_key(variable, procedure))
        if cell is None:
            return declaration
        match declaration.initial:
            case DefaultValue() | FillValue() | AnyValue():
                return Declaration(cell, declaration.initial)
            case ListedValues(values):
                if len(set(values)) == 1:
                    return Declaration(cell, FillValue(values[0]))
                if cell.scope is not Scope.GLOBAL:
                    raise Unsupported("following a local array that starts with several values")
                return Declaration(cell, AnyValue())


def declared(program: Program) -> list[tuple[str, Declaration]]:
    """All variables of a program without procedure calls, by their keys."""
    found = [(d.variable.name, d) for d in program.globals]
    for template in program.templates:
        for d in template.variables:
            found.append((variable_key(d.variable, template.body), d))
    for procedure in program.procedures:
        found += [(variable_key(d.variable, procedure.name), d) for d in procedure.locals]
    return found


def _is_per_thread(variable: Variable, template: str) -> bool:
    held = variable.type
    return isinstance(held, ArrayType) and held.extent == PerThread(template)


def _cell(variable: Variable, declaration: Declaration) -> Variable:
    held = declaration.variable.type
    if not isinstance(held, ArrayType) or not is_scalar(held.element):
        raise Unsupported(f"following `{variable.name}`, which is no array of single values")
    return Variable(variable.name, held.element, variable.scope, variable.sync)
