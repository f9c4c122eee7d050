"""The reader's half for declarations, control flow and properties.

Continues `threadwise.ir.text.read_terms`: the methods are called as Lark finishes the rules they
are named after. The heads of procedures and the binders of quantifiers are rules of their own, so
that their scopes are open before what they enclose is read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import TypeVar

from lark import Token, v_args

from threadwise.core.source import Span
from threadwise.core.suggestions import did_you_mean
from threadwise.ir.commands import (
    Action,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    Operation,
    OperationKind,
    Return,
)
from threadwise.ir.expr import TRUE, Expr, Place, Scope, Variable
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    Edge,
    EdgeId,
    Failure,
    FailureKind,
    FillValue,
    Initial,
    ListedValues,
    Location,
    LocId,
    MoverClaim,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.text.read_terms import Held, Literal, Names, Term, TermReader
from threadwise.ir.text.syntax import agreed_variables
from threadwise.ir.types import EnumType, RecordType

_SPAN = re.compile(r'@(?:("(?:\\.|[^"\\])*"):)?(\d+):(\d+)-(\d+):(\d+)')
Choice = TypeVar("Choice", bound=Enum)


@v_args(inline=True)
class ProgramReader(TermReader):
    """The rules for declarations, control flow and properties."""

    def begin(self, path: str) -> None:
        """Forget everything about the text before."""
        self.names = Names(path)
        self._file = ""
        self._enums: list[EnumType] = []
        self._globals: list[Declaration] = []
        self._templates: list[Template] = []
        self._procedures: list[Procedure] = []
        self._properties: list[Property] = []

    def header(self, name: Token, source: Token | None) -> str:
        """The name of the program and of the file it comes from."""
        self._file = "" if source is None else self._string_of(source)
        return self._string_of(name)

    def program(self, name: str, *_: None) -> Program:
        """Everything together, at the end of the text."""
        return Program(
            name,
            tuple(self._enums),
            tuple(self._globals),
            tuple(self._procedures),
            tuple(self._templates),
            tuple(self._properties),
        )

    # Declarations

    def enum_declaration(self, held: Held) -> None:
        """A named enumeration."""
        assert isinstance(held.type, EnumType)
        self._enums.append(held.type)
        self.names.enums[held.type.name] = held.type
        self.names.named_types[held.type.name] = held

    def record_declaration(self, held: Held) -> None:
        """A named record; programs do not list them."""
        assert isinstance(held.type, RecordType)
        self.names.named_types[held.type.name] = held

    def variable(self, name: Token, held: Held, sync: Token | None) -> Variable:
        """A name and a type; the declaration sets the scope."""
        return Variable(self._name_of(name), held.type, Scope.LOCAL, sync is not None)

    def declaration(self, variable: Variable, initial: Initial | None) -> Declaration:
        """A variable and its initial value."""
        return Declaration(variable, DefaultValue() if initial is None else initial)

    def any_value(self, _: Token) -> AnyValue:
        """`= *`."""
        return AnyValue()

    def fill_value(self, value: Literal) -> FillValue:
        """`= v`."""
        return FillValue(value.value)

    def listed_values(self, *values: Literal | None) -> ListedValues:
        """`= [v, w]`."""
        return ListedValues(tuple(value.value for value in values if value is not None))

    def shared(self, declaration: Declaration) -> None:
        """A shared variable."""
        declared = _scoped(declaration, Scope.GLOBAL)
        self._globals.append(declared)
        self.names.globals[declared.variable.name] = declared.variable
        self.names.visible = self.names.globals

    def template_variable(self, declaration: Declaration) -> Declaration:
        """A variable of each thread of a template."""
        return _scoped(declaration, Scope.THREAD)

    def template_head(
        self,
        name: Token,
        count: Token,
        most: Token | None,
        body: Token,
        pool: Token | None,
        span: Token | None,
    ) -> Template:
        """A template without its variables."""
        number = None if count == "*" else self._number_of(count)
        return Template(
            self._name_of(name),
            number,
            self._name_of(body),
            (),
            pool is not None,
            self._span(span),
            None if most is None else self._number_of(most),
        )

    def template(self, head: Template, *variables: Declaration) -> None:
        """A template."""
        self._templates.append(replace(head, variables=variables))
        declared = {d.variable.name: d.variable for d in variables}
        self.names.templates[head.name] = declared
        self.names.threads = agreed_variables(self._templates)

    # Control flow

    def local(self, declaration: Declaration) -> Declaration:
        """A local variable."""
        return declaration

    def procedure_head(self, name: Token, *rest: object) -> Procedure:
        """A procedure without its graph; opens its scope."""
        *declared, entry = rest
        parameters = tuple(part for part in declared if isinstance(part, Variable))
        declarations = tuple(part for part in declared if isinstance(part, Declaration))
        result = next((part.type for part in declared if isinstance(part, Held)), None)
        span = next((part for part in declared if isinstance(part, Token)), None)
        assert isinstance(entry, Token)
        names = self.names
        names.locals = {v.name: v for v in parameters}
        names.locals.update({d.variable.name: d.variable for d in declarations})
        names.visible = {**names.globals, **names.threads, **names.locals}
        return Procedure(
            self._name_of(name),
            parameters,
            result,
            declarations,
            LocId(self._number_of(entry)),
            (),
            (),
            self._span(span),
        )

    def procedure(self, head: Procedure, *parts: Location | Edge) -> None:
        """A procedure; closes its scope."""
        locations = tuple(part for part in parts if isinstance(part, Location))
        edges = tuple(part for part in parts if isinstance(part, Edge))
        self._procedures.append(replace(head, locations=locations, edges=edges))
        self.names.locals = {}
        self.names.visible = self.names.globals

    def labels(self, *names: Token) -> tuple[str, ...]:
        """The labels of a location."""
        return tuple(map(self._name_of, names))

    def failure(self, kind: Token, name: Token, message: Token | None) -> Failure:
        """What a failure location means."""
        text = "" if message is None else self._string_of(message)
        return Failure(self._choice(FailureKind, kind), self._name_of(name), text)

    def location(
        self,
        number: Token,
        labels: tuple[str, ...] | None,
        atomic: Token | None,
        final: Token | None,
        failure: Failure | None,
        span: Token | None,
    ) -> Location:
        """A location."""
        return Location(
            LocId(self._number_of(number)),
            labels or (),
            self._span(span),
            atomic is not None,
            final is not None,
            failure,
        )

    def edge(  # noqa: PLR0913, PLR0917 - one parameter per part of the line
        self,
        number: Token,
        source: Token,
        target: Token,
        action: Action,
        operation: Operation | None,
        sync: Token | None,
        mover: MoverClaim | None,
        text: Token | None,
        span: Token | None,
    ) -> Edge:
        """An edge."""
        return Edge(
            EdgeId(self._number_of(number)),
            LocId(self._number_of(source)),
            LocId(self._number_of(target)),
            action,
            self._span(span),
            operation,
            sync is not None,
            "" if text is None else self._string_of(text),
            mover,
        )

    def mover(self, kind: Token) -> MoverClaim:
        """What the user says about a step."""
        return self._choice(MoverClaim, kind)

    def operation(self, kind: Token, subject: Term | None) -> Operation:
        """What an edge is for."""
        return Operation(
            self._choice(OperationKind, kind), None if subject is None else subject.value
        )

    # Actions

    def guarded(self, guard: Term, effect: Action | None) -> Action:
        """An action with a guard."""
        return replace(Command() if effect is None else effect, guard=guard.value)

    def skip(self) -> Command:
        """`skip`."""
        return Command()

    def assignment(self, target: Term, value: Term) -> Assignment:
        """`x := e`."""
        return Assignment(self._place(target), value.value)

    def havoc(self, target: Term) -> Place:
        """`havoc x`."""
        return self._place(target)

    def changes(self, *changes: Assignment | Place) -> Command:
        """Assignments and havocs."""
        assignments = tuple(part for part in changes if isinstance(part, Assignment))
        havocs = tuple(part for part in changes if not isinstance(part, Assignment))
        return Command(assignments=assignments, havocs=havocs)

    def allocate(
        self, target: Term, unset: Token | None, count: Term | None, held: Held, site: Token
    ) -> Allocate:
        """`x := new T at "site"`."""
        return Allocate(
            TRUE,
            self._place(target),
            held.type,
            self._string_of(site),
            None if count is None else count.value,
            cleared=unset is None,
        )

    def free(self, pointer: Term) -> Free:
        """`free p`."""
        return Free(TRUE, pointer.value)

    def arguments(self, *values: Term | None) -> tuple[Expr, ...]:
        """The arguments of a call."""
        return tuple(value.value for value in values if value is not None)

    def call(self, name: Token, arguments: tuple[Expr, ...]) -> Call:
        """`call f(a)`."""
        return Call(self._name_of(name), arguments)

    def call_with_result(self, target: Term, name: Token, arguments: tuple[Expr, ...]) -> Call:
        """`x := call f(a)`."""
        return Call(self._name_of(name), arguments, self._place(target))

    def return_(self, value: Term | None) -> Return:
        """`return e`."""
        return Return(None if value is None else value.value)

    # Properties

    def all_variables(self, _: Token) -> tuple[str, ...] | None:
        """`on *`."""
        return None

    def listed_variables(self, *names: Token | None) -> tuple[str, ...]:
        """`on (x, y)`."""
        return tuple(self._name_of(name) for name in names if name is not None)

    def race(
        self,
        name: Token,
        variables: tuple[str, ...] | None,
        default: Token | None,
        span: Token | None,
    ) -> None:
        """No race."""
        checked = RaceProperty(
            self._name_of(name), variables, self._span(span), default is not None
        )
        self._properties.append(checked)

    def deadlock(self, name: Token, default: Token | None, span: Token | None) -> None:
        """No deadlock."""
        self._properties.append(
            DeadlockProperty(self._name_of(name), self._span(span), default is not None)
        )

    def invariant_head(
        self, name: Token, default: Token | None, span: Token | None
    ) -> tuple[str, bool, Span | None]:
        """An invariant without its formula."""
        return self._name_of(name), default is not None, self._span(span)

    def invariant(self, head: tuple[str, bool, Span | None], formula: Term) -> None:
        """An invariant."""
        name, default, span = head
        self._properties.append(InvariantProperty(name, formula.value, span, default))

    def failure_property(
        self, kind: Token, name: Token, default: Token | None, span: Token | None
    ) -> None:
        """No failure."""
        checked = FailureProperty(
            self._name_of(name),
            self._choice(PropertyKind, kind),
            self._span(span),
            default is not None,
        )
        self._properties.append(checked)

    # Helpers

    def _choice(self, choices: type[Choice], token: Token) -> Choice:
        try:
            return choices(str(token))
        except ValueError:
            known = [str(choice.value) for choice in choices]
            self._fail(f"unknown word `{token}`", token, did_you_mean(token, known))

    def _span(self, token: Token | None) -> Span | None:
        if token is None:
            return None
        match = _SPAN.fullmatch(token)
        assert match is not None
        path, *numbers = match.groups()
        line, column, end_line, end_column = map(self._small_number, numbers, [token] * 4)
        file = self._file if path is None else self._string_of(token.update(value=path))
        return Span(file, line, column, end_line, end_column)

    def _small_number(self, digits: str, token: Token) -> int:
        return self._number_of(token.update(value=digits))


def _scoped(declaration: Declaration, scope: Scope) -> Declaration:
    return replace(declaration, variable=replace(declaration.variable, scope=scope))
