"""Where the result of an expression may depend on the order in which its operands are evaluated.

C leaves that order open (C17 6.5, 6.5.2.2). We evaluate from left to right, so it matters whether
two operands touch the same memory and one of them changes it:

    f() + g()       one call is made before the other: if it matters, our order is an assumption
    a[i] = i++      a read and a change of a variable: the same
    i = i++ + 1     two changes of a variable, neither before the other: undefined

What an operand touches is bounded: memory that is found through pointers is distinguished by its
type, functions by all that is in their text and in the text of what they call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.survey import root_variable, strip
from threadwise.frontends.c.lower.values.types import is_aggregate
from threadwise.frontends.c.types import CArray, CRecord, CType, unqualified
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
    "access",
    "release_fence",
    "acquire_fence",
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
    """The names of members; of memory, the type of the record before them."""
    held: CType | None = None
    """The type of what is accessed; None: anything."""
    element: bool = False
    """Whether it is an element of an array, whichever."""

    def overlaps(self, other: Cell) -> bool:
        """Whether both may be the same memory."""
        common = min(len(self.path), len(other.path))
        fits = self.path[:common] == other.path[:common]
        if self.variable is not None and other.variable is not None:
            return self.variable is other.variable and fits
        if self.variable is None and other.variable is None and not fits:
            return False  # members of records of one type, or of different types
        known = self.variable or other.variable
        found = other if self.variable is not None else self
        if known is not None and found.path and not _holds_records(known.type):
            return False  # a member of a record is none of a variable without records
        if None in (self.held, other.held):
            return known is None or known.address_taken or known.storage is tree.Storage.GLOBAL
        return (known is None or known.address_taken) and self.held == other.held


_ANYTHING = Cell(None)


def _holds_records(held: CType) -> bool:
    inner = unqualified(held)
    while isinstance(inner, CArray):
        inner = unqualified(inner.element)
    return isinstance(inner, CRecord)


@dataclass(frozen=True)
class Access:
    """A read or a change of memory."""

    cell: Cell
    writes: bool
    called: bool = False
    """Whether it belongs to a call, or to a statement of its own, which is done as a whole."""
    late: bool = True
    """Whether it may happen after the value of the expression is known."""


@dataclass(frozen=True)
class Touched:
    """What evaluating an operand reads and changes: by itself, and in functions that it calls."""

    accesses: tuple[Access, ...] = ()
    called: tuple[tree.Function, ...] = ()


class Order:
    """The expressions of a program."""

    def __init__(self, program: tree.Program) -> None:
        self.program = program
        self._touched: dict[Same, Touched] = {}
        self._answers: dict[Same, Dependence | None] = {}
        self._texts: dict[tree.Function, Touched] = {}
        self._functions: dict[tree.Function, tuple[Access, ...]] = {}

    def dependence(self, expr: tree.Expr | tree.AggregateInitial) -> Dependence | None:
        """How much the order of the operands of an expression matters; None: not at all."""
        key = Same(expr)
        if key not in self._answers:
            self._answers[key] = self._dependence(expr)
        return self._answers[key]

    def _dependence(self, expr: tree.Expr | tree.AggregateInitial) -> Dependence | None:
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
        touched = [self.touched(operand) for operand in operands]
        changing = [_may_change(each) for each in touched]
        return _worst(
            self._between(touched[one], touched[other])
            for one, changes in enumerate(changing)
            if changes
            for other, too in enumerate(changing)
            if one < other or (one > other and not too)
        )

    def _of_assignment(self, place: tree.LValue, value: tree.Expr) -> Dependence | None:
        inside, given = self._inside(place), self.touched(value)
        written = Access(_cell(place), writes=True)
        direct = strip(value)
        passed = _cell(direct.place) if isinstance(direct, tree.Assign) else None
        late = [
            access
            for access in (*inside.accesses, *given.accesses)
            if access.writes and access.late and not access.called and access.cell != passed
        ]
        return _worst([self._between(inside, given), _dependence([written], late)])

    def _between(self, first: Touched, second: Touched) -> Dependence | None:
        """Functions are only looked into where the other operand touches what they may touch."""
        return _dependence(self._all(first, second), self._all(second, first))

    def _all(self, touched: Touched, other: Touched) -> tuple[Access, ...]:
        if not other.called and not any(_is_shared(access.cell) for access in other.accesses):
            return touched.accesses
        inside = (access for each in touched.called for access in self._function(each))
        return (*touched.accesses, *dict.fromkeys(inside))

    # -- what is touched -------------------------------------------------------------------------

    def touched(self, operand: object) -> Touched:
        """What evaluating an operand reads and changes."""
        key = Same(operand)
        if key not in self._touched:
            self._touched[key] = self._of(operand)
        return self._touched[key]

    def _of(self, node: object) -> Touched:
        match node:
            case tree.Load(place):
                return _union([self._inside(place), Touched((Access(_cell(place), False),))])
            case tree.Decay(place) | tree.AddressOf(place):
                return self._inside(place)
            case tree.Step(place):
                return _union([self._inside(place), Touched(tuple(_changed(node)))])
            case tree.Assign(place, value) | tree.CompoundAssign(_, place, value):
                changed = Touched(tuple(_changed(node)))
                return _union([self._inside(place), self.touched(value), changed])
            case tree.Call(callee, arguments):
                found = [self.touched(operand) for operand in (callee, *arguments)]
                return _union([*found, Touched(called=tuple(self._meant(callee)))])
            case tree.StatementExpression():
                own = {n.variable for n in nodes(node) if isinstance(n, tree.Declare)}
                found_there = self._text(node)
                kept = (a for a in found_there.accesses if a.cell.variable not in own)
                return replace(found_there, accesses=tuple(kept))
            case tree.Comma(first, second) | tree.Logical(_, first, second):
                return _union([_early(self.touched(first)), self.touched(second)])
            case tree.Conditional(condition, then, otherwise):
                chosen = [self.touched(part) for part in (then, otherwise)]
                return _union([_early(self.touched(condition)), *chosen])
            case _:
                return _union([self.touched(part) for part in parts(node)])

    def _inside(self, place: tree.LValue | tree.ValueMember) -> Touched:
        """What finding a place takes."""
        match place:
            case tree.Member(base):
                return self._inside(base)
            case tree.Deref(pointer):
                return self.touched(pointer)
            case tree.ValueMember(base):
                return self.touched(base)
            case tree.CompoundLiteral(_, initial):
                return self.touched(initial)
            case _:
                return Touched()

    # -- functions -------------------------------------------------------------------------------

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
                text = self._text_of(pending.pop())
                found.update(dict.fromkeys(text.accesses))
                new = [each for each in text.called if each not in seen]
                pending += new
                seen.update(new)
            self._functions[function] = tuple(found)
        return self._functions[function]

    def _text_of(self, function: tree.Function) -> Touched:
        if function not in self._texts:
            text = self._text(function.body)
            outer = (
                access
                for access in (*_primitive(function), *text.accesses)
                if access.cell.variable is None
                or access.cell.variable.storage is not tree.Storage.LOCAL
            )
            self._texts[function] = replace(text, accesses=tuple(outer))
        return self._texts[function]

    def _text(self, text: object) -> Touched:
        """Everything that a piece of text touches, in whatever order."""
        accesses: dict[Access, None] = {}
        called: dict[tree.Function, None] = {}
        for node in nodes(text):
            accesses.update(dict.fromkeys(_touched(node)))
            if isinstance(node, tree.Call):
                called.update(dict.fromkeys(self._meant(node.callee)))
        return Touched(tuple(accesses), tuple(called))


def _union(found: Iterable[Touched]) -> Touched:
    every = list(found)
    return Touched(
        tuple(dict.fromkeys(access for each in every for access in each.accesses)),
        tuple(dict.fromkeys(function for each in every for function in each.called)),
    )


def _may_change(touched: Touched) -> bool:
    return bool(touched.called) or any(access.writes for access in touched.accesses)


def _is_shared(cell: Cell) -> bool:
    """Whether a function may touch a cell that is none of its own variables."""
    known = cell.variable
    return known is None or known.address_taken or known.storage is not tree.Storage.LOCAL


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


def _early(touched: Touched) -> Touched:
    return replace(touched, accesses=tuple(replace(a, late=False) for a in touched.accesses))


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
                known = inner.path or (_record(base.type),)
                return Cell(None, (*known, *path), held)
            longer = inner.path if inner.element else (*inner.path, *path)
            return Cell(inner.variable, longer, held, inner.element)
        case tree.Deref():
            whole = root_variable(place)
            return Cell(whole, (), held, element=whole is not None)
        case tree.CompoundLiteral(variable):
            return Cell(variable, (), held)
        case _:
            return Cell(None, (), held)


def _record(held: CType) -> str:
    record = unqualified(held)
    return record.key if isinstance(record, CRecord) else ""


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
