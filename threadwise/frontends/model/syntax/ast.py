"""The syntax tree of a model, exactly as written.

Every node knows where it stands: `start_pos` and `end_pos` are offsets into the text (the names
are those of the parser library's tokens, so that tokens and nodes can be asked alike). `depth` is
the height of the tree below a node; the builder bounds it, so that everything after parsing may
recurse over the tree. Nodes are compared by identity, and have no text of their own: making these
classes takes a good part of the time until a small model is loaded.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from threadwise.core.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number:
    """An integer literal."""

    value: int
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Truth:
    """`true` or `false`."""

    value: bool
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoThread:
    """`none`."""

    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SelfThread:
    """`self`."""

    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Name:
    """A name, in an expression or where it is declared."""

    name: str
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Call:
    """`f(a, b)`: a procedure or one of the built-in operations."""

    name: Name
    arguments: tuple[Expression, ...]
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index:
    """`base[index]`."""

    base: Expression
    index: Expression
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Member:
    """`base.name`."""

    base: Expression
    name: Name
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parenthesised:
    """`(inner)`."""

    inner: Expression
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prefix:
    """An operator before its operand."""

    operator: str
    operand: Expression
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Infix:
    """An operator between its operands."""

    operator: str
    left: Expression
    right: Expression
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binding:
    """`name: template` after a quantifier."""

    name: Name
    template: Name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quantified:
    """`forall i, j: t. body` or `exists …`."""

    quantifier: str
    bindings: tuple[Binding, ...]
    body: Expression
    start_pos: int
    end_pos: int
    depth: int


Expression: TypeAlias = (
    Number
    | Truth
    | NoThread
    | SelfThread
    | Name
    | Call
    | Index
    | Member
    | Parenthesised
    | Prefix
    | Infix
    | Conditional
    | Quantified
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spawn:
    """`spawn worker(a, b)`."""

    template: Name
    arguments: tuple[Expression, ...]
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


RightSide: TypeAlias = Expression | Spawn


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnyInitialiser:
    """`*`: any value of the type."""

    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ListInitialiser:
    """`{a, b}`: one initialiser per element."""

    elements: tuple[Initialiser, ...]
    start_pos: int
    end_pos: int
    depth: int


Initialiser: TypeAlias = RightSide | AnyInitialiser | ListInitialiser


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WordType:
    """`bool`, `int`, `tid`, `mutex` or the name of an enumeration."""

    word: str
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RangeOf:
    """`int[low..high]`; `overflow` is empty, `wrap` or `saturate`."""

    low: Expression
    high: Expression
    overflow: str
    start_pos: int
    end_pos: int


TypeSyntax: TypeAlias = WordType | RangeOf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Declaration:
    """`type name[extent] = initialiser`, shared or local."""

    type: TypeSyntax
    name: Name
    extents: tuple[Expression, ...]
    initialiser: Initialiser | None
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parameter:
    """`type name` in the head of a procedure or a spawned thread."""

    type: TypeSyntax
    name: Name
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block:
    """`{ … }`, and what stands for an empty statement."""

    statements: tuple[Statement, ...]
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Label:
    """`name:`, naming the location of what follows."""

    name: Name
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assign:
    """`places = values`, in parallel."""

    places: tuple[Expression, ...]
    values: tuple[RightSide, ...]
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Perform:
    """A call or a spawn as a statement of its own."""

    action: RightSide
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Havoc:
    """`havoc places`."""

    places: tuple[Expression, ...]
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assert:
    """`assert(condition)`."""

    condition: Expression
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assume:
    """`assume(condition)`."""

    condition: Expression
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Join:
    """`join handle`."""

    handle: Expression
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Return:
    """`return` or `return value`."""

    value: Expression | None
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Goto:
    """`goto label`."""

    label: Name
    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Skip:
    """`skip`."""

    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Break:
    """`break`."""

    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Continue:
    """`continue`."""

    start_pos: int
    end_pos: int
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class If:
    """`if (condition) then else otherwise`."""

    condition: Expression
    then: Statement
    otherwise: Statement | None
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class While:
    """`while (condition) body`."""

    condition: Expression
    body: Statement
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class For:
    """`for (first; condition; step) body`."""

    first: tuple[Statement, ...]
    condition: Expression | None
    step: Statement | None
    body: Statement
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Either:
    """`either { … } or { … }`."""

    branches: tuple[Block, ...]
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Atomic:
    """`atomic { … }`."""

    body: Block
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Await:
    """`await(condition) { … }`."""

    condition: Expression
    body: Statement
    start_pos: int
    end_pos: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Annotated:
    """`mover direction statement`."""

    direction: Name
    statement: Statement
    start_pos: int
    end_pos: int
    depth: int


SimpleStatement: TypeAlias = (
    Label
    | Declaration
    | Assign
    | Perform
    | Havoc
    | Assert
    | Assume
    | Join
    | Return
    | Goto
    | Skip
    | Break
    | Continue
)
Statement: TypeAlias = (
    SimpleStatement | Block | If | While | For | Either | Atomic | Await | Annotated
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Const:
    """`const type name = value;`."""

    type: TypeSyntax
    name: Name
    value: Expression
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Enum:
    """`enum name { members }`."""

    name: Name
    members: tuple[Name, ...]
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Procedure:
    """`type name(parameters) { … }`; no result type means `void`."""

    result: TypeSyntax | None
    name: Name
    parameters: tuple[Parameter, ...]
    body: Block
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnyNumber:
    """`*` as the count of a thread template."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Thread:
    """`thread name[count] { … }`; with parameters the template is started by `spawn` only."""

    name: Name
    count: Expression | AnyNumber | None
    parameters: tuple[Parameter, ...] | None
    body: Block
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Invariant:
    """`invariant name: formula;`."""

    name: Name
    formula: Expression
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RaceFree:
    """`race_free names;`."""

    names: tuple[Name, ...]
    start_pos: int
    end_pos: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DeadlockFree:
    """`deadlock_free;`."""

    start_pos: int
    end_pos: int


Item: TypeAlias = (
    Const | Enum | Declaration | Procedure | Thread | Invariant | RaceFree | DeadlockFree
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """A whole file."""

    items: tuple[Item, ...]
