"""Initialisers in semantic form (C17 6.7.9): which value goes to which member.

libclang shows what was written. Braces may be left out, designators jump, later values replace
earlier ones; here all of that is worked out. A list within braces is filled by walking a path of
positions: an item without designator goes to the next member after the last one, and descends to
the first scalar unless it initialises the whole (a list in braces, a string, a value of the
record's own type).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse import literals
from threadwise.frontends.c.parse.conversions import converted
from threadwise.frontends.c.parse.layout import Layout
from threadwise.frontends.c.parse.native import (
    Kind,
    Node,
    TypeKind,
    children,
    evaluate_integer,
)
from threadwise.frontends.c.parse.substitutes import substituted_initial
from threadwise.frontends.c.types import (
    VOID,
    CArray,
    CInteger,
    CLock,
    CPointer,
    CRecord,
    CType,
    unqualified,
)
from threadwise.frontends.c.walking import nodes

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.context import Context

_Range: TypeAlias = tuple[int, int]
_Partial: TypeAlias = "dict[int, _Partial | tree.Initialiser]"
_MAX_RANGE = 100_000


def _is_of_addresses(node: object) -> bool:
    """Whether a number comes from addresses: as a constant, the compiler knows it."""
    match node:
        case tree.PointerDifference():
            return True
        case tree.Convert(operand, CInteger()):
            return isinstance(unqualified(operand.type), CPointer)
        case _:
            return False


class _UnclearError(Exception):
    """A designator that libclang does not let us understand."""


class Initialisers:
    """Translates initialisers."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.layout = Layout()

    def of(self, node: Node, kind: CType) -> tree.Initialiser:
        """The initialiser of an object of the given type."""
        node = _bare(node)
        kind = unqualified(kind)
        if isinstance(kind, CLock):
            return self._lock(node)
        if node.kind == Kind.INIT_LIST_EXPR:
            if self._is_substitute(kind):
                return self._substituted(node, kind)
            return self._braced(node, kind)
        if isinstance(kind, CArray):
            return self._array(node, kind)
        value = converted(self.context.expressions.operand(node), kind)
        if isinstance(kind, CInteger) and any(map(_is_of_addresses, nodes(value))):
            number = evaluate_integer(node)
            if number is not None:
                value = literals.constant(literals.wrapped(number, kind), kind, value.span)
        return tree.ScalarInitial(value)

    def _lock(self, node: Node) -> tree.Initialiser:
        if _is_zero(node):
            return tree.AggregateInitial(())
        return self._unsupported(node, "a lock that is held from the start")

    def _array(self, node: Node, kind: CArray) -> tree.Initialiser:
        operand = self.context.expressions.operand(node)
        if isinstance(operand, tree.StringLiteral):
            return _characters(operand, kind)
        if isinstance(operand, tree.CompoundLiteral):
            return operand.initial
        return self._unsupported(node, "an array initialised by an expression")

    def _is_substitute(self, kind: CType) -> bool:
        substitutes = self.context.symbols.types.substitutes
        return substitutes is not None and kind in substitutes.used

    def _substituted(self, node: Node, kind: CType) -> tree.Initialiser:
        """Of a record whose representation is ours and not that of the text."""
        if not isinstance(kind, CRecord):
            return self._braced(node, kind)
        record = self.context.records()[kind.key]
        found = substituted_initial(node, record, self.context.span(node))
        return found or self._unsupported(node, f"this initialiser of {record.shown}")

    def _unsupported(self, node: Node, what: str) -> tree.ScalarInitial:
        return tree.ScalarInitial(tree.UnsupportedExpr(what, VOID, self.context.span(node)))

    # -- lists in braces ------------------------------------------------------------------------

    def _braced(self, node: Node, kind: CType) -> tree.Initialiser:
        items = [child for child in children(node) if child.kind.is_expression()]
        if not isinstance(kind, CArray | CRecord):
            if items:
                return self.of(items[0], kind)
            zero = tree.IntegerConstant(0, CInteger(32, signed=True), self.context.span(node))
            return tree.ScalarInitial(converted(zero, kind))
        if len(items) == 1 and _is_string(items[0]) and _is_text(kind):
            return self.of(items[0], kind)
        try:
            return self._aggregate(items, kind)
        except _UnclearError as problem:
            return self._unsupported(node, str(problem))

    def _aggregate(self, items: Sequence[Node], kind: CType) -> tree.AggregateInitial:
        filled: _Partial = {}
        path: list[int] | None = None
        for item in items:
            designators, node = self._designated(item, kind)
            if designators:
                path = [last for _, last in designators]
            else:
                path = self._next(kind, path)
                if path is None:
                    break
                designators = [(position, position) for position in path]
            below = self._descend(kind, path, node)
            path += below
            self._store(filled, kind, designators, below, node)
        return _frozen(filled)

    def _store(
        self,
        filled: _Partial,
        kind: CType,
        designators: Sequence[_Range],
        below: Sequence[int],
        node: Node,
    ) -> None:
        last = [high for _, high in designators]
        initial = self.of(node, self._type_at(kind, [*last, *below]))
        count = 1
        for low, high in designators:
            count *= high - low + 1
        if count > _MAX_RANGE:
            raise _UnclearError("a designator of a very large range")
        if count > 1 and not _is_constant(node):
            raise _UnclearError("a designator of a range with a value that is no constant")
        for positions in product(*(range(low, high + 1) for low, high in designators)):
            self._put(filled, kind, [*positions, *below], initial)

    def _put(
        self, filled: _Partial, kind: CType, path: Sequence[int], initial: tree.Initialiser
    ) -> None:
        for position in path[:-1]:
            self._clear_union(filled, kind, position)
            inner = filled.get(position)
            if not isinstance(inner, dict):
                inner = _thawed(inner)
                filled[position] = inner
            filled, kind = inner, self._part(kind, position)
        self._clear_union(filled, kind, path[-1])
        filled[path[-1]] = initial

    def _clear_union(self, filled: _Partial, kind: CType, position: int) -> None:
        """Only the member of a union that is initialised last counts."""
        if isinstance(kind, CRecord) and self.context.records()[kind.key].union:
            for other in [each for each in filled if each != position]:
                del filled[other]

    # -- walking --------------------------------------------------------------------------------

    def _next(self, kind: CType, path: list[int] | None) -> list[int] | None:
        """The member after the last one, outwards if need be; None behind the end."""
        if path is None:
            return [0] if self._count(kind) != 0 else None
        path = list(path)
        while path:
            position = path.pop() + 1
            count = self._count(self._type_at(kind, path))
            if count is None or position < count:
                return [*path, position]
        return None

    def _descend(self, kind: CType, path: Sequence[int], node: Node) -> list[int]:
        """How far below the path the first member is that the item initialises as a whole."""
        below: list[int] = []
        here = self._type_at(kind, path)
        while isinstance(here, CArray | CRecord) and not self._fits(node, here):
            if self._count(here) == 0:
                break
            if self._is_substitute(here):
                raise _UnclearError("an initialiser without braces here")
            below.append(0)
            here = unqualified(self._part(here, 0))
        return below

    def _fits(self, node: Node, kind: CType) -> bool:
        node = _bare(node)
        if node.kind == Kind.INIT_LIST_EXPR:
            return True
        if isinstance(kind, CArray):
            return _is_string(node) and _is_text(kind)
        return self.context.type_of(node) == kind

    def _count(self, kind: CType) -> int | None:
        if isinstance(kind, CArray):
            return kind.size
        if isinstance(kind, CRecord):
            record = self.context.records()[kind.key]
            return min(1, len(record.fields)) if record.union else len(record.fields)
        return 0

    def _part(self, kind: CType, position: int) -> CType:
        if isinstance(kind, CArray):
            return kind.element
        if isinstance(kind, CRecord):
            return self.context.records()[kind.key].fields[position].type
        raise _UnclearError("this initialiser")

    def _type_at(self, kind: CType, path: Sequence[int]) -> CType:
        for position in path:
            kind = unqualified(self._part(kind, position))
        return kind

    # -- designators ----------------------------------------------------------------------------

    def _designated(self, item: Node, kind: CType) -> tuple[list[_Range], Node]:
        """The positions that an item names (none: the next), and the value for them."""
        if item.kind != Kind.UNEXPOSED_EXPR or item.type.kind != TypeKind.VOID:
            return [], item
        *parts, node = children(item)
        result: list[_Range] = []
        while parts:
            part = parts.pop(0)
            if part.kind == Kind.MEMBER_REF:
                position = self.layout.position(part.referenced)
                if position is None:
                    raise _UnclearError("this designator")
                result.append((position, position))
            elif part.kind.is_expression():
                low, high = self._indices(item, part, parts, kind)
                result.append((low, high))
            else:
                continue
            kind = unqualified(self._part(kind, result[-1][1]))
        return result, node

    def _indices(self, item: Node, part: Node, parts: list[Node], kind: CType) -> tuple[int, int]:
        """`[low]`, or `[low ... high]`, which libclang shows as two indices in a row."""
        low = evaluate_integer(part)
        if low is None or not isinstance(kind, CArray):
            raise _UnclearError("this designator")
        if not parts or parts[0].kind == Kind.MEMBER_REF:
            return low, low
        if not self._is_range(item, kind):
            return low, low
        high = evaluate_integer(parts.pop(0))
        if high is None or high < low:
            raise _UnclearError("this designator")
        return low, high

    def _is_range(self, item: Node, kind: CArray) -> bool:
        """Whether the first of two indices in a row and the second are `[low ... high]`.

        If they cannot be `[i][j]` they are. Otherwise the text decides, if it stands in the source
        and has only one kind of them.
        """
        if not isinstance(unqualified(kind.element), CArray):
            return True
        tokens = [token.spelling for token in item.get_tokens()]
        head = tokens[: tokens.index("=")] if "=" in tokens else []
        if not head or head[0] not in {"[", "."}:
            raise _UnclearError("a designator of this form")
        if "..." not in head:
            return False
        if head.count("[") == 1:
            return True
        raise _UnclearError("a designator of this form")


def _bare(node: Node) -> Node:
    while node.kind == Kind.PAREN_EXPR:
        node = children(node)[-1]
    return node


def _is_string(node: Node) -> bool:
    return bool(_bare(node).kind == Kind.STRING_LITERAL)


def _is_text(kind: CType) -> bool:
    return isinstance(kind, CArray) and isinstance(kind.element, CInteger)


def _is_constant(node: Node) -> bool:
    node = _bare(node)
    if node.kind == Kind.INIT_LIST_EXPR:
        return all(_is_constant(child) for child in children(node))
    return evaluate_integer(node) is not None or _is_string(node)


def _is_zero(node: Node) -> bool:
    node = _bare(node)
    if node.kind == Kind.INIT_LIST_EXPR:
        return all(_is_zero(child) for child in children(node))
    return evaluate_integer(node) == 0


def _characters(literal: tree.StringLiteral, kind: CArray) -> tree.AggregateInitial:
    characters = literal.characters[: kind.size]
    return tree.AggregateInitial(
        tuple(
            (index, tree.ScalarInitial(tree.IntegerConstant(each, kind.element, literal.span)))
            for index, each in enumerate(characters)
            if each != 0
        )
    )


def _frozen(filled: _Partial) -> tree.AggregateInitial:
    return tree.AggregateInitial(
        tuple(
            (position, _frozen(part) if isinstance(part, dict) else part)
            for position, part in filled.items()
        )
    )


def _thawed(initial: tree.Initialiser | None) -> _Partial:
    """What a later designator changes in an earlier list; nothing of an earlier value is kept."""
    if isinstance(initial, tree.AggregateInitial):
        return dict(initial.elements)
    return {}
