"""Text of terms that can be read back: with types of literals, scopes of names, and quotes.

Used by `threadwise.ir.text.printer`, which declares the records met here in the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import Const, DerefPlace, PointerAdd, Scope, Variable
from threadwise.ir.program import Procedure, Program
from threadwise.ir.text.syntax import agreed_variables, quote_field, quote_name, quote_string
from threadwise.ir.text.terms import Piece, Terms, literal
from threadwise.ir.types import (
    NONE,
    BoolType,
    EnumType,
    IntType,
    PointerType,
    RecordType,
    TidType,
    Type,
    Value,
)

LINE_NUMBER = re.compile(r":\d+")
"""What names of properties and sites contain that changes when lines are inserted."""


class ExactTerms(Terms):
    """Terms that can be read back."""

    def __init__(self, program: Program, *, sites: bool) -> None:
        super().__init__()
        self.enums = {enum.name: enum for enum in program.enums}
        self.records: dict[str, RecordType] = {}
        """The records met so far, those used by others first."""
        self.templates = program.templates
        self.globals = {d.variable.name: d.variable for d in program.globals}
        self.threads = agreed_variables(program.templates)
        self.visible: dict[str, Variable] = {}
        self._dotted = {name for name in _declared_names(program) if "." in name}
        self._sites: dict[str, str] | None = None if sites else {}
        self._named: dict[str, Variable] = {}
        """The variables that were found by their names alone, since it was last empty."""
        self._qualified = False
        """Whether another one was mentioned since then."""
        self._commands: dict[Action, tuple[str, Mapping[str, Variable]]] = {}
        """The text of commands in which every variable is found by its name, and these."""
        self.leave()

    def enter(self, procedure: Procedure) -> None:
        """Print what follows as inside a procedure."""
        declared = [*procedure.parameters, *(d.variable for d in procedure.locals)]
        self.visible = {**self.globals, **self.threads, **{v.name: v for v in declared}}

    def leave(self) -> None:
        """Print what follows as outside of procedures."""
        self.visible = self.globals

    def action(self, action: Action) -> str:
        """An action; the text of a command is the same wherever its names mean the same."""
        known = self._commands.get(action)
        if known is not None and all(self.visible.get(n) == v for n, v in known[1].items()):
            return known[0]
        self._named, self._qualified = {}, False
        text = super().action(action)
        if isinstance(action, Command) and not self._qualified:
            self._commands[action] = text, self._named
        return text

    def name(self, name: str) -> str:
        """A name, quoted if need be."""
        return quote_name(name)

    def field(self, name: str) -> str:
        """The name of a field, quoted if need be."""
        return quote_field(name)

    def hides(self, path: str) -> bool:
        """Whether a variable has the name that this path of fields looks like."""
        return path in self._dotted

    def variable(self, variable: Variable) -> str:
        """A reference to a variable, qualified unless its name alone would find it."""
        quoted = quote_name(variable.name)
        found = self.visible.get(variable.name)
        if (found is variable or found == variable) and not self._is_bound(variable.name):
            self._named[variable.name] = variable
            return quoted
        self._qualified = True
        if variable.scope is not Scope.THREAD or self.threads.get(variable.name) == variable:
            return f"{variable.scope.value}::{quoted}"
        for template in self.templates:
            if any(declared.variable == variable for declared in template.variables):
                return f"thread({quote_name(template.name)})::{quoted}"
        return f"thread::{quoted}"

    def constant(self, constant: Const) -> str:
        """A literal with its type, unless that shows."""
        value, held = constant.value, constant.type
        match held:
            case BoolType():
                natural = isinstance(value, bool)
            case IntType():
                natural = isinstance(value, int) and not isinstance(value, bool)
            case PointerType():
                natural = not isinstance(value, bool | int)
            case TidType():
                natural = value == NONE
            case EnumType():
                natural = self._has_member(held, value) and not self._is_bound(held.name)
            case _:
                natural = False
        return self.cell_value(value, held) if natural else f"{literal(value)}#{self.type(held)}"

    def cell_value(self, value: Value, held: Type) -> str:
        """The value of a cell as its type suggests to write it."""
        if isinstance(held, EnumType):
            if not self._has_member(held, value):
                return literal(value)
            member = super().cell_value(value, held)
            return f"{quote_name(held.name)}::{member}"
        return super().cell_value(value, held)

    def named_type(self, held: EnumType | RecordType) -> str:
        """A declared enumeration or record by name, another one in full."""
        name = quote_name(held.name)
        if isinstance(held, EnumType):
            if self.enums.get(held.name) == held:
                return name
            return f"enum {name} {self.members(held)}"
        if self.records.get(held.name) == held:
            return name
        fields = self.fields(held)
        if held.name not in self.records and held.name not in self.enums:
            self.records[held.name] = held
            return name
        return f"record {name} {fields}"

    def members(self, enum: EnumType) -> str:
        """The members of an enumeration."""
        return f"{{{', '.join(map(quote_name, enum.members))}}}"

    def fields(self, record: RecordType) -> str:
        """The fields of a record."""
        listed = (f"{quote_field(name)}: {self.type(held)}" for name, held in record.fields)
        return f"{{{', '.join(listed)}}}"

    def deref(self, place: DerefPlace) -> list[Piece]:
        """What a pointer points to, and seen as what."""
        return ["deref(", place.pointer, f", {self.type(place.type)})"]

    def pointer_add(self, expr: PointerAdd) -> list[Piece]:
        """A pointer moved, and in which steps."""
        return ["shift(", expr.pointer, ", ", expr.count, f", {self.type(expr.element)})"]

    def site(self, site: str) -> tuple[str, ...]:
        """Where an object is allocated."""
        if self._sites is not None and LINE_NUMBER.search(site):
            site = self._sites.setdefault(site, f"site.{len(self._sites)}")
        return (f" at {quote_string(site)}",)

    def _is_bound(self, name: str) -> bool:
        return bool(self.bound) and any(v.name == name for scope in self.bound for v in scope)

    def _has_member(self, enum: EnumType, value: Value) -> bool:
        known = self.enums.get(enum.name) == enum
        return known and isinstance(value, int) and 0 <= value < len(enum.members)


def _declared_names(program: Program) -> Iterable[str]:
    for declaration in program.globals:
        yield declaration.variable.name
    for template in program.templates:
        for declaration in template.variables:
            yield declaration.variable.name
    for procedure in program.procedures:
        for parameter in procedure.parameters:
            yield parameter.name
        for declaration in procedure.locals:
            yield declaration.variable.name
