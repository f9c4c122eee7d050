"""The typed tree of a C program: what `parse` promises and `lower` relies on.

- Every expression has its C type and its place in the source; a place inside a macro is where the
  macro was used.
- *Lvalues* denote objects, all other expressions denote values. Reading an object is an explicit
  `Load`, decay of arrays an explicit `Decay`, every conversion an explicit `Convert`: nothing is
  converted silently, except that `CompoundAssign` names the type in which it computes.
- `p->f` is `Member(Deref(p), f)`; `a[i]` is `Deref(PointerArithmetic(Decay(a), i))`; parentheses
  and `__extension__` are gone.
- Constant expressions that the language requires to be constant (sizes, case labels, enumerators,
  bit-field widths, `sizeof` of complete types) are evaluated.
- Initialisers are resolved: designators, brace elision and trailing zeros are worked out. A string
  that initialises an array is the list of its characters.
- Declarations of the same entity in several files are one; a `static` of a second file with the
  same name gets another `name`, `shown` stays. The names of local variables are unique within
  their function.

What cannot be expressed here is an `Unsupported` node, in place, so that a construct on a path
that is not taken does no harm: lowering turns it into a `limit` failure.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field
from enum import Enum
from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.frontends.c.types import CFunction, CType

# -- declarations ------------------------------------------------------------------------------


class Storage(Enum):
    """How long a variable lives, and for whom."""

    GLOBAL = "global"
    """Static storage: file scope, or `static` in a function."""
    THREAD = "thread"
    """`_Thread_local`, `__thread`."""
    LOCAL = "local"
    """Automatic: one per activation. Parameters too."""


class GuardKind(Enum):
    """What a lock is claimed to be held for."""

    USED = "used"
    """The variable or member is used: `guarded_by`."""
    POINTED = "pointed"
    """What the pointer points to is used: `pt_guarded_by`."""
    CALLED = "called"
    """The function is called: `requires_capability`."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A lock that an attribute names, as text; what it means is found out later."""

    kind: GuardKind
    lock: str
    span: Span
    parameters: tuple[str, ...] = ()
    """The names of the parameters where the attribute stands, for functions."""


@dataclasses.dataclass(eq=False)
class Variable:
    """A variable; compared by identity."""

    name: str
    shown: str
    type: CType
    storage: Storage
    span: Span
    initial: Initialiser | None = None
    """For `GLOBAL` and `THREAD` storage: constant. For locals see `Declare`."""
    address_taken: bool = False
    """Whether `&` is applied to it or to a part of it, or an array in it decays."""
    constant: bool = False
    """Declared `const`: nothing writes it."""
    external: bool = False
    """Declared but nowhere defined."""
    signal_flag: bool = False
    """Declared `volatile sig_atomic_t`: handlers of signals may use it."""
    guards: tuple[Guard, ...] = ()
    """What attributes claim about its locks."""


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a record; one without name is an anonymous record."""

    name: str
    type: CType
    offset_bits: int
    width_bits: int | None = None
    """The width of a bit-field; None for other members."""
    adjacent: bool = False
    """Whether the member declared before this bit-field is one of some width, with or without a
    name: then they are one memory location, wherever they lie (C17 3.14)."""
    guards: tuple[Guard, ...] = ()
    """What attributes claim about its locks."""


@dataclass(frozen=True)
class Record:
    """A struct or union."""

    key: str
    shown: str
    union: bool
    fields: tuple[Field, ...]
    size: int
    """In bytes."""


@dataclasses.dataclass(eq=False)
class Function:
    """A function; without body it is declared only. Compared by identity."""

    name: str
    shown: str
    type: CFunction
    parameters: tuple[Variable, ...]
    span: Span
    body: Compound | None = None
    no_return: bool = False
    library: bool = False
    """Whether the body is a model of ours (or of a `--library`), not the user's code."""
    guards: tuple[Guard, ...] = ()
    """What attributes claim about the locks that its callers hold."""


@dataclasses.dataclass
class Program:
    """Everything in all files, linked."""

    variables: dict[str, Variable] = field(default_factory=dict)
    """Those with static or thread storage, function-scope ones included, in order."""
    functions: dict[str, Function] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    pointer_width: int = 64


# -- lvalues -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VariableRef:
    """A variable."""

    variable: Variable
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Deref:
    """What a pointer value points to."""

    pointer: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record lvalue; `path` leads through anonymous records."""

    base: LValue
    path: tuple[str, ...]
    """Names of fields; an anonymous one is named by its position, as in `"0"`."""
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class ValueMember:
    """A field of a record *value*, as in `f().x`; no lvalue, but read like one."""

    base: Expr
    path: tuple[str, ...]
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """An array of characters, the final NUL included."""

    characters: tuple[int, ...]
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class CompoundLiteral:
    """`(T){…}`: an unnamed variable, declared where it stands (its storage says for how long)."""

    variable: Variable
    initial: Initialiser
    type: CType
    span: Span


LValue: TypeAlias = VariableRef | Deref | Member | StringLiteral | CompoundLiteral


# -- values ------------------------------------------------------------------------------------


class UnaryOp(Enum):
    """Operators on one value; the operand is promoted already."""

    MINUS = "-"
    COMPLEMENT = "~"
    NOT = "!"


class BinaryOp(Enum):
    """Operators on two values of one type (shifts: the left one's; comparisons: the operands')."""

    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    ADD = "+"
    SUBTRACT = "-"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    EQUAL = "=="
    NOT_EQUAL = "!="
    AND = "&"
    XOR = "^"
    OR = "|"


class LogicalOp(Enum):
    """Operators that evaluate their right operand only if they must."""

    AND = "&&"
    OR = "||"


@dataclass(frozen=True, slots=True)
class IntegerConstant:
    """A literal, an enumerator, a character, a `sizeof`, or any folded constant expression."""

    value: int
    type: CType
    span: Span
    sizeof: CType | None = None
    """The type that was measured, for `sizeof`: tells what an allocation is for."""


@dataclass(frozen=True, slots=True)
class FloatConstant:
    """A floating literal."""

    value: float
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class FunctionName:
    """The address of a function (its decay is implied)."""

    function: Function
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Load:
    """The value of an object."""

    place: LValue | ValueMember
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Decay:
    """An array as a pointer to its first element."""

    place: LValue | ValueMember
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class AddressOf:
    """`&place`."""

    place: LValue
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Convert:
    """A conversion, implicit or by a cast: what it does follows from both types."""

    operand: Expr
    type: CType
    span: Span
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator on one value."""

    op: UnaryOp
    operand: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator on two values (numbers, or pointers for comparisons)."""

    op: BinaryOp
    left: Expr
    right: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class PointerArithmetic:
    """A pointer moved by a number of its targets (negated for `p - n`)."""

    pointer: Expr
    count: Expr
    negative: bool
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class PointerDifference:
    """How many targets lie between two pointers."""

    left: Expr
    right: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Logical:
    """`&&`, `||`: 0 or 1."""

    op: LogicalOp
    left: Expr
    right: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """`c ? a : b`; `then` is None for GNU `c ?: b`, whose value is then that of `c`, converted."""

    condition: Expr
    then: Expr | None
    otherwise: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Assign:
    """`place = value`; its value is what was stored."""

    place: LValue
    value: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class CompoundAssign:
    """`place op= value`: convert to `computation`, compute, convert back.

    For pointers (`p += n`) `computation` is the pointer type itself. `value` has been converted to
    `computation` already, except for shifts and pointers, where it is promoted only.
    """

    op: BinaryOp
    place: LValue
    value: Expr
    computation: CType
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """`++` and `--`."""

    place: LValue
    decrement: bool
    postfix: bool
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Comma:
    """Both in order; the value of the second."""

    first: Expr
    second: Expr
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A call; the callee is a value of pointer-to-function type, often a `FunctionName`."""

    callee: Expr
    arguments: tuple[Expr, ...]
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class StatementExpression:
    """GNU `({ … })`: its value is that of `result`, evaluated last inside the block."""

    body: Compound
    result: Expr | None
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class VariableSize:
    """`sizeof` of an array of variable length."""

    operand: Expr | None
    type: CType
    span: Span


@dataclass(frozen=True, slots=True)
class UnsupportedExpr:
    """Something we do not model; `what` names the construct."""

    what: str
    type: CType
    span: Span


Expr: TypeAlias = (
    IntegerConstant
    | FloatConstant
    | FunctionName
    | Load
    | Decay
    | AddressOf
    | Convert
    | Unary
    | Binary
    | PointerArithmetic
    | PointerDifference
    | Logical
    | Conditional
    | Assign
    | CompoundAssign
    | Step
    | Comma
    | Call
    | StatementExpression
    | VariableSize
    | UnsupportedExpr
)


# -- initialisers ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScalarInitial:
    """One value (a whole record too, when it is initialised by an expression)."""

    value: Expr


@dataclass(frozen=True, slots=True)
class AggregateInitial:
    """Elements by index or field position, in the order they were written; the rest is zero."""

    elements: tuple[tuple[int, Initialiser], ...]


Initialiser: TypeAlias = ScalarInitial | AggregateInitial


# -- statements --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compound:
    """A block."""

    statements: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Declare:
    """A local variable comes to life; without initialiser its value is undefined.

    `length` is the number of elements of an array of variable length.
    """

    variable: Variable
    initial: Initialiser | None
    span: Span
    length: Expr | None = None


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression for its effects."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`if`."""

    condition: Expr
    then: Statement
    otherwise: Statement | None
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """`while`."""

    condition: Expr
    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class DoWhile:
    """`do … while`."""

    body: Statement
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """`for`; any part may be missing."""

    first: Statement | None
    condition: Expr | None
    after: Expr | None
    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch`; its labels are anywhere inside `body`."""

    value: Expr
    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class Case:
    """`case low:` or `case low ... high:`, and the statement behind it."""

    low: int
    high: int
    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class Default:
    """`default:` and the statement behind it."""

    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class Label:
    """`name:` and the statement behind it."""

    name: str
    body: Statement
    span: Span


@dataclass(frozen=True, slots=True)
class Goto:
    """`goto name`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    """`break`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    """`continue`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """`return`."""

    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Empty:
    """`;`"""

    span: Span


@dataclass(frozen=True, slots=True)
class Assembly:
    """`asm`: what it writes becomes any value; without operands it does nothing we can see."""

    read: tuple[Expr, ...]
    written: tuple[LValue, ...]
    clobbers_memory: bool
    span: Span


@dataclass(frozen=True, slots=True)
class UnsupportedStatement:
    """Something we do not model; `what` names the construct."""

    what: str
    span: Span


Statement: TypeAlias = (
    Compound
    | Declare
    | Evaluate
    | If
    | While
    | DoWhile
    | For
    | Switch
    | Case
    | Default
    | Label
    | Goto
    | Break
    | Continue
    | Return
    | Empty
    | Assembly
    | UnsupportedStatement
)
