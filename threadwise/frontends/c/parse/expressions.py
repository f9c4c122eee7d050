"""Expressions of libclang as typed expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse import literals
from threadwise.frontends.c.parse.argument_lists import is_argument_list, next_argument
from threadwise.frontends.c.parse.calls import call
from threadwise.frontends.c.parse.computed_jumps import label_address
from threadwise.frontends.c.parse.conversions import (
    Operand,
    address,
    as_lvalue,
    converted,
    dereferenced,
    value,
)
from threadwise.frontends.c.parse.generic import chosen_association
from threadwise.frontends.c.parse.lengths import ODD, has_odd_length, is_variable, names_element
from threadwise.frontends.c.parse.native import (
    Kind,
    Node,
    TypeKind,
    UnaryKind,
    children,
    descendants,
    evaluate_integer,
    kind_of,
    unary_kind,
)
from threadwise.frontends.c.parse.operators import binary, compound_assignment
from threadwise.frontends.c.parse.sizes import measured_type
from threadwise.frontends.c.parse.substitutes import substituted_member
from threadwise.frontends.c.types import (
    CArray,
    CFunction,
    CLock,
    CPointer,
    CRecord,
    CThreadId,
    CVoid,
    unqualified,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.parse.context import Context

_UNMODELLED_TYPES = {
    TypeKind.COMPLEX: "complex numbers",
    TypeKind.VECTOR: "vector types",
    TypeKind.EXTVECTOR: "vector types",
}
_UNARY = {
    UnaryKind.MINUS: tree.UnaryOp.MINUS,
    UnaryKind.COMPLEMENT: tree.UnaryOp.COMPLEMENT,
    UnaryKind.NOT: tree.UnaryOp.NOT,
}
_STEPS = {
    UnaryKind.POST_INCREMENT: (False, True),
    UnaryKind.POST_DECREMENT: (True, True),
    UnaryKind.PRE_INCREMENT: (False, False),
    UnaryKind.PRE_DECREMENT: (True, False),
}
_BINARY_CONDITIONAL_CHILDREN = 4
_NAMING = frozenset(
    {
        Kind.ARRAY_SUBSCRIPT_EXPR,
        Kind.CSTYLE_CAST_EXPR,
        Kind.DECL_REF_EXPR,
        Kind.INTEGER_LITERAL,
        Kind.MEMBER_REF_EXPR,
        Kind.PAREN_EXPR,
        Kind.TYPE_REF,
        Kind.UNARY_OPERATOR,
        Kind.UNEXPOSED_EXPR,
    }
)
_CHOOSE_CHILDREN = 3


class Expressions:
    """Translates the expressions of one function."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def value(self, node: Node) -> tree.Expr:
        """The value of an expression."""
        return value(self.operand(node))

    def operand(self, node: Node) -> Operand:
        """An expression, as an object if it denotes one."""
        kind = kind_of(node)
        translate = _TRANSLATE.get(kind)
        if translate is None:
            name = "this expression" if kind is None else kind.name.lower().replace("_", " ")
            return self.unsupported(node, name)
        what = _UNMODELLED_TYPES.get(node.type.get_canonical().kind)
        if what is not None:
            return self.unsupported(node, what)
        return translate(self, node)

    def unsupported(self, node: Node, what: str) -> tree.UnsupportedExpr:
        """A construct that has no meaning here."""
        return tree.UnsupportedExpr(
            what, unqualified(self.context.type_of(node)), self.context.span(node)
        )

    # -- names, literals ------------------------------------------------------------------------

    def _parenthesised(self, node: Node) -> Operand:
        return self.operand(children(node)[-1])

    def _number(self, node: Node) -> Operand:
        return literals.number(node, self.context.type_of(node), self.context.span(node))

    def _string(self, node: Node) -> Operand:
        kind, span = self.context.type_of(node), self.context.span(node)
        return literals.string(node, kind, span) or self.unsupported(node, "this string")

    def _name(self, node: Node) -> Operand:
        referenced = node.referenced
        span = self.context.span(node)
        if referenced is None:
            return self.unsupported(node, f"`{node.spelling}`")
        if referenced.kind == Kind.ENUM_CONSTANT_DECL:
            kind = self.context.type_of(node)
            return tree.IntegerConstant(literals.wrapped(referenced.enum_value, kind), kind, span)
        if referenced.kind == Kind.FUNCTION_DECL:
            function = self.context.symbols.function(referenced)
            return tree.FunctionName(function, CPointer(function.type), span)
        variable = self.context.variable(referenced)
        return tree.VariableRef(variable, variable.type, span)

    def _size(self, node: Node) -> Operand:
        kind, span = self.context.type_of(node), self.context.span(node)
        operands = [child for child in children(node) if child.kind.is_expression()]
        number = evaluate_integer(node)
        if number is None and names_element(operands):
            return tree.VariableSize(None, kind, span)
        if number is None and has_odd_length(operands):
            return self.unsupported(node, ODD)
        if number is None:
            measured = self.operand(operands[0]) if operands else None
            operand = None if measured is None else value(measured)
            return tree.VariableSize(operand, kind, span)
        return tree.IntegerConstant(number, kind, span, self._measured(node, operands, number))

    def _measured(self, node: Node, operands: list[Node], size: int) -> Any:
        """What `sizeof` was applied to, if that is clear."""
        if operands:
            candidate = operands[0].type
        else:
            named = [child for child in children(node) if child.kind == Kind.TYPE_REF]
            words = [token.spelling for token in node.get_tokens()]
            if len(named) != 1 or "*" in words:
                convert = self.context.symbols.types.convert
                base = convert(named[0].type) if len(named) == 1 else None
                return None if len(named) > 1 else measured_type(words, base, size)
            candidate = named[0].type
        if candidate.get_size() != size:
            return None
        return self.context.symbols.types.convert(candidate)

    # -- conversions ----------------------------------------------------------------------------

    def _unexposed(self, node: Node) -> Operand:
        """Implicit casts, and what libclang has no name for."""
        parts = [child for child in children(node) if child.kind.is_expression()]
        if len(parts) == 1 and parts[0].extent == node.extent:
            return self._implicit(node, parts[0])
        if len(parts) == _BINARY_CONDITIONAL_CHILDREN and parts[0].extent == parts[2].extent:
            kind, span = unqualified(self.context.type_of(node)), self.context.span(node)
            condition = self.value(parts[0])
            otherwise = converted(self.operand(parts[3]), kind)
            return tree.Conditional(condition, None, otherwise, kind, span)
        if len(parts) == _CHOOSE_CHILDREN:
            choice = evaluate_integer(parts[0])
            if choice is not None:
                return self.operand(parts[1 if choice else 2])
        if len(parts) == 1 and is_argument_list(parts[0]):
            return next_argument(self, node, parts[0])
        if all(evaluate_integer(part) is not None or _only_names(part) for part in parts):
            number = evaluate_integer(node)
            if number is not None:
                kind, span = self.context.type_of(node), self.context.span(node)
                return literals.constant(number, kind, span)
        return self.unsupported(node, "an expression that the C parser does not expose")

    def _implicit(self, node: Node, part: Node) -> Operand:
        operand = self.operand(part)
        target = self.context.type_of(node)
        if isinstance(target, CArray):
            return operand
        if isinstance(target, CPointer) and isinstance(target.target, CFunction):
            return _as_function(operand, target)
        return converted(operand, target, self.context.span(node))

    def _cast(self, node: Node) -> Operand:
        *named, last = children(node)
        if named and is_variable(node.type) and has_odd_length(named):
            return self.unsupported(node, ODD)
        operand = self.value(last)
        target, span = unqualified(self.context.type_of(node)), self.context.span(node)
        if operand.type == target or isinstance(operand, tree.UnsupportedExpr):
            return operand
        if isinstance(target, CRecord):
            return self.unsupported(node, "a cast to a union")
        return tree.Convert(operand, target, span, explicit=True)

    # -- objects --------------------------------------------------------------------------------

    def _member(self, node: Node) -> Operand:
        parts = children(node)
        if not parts or not parts[0].kind.is_expression():
            return self.unsupported(node, "a member")
        base = self.operand(parts[0])
        if isinstance(base, tree.UnsupportedExpr):
            return base
        span = self.context.span(node)
        pointee = parts[0].type.get_canonical()
        if pointee.kind == TypeKind.POINTER:
            pointer = value(base)
            pointee = pointee.get_pointee()
            target = self.context.symbols.types.convert(pointee)
            base = dereferenced(pointer, target, pointer.span)
        if isinstance(unqualified(base.type), CLock | CThreadId):
            return self.unsupported(node, "a member of a lock")
        substitutes = self.context.symbols.types.substitutes
        if substitutes is not None and unqualified(base.type) in substitutes.used:
            return self.unsupported(node, f"member `{node.spelling}` of a library type")
        path = self.context.initialisers.layout.path(pointee, node.referenced)
        if path is None:
            return self.unsupported(node, f"member `{node.spelling}`")
        kind = self.context.type_of(node)
        if isinstance(base, tree.ValueMember):
            return tree.ValueMember(base.base, (*base.path, *path), kind, span)
        place = as_lvalue(base)
        if place is not None:
            return tree.Member(place, path, kind, span)
        return tree.ValueMember(value(base), path, kind, span)

    def library_member(self, node: Node, given: Operand) -> tree.Expr | None:
        """An assignment to a member of a library type that says what an initialiser may say."""
        name = node.spelling
        number: object = given
        while isinstance(number, tree.Convert):
            number = number.operand
        substitutes = self.context.symbols.types.substitutes
        while node.kind == Kind.MEMBER_REF_EXPR and children(node):
            node = children(node)[0]
            kind = unqualified(self.context.type_of(node))
            if substitutes is None or kind not in substitutes.used:
                continue
            base = as_lvalue(self.operand(node))
            if base is None or not isinstance(number, tree.IntegerConstant):
                return None
            key = kind.key if isinstance(kind, CRecord) else ""
            record = self.context.records().get(key)
            span = self.context.span(node)
            return substituted_member(base, name, number.value, record, span)
        return None

    def _subscript(self, node: Node) -> Operand:
        left, right = (self.value(child) for child in children(node))
        if not isinstance(left.type, CPointer):
            left, right = right, left
        span = self.context.span(node)
        if not isinstance(left.type, CPointer):
            return self.unsupported(node, "this subscript")
        moved = tree.PointerArithmetic(left, right, negative=False, type=left.type, span=span)
        return tree.Deref(moved, self.context.type_of(node), span)

    def _compound_literal(self, node: Node) -> Operand:
        variable = self.context.new_literal(node)
        initial = self.context.initialisers.of(children(node)[-1], variable.type)
        if variable.storage is not tree.Storage.LOCAL:
            variable.initial = initial
        return tree.CompoundLiteral(variable, initial, variable.type, variable.span)

    # -- operators ------------------------------------------------------------------------------

    def _unary(self, node: Node) -> Operand:
        kind, part = unary_kind(node), children(node)[-1]
        span = self.context.span(node)
        if kind is UnaryKind.EXTENSION:
            return self.operand(part)
        if kind is UnaryKind.ADDRESS_OF:
            return address(self.operand(part), span)
        if kind is UnaryKind.DEREFERENCE:
            return self._dereference(node, part)
        target = unqualified(self.context.type_of(node))
        if kind is UnaryKind.PLUS:
            return converted(self.operand(part), target)
        if kind in _STEPS:
            decrement, postfix = _STEPS[kind]
            place = as_lvalue(self.operand(part))
            if place is None:
                return self.unsupported(node, "`++` or `--` here")
            return tree.Step(place, decrement, postfix, target, span)
        if kind in _UNARY:
            operand = self.operand(part)
            if kind is not UnaryKind.NOT:
                operand = converted(operand, target)
            return tree.Unary(_UNARY[kind], value(operand), target, span)
        return self.unsupported(node, "this operator")

    def _dereference(self, node: Node, part: Node) -> Operand:
        pointer = self.value(part)
        if isinstance(pointer, tree.UnsupportedExpr):
            return pointer
        if isinstance(pointer.type, CPointer) and isinstance(pointer.type.target, CFunction):
            return pointer
        return dereferenced(pointer, self.context.type_of(node), self.context.span(node))

    def _binary(self, node: Node) -> Operand:
        return binary(self, node)

    def _compound_assignment(self, node: Node) -> Operand:
        return compound_assignment(self, node)

    def _conditional(self, node: Node) -> Operand:
        condition, then, otherwise = children(node)
        kind = unqualified(self.context.type_of(node))
        branches = [self.value(branch) for branch in (then, otherwise)]
        if not isinstance(kind, CVoid):
            branches = [converted(branch, kind) for branch in branches]
        return tree.Conditional(
            self.value(condition), branches[0], branches[1], kind, self.context.span(node)
        )

    def _call(self, node: Node) -> Operand:
        return call(self, node)

    def _generic(self, node: Node) -> Operand:
        chosen = chosen_association(node, self.context.printed)
        if chosen is None:
            return self.unsupported(node, "this _Generic selection")
        return self.operand(chosen)

    def _statement_expression(self, node: Node) -> Operand:
        return self.context.statements.statement_expression(node)

    def _label_address(self, node: Node) -> Operand:
        found = label_address(self.context, node)
        return self.unsupported(node, "the address of a label") if found is None else found


def _only_names(node: Node) -> bool:
    """Whether an expression has no effect: it is the operand of `typeof` in a constant."""
    for each in descendants(node):
        changes = kind_of(each) == Kind.UNARY_OPERATOR and unary_kind(each) in _STEPS
        if changes or kind_of(each) not in _NAMING:
            return False
    return True


def _as_function(operand: Operand, target: CPointer) -> tree.Expr:
    """Functions decay without a word; only a different type is a conversion."""
    result = value(operand)
    if isinstance(result, tree.FunctionName) and isinstance(target.target, CFunction):
        return result
    return converted(result, target)


_Translate = Callable[[Expressions, Node], Operand]
_TRANSLATE: dict[Any, _Translate] = {
    Kind.PAREN_EXPR: Expressions._parenthesised,
    Kind.INTEGER_LITERAL: Expressions._number,
    Kind.CHARACTER_LITERAL: Expressions._number,
    Kind.FLOATING_LITERAL: Expressions._number,
    Kind.CXX_BOOL_LITERAL_EXPR: Expressions._number,
    Kind.GNU_NULL_EXPR: Expressions._number,
    Kind.STRING_LITERAL: Expressions._string,
    Kind.DECL_REF_EXPR: Expressions._name,
    Kind.CXX_UNARY_EXPR: Expressions._size,
    Kind.UNEXPOSED_EXPR: Expressions._unexposed,
    Kind.CSTYLE_CAST_EXPR: Expressions._cast,
    Kind.MEMBER_REF_EXPR: Expressions._member,
    Kind.ARRAY_SUBSCRIPT_EXPR: Expressions._subscript,
    Kind.COMPOUND_LITERAL_EXPR: Expressions._compound_literal,
    Kind.UNARY_OPERATOR: Expressions._unary,
    Kind.BINARY_OPERATOR: Expressions._binary,
    Kind.COMPOUND_ASSIGNMENT_OPERATOR: Expressions._compound_assignment,
    Kind.CONDITIONAL_OPERATOR: Expressions._conditional,
    Kind.CALL_EXPR: Expressions._call,
    Kind.GENERIC_SELECTION_EXPR: Expressions._generic,
    Kind.StmtExpr: Expressions._statement_expression,
    Kind.ADDR_LABEL_EXPR: Expressions._label_address,
}
