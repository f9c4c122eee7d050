"""Where the result of an expression may depend on the order in which its operands are evaluated.

C leaves that order open (C17 6.5, 6.5.2.2). We evaluate from left to right, so it matters whether
two operands touch the same memory and one of them changes it:

    f() + g()       one call is made before the other: if it matters, our order is an assumption
    a[i] = i++      a read and a change of a variable: the same
    i = i++ + 1     two changes of a variable, neither before the other: undefined

What an operand touches is bounded: memory that is found through pointers is told apart by its
type, functions by all that is in their text and in the text of what they call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.survey import root_variable
from threadwise.frontends.c.lower.types import is_aggregate
from threadwise.frontends.c.types import CType, unqualified
from threadwise.frontends.c.walking import nodes, parts

_WRITES = (tree.Assign, tree.CompoundAssign, tree.Step)
_UPDATES = (tree.CompoundAssign, tree.Step)
_WITHOUT_EFFECT = (
    "any_",
    "opaque_",
    "argument_count",
    "self",
    "no_thread",
    "doubtful",
    "assumption",
    "limit",
    "allocate",
    "strong_read",
    "relaxed_store",
    "atomic_",
)
_READING = ("is_free", "holds", "has_ended", "compare")
PRIMITIVE = "__tw_"


class Dependence(Enum):
    """How much the order of operands matters."""

    OPEN = "the result may depend on the order"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class Cell:
    """A variable or a part of it, or memory of a type that is found through a pointer."""

    variable: tree.Variable | None
    path: tuple[str, ...] = ()
    held: CType | None = None
    """The type of what is accessed; None: anything."""
    element: bool = False
    """Whether it is an element of an array, whichever."""

    def overlaps(self, other: Cell) -> bool:
        """Whether both may be the same memory."""
        if self.variable is not None and other.variable is not None:
            common = min(len(self.path), len(other.path))
            return self.variable is other.variable and self.path[:common] == other.path[:common]
        known = self.variable or other.variable
        if None in (self.held, other.held):
            return known is None or known.address_taken or known.storage is tree.Storage.GLOBAL
        return (known is None or known.address_taken) and self.held == other.held


_ANYTHING = Cell(None)


@dataclass(frozen=True)
class Access:
    """A read or a change of memory."""

    cell: Cell
    writes: bool
    called: bool = False
    """Whether it belongs to a call, or to a statement of its own, which is done as a whole."""
    late: bool = True
    """Whether it may happen after the value of the expression is known."""


class Order:
    """The expressions of a program."""

    def __init__(self, program: tree.Program) -> None:
        self.program = program
        self._accesses: dict[int, tuple[object, tuple[Access, ...]]] = {}
        """What operands touch, by their identity; they are kept, so that it stays theirs."""
        self._functions: dict[tree.Function, tuple[Access, ...]] = {}

    def dependence(self, expr: tree.Expr | tree.AggregateInitial) -> Dependence | None:
        """How much the order of the operands of an expression matters; None: not at all."""
        match expr:
            case tree.Binary(_, left, right) | tree.PointerDifference(left, right):
                return self._among([left, right])
            case tree.PointerArithmetic(pointer, count):
                return self._among([pointer, count])
            case tree.Call(callee, arguments):
                return self._among([callee, *arguments])
            case tree.Assign(place, value) | tree.CompoundAssign(_, place, value):
                return self._of_assignment(place, value)
            case tree.AggregateInitial(elements):
                return self._among([value for _, value in elements])
            case _:
                return None

    def _among(self, operands: Sequence[object]) -> Dependence | None:
        touched = [found for operand in operands if (found := self.accesses(operand))]
        changing = [any(access.writes for access in accesses) for accesses in touched]
        return _worst(
            _dependence(touched[one], touched[other])
            for one, changes in enumerate(changing)
            if changes
            for other, too in enumerate(changing)
            if one < other or (one > other and not too)
        )

    def _of_assignment(self, place: tree.LValue, value: tree.Expr) -> Dependence | None:
        inside = tuple(self._inside(place))
        given = self.accesses(value)
        written = Access(_cell(place), writes=True)
        late = [a for a in (*inside, *given) if a.writes and a.late and not a.called]
        return _worst([_dependence(inside, given), _dependence([written], late)])

    # -- what is touched -------------------------------------------------------------------------

    def accesses(self, operand: object) -> tuple[Access, ...]:
        """What evaluating an operand reads and changes."""
        key = id(operand)
        if key not in self._accesses:
            self._accesses[key] = operand, tuple(dict.fromkeys(self._of(operand)))
        return self._accesses[key][1]

    def _of(self, node: object) -> Iterator[Access]:
        match node:
            case tree.Load(place):
                yield from self._inside(place)
                yield Access(_cell(place), writes=False)
            case tree.Decay(place) | tree.AddressOf(place):
                yield from self._inside(place)
            case tree.Assign(place) | tree.CompoundAssign(place=place) | tree.Step(place):
                yield from self._inside(place)
                if not isinstance(node, tree.Step):
                    yield from self.accesses(node.value)
                yield from _changed(node)
            case tree.Call(callee, arguments):
                for operand in (callee, *arguments):
                    yield from self.accesses(operand)
                yield from self._called(callee)
            case tree.StatementExpression():
                own = {n.variable for n in nodes(node) if isinstance(n, tree.Declare)}
                yield from (a for a in self._text(node) if a.cell.variable not in own)
            case tree.Comma(first, second) | tree.Logical(_, first, second):
                yield from _early(self.accesses(first))
                yield from self.accesses(second)
            case tree.Conditional(condition, then, otherwise):
                yield from _early(self.accesses(condition))
                for chosen in (then, otherwise):
                    yield from self.accesses(chosen)
            case _:
                for part in parts(node):
                    yield from self.accesses(part)

    def _inside(self, place: tree.LValue | tree.ValueMember) -> Iterator[Access]:
        """What finding a place takes."""
        match place:
            case tree.Member(base):
                yield from self._inside(base)
            case tree.Deref(pointer):
                yield from self.accesses(pointer)
            case tree.ValueMember(base):
                yield from self.accesses(base)
            case tree.CompoundLiteral(_, initial):
                yield from self.accesses(initial)
            case _:
                return

    # -- functions -------------------------------------------------------------------------------

    def _called(self, callee: tree.Expr) -> Iterator[Access]:
        for function in self._meant(callee):
            yield from self._function(function)

    def _meant(self, callee: tree.Expr) -> list[tree.Function]:
        """The functions that a call may enter."""
        while isinstance(callee, tree.Convert):
            callee = callee.operand
        if isinstance(callee, tree.FunctionName):
            return [callee.function]
        return [each for each in self.program.functions.values() if not each.library]

    def _function(self, function: tree.Function) -> tuple[Access, ...]:
        """What a function touches, with all that it calls, apart from variables of their own."""
        if function not in self._functions:
            found: dict[Access, None] = {}
            pending, seen = [function], {function}
            while pending:
                current = pending.pop()
                found.update(dict.fromkeys(_primitive(current)))
                for node in nodes(current.body):
                    found.update(dict.fromkeys(_touched(node)))
                    if isinstance(node, tree.Call):
                        new = [each for each in self._meant(node.callee) if each not in seen]
                        pending += new
                        seen.update(new)
            self._functions[function] = tuple(
                access
                for access in found
                if access.cell.variable is None
                or access.cell.variable.storage is not tree.Storage.LOCAL
            )
        return self._functions[function]

    def _text(self, text: object) -> Iterator[Access]:
        """Everything that a piece of text touches, in whatever order."""
        for node in nodes(text):
            yield from _touched(node)
            if isinstance(node, tree.Call):
                yield from self._called(node.callee)


def _primitive(function: tree.Function) -> Iterator[Access]:
    """What a primitive of the library models touches."""
    if function.name.startswith(PRIMITIVE):
        name = function.name.removeprefix(PRIMITIVE)
        if not name.startswith(_WITHOUT_EFFECT):
            yield Access(_ANYTHING, writes=name not in _READING, called=True)


def _touched(node: object) -> Iterator[Access]:
    """What a single node touches as part of a call."""
    if isinstance(node, tree.Load):
        yield Access(_cell(node.place), writes=False, called=True)
    elif isinstance(node, _WRITES):
        yield from (replace(access, called=True) for access in _changed(node))
    elif isinstance(node, tree.Assembly) and (node.written or node.clobbers_memory):
        yield Access(_ANYTHING, writes=True, called=True)


def _early(accesses: Iterable[Access]) -> Iterator[Access]:
    return (replace(access, late=False) for access in accesses)


def _changed(node: tree.Assign | tree.CompoundAssign | tree.Step) -> Iterator[Access]:
    cell = _cell(node.place)
    if isinstance(node, _UPDATES):
        yield Access(cell, writes=False)
    yield Access(cell, writes=True)


def _cell(place: tree.LValue | tree.ValueMember) -> Cell:
    held = None if is_aggregate(unqualified(place.type)) else unqualified(place.type)
    match place:
        case tree.VariableRef(variable):
            return Cell(variable, (), held)
        case tree.Member(base, path):
            inner = _cell(base)
            if inner.variable is None:
                return Cell(None, (), held)
            longer = inner.path if inner.element else (*inner.path, *path)
            return Cell(inner.variable, longer, held, inner.element)
        case tree.Deref():
            whole = root_variable(place)
            return Cell(whole, (), held, element=whole is not None)
        case tree.CompoundLiteral(variable):
            return Cell(variable, (), held)
        case _:
            return Cell(None, (), held)


def _dependence(first: Sequence[Access], second: Sequence[Access]) -> Dependence | None:
    found: Dependence | None = None
    for one in first:
        for other in second:
            if (one.writes or other.writes) and one.cell.overlaps(other.cell):
                both = one.writes and other.writes and not (one.called or other.called)
                if both and one.cell == other.cell and _is_certain(one.cell):
                    return Dependence.UNDEFINED
                found = Dependence.OPEN
    return found


def _is_certain(cell: Cell) -> bool:
    return cell.variable is not None and not cell.element


def _worst(found: Iterable[Dependence | None]) -> Dependence | None:
    kinds = set(found)
    for kind in (Dependence.UNDEFINED, Dependence.OPEN):
        if kind in kinds:
            return kind
    return None
