"""Well-formedness of programs: what every stage after the front end may rely on.

`validate` returns a list of violations and never raises, whatever it is given. It runs on every
program of record, and in tests after every pass and transformation. The typing rules are in
`threadwise.ir.check.terms`; here are the rules about names, numbers and the shape of control flow:

    1  locations and edges are numbered densely, in order; an edge stays in its procedure
    2  names are unique, and every name that is used is declared
    3  a failure location has no successors and names a property of its kind
    4  calls and returns touch only the thread's own variables and no atomic region
    5  a thread template runs a procedure without parameters, result and returns
    6  only invariants refer to several threads, and they never refer to `self`
"""

from __future__ import annotations

from collections.abc import Iterable

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.check.edges import EdgeChecker
from threadwise.ir.check.terms import Site, TermChecker
from threadwise.ir.check.types import BOOL_KIND, duplicates, kind_of
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    FailureKind,
    Location,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.properties import (
    FailureProperty,
    InvariantProperty,
    Property,
    PropertyKind,
    RaceProperty,
)

_FAILURE_KINDS = (
    PropertyKind.ASSERTION,
    PropertyKind.RANGE,
    PropertyKind.MUTEX,
    PropertyKind.MEMORY,
)


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a program is not well formed."""

    message: str
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def validate(program: Program) -> list[Violation]:
    """All violations of a program, in program order; none if it is well formed."""
    validator = _Validator(program)
    try:
        validator.run()
    except RecursionError:
        validator.report("nested too deeply", "program")
    return validator.violations


class _Validator:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.violations: list[Violation] = []
        self.terms = TermChecker(program, self.report)
        self.edges = EdgeChecker(program, self.terms)
        self.procedures = {procedure.name: procedure for procedure in program.procedures}
        self.runners = _runners(program, self.procedures)
        self.failure_properties = {
            checked.name: checked
            for checked in program.properties
            if isinstance(checked, FailureProperty)
        }

    def report(self, message: str, where: str) -> None:
        self.violations.append(Violation(message, where))

    def run(self) -> None:
        program = self.program
        self._unique("program", "enumerations", (enum.name for enum in program.enums))
        self._unique("program", "globals", (d.variable.name for d in program.globals))
        self._unique("program", "procedures", (proc.name for proc in program.procedures))
        self._unique("program", "templates", (template.name for template in program.templates))
        self._unique("program", "properties", (checked.name for checked in program.properties))
        for enum in program.enums:
            where = f"enumeration {enum.name}"
            self._unique(where, "members", enum.members)
            if not enum.members:
                self.report("no members", where)
        for declaration in program.globals:
            self._declaration(declaration, Scope.GLOBAL, f"global {declaration.variable.name}")
        for template in program.templates:
            self._template(template)
        self._numbers()
        for procedure in program.procedures:
            self._procedure(procedure)
        for checked in program.properties:
            self._property(checked)

    def _unique(self, where: str, what: str, names: Iterable[str]) -> None:
        for name in duplicates(names):
            self.report(f"two {what} are named {name}", where)

    def _declaration(self, declaration: Declaration, scope: Scope, where: str) -> None:
        self._variable(declaration.variable, scope, where)
        self.terms.types.check_initial(declaration)
        if scope is Scope.LOCAL and isinstance(declaration.initial, AnyValue):
            self.report("a local variable starts with any value", where)

    def _variable(self, variable: Variable, scope: Scope, where: str) -> None:
        self.terms.site = Site(where)
        self.terms.types.check(variable.type)
        if variable.scope is not scope:
            self.report(
                f"declared as {scope.value}, but its scope is {variable.scope.value}", where
            )

    def _template(self, template: Template) -> None:
        where = _at(f"template {template.name}", template.span)
        self._unique(where, "variables", (d.variable.name for d in template.variables))
        for declaration in template.variables:
            name = declaration.variable.name
            self._declaration(declaration, Scope.THREAD, f"{where}, variable {name}")
        if template.count is not None and template.count < 0:
            self.report(f"{template.count} threads", where)
        if template.most is not None and (template.count is not None or template.most < 0):
            self.report(f"at most {template.most} threads", where)
        body = self.procedures.get(template.body)
        if body is None:
            self.report(f"its body {template.body} is no procedure", where)
            return
        if body.parameters:
            self.report(f"its body {body.name} has parameters", where)
        if body.result is not None:
            self.report(f"its body {body.name} has a result", where)
        if any(isinstance(edge.action, Return) for edge in body.edges):
            self.report(f"its body {body.name} returns", where)

    def _numbers(self) -> None:
        """Rule 1: ids count through the whole program."""
        locations = edges = 0
        for procedure in self.program.procedures:
            for location in procedure.locations:
                if location.id != locations:
                    self.report(f"expected location {locations}", _location(procedure, location))
                locations += 1
            for edge in procedure.edges:
                if edge.id != edges:
                    where = f"procedure {procedure.name}, edge {edge.id}"
                    self.report(f"expected edge {edges}", where)
                edges += 1

    def _procedure(self, procedure: Procedure) -> None:
        where = _at(f"procedure {procedure.name}", procedure.span)
        declared = [*procedure.parameters, *(d.variable for d in procedure.locals)]
        self._unique(where, "parameters or locals", (variable.name for variable in declared))
        for parameter in procedure.parameters:
            own = f"{where}, parameter {parameter.name}"
            self._variable(parameter, Scope.LOCAL, own)
            if kind_of(parameter.type) is None:
                self.report("a parameter is not scalar", own)
        for declaration in procedure.locals:
            name = declaration.variable.name
            self._declaration(declaration, Scope.LOCAL, f"{where}, local {name}")
        if procedure.result is not None:
            self.terms.site = Site(where)
            self.terms.types.check(procedure.result)
            if kind_of(procedure.result) is None:
                self.report("its result is not scalar", where)

        locations = {location.id: location for location in procedure.locations}
        entry = locations.get(procedure.entry)
        if entry is None:
            self.report(f"its entry {procedure.entry} is not one of its locations", where)
        elif entry.atomic:
            self.report("its entry is inside an atomic region", where)
        left = {edge.source for edge in procedure.edges}
        for location in procedure.locations:
            self._location(location, _location(procedure, location), leaves=location.id in left)
        visible = {variable.name: variable for variable in declared}
        runners = self.runners[procedure.name]
        for edge in procedure.edges:
            if self.edges.is_known(edge, visible, runners, locations):
                continue
            own = _at(f"procedure {procedure.name}, edge {edge.id}", edge.span)
            self.terms.site = Site(own, visible, runners)
            self.edges.check(edge, procedure, locations)

    def _location(self, location: Location, where: str, *, leaves: bool) -> None:
        self._unique(where, "labels", location.labels)
        if location.atomic and (location.final or location.failure is not None):
            self.report("a thread cannot rest inside an atomic region", where)
        failure = location.failure
        if failure is None:
            return
        if location.final:
            self.report("both final and a failure", where)
        if leaves:
            self.report("an edge leaves a failure location", where)
        if failure.kind is not FailureKind.MEMORY and (
            failure.kind.is_limit or failure.kind is FailureKind.END
        ):
            return
        violated = self.failure_properties.get(failure.property)
        if violated is None:
            self.report(f"violates {failure.property}, which is no such property", where)
        elif violated.kind.value != failure.kind.value:
            self.report(
                f"is a {failure.kind.value} failure, but {failure.property} is about "
                f"{violated.kind.value}",
                where,
            )

    def _property(self, checked: Property) -> None:
        where = _at(f"property {checked.name}", checked.span)
        match checked:
            case FailureProperty():
                if checked.kind not in _FAILURE_KINDS:
                    self.report(f"no failure is of kind {checked.kind.value}", where)
            case RaceProperty():
                known = {d.variable.name for d in self.program.globals}
                for name in checked.variables or ():
                    if name not in known:
                        self.report(f"no global variable {name}", where)
            case InvariantProperty():
                self.terms.site = Site(where, invariant=True)
                self.terms.expect(checked.formula, BOOL_KIND, "the formula")
            case _:
                pass


def _runners(program: Program, procedures: dict[str, Procedure]) -> dict[str, tuple[str, ...]]:
    """For each procedure the templates whose threads can execute it."""
    found: dict[str, dict[str, None]] = {name: {} for name in procedures}
    for template in program.templates:
        pending = [template.body]
        while pending:
            name = pending.pop()
            if name not in found or template.name in found[name]:
                continue
            found[name][template.name] = None
            for edge in procedures[name].edges:
                if isinstance(edge.action, Call):
                    pending.append(edge.action.procedure)
    return {name: tuple(templates) for name, templates in found.items()}


def _location(procedure: Procedure, location: Location) -> str:
    return _at(f"procedure {procedure.name}, location {location.id}", location.span)


def _at(where: str, span: Span | None) -> str:
    return where if span is None else f"{where} ({span})"
