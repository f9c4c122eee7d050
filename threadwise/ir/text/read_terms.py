"""The reader's half for types and expressions: what each grammar rule builds.

Lark calls these methods while it parses, innermost rule first and from left to right, so names are
looked up in the scope that the rules before have opened. A `Term` is an expression or place with
its depth: comparing and hashing terms recurse, so what is too deep for them is refused here.
"""

# ruff: noqa: D102 - each method is documented by the rule of the same name in ir.lark

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from lark import Token, Transformer, v_args

from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import Span
from threadwise.core.suggestions import did_you_mean
from threadwise.ir.expr import (
    AddressOf,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsInstance,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Quantified,
    Quantifier,
    Read,
    SameObject,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.text.syntax import NESTING_LIMIT, unquote_name, unquote_string
from threadwise.ir.types import (
    BOOL,
    INT,
    MUTEX,
    NONE,
    NULL,
    POINTER,
    TID,
    Address,
    ArrayType,
    EnumType,
    MachineType,
    MutexKind,
    MutexType,
    Overflow,
    PerThread,
    RangeType,
    RecordType,
    Type,
    Value,
)


class Term(NamedTuple):
    """An expression, or a place that becomes one when it is read."""

    token: Token
    depth: int
    expr: Expr | None = None
    place: Place | None = None
    thread: ThreadVariable | None = None

    @property
    def value(self) -> Expr:
        """The term as an expression."""
        if self.expr is not None:
            return self.expr
        assert self.place is not None
        if self.thread is not None:
            return ThreadRead(self.thread, self.place)
        return Read(self.place)


class Held(NamedTuple):
    """A type with its depth."""

    type: Type
    depth: int


class Literal(NamedTuple):
    """A literal with the type it has if none is given."""

    token: Token
    value: Value
    type: Type


@dataclass
class Names:
    """What names mean at the place being read."""

    path: str
    enums: dict[str, EnumType] = field(default_factory=dict)
    named_types: dict[str, Held] = field(default_factory=dict)
    globals: dict[str, Variable] = field(default_factory=dict)
    threads: dict[str, Variable] = field(default_factory=dict)
    locals: dict[str, Variable] = field(default_factory=dict)
    templates: dict[str, dict[str, Variable]] = field(default_factory=dict)
    visible: dict[str, Variable] = field(default_factory=dict)
    bound: list[dict[str, ThreadVariable]] = field(default_factory=list)

    def thread_variable(self, name: str) -> ThreadVariable | None:
        """The innermost quantified variable of that name."""
        return next((scope[name] for scope in reversed(self.bound) if name in scope), None)


@v_args(inline=True)
class TermReader(Transformer[Token, object]):
    """The rules for types and expressions."""

    def __init__(self) -> None:
        super().__init__()
        self.begin("")

    def begin(self, path: str) -> None:
        """Forget everything about the text before."""
        self.names = Names(path)

    def _fail(self, message: str, token: Token, hint: str | None = None) -> NoReturn:
        """Refuse the text at a token."""
        line, column = token.line or 1, token.column or 1
        raise InputError.of(message, Span.at(self.names.path, line, column, len(token)), hint)

    def _name_of(self, token: Token) -> str:
        """The name a token stands for."""
        if token.type != "QUOTED":
            return str(token)
        try:
            return unquote_name(token)
        except ValueError:
            self._fail("malformed quoted name", token)

    def _string_of(self, token: Token) -> str:
        """The string a token stands for."""
        try:
            return unquote_string(token)
        except ValueError:
            self._fail("malformed string", token)

    def _number_of(self, token: Token) -> int:
        """The number a token stands for."""
        try:
            return int(token)
        except ValueError:
            self._fail("number too long", token)

    # Types

    def bool_type(self) -> Held:
        return Held(BOOL, 1)

    def int_type(self) -> Held:
        return Held(INT, 1)

    def tid_type(self) -> Held:
        return Held(TID, 1)

    def pointer_type(self) -> Held:
        return Held(POINTER, 1)

    def mutex_type(self) -> Held:
        return Held(MUTEX, 1)

    def recursive_mutex_type(self) -> Held:
        return Held(MutexType(MutexKind.RECURSIVE), 1)

    def range_type(self, low: Token, high: Token, overflow: Token | None) -> Held:
        policy = Overflow.ERROR if overflow is None else Overflow(str(overflow))
        return Held(RangeType(self._number_of(low), self._number_of(high), policy), 1)

    def machine_type(self, token: Token) -> Held:
        signed = not token.startswith("u")
        width = token[3:] if signed else token[4:]
        return Held(MachineType(self._number_of(token.update(value=width)), signed), 1)

    def array_type(self, extent: Token, element: Held) -> Held:
        depth = self._deeper(extent, element.depth)
        return Held(ArrayType(element.type, self._number_of(extent)), depth)

    def thread_array_type(self, template: Token, element: Held) -> Held:
        depth = self._deeper(template, element.depth)
        return Held(ArrayType(element.type, PerThread(self._name_of(template))), depth)

    def named_type(self, token: Token) -> Held:
        name = self._name_of(token)
        if name not in self.names.named_types:
            known = self.names.named_types
            self._fail(f"unknown type `{name}`", token, did_you_mean(name, known))
        return self.names.named_types[name]

    def enum(self, name: Token, *members: Token | None) -> Held:
        listed = tuple(self._name_of(member) for member in members if member is not None)
        return Held(EnumType(self._name_of(name), listed), 1)

    def field_type(self, name: Token, held: Held) -> tuple[str, Held]:
        return self._name_of(name), held

    def record(self, name: Token, *fields: tuple[str, Held] | None) -> Held:
        listed = [part for part in fields if part is not None]
        depth = self._deeper(name, *(held.depth for _, held in listed))
        parts = tuple((part, held.type) for part, held in listed)
        return Held(RecordType(self._name_of(name), parts), depth)

    # Literals

    def number(self, token: Token) -> Literal:
        return Literal(token, self._number_of(token), INT)

    def word(self, token: Token) -> Literal:
        meaning: dict[str, tuple[Value, Type]] = {
            "true": (True, BOOL),
            "false": (False, BOOL),
            "none": (NONE, TID),
            "null": (NULL, POINTER),
        }
        return Literal(token, *meaning[token])

    def address(self, number: Token, offset: Token) -> Literal:
        value = Address(self._number_of(number), self._number_of(offset))
        return Literal(number, value, POINTER)

    def constant(self, literal: Literal) -> Term:
        return Term(literal.token, 1, Const(literal.value, literal.type))

    def typed_constant(self, literal: Literal, held: Held) -> Term:
        return Term(literal.token, 1 + held.depth, Const(literal.value, held.type))

    # Places

    def reference(self, token: Token) -> Term:
        thread = self.names.thread_variable(self._name_of(token))
        if thread is not None:
            return Term(token, 1, thread)
        return self._variable(token, self.names.visible, None)

    def qualified(self, scope: Token, token: Token) -> Term:
        tables = {
            Scope.GLOBAL: self.names.globals,
            Scope.THREAD: self.names.threads,
            Scope.LOCAL: self.names.locals,
        }
        return self._variable(token, tables[Scope(str(scope))], None)

    def template_variable_reference(self, _: Token, template: Token, token: Token) -> Term:
        return self._variable(token, self._template(template), None)

    def member(self, owner: Token, token: Token) -> Term:
        thread = self.names.thread_variable(self._name_of(owner))
        if thread is not None:
            table = self.names.templates.get(thread.template, {})
            return self._variable(token, table, thread)
        enum, position = self._member(owner, token)
        return Term(owner, 1, Const(position, enum))

    def member_value(self, owner: Token, token: Token) -> Literal:
        enum, position = self._member(owner, token)
        return Literal(owner, position, enum)

    def index(self, base: Term, index: Term) -> Term:
        place = IndexPlace(self._place(base), index.value)
        depth = self._deeper(base.token, base.depth, index.depth)
        return Term(base.token, depth, None, place, base.thread)

    def field(self, base: Term, names: Token) -> Term:
        fields = [self._name_of(names)] if names.type == "QUOTED" else names.split(".")
        return self._fields(base, fields)

    def deref(self, pointer: Term, held: Held) -> Term:
        depth = self._deeper(pointer.token, pointer.depth, held.depth)
        return Term(pointer.token, depth, None, DerefPlace(pointer.value, held.type))

    # Expressions

    def binary(self, left: Term, op: Token, right: Term) -> Term:
        depth = self._deeper(left.token, left.depth, right.depth)
        return Term(left.token, depth, Binary(BinaryOp(str(op)), left.value, right.value))

    def unary(self, op: Token, operand: Term) -> Term:
        return self._over(operand, Unary(UnaryOp(str(op)), operand.value))

    def conditional(self, condition: Term, then: Term, otherwise: Term) -> Term:
        depth = self._deeper(condition.token, condition.depth, then.depth, otherwise.depth)
        expr = Conditional(condition.value, then.value, otherwise.value)
        return Term(condition.token, depth, expr)

    def wrap(self, low: Token, high: Token, operand: Term) -> Term:
        return self._over(
            operand, Wrap(self._number_of(low), self._number_of(high), operand.value)
        )

    def clamp(self, low: Token, high: Token, operand: Term) -> Term:
        return self._over(
            operand, Clamp(self._number_of(low), self._number_of(high), operand.value)
        )

    def self_id(self, token: Token) -> Term:
        return Term(token, 1, SelfId())

    def self_index(self, token: Token) -> Term:
        return Term(token, 1, SelfIndex())

    def thread_at(self, _: Token, template: Token, position: Term) -> Term:
        return self._over(position, ThreadAt(self._name_of(template), position.value))

    def instance(self, operand: Term, template: Token) -> Term:
        return self._over(operand, IsInstance(operand.value, self._name_of(template)))

    def valid(self, pointer: Term, held: Held | None) -> Term:
        return self._over(pointer, IsValid(pointer.value, None if held is None else held.type))

    def allocated(self, pointer: Term) -> Term:
        return self._over(pointer, IsAllocated(pointer.value))

    def int_to_pointer(self, operand: Term) -> Term:
        return self._over(operand, IntToPointer(operand.value))

    def pointer_to_int(self, pointer: Term) -> Term:
        return self._over(pointer, PointerToInt(pointer.value))

    def holds_integer(self, pointer: Term) -> Term:
        return self._over(pointer, HoldsInteger(pointer.value))

    def same_object(self, left: Term, right: Term) -> Term:
        depth = self._deeper(left.token, left.depth, right.depth)
        return Term(left.token, depth, SameObject(left.value, right.value))

    def pointer_difference(self, left: Term, right: Term, element: Held) -> Term:
        depth = self._deeper(left.token, left.depth, right.depth, element.depth)
        expr = PointerDifference(left.value, right.value, element.type)
        return Term(left.token, depth, expr)

    def written(self, place: Term) -> Term:
        return self._over(place, IsWritten(self._place(place)))

    def address_of(self, _: Token, place: Term) -> Term:
        return self._over(place, AddressOf(self._place(place)))

    def pointer_add(self, pointer: Term, count: Term, element: Held) -> Term:
        depth = self._deeper(pointer.token, pointer.depth, count.depth, element.depth)
        expr = PointerAdd(pointer.value, count.value, element.type)
        return Term(pointer.token, depth, expr)

    def at_label(self, token: Token, procedure: Token, label: Token) -> Term:
        thread = self.names.thread_variable(self._name_of(token))
        if thread is None:
            self._fail(f"`{self._name_of(token)}` is no quantified thread", token)
        expr = AtLabel(thread, self._name_of(procedure), self._name_of(label))
        return Term(token, 1, expr)

    def bound(self, name: Token, template: Token) -> ThreadVariable:
        return ThreadVariable(self._name_of(name), self._name_of(template))

    def binder(
        self, quantifier: Token, *variables: ThreadVariable
    ) -> tuple[Token, tuple[ThreadVariable, ...]]:
        """Open the scope of quantified variables."""
        self.names.bound.append({variable.name: variable for variable in variables})
        return quantifier, variables

    def quantified(self, binder: tuple[Token, tuple[ThreadVariable, ...]], body: Term) -> Term:
        """Close the scope of quantified variables."""
        self.names.bound.pop()
        quantifier, variables = binder
        depth = self._deeper(quantifier, body.depth)
        expr = Quantified(Quantifier(str(quantifier)), variables, body.value)
        return Term(quantifier, depth, expr)

    # Helpers

    def _deeper(self, token: Token, *depths: int) -> int:
        depth = 1 + max(depths, default=0)
        if depth > NESTING_LIMIT:
            self._fail(f"nesting limit of {NESTING_LIMIT} exceeded", token)
        return depth

    def _over(self, operand: Term, expr: Expr) -> Term:
        return Term(operand.token, self._deeper(operand.token, operand.depth), expr)

    def _place(self, term: Term) -> Place:
        if term.place is None:
            self._fail("expected a place, found an expression", term.token)
        return term.place

    def _template(self, token: Token) -> dict[str, Variable]:
        name = self._name_of(token)
        if name not in self.names.templates:
            self._fail(f"unknown thread template `{name}`", token)
        return self.names.templates[name]

    def _member(self, owner: Token, token: Token) -> tuple[EnumType, int]:
        enum = self.names.enums.get(self._name_of(owner))
        if enum is None:
            self._fail(f"unknown enumeration or thread `{self._name_of(owner)}`", owner)
        member = self._name_of(token)
        if member not in enum.members:
            hint = did_you_mean(member, enum.members)
            self._fail(f"`{enum.name}` has no member `{member}`", token, hint)
        return enum, enum.members.index(member)

    def _variable(
        self, token: Token, table: Mapping[str, Variable], thread: ThreadVariable | None
    ) -> Term:
        """A variable and fields of it: the longest name that is declared, then fields."""
        name = self._name_of(token)
        parts = [name] if token.type == "QUOTED" else name.split(".")
        length = len(parts)
        self._deeper(token, length)
        while length and ".".join(parts[:length]) not in table:
            length -= 1
        if not length:
            self._fail(f"unknown variable `{name}`", token, did_you_mean(name, table))
        variable = table[".".join(parts[:length])]
        base = Term(token, 2, None, VariablePlace(variable), thread)
        return self._fields(base, parts[length:])

    def _fields(self, base: Term, fields: list[str]) -> Term:
        place, depth = self._place(base), base.depth
        for name in fields:
            place = FieldPlace(place, name)
            depth = self._deeper(base.token, depth)
        return Term(base.token, depth, None, place, base.thread)
