"""Places and expressions: immutable trees with one meaning for every engine.

A *place* denotes cells (`VariablePlace`, `IndexPlace`, `FieldPlace`, `DerefPlace`); an
*expression* denotes a value. Arithmetic is mathematical; `Wrap` and `Clamp` bring a result back
into a range, so that the interpreter, BDDs, SMT and compiled code cannot disagree about overflow.
`&&`, `||` and `==>` evaluate their right operand only if the left one does not decide.

Evaluation is partial: division by zero, an index out of bounds and an invalid dereference have no
value. Front ends guard every edge with `definedness` (see `threadwise.ir.fold`), so that no edge
whose guard holds evaluates an undefined expression.

The last group of nodes occurs in invariants only: they refer to several threads at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.hashing import Hashed, Listed, hashed_once
from threadwise.ir.types import (
    BOOL,
    INT,
    POINTER,
    TID,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    Value,
    fields_of,
    is_integer,
)


class Scope(Listed):
    """Where a variable lives."""

    GLOBAL = "global"
    """Shared by all threads."""
    THREAD = "thread"
    """One per thread, alive across calls."""
    LOCAL = "local"
    """One per activation of a procedure."""


@hashed_once
@dataclass(frozen=True, slots=True)
class Variable(Hashed):
    """A declared name; accesses to a `sync` variable never race."""

    name: str
    type: Type
    scope: Scope
    sync: bool = False


@hashed_once
@dataclass(frozen=True, slots=True)
class VariablePlace(Hashed):
    """The cells of a variable."""

    variable: Variable

    @property
    def type(self) -> Type:
        """What the place holds."""
        return self.variable.type


@hashed_once
@dataclass(frozen=True, slots=True)
class IndexPlace(Hashed):
    """An element of an array; the index is a `tid` iff the array is per thread."""

    base: Place
    index: Expr

    @property
    def type(self) -> Type:
        """What the place holds."""
        base = self.base.type
        if not isinstance(base, ArrayType):
            raise TypeError(f"index into a {type(base).__name__}")
        return base.element


@hashed_once
@dataclass(frozen=True, slots=True)
class FieldPlace(Hashed):
    """A field of a record, or `owner`/`depth` of a mutex."""

    base: Place
    field: str

    @property
    def type(self) -> Type:
        """What the place holds."""
        base = self.base.type
        if not isinstance(base, RecordType | MutexType):
            raise TypeError(f"field of a {type(base).__name__}")
        return _types_of_fields(base)[self.field]


@lru_cache(maxsize=1 << 12)
def _types_of_fields(record: RecordType | MutexType) -> Mapping[str, Type]:
    return dict(fields_of(record))


@hashed_once
@dataclass(frozen=True, slots=True)
class DerefPlace(Hashed):
    """What a pointer points to, seen as a `type`."""

    pointer: Expr
    type: Type


Place: TypeAlias = VariablePlace | IndexPlace | FieldPlace | DerefPlace


class UnaryOp(Listed):
    """Operators with one operand."""

    NEG = "-"
    NOT = "!"
    BIT_NOT = "~"


class BinaryOp(Listed):
    """Operators with two operands; `/` and `%` truncate towards zero as in C."""

    MUL = "*"
    DIV = "/"
    MOD = "%"
    ADD = "+"
    SUB = "-"
    SHL = "<<"
    SHR = ">>"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="
    BIT_AND = "&"
    BIT_XOR = "^"
    BIT_OR = "|"
    AND = "&&"
    OR = "||"
    IMPLIES = "==>"


COMPARISONS = frozenset(
    {BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE, BinaryOp.EQ, BinaryOp.NE}
)
COMPLEMENT = {
    BinaryOp.LT: BinaryOp.GE,
    BinaryOp.LE: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LE,
    BinaryOp.GE: BinaryOp.LT,
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
}
"""The comparison that holds where another does not."""
MIRRORED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.GE: BinaryOp.LE,
    BinaryOp.EQ: BinaryOp.EQ,
    BinaryOp.NE: BinaryOp.NE,
}
"""The same comparison with its operands exchanged."""
CONNECTIVES = frozenset({BinaryOp.AND, BinaryOp.OR, BinaryOp.IMPLIES})


@hashed_once
@dataclass(frozen=True, slots=True)
class Const(Hashed):
    """A literal."""

    value: Value
    type: Type


@hashed_once
@dataclass(frozen=True, slots=True)
class Read(Hashed):
    """The value of a scalar place."""

    place: Place

    @property
    def type(self) -> Type:
        """The type of the value."""
        return self.place.type


@hashed_once
@dataclass(frozen=True, slots=True)
class Unary(Hashed):
    """An operator applied to one operand."""

    op: UnaryOp
    operand: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL if self.op is UnaryOp.NOT else INT


@hashed_once
@dataclass(frozen=True, slots=True)
class Binary(Hashed):
    """An operator applied to two operands."""

    op: BinaryOp
    left: Expr
    right: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL if self.op in COMPARISONS or self.op in CONNECTIVES else INT


@hashed_once
@dataclass(frozen=True, slots=True)
class Conditional(Hashed):
    """`condition ? then : otherwise`; only the chosen branch is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr

    @property
    def type(self) -> Type:
        """The type of the value: that of both branches, or any integer if they differ."""
        then, otherwise = self.then.type, self.otherwise.type
        return INT if then != otherwise and is_integer(then) else then


@hashed_once
@dataclass(frozen=True, slots=True)
class Wrap(Hashed):
    """The value in low..high that is congruent to the operand modulo high - low + 1."""

    low: int
    high: int
    operand: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return INT


@hashed_once
@dataclass(frozen=True, slots=True)
class Clamp(Hashed):
    """The value in low..high nearest to the operand."""

    low: int
    high: int
    operand: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return INT


@hashed_once
@dataclass(frozen=True, slots=True)
class SelfId(Hashed):
    """The id of the thread that evaluates the expression."""

    @property
    def type(self) -> Type:
        """The type of the value."""
        return TID


@hashed_once
@dataclass(frozen=True, slots=True)
class SelfIndex(Hashed):
    """The position of the evaluating thread in its template: 0..count-1."""

    @property
    def type(self) -> Type:
        """The type of the value."""
        return INT


@hashed_once
@dataclass(frozen=True, slots=True)
class ThreadAt(Hashed):
    """The id of the thread at a position of a template."""

    template: str
    position: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return TID


@hashed_once
@dataclass(frozen=True, slots=True)
class IsInstance(Hashed):
    """Whether a thread id belongs to a template (`none` belongs to none)."""

    operand: Expr
    template: str

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class AddressOf(Hashed):
    """A pointer to a place in global memory or on the heap."""

    place: Place

    @property
    def type(self) -> Type:
        """The type of the value."""
        return POINTER


@hashed_once
@dataclass(frozen=True, slots=True)
class PointerAdd(Hashed):
    """A pointer moved by a number of objects of type `element`."""

    pointer: Expr
    count: Expr
    element: Type

    @property
    def type(self) -> Type:
        """The type of the value."""
        return POINTER


@hashed_once
@dataclass(frozen=True, slots=True)
class PointerDifference(Hashed):
    """How many objects of type `element` lie between two pointers into one object."""

    left: Expr
    right: Expr
    element: Type

    @property
    def type(self) -> Type:
        """The type of the value."""
        return INT


@hashed_once
@dataclass(frozen=True, slots=True)
class IntToPointer(Hashed):
    """A pointer that holds an integer; 0 becomes null."""

    operand: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return POINTER


@hashed_once
@dataclass(frozen=True, slots=True)
class PointerToInt(Hashed):
    """The integer that a pointer holds; the address of an object has none."""

    pointer: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return INT


@hashed_once
@dataclass(frozen=True, slots=True)
class IsValid(Hashed):
    """Whether a pointer may be dereferenced: not null, its object alive, inside its bounds.

    With `held` also whether what it points to has the cells of that type.
    """

    pointer: Expr
    held: Type | None = None

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class IsAllocated(Hashed):
    """Whether a pointer may be freed: it points to the start of a live object on the heap."""

    pointer: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class HoldsInteger(Hashed):
    """Whether a pointer is null or holds an integer: it is the address of no object."""

    pointer: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class SameObject(Hashed):
    """Whether two pointers point into one object (or neither into any)."""

    left: Expr
    right: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class IsWritten(Hashed):
    """Whether something was stored in a place since it came to life."""

    place: Place

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class ThreadVariable(Hashed):
    """A quantified thread of a template, as a `tid`."""

    name: str
    template: str

    @property
    def type(self) -> Type:
        """The type of the value."""
        return TID


@hashed_once
@dataclass(frozen=True, slots=True)
class AtLabel(Hashed):
    """Whether the innermost frame of a thread is at a label of a procedure."""

    thread: ThreadVariable
    procedure: str
    label: str

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


@hashed_once
@dataclass(frozen=True, slots=True)
class ThreadRead(Hashed):
    """The value of a place among a quantified thread's own thread-scoped variables."""

    thread: ThreadVariable
    place: Place

    @property
    def type(self) -> Type:
        """The type of the value."""
        return self.place.type


class Quantifier(Listed):
    """How a quantified formula ranges over threads."""

    FORALL = "forall"
    EXISTS = "exists"


@hashed_once
@dataclass(frozen=True, slots=True)
class Quantified(Hashed):
    """A formula over all choices of threads; two variables may mean the same thread."""

    quantifier: Quantifier
    variables: tuple[ThreadVariable, ...]
    body: Expr

    @property
    def type(self) -> Type:
        """The type of the value."""
        return BOOL


PointerExpr: TypeAlias = (
    AddressOf
    | PointerAdd
    | PointerDifference
    | IntToPointer
    | PointerToInt
    | IsValid
    | IsAllocated
    | HoldsInteger
    | SameObject
    | IsWritten
)
"""The expressions that have to do with memory."""

Expr: TypeAlias = (
    Const
    | Read
    | Unary
    | Binary
    | Conditional
    | Wrap
    | Clamp
    | SelfId
    | SelfIndex
    | ThreadAt
    | IsInstance
    | PointerExpr
    | ThreadVariable
    | AtLabel
    | ThreadRead
    | Quantified
)

TRUE = Const(value=True, type=BOOL)
FALSE = Const(value=False, type=BOOL)
