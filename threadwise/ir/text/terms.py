"""Text of types, places, expressions and actions.

`Terms` writes for people who read a report: names as they are, literals without types, `*p`. Its
subclass in `threadwise.ir.text.exact_terms` overrides the hooks to write what can be read back.
Both put parentheses where the precedence of C demands them, and where it would surprise.

Terms may be deep (a conjunction of many conditions leans to the left), so nothing here recurses
into an expression: `_pieces` gives one level, `_render` keeps the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, assert_never

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    TRUE,
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
    PointerExpr,
    PointerToInt,
    Quantified,
    Read,
    SameObject,
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
from threadwise.ir.text.syntax import (
    ATOM_LEVEL,
    BINARY_LEVEL,
    CONDITIONAL_LEVEL,
    QUANTIFIED_LEVEL,
    UNARY_LEVEL,
)
from threadwise.ir.types import (
    NONE,
    Address,
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    MutexKind,
    MutexType,
    Overflow,
    PerThread,
    PointerType,
    RangeType,
    RecordType,
    TidType,
    Type,
    Value,
)


@dataclass(frozen=True, slots=True)
class _Bind:
    """The scope of some quantified variables begins here."""

    variables: tuple[ThreadVariable, ...]


@dataclass(frozen=True, slots=True)
class _Unbind:
    """The innermost scope of quantified variables ends here."""


Piece: TypeAlias = str | Expr | Place | _Bind | _Unbind

_PLACES = (VariablePlace, IndexPlace, FieldPlace, DerefPlace)
_SURPRISING = frozenset(
    {BinaryOp.BIT_AND, BinaryOp.BIT_XOR, BinaryOp.BIT_OR, BinaryOp.SHL, BinaryOp.SHR}
)
"""Operators beside which other ones get parentheses even where C needs none."""


class Terms:
    """The text of terms, for people."""

    def __init__(self) -> None:
        self.bound: list[tuple[ThreadVariable, ...]] = []

    # What a subclass may want to write differently.

    def name(self, name: str) -> str:
        """A name of anything but a field."""
        return name

    def field(self, name: str) -> str:
        """The name of a field."""
        return name

    def variable(self, variable: Variable) -> str:
        """A reference to a variable."""
        return self.name(variable.name)

    def constant(self, constant: Const) -> str:
        """A literal."""
        if isinstance(constant.type, EnumType | TidType):
            return self.cell_value(constant.value, constant.type)
        return literal(constant.value)

    def named_type(self, held: EnumType | RecordType) -> str:
        """A reference to an enumeration or record."""
        return self.name(held.name)

    def deref(self, place: DerefPlace) -> list[Piece]:
        """What a pointer points to."""
        return ["*", *self._operand(place.pointer, UNARY_LEVEL)]

    def pointer_add(self, expr: PointerAdd) -> list[Piece]:
        """A pointer moved; always written as an atom."""
        return ["(", expr.pointer, " + ", *self._operand(expr.count, UNARY_LEVEL), ")"]

    def hides(self, path: str) -> bool:
        """Whether a variable has the name that this path of fields looks like."""
        return False

    # Types and values.

    def type(self, held: Type) -> str:
        """A type."""
        match held:
            case BoolType():
                return "bool"
            case IntType():
                return "int"
            case RangeType(low, high, overflow):
                suffix = "" if overflow is Overflow.ERROR else f" {overflow.value}"
                return f"int[{low}..{high}]{suffix}"
            case MachineType(width, signed):
                return f"int{width}" if signed else f"uint{width}"
            case TidType():
                return "tid"
            case PointerType():
                return "pointer"
            case MutexType(kind):
                return "mutex" if kind is MutexKind.NORMAL else f"mutex {kind.value}"
            case ArrayType(element, PerThread(template)):
                return f"array[{self.name(template)}] of {self.type(element)}"
            case ArrayType(element, extent):
                return f"array[{extent}] of {self.type(element)}"
            case EnumType() | RecordType():
                return self.named_type(held)
            case _:
                assert_never(held)

    def cell_value(self, value: Value, held: Type) -> str:
        """The value of a cell as its type suggests to write it."""
        if isinstance(held, TidType) and value == NONE:
            return "none"
        if (
            isinstance(held, EnumType)
            and isinstance(value, int)
            and 0 <= value < len(held.members)
        ):
            return self.name(held.members[value])
        return literal(value)

    # Places, expressions and actions.

    def expr(self, expr: Expr) -> str:
        """An expression."""
        return self._render([expr])

    def place(self, place: Place) -> str:
        """A place."""
        return self._render([place])

    def action(self, action: Action) -> str:
        """An action, with its guard unless that is `true`."""
        effect = self._effect(action)
        if action.guard == TRUE:
            return self._render(effect)
        if effect == ["skip"]:
            return self._render(["when (", action.guard, ")"])
        return self._render(["when (", action.guard, "): ", *effect])

    def _effect(self, action: Action) -> list[Piece]:
        match action:
            case Command(_, assignments, havocs):
                parts: list[list[Piece]] = [[a.target, " := ", a.value] for a in assignments]
                parts += [["havoc ", place] for place in havocs]
                return _separated(parts) if parts else ["skip"]
            case Allocate(_, target, held, site, count, cleared):
                times: list[Piece] = [] if count is None else ["[", count, "] "]
                fresh = "new " if cleared else "new unset "
                return [target, f" := {fresh}", *times, self.type(held), *self.site(site)]
            case Free(_, pointer):
                return ["free ", pointer]
            case Call(procedure, arguments, result, _):
                stored: list[Piece] = [] if result is None else [result, " := "]
                listed = _separated([[argument] for argument in arguments])
                return [*stored, f"call {self.name(procedure)}(", *listed, ")"]
            case Return(value, _):
                return ["return"] if value is None else ["return ", value]
            case _:
                assert_never(action)

    def site(self, site: str) -> Sequence[str]:
        """Where an object is allocated."""
        return ()

    def _render(self, pieces: Iterable[Piece]) -> str:
        out: list[str] = []
        pending = list(pieces)
        pending.reverse()
        while pending:
            piece = pending.pop()
            if isinstance(piece, str):
                out.append(piece)
            elif isinstance(piece, _PLACES):
                pending.extend(reversed(self._place_pieces(piece)))
            elif isinstance(piece, _Bind):
                self.bound.append(piece.variables)
            elif isinstance(piece, _Unbind):
                self.bound.pop()
            else:
                pending.extend(reversed(self._pieces(piece)))
        return "".join(out)

    def _pieces(self, expr: Expr) -> list[Piece]:
        match expr:
            case Read(place):
                return [place]
            case Const():
                return [self.constant(expr)]
            case Binary(op, left, right):
                level = BINARY_LEVEL[op]
                left_level = level + 1 if op is BinaryOp.IMPLIES else level
                return [
                    *self._beside(op, left, left_level),
                    f" {op.value} ",
                    *self._beside(op, right, level + 1),
                ]
            case Unary(op, operand):
                if op is UnaryOp.NEG and isinstance(operand, Const):
                    return ["-(", operand, ")"]
                return [op.value, *self._operand(operand, UNARY_LEVEL)]
            case Conditional(condition, then, otherwise):
                inner = CONDITIONAL_LEVEL + 1
                return [
                    *self._operand(condition, inner),
                    " ? ",
                    *self._operand(then, inner),
                    " : ",
                    *self._operand(otherwise, inner),
                ]
            case Wrap(low, high, operand):
                return [f"wrap[{low}..{high}](", operand, ")"]
            case Clamp(low, high, operand):
                return [f"clamp[{low}..{high}](", operand, ")"]
            case _:
                return self._rare_pieces(expr)

    def _rare_pieces(
        self,
        expr: SelfId
        | SelfIndex
        | ThreadAt
        | IsInstance
        | PointerExpr
        | ThreadVariable
        | AtLabel
        | ThreadRead
        | Quantified,
    ) -> list[Piece]:
        match expr:
            case SelfId():
                return ["self"]
            case SelfIndex():
                return ["self.index"]
            case ThreadAt(template, position):
                return [f"thread({self.name(template)}, ", position, ")"]
            case IsInstance(operand, template):
                return ["instance(", operand, f", {self.name(template)})"]
            case ThreadVariable(name, _):
                return [self.name(name)]
            case AtLabel(thread, procedure, label):
                names = (thread.name, procedure, label)
                return [f"at({', '.join(map(self.name, names))})"]
            case ThreadRead(thread, place):
                return self._place_pieces(place, thread)
            case Quantified(quantifier, variables, body):
                listed = ", ".join(
                    f"{self.name(v.name)} in {self.name(v.template)}" for v in variables
                )
                return [f"{quantifier.value} {listed}: ", _Bind(variables), body, _Unbind()]
            case _:
                return self._pointer_pieces(expr)

    def _pointer_pieces(self, expr: PointerExpr) -> list[Piece]:
        match expr:
            case AddressOf(place):
                return ["&", place]
            case PointerAdd():
                return self.pointer_add(expr)
            case PointerDifference(left, right, element):
                return ["difference(", left, ", ", right, f", {self.type(element)})"]
            case IntToPointer(operand):
                return ["to_pointer(", operand, ")"]
            case PointerToInt(pointer):
                return ["to_int(", pointer, ")"]
            case IsValid(pointer, held):
                seen = "" if held is None else f", {self.type(held)}"
                return ["valid(", pointer, f"{seen})"]
            case IsAllocated(pointer):
                return ["allocated(", pointer, ")"]
            case HoldsInteger(pointer):
                return ["no_address(", pointer, ")"]
            case SameObject(left, right):
                return ["same_object(", left, ", ", right, ")"]
            case IsWritten(place):
                return ["written(", place, ")"]
            case _:
                assert_never(expr)

    def _beside(self, op: BinaryOp, operand: Expr, level: int) -> list[Piece]:
        if isinstance(operand, Binary) and operand.op is not op and op in _SURPRISING:
            return ["(", operand, ")"]
        return self._operand(operand, level)

    def _operand(self, operand: Expr, level: int) -> list[Piece]:
        return [operand] if _level(operand) >= level else ["(", operand, ")"]

    def _place_pieces(self, place: Place, thread: ThreadVariable | None = None) -> list[Piece]:
        suffixes: list[IndexPlace | FieldPlace] = []
        while isinstance(place, IndexPlace | FieldPlace):
            suffixes.append(place)
            place = place.base
        pieces: list[Piece]
        path: str | None = None
        if isinstance(place, DerefPlace):
            pieces = self.deref(place)
            if suffixes and pieces[0] == "*":
                pieces = ["(", *pieces, ")"]
        elif thread is not None:
            pieces = [f"{self.name(thread.name)}::{self.name(place.variable.name)}"]
            path = place.variable.name
        else:
            pieces = [self.variable(place.variable)]
            path = place.variable.name
        for suffix in reversed(suffixes):
            if isinstance(suffix, IndexPlace):
                pieces += ["[", suffix.index, "]"]
                path = None
                continue
            if path is not None:
                path = f"{path}.{suffix.field}"
                if self.hides(path):
                    pieces = ["(", *pieces, ")"]
                    path = None
            pieces.append(f".{self.field(suffix.field)}")
        return pieces


def literal(value: Value) -> str:
    """A value of a cell, whatever the type of the cell."""
    match value:
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return "null"
        case Address(number, offset):
            return f"address({number}, {offset})"
        case _:
            return str(value)


def _level(expr: Expr) -> int:
    match expr:
        case Binary(op, _, _):
            return BINARY_LEVEL[op]
        case Unary() | AddressOf():
            return UNARY_LEVEL
        case Conditional():
            return CONDITIONAL_LEVEL
        case Quantified():
            return QUANTIFIED_LEVEL
        case _:
            return ATOM_LEVEL


def _separated(parts: Sequence[Sequence[Piece]]) -> list[Piece]:
    """The parts with commas between them."""
    pieces: list[Piece] = []
    for part in parts:
        if pieces:
            pieces.append(", ")
        pieces.extend(part)
    return pieces
