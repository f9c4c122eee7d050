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

`threadwise.ir.text.reader` reads it back into an equal program. Spans without a file belong to the
one after `source`. Names that would be misread are qualified by their scope (`global::x`).

With `spans=False` everything is left out that only says where the program came from: spans, the
text of statements, failure messages, the program's own name, and line numbers in the names of
properties and allocation sites (they are counted instead). What is left is hashed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from threadwise.core.source import Span
from threadwise.ir.commands import Action
from threadwise.ir.expr import Expr, Place, Variable
from threadwise.ir.program import (
    SHARED,
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
from threadwise.ir.text.exact_terms import LINE_NUMBER, ExactTerms
from threadwise.ir.text.syntax import quote_name, quote_string
from threadwise.ir.text.terms import Terms
from threadwise.ir.types import (
    ArrayType,
    MutexKind,
    MutexType,
    RecordType,
    TidType,
    Type,
    Value,
)

_HASH = "program_hash"
"""The key of the cached hash of a program."""

_CODE = "text"
"""The first part of the keys of the cached text of what threads do."""


def print_program(program: Program, *, spans: bool = True) -> str:
    """The text of a whole program."""
    return _ProgramPrinter(program, spans=spans).text()


def program_hash(program: Program) -> str:
    """The identity of a program: unchanged by formatting, comments and file names.

    It is kept with the program, which does not change.
    """
    known = program.__dict__.get(_HASH)
    if known is None:
        known = hashlib.sha256(print_program(program, spans=False).encode()).hexdigest()
        program.__dict__[_HASH] = known
    assert isinstance(known, str)
    return known


def records_of(program: Program) -> dict[str, RecordType]:
    """The record types that a program mentions, by name."""
    printer = _ProgramPrinter(program, spans=False)
    printer.text()
    return printer.terms.records


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


class _ProgramPrinter:
    """The text of one program."""

    def __init__(self, program: Program, *, spans: bool) -> None:
        self.program = program
        self.spans = spans
        self.terms = ExactTerms(program, sites=spans)
        self.path: str | None = None
        self.property_names: dict[str, str] = {}
        if not spans:
            for number, checked in enumerate(program.properties):
                if isinstance(checked, FailureProperty) and LINE_NUMBER.search(checked.name):
                    self.property_names[checked.name] = f"{checked.kind.value}.{number}"

    def text(self) -> str:
        """Header last: it declares the records and the file that the rest mentions."""
        program = self.program
        known = not self.spans and SHARED in program.code
        body = self._known_code() if known else self._code()
        self._section(body, map(self._property, program.properties))

        head = [f"program {quote_string(program.name if self.spans else '')}"]
        if self.path is not None:
            head.append(f"source {quote_string(self.path)}")
        self._section(head, self._named_types())
        return "\n".join([*head, *body, ""])

    def _code(self) -> list[str]:
        """Everything but the properties."""
        body: list[str] = []
        program = self.program
        self._section(body, (f"global {self._declaration(d)}" for d in program.globals))
        for template in program.templates:
            self._section(body, self._template(template))
        for procedure in program.procedures:
            self.terms.enter(procedure)
            self._section(body, self._procedure(procedure))
        self.terms.leave()
        return body

    def _known_code(self) -> list[str]:
        """The same, remembered for programs that differ in their properties."""
        key = _CODE, *self.property_names.items()
        known = self.program.code.get(key)
        if known is None:
            known = self.program.code[key] = "\n".join(self._code()), dict(self.terms.records)
        assert isinstance(known, tuple)
        text, records = known
        self.terms.records.update(records)
        return [text] if text else []

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
        count = "*" if template.count is None else str(template.count)
        if template.most is not None:
            count = f"{count} <= {template.most}"
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
        if edge.mover is not None:
            text += f" mover {edge.mover.value}"
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
