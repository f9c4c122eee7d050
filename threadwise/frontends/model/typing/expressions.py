"""Names and types of expressions, and their translation into the IR.

One walk does both: `value` and `place` resolve names, check types, fold constants and collect what
must hold for the expression to be defined (`typed.Typed`). A mistake is reported once and yields
None, which callers pass on without a message of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from threadwise.frontends.model.reporter import Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.syntax.build_expressions import LONGEST_LITERAL
from threadwise.frontends.model.typing.constants import clamped, wrapped
from threadwise.frontends.model.typing.operators import Operators
from threadwise.frontends.model.typing.scopes import Scope
from threadwise.frontends.model.typing.symbols import BROKEN, OPERATIONS, Symbols, TemplateSymbol
from threadwise.frontends.model.typing.typed import (
    ModelLimit,
    Typed,
    TypedPlace,
    describe,
    needed,
    same_kind,
)
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Clamp,
    Const,
    Expr,
    IndexPlace,
    IsInstance,
    Read,
    SelfId,
    SelfIndex,
    ThreadAt,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import interval, number, within
from threadwise.ir.operations import NOBODY, holds, owner
from threadwise.ir.types import (
    INT,
    TID,
    ArrayType,
    MutexType,
    Overflow,
    PerThread,
    RangeType,
    Type,
    is_integer,
)


class Expressions(Operators):
    """Translates the expressions of one body; `executors` are the templates that may run it."""

    def __init__(
        self,
        symbols: Symbols,
        reporter: Reporter,
        scope: Scope | None = None,
        executors: Sequence[TemplateSymbol] = (),
    ) -> None:
        super().__init__(reporter)
        self.symbols = symbols
        self.scope = scope or Scope()
        self.executors = tuple(executors)
        self._translate: dict[type, Callable[..., Typed | None]] = {
            ast.Number: self._number,
            ast.Truth: lambda node: Typed(TRUE if node.value else FALSE),
            ast.NoThread: lambda node: Typed(NOBODY),
            ast.SelfThread: self._self_thread,
            ast.Name: self._name,
            ast.Call: self._call,
            ast.Index: self._read,
            ast.Member: self._member,
            ast.Parenthesised: lambda node: self.value(node.inner),
            ast.Prefix: self._prefix,
            ast.Infix: self._infix,
            ast.Conditional: self._conditional,
            ast.Quantified: self._quantified,
        }

    # Entry points.

    def value(self, node: ast.Expression) -> Typed | None:
        """The value of an expression of any scalar type."""
        return self._translate[type(node)](node)

    def assigned(self, node: ast.Expression, held: Type) -> Typed | None:
        """The value of an expression as it is stored in a cell of the given type."""
        typed = self.value(node)
        return None if typed is None else self.convert(typed, held, node)

    def convert(self, typed: Typed, held: Type, node: ast.Expression) -> Typed | None:
        """A value as it is stored in a cell of the given type."""
        if not same_kind(typed.type, held):
            self._mismatch(node, held, typed.type)
            return None
        if not isinstance(held, RangeType):
            return typed
        inside = self._within(typed.expr, held.low, held.high)
        if inside == TRUE:
            return typed
        if held.overflow is Overflow.ERROR:
            message = f"value of `{self.reporter.text(node)}` outside {describe(held)}"
            return Typed(typed.expr, (*typed.checks, (inside, message)))
        wraps = held.overflow is Overflow.WRAP
        if isinstance(typed.expr, Const) and isinstance(typed.expr.value, int):
            fit = wrapped if wraps else clamped
            return Typed(number(fit(typed.expr.value, held)), typed.checks)
        node_type = Wrap if wraps else Clamp
        return Typed(node_type(held.low, held.high, typed.expr), typed.checks)

    def constant(self, node: ast.Expression, wanted: Type) -> Const | None:
        """The value of an expression that must be known before the program runs."""
        typed = self.expect(node, wanted)
        if typed is None:
            return None
        if isinstance(typed.expr, Const):
            return typed.expr
        self.reporter.error(node, f"`{self.reporter.text(node)}` is not a constant")
        return None

    def place(self, node: ast.Expression) -> TypedPlace | None:
        """A variable or an element of one."""
        match node:
            case ast.Name(name):
                variable = self.scope.find(name) or self.symbols.variables.get(name)
                if variable is BROKEN:
                    return None
                if variable is not None:
                    return TypedPlace(VariablePlace(variable))
                kind = self.symbols.kind(name)
                if kind is None:
                    self._unknown(node, "variable")
                else:
                    self.reporter.error(node, f"`{name}` is {kind}, not a variable")
                return None
            case ast.Index():
                return self._element(node)
            case _:
                self.reporter.error(node, f"`{self.reporter.text(node)}` is not a variable")
                return None

    def mutex(self, node: ast.Expression) -> TypedPlace | None:
        """A place that must hold a mutex."""
        typed = self.place(node)
        if typed is None or isinstance(typed.type, MutexType):
            return typed
        text = self.reporter.text(node)
        self.reporter.error(node, f"`{text}` is not a mutex but {describe(typed.type)}")
        return None

    # Leaves.

    def _number(self, node: ast.Number) -> Typed | None:
        if node.end_pos - node.start_pos > LONGEST_LITERAL:
            self.reporter.error(node, f"a number of more than {LONGEST_LITERAL} digits")
            return None
        return Typed(number(node.value))

    def _self_thread(self, node: ast.SelfThread) -> Typed | None:
        return Typed(SelfId())

    def _name(self, node: ast.Name) -> Typed | None:
        name = node.name
        variable = self.scope.find(name)
        if variable is None:
            if name in self.symbols.constants:
                return Typed(self.symbols.constants[name])
            variable = self.symbols.variables.get(name)
        if variable is BROKEN:
            return None
        if variable is not None:
            return self._content(TypedPlace(VariablePlace(variable)), node)
        kind = self.symbols.kind(name)
        if kind is not None:
            self.reporter.error(node, f"`{name}` is {kind}, not a value")
        elif name in self.symbols.places:
            self.reporter.error(node, f"`{name}` cannot be used before it is declared")
        else:
            self._unknown(node, "name")
        return None

    def _unknown(self, node: ast.Name, kind: str) -> None:
        known = [*self.scope.names(), *self.symbols.constants, *self.symbols.variables]
        self.reporter.unknown(node, kind, node.name, known)

    def _read(self, node: ast.Expression) -> Typed | None:
        place = self.place(node)
        return None if place is None else self._content(place, node)

    def _content(self, place: TypedPlace, node: ast.Expression) -> Typed | None:
        if isinstance(place.type, MutexType):
            return Typed(owner(place.place), place.checks)
        if isinstance(place.type, ArrayType):
            text = self.reporter.text(node)
            self.reporter.error(
                node, f"`{text}` is an array, not a value", f"read an element: `{text}[…]`"
            )
            return None
        return Typed(Read(place.place), place.checks)

    def _member(self, node: ast.Member) -> Typed | None:
        if isinstance(node.base, ast.SelfThread) and node.name.name == "index":
            for template in self.executors:
                if template.count is None:
                    self.reporter.error(
                        node,
                        f"`self.index` cannot be used by the threads `{template.name}[*]`",
                        "threads of any number have no positions; compare `self` instead",
                    )
                    return None
            return Typed(SelfIndex())
        text = self.reporter.text(node)
        hint = None
        if isinstance(node.base, ast.SelfThread):
            hint = self.reporter.near(f"self.{node.name.name}", ["self.index"])
        self.reporter.error(node, f"`{text}` has no meaning here", hint)
        return None

    def _quantified(self, node: ast.Quantified) -> Typed | None:
        self.reporter.error(node, f"`{node.quantifier}` can be used in invariants only")
        return None

    def _call(self, node: ast.Call) -> Typed | None:
        name = node.name.name
        if name == "holds":
            if len(node.arguments) != 1:
                self.reporter.error(node, "`holds` takes one mutex")
                return None
            mutex = self.mutex(node.arguments[0])
            return None if mutex is None else Typed(holds(mutex.place), mutex.checks)
        if name == "at":
            self.reporter.error(node, "`at` can be used in invariants only")
        elif name in OPERATIONS or name in self.symbols.procedures:
            self.reporter.error(
                node,
                f"`{name}(…)` cannot be part of an expression",
                f"assign it to a variable first: `x = {name}(…);`",
            )
        elif (kind := self.symbols.kind(name)) is not None:
            self.reporter.error(node.name, f"`{name}` is {kind}, not a procedure")
        else:
            known = [*self.symbols.procedures, *OPERATIONS]
            self.reporter.unknown(node.name, "procedure", name, known)
        return None

    # Elements of arrays.

    def _element(self, node: ast.Index) -> TypedPlace | None:
        base = self.place(node.base)
        if base is None:
            self.value(node.index)
            return None
        array = base.type
        if not isinstance(array, ArrayType):
            text = self.reporter.text(node.base)
            self.reporter.error(node, f"`{text}` is not an array but {describe(array)}")
            return None
        if isinstance(array.extent, PerThread):
            return self._thread_element(node, base, array.extent.template)
        index = self.expect(node.index, INT)
        if index is None:
            return None
        last = array.extent - 1
        message = f"index `{self.reporter.text(node.index)}` out of bounds 0..{last}"
        inside = self._within(index.expr, 0, last)
        if inside == FALSE and isinstance(index.expr, Const):
            self.reporter.error(node.index, message)
            return None
        checks = (*base.checks, *index.checks, *needed(inside, message))
        return TypedPlace(IndexPlace(base.place, index.expr), checks)

    def _thread_element(
        self, node: ast.Index, base: TypedPlace, template: str
    ) -> TypedPlace | None:
        if self.symbols.templates[template].pool is not None:
            position = self.value(node.index)
            if position is None:
                return None
            if is_integer(position.type):
                return self._created_element(node, base, template, position)
        index = self.expect(node.index, TID)
        if index is None:
            return None
        text = self.reporter.text(node.index)
        belongs = self._belongs(index.expr, template)
        if belongs == FALSE:
            self.reporter.error(node.index, f"`{text}` is never a thread of `{template}` here")
            return None
        if self.symbols.templates[template].count is None and not self._is_own(index.expr):
            array = self.reporter.text(node.base)
            self.reporter.error(
                node.index,
                f"`{array}` has one element for each of any number of threads",
                f"only `{array}[self]` can be used",
            )
            return None
        message = f"index `{text}` is not a thread of `{template}`"
        checks = (*base.checks, *index.checks, *needed(belongs, message))
        return TypedPlace(IndexPlace(base.place, index.expr), checks)

    def _created_element(
        self, node: ast.Index, base: TypedPlace, template: str, position: Typed
    ) -> TypedPlace:
        """The element of the thread that was created as the n-th of a template."""
        text = self.reporter.text(node.index)
        low = interval(position.expr)[0]
        at_least = TRUE if low is not None and low >= 0 else _is_natural(position.expr)
        natural = needed(at_least, f"index `{text}` is negative")
        thread = ThreadAt(template, position.expr)
        pool = self.symbols.templates[template].pool
        assert pool is not None
        limit = ModelLimit(f"index `{text}` beyond --max-threads {pool.slots}")
        checks = (*base.checks, *position.checks, *natural)
        return TypedPlace(
            IndexPlace(base.place, thread), (*checks, (IsInstance(thread, template), limit))
        )

    def _is_own(self, index: Expr) -> bool:
        """Whether an index names the thread at hand."""
        return isinstance(index, SelfId)

    def _belongs(self, index: Expr, template: str) -> Expr:
        """Whether a thread id belongs to a template, decided if it can be."""
        if index == NOBODY:
            return FALSE
        if isinstance(index, SelfId) and self.executors:
            names = {executor.name for executor in self.executors}
            if template not in names:
                return FALSE
            if len(names) == 1:
                return TRUE
        return IsInstance(index, template)

    def _within(self, expr: Expr, low: int, high: int) -> Expr:
        """Whether a value lies in a range, decided if types and counts tell."""
        if isinstance(expr, SelfIndex) and self.executors:
            counts = [template.count for template in self.executors]
            largest = max(count or 0 for count in counts) - 1
            if low <= 0 and largest <= high:
                return TRUE
        return within(expr, low, high)


def _is_natural(expr: Expr) -> Expr:
    return Binary(BinaryOp.GE, expr, number(0))
