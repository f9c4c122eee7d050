"""The stable text form of programs: what `dump-ir` shows and what certificates are bound to.

    program "counter"
    source "counter.tw"

    global m: mutex
    global x: int[0..3] = 1

    thread worker[2] runs worker @4:1-9:2

    procedure worker() @4:1-9:2 {
      local i: int
      entry 0
      location 0: start @5:5-5:16
        edge 0: 0 -> 1: when (m.owner == none): m.owner := self as acquire m.owner sync @5:5-5:16
      location 1 final
    }

    property assertion `assert:7` default

`threadwise.ir.reader` reads it back into an equal program. Spans without a file belong to the one
after `source`. Names that would be misread are qualified by their scope (`global::x`).

With `spans=False` everything is left out that only says where the program came from: spans, the
text of statements, failure messages, the program's own name, and line numbers in the names of
properties and allocation sites (they are counted instead). What is left is hashed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from threadwise.core.source import Span
from threadwise.ir.commands import Action
from threadwise.ir.expr import Const, DerefPlace, Expr, Place, PointerAdd, Scope, Variable
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    Edge,
    FillValue,
    ListedValues,
    Location,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.syntax import agreed_variables, quote_field, quote_name, quote_string
from threadwise.ir.terms import Piece, Terms, literal
from threadwise.ir.types import (
    NONE,
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MutexKind,
    MutexType,
    PointerType,
    RecordType,
    TidType,
    Type,
    Value,
)

_LINE_NUMBER = re.compile(r":\d+")


def print_program(program: Program, *, spans: bool = True) -> str:
    """The text of a whole program."""
    return _ProgramPrinter(program, spans=spans).text()


def program_hash(program: Program) -> str:
    """The identity of a program: unchanged by formatting, comments and file names."""
    return hashlib.sha256(print_program(program, spans=False).encode()).hexdigest()


def print_type(held: Type) -> str:
    """A type, for people."""
    return Terms().type(held)


def print_expr(expr: Expr) -> str:
    """An expression, for people."""
    return Terms().expr(expr)


def print_place(place: Place) -> str:
    """A place, for people."""
    return Terms().place(place)


def print_action(action: Action) -> str:
    """An action, for people: `when (m.owner == none): m.owner := self`."""
    return Terms().action(action)


class _ExactTerms(Terms):
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
        self.leave()

    def enter(self, procedure: Procedure) -> None:
        """Print what follows as inside a procedure."""
        declared = [*procedure.parameters, *(d.variable for d in procedure.locals)]
        self.visible = {**self.globals, **self.threads, **{v.name: v for v in declared}}

    def leave(self) -> None:
        """Print what follows as outside of procedures."""
        self.visible = self.globals

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
            return quoted
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
        if self._sites is not None and _LINE_NUMBER.search(site):
            site = self._sites.setdefault(site, f"site.{len(self._sites)}")
        return (f" at {quote_string(site)}",)

    def _is_bound(self, name: str) -> bool:
        return bool(self.bound) and any(v.name == name for scope in self.bound for v in scope)

    def _has_member(self, enum: EnumType, value: Value) -> bool:
        known = self.enums.get(enum.name) == enum
        return known and isinstance(value, int) and 0 <= value < len(enum.members)


class _ProgramPrinter:
    """The text of one program."""

    def __init__(self, program: Program, *, spans: bool) -> None:
        self.program = program
        self.spans = spans
        self.terms = _ExactTerms(program, sites=spans)
        self.path: str | None = None
        self.property_names: dict[str, str] = {}
        if not spans:
            for number, checked in enumerate(program.properties):
                if isinstance(checked, FailureProperty) and _LINE_NUMBER.search(checked.name):
                    self.property_names[checked.name] = f"{checked.kind.value}.{number}"

    def text(self) -> str:
        """Header last: it declares the records and the file that the rest mentions."""
        body: list[str] = []
        program = self.program
        self._section(body, (f"global {self._declaration(d)}" for d in program.globals))
        for template in program.templates:
            self._section(body, self._template(template))
        for procedure in program.procedures:
            self.terms.enter(procedure)
            self._section(body, self._procedure(procedure))
        self.terms.leave()
        self._section(body, map(self._property, program.properties))

        head = [f"program {quote_string(program.name if self.spans else '')}"]
        if self.path is not None:
            head.append(f"source {quote_string(self.path)}")
        self._section(head, self._named_types())
        return "\n".join([*head, *body, ""])

    @staticmethod
    def _section(lines: list[str], added: Iterable[str]) -> None:
        more = list(added)
        if more:
            lines.append("")
            lines.extend(more)

    def _named_types(self) -> Iterable[str]:
        for enum in self.program.enums:
            yield f"enum {quote_name(enum.name)} {self.terms.members(enum)}"
        for record in list(self.terms.records.values()):
            yield f"record {quote_name(record.name)} {self.terms.fields(record)}"

    def _span(self, span: Span | None) -> str:
        if span is None or not self.spans:
            return ""
        if self.path is None:
            self.path = span.path
        path = "" if span.path == self.path else f"{quote_string(span.path)}:"
        return f" @{path}{span.line}:{span.column}-{span.end_line}:{span.end_column}"

    def _declaration(self, declaration: Declaration) -> str:
        match declaration.initial:
            case DefaultValue():
                initial = ""
            case AnyValue():
                initial = " = *"
            case FillValue(value):
                initial = f" = {self._value(value, declaration.variable.type)}"
            case ListedValues(values):
                held = declaration.variable.type
                initial = f" = [{', '.join(self._value(value, held) for value in values)}]"
        return f"{self._variable(declaration.variable)}{initial}"

    def _variable(self, variable: Variable) -> str:
        sync = " sync" if variable.sync else ""
        return f"{quote_name(variable.name)}: {self.terms.type(variable.type)}{sync}"

    def _value(self, value: Value, held: Type) -> str:
        while isinstance(held, ArrayType):
            held = held.element
        if isinstance(held, MutexType) and held.kind is MutexKind.NORMAL:
            held = TidType()
        return self.terms.cell_value(value, held)

    def _template(self, template: Template) -> Iterable[str]:
        count = "*" if template.count is None else template.count
        pool = " pool" if template.pool else ""
        yield (
            f"thread {quote_name(template.name)}[{count}] runs {quote_name(template.body)}"
            f"{pool}{self._span(template.span)}"
        )
        for declaration in template.variables:
            yield f"  variable {self._declaration(declaration)}"

    def _procedure(self, procedure: Procedure) -> Iterable[str]:
        parameters = ", ".join(map(self._variable, procedure.parameters))
        result = "" if procedure.result is None else f": {self.terms.type(procedure.result)}"
        span = self._span(procedure.span)
        yield f"procedure {quote_name(procedure.name)}({parameters}){result}{span} {{"
        for declaration in procedure.locals:
            yield f"  local {self._declaration(declaration)}"
        yield f"  entry {procedure.entry}"
        edges = procedure.edges
        done = 0
        for location in procedure.locations:
            yield self._location(location)
            while done < len(edges) and edges[done].source == location.id:
                yield self._edge(edges[done])
                done += 1
        for edge in edges[done:]:
            yield self._edge(edge)
        yield "}"

    def _location(self, location: Location) -> str:
        text = f"  location {location.id}"
        if location.labels:
            text += f": {', '.join(map(quote_name, location.labels))}"
        if location.atomic:
            text += " atomic"
        if location.final:
            text += " final"
        if location.failure is not None:
            failure = location.failure
            name = self.property_names.get(failure.property, failure.property)
            text += f" failure {failure.kind.value} {quote_name(name)}"
            if self.spans:
                text += f" {quote_string(failure.message)}"
        return text + self._span(location.span)

    def _edge(self, edge: Edge) -> str:
        text = f"    edge {edge.id}: {edge.source} -> {edge.target}: "
        text += self.terms.action(edge.action)
        if edge.operation is not None:
            text += f" as {edge.operation.kind.value}"
            if edge.operation.subject is not None:
                text += f" {self.terms.expr(edge.operation.subject)}"
        if edge.sync:
            text += " sync"
        if self.spans and edge.text:
            text += f" {quote_string(edge.text)}"
        return text + self._span(edge.span)

    def _property(self, checked: Property) -> str:
        name = quote_name(self.property_names.get(checked.name, checked.name))
        tail = f"{' default' if checked.default else ''}{self._span(checked.span)}"
        match checked:
            case FailureProperty():
                return f"property {checked.kind.value} {name}{tail}"
            case RaceProperty(_, None):
                return f"property race {name} on *{tail}"
            case RaceProperty(_, variables):
                listed = ", ".join(map(quote_name, variables or ()))
                return f"property race {name} on ({listed}){tail}"
            case DeadlockProperty():
                return f"property deadlock {name}{tail}"
            case InvariantProperty(_, formula):
                return f"property invariant {name}{tail}: {self.terms.expr(formula)}"


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
