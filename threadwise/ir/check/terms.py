"""Well-formedness of types, places and expressions: the typing rules of the IR.

Typing is strict. There are five kinds of scalars — booleans, integers (bounded or not), members of
one enumeration, thread ids, pointers — and nothing converts between them:

    - ~ + - * / % << >> & ^ |  < <= > >=      integers
    ! && || ==>                               booleans
    == !=   ?:                                any kind, the same on both sides
    a[i]                                      i an integer, or a thread id if `a` is per thread

A `TermChecker` knows what is declared where it looks and reports what is wrong. A term that is
wrong has no kind (None), and nothing more is said about the terms around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.check.types import (
    BOOL_KIND,
    INT_KIND,
    POINTER_KIND,
    TID_KIND,
    Kind,
    TypeChecker,
    duplicates,
    kind_of,
)
from threadwise.ir.expr import (
    CONNECTIVES,
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
from threadwise.ir.fold import children, is_shared, place_expressions
from threadwise.ir.layout import tail_of
from threadwise.ir.program import Program
from threadwise.ir.text.terms import Terms
from threadwise.ir.types import (
    ArrayType,
    EnumType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    contains,
    fields_of,
)

_SHOWN = 60


@dataclass
class Site:
    """Where the checker looks, and what is declared there."""

    where: str
    locals: dict[str, Variable] = field(default_factory=dict)
    templates: tuple[str, ...] = ()
    """Whose threads come here."""
    invariant: bool = False


class TermChecker:
    """Checks the terms of one program."""

    def __init__(self, program: Program, report: Callable[[str, str], None]) -> None:
        self._report = report
        self.types = TypeChecker(program, self.complain)
        self._globals = {d.variable.name: d.variable for d in program.globals}
        self._threads = {
            template.name: {d.variable.name: d.variable for d in template.variables}
            for template in program.templates
        }
        self._unbounded = {t.name for t in program.templates if t.count is None}
        self._labels = {
            proc.name: {label for location in proc.locations for label in location.labels}
            for proc in program.procedures
        }
        self._bound: list[tuple[ThreadVariable, ...]] = []
        self.site = Site("")
        self.complaints = 0
        """How often something was wrong."""
        self.locals: set[Variable] = set()
        """The local variables that were looked up."""
        self.looked_at_threads = False
        """Whether it mattered whose threads come here."""

    def complain(self, message: str) -> None:
        """Something is wrong where the checker looks."""
        self.complaints += 1
        self._report(message, self.site.where)

    # Expressions and places

    def expect(self, expr: Expr, wanted: Kind | None, role: str) -> None:
        """Check an expression that must be of a kind."""
        found = self.expr(expr)
        if found is not None and wanted is not None and found != wanted:
            self.complain(
                f"{role} is of kind {_shown_kind(found)}, expected {_shown_kind(wanted)}: "
                f"{_shown(expr)}"
            )

    def expr(self, expr: Expr) -> Kind | None:
        """Check an expression; its kind."""
        try:
            return self._expr(expr)
        except RecursionError:
            self.complain("a term is nested too deeply")
            return None
        finally:
            self._bound.clear()

    def place(self, place: Place) -> Type | None:
        """Check a place; what it holds."""
        kinds = [self.expr(part) for part in place_expressions(place)]
        return self._place(place, iter(kinds), None)

    def target(self, place: Place, role: str) -> Kind | None:
        """Check a place that is written: it must be one scalar cell; its kind."""
        held = self.place(place)
        if held is None:
            return None
        kind = kind_of(held)
        if kind is None:
            self.complain(f"{role} is not scalar: {Terms().place(place)}")
        return kind

    def _expr(self, expr: Expr) -> Kind | None:
        """Children first, without recursion: `kinds` holds those of finished subexpressions."""
        kinds: list[Kind | None] = []
        pending: list[tuple[Expr, bool]] = [(expr, False)]
        while pending:
            current, ready = pending.pop()
            parts = children(current)
            if not ready:
                if isinstance(current, Quantified):
                    self._enter(current)
                pending.append((current, True))
                pending.extend((part, False) for part in reversed(parts))
                continue
            operands = kinds[len(kinds) - len(parts) :]
            del kinds[len(kinds) - len(parts) :]
            kinds.append(self._kind(current, operands))
        return kinds[0]

    def _kind(self, expr: Expr, operands: list[Kind | None]) -> Kind | None:
        match expr:
            case Const(value, held):
                self.types.check(held)
                if isinstance(held, ArrayType | RecordType | MutexType):
                    self.complain("a literal has an aggregate type")
                elif not contains(held, value):
                    self.complain(f"{value} is no value of {Terms().type(held)}")
                return kind_of(held)
            case Read(place):
                if self.site.invariant and not is_shared(place):
                    self.complain(f"an invariant reads {_shown(expr)} without saying whose")
                return self._scalar(expr, self._place(place, iter(operands), None))
            case Unary(op, _):
                wanted = BOOL_KIND if op is UnaryOp.NOT else INT_KIND
                self._all(expr, operands, wanted)
                return wanted
            case Binary(op, _, _):
                return self._binary(expr, op, operands)
            case Conditional():
                self._all(expr, operands[:1], BOOL_KIND)
                self._same(expr, operands[1:])
                return operands[1] if operands[1] is not None else operands[2]
            case Wrap(low, high, _) | Clamp(low, high, _):
                if low > high:
                    self.complain(f"empty range {low}..{high}")
                self._all(expr, operands, INT_KIND)
                return INT_KIND
            case SelfId() | SelfIndex() | ThreadAt() | IsInstance():
                return self._thread_kind(expr, operands)
            case ThreadVariable() | AtLabel() | ThreadRead() | Quantified():
                return self._quantified_kind(expr, operands)
            case _:
                return self._pointer_kind(expr, operands)

    def _binary(self, expr: Expr, op: BinaryOp, operands: list[Kind | None]) -> Kind:
        if op in CONNECTIVES:
            self._all(expr, operands, BOOL_KIND)
            return BOOL_KIND
        if op in (BinaryOp.EQ, BinaryOp.NE):
            self._same(expr, operands)
            return BOOL_KIND
        self._all(expr, operands, INT_KIND)
        ordered = op in (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)
        return BOOL_KIND if ordered else INT_KIND

    def _thread_kind(
        self, expr: SelfId | SelfIndex | ThreadAt | IsInstance, operands: list[Kind | None]
    ) -> Kind:
        match expr:
            case SelfId():
                if self.site.invariant:
                    self.complain("an invariant mentions self")
                return TID_KIND
            case SelfIndex():
                if self.site.invariant:
                    self.complain("an invariant mentions self.index")
                self.looked_at_threads = True
                for name in self.site.templates:
                    if name in self._unbounded:
                        self.complain(f"self.index, but there is any number of {name}")
                return INT_KIND
            case ThreadAt(template, _):
                self._template(template)
                self._all(expr, operands, INT_KIND)
                return TID_KIND
            case IsInstance(_, template):
                self._template(template)
                self._all(expr, operands, TID_KIND)
                return BOOL_KIND

    def _pointer_kind(self, expr: PointerExpr, operands: list[Kind | None]) -> Kind:
        match expr:
            case AddressOf(place):
                if not is_shared(place):
                    self.complain(f"address of a variable that is not global: {_shown(expr)}")
                self._place(place, iter(operands), None)
                return POINTER_KIND
            case PointerAdd(_, _, element):
                self.types.check(element)
                if tail_of(element) is not None:
                    self.complain(f"what ends in an open array has no next one: {_shown(expr)}")
                self._all(expr, operands[:1], POINTER_KIND)
                self._all(expr, operands[1:], INT_KIND)
                return POINTER_KIND
            case PointerDifference(_, _, element):
                self.types.check(element)
                self._all(expr, operands, POINTER_KIND)
                return INT_KIND
            case IntToPointer():
                self._all(expr, operands, INT_KIND)
                return POINTER_KIND
            case PointerToInt():
                self._all(expr, operands, POINTER_KIND)
                return INT_KIND
            case IsValid(_, held):
                if held is not None:
                    self.types.check(held)
                self._all(expr, operands, POINTER_KIND)
                return BOOL_KIND
            case IsAllocated() | HoldsInteger() | SameObject():
                self._all(expr, operands, POINTER_KIND)
                return BOOL_KIND
            case IsWritten(place):
                self._scalar(expr, self._place(place, iter(operands), None))
                return BOOL_KIND
            case _:
                assert_never(expr)

    def _quantified_kind(
        self,
        expr: ThreadVariable | AtLabel | ThreadRead | Quantified,
        operands: list[Kind | None],
    ) -> Kind | None:
        if not self.site.invariant:
            self.complain(f"only an invariant may speak about other threads: {_shown(expr)}")
        match expr:
            case ThreadVariable():
                self._is_bound(expr)
                return TID_KIND
            case AtLabel(thread, procedure, label):
                self._is_bound(thread)
                if label not in self._labels.get(procedure, ()):
                    self.complain(f"no label {label} in a procedure {procedure}")
                return BOOL_KIND
            case ThreadRead(thread, place):
                self._is_bound(thread)
                return self._scalar(expr, self._place(place, iter(operands), thread))
            case Quantified():
                self._bound.pop()
                self._all(expr, operands, BOOL_KIND)
                return BOOL_KIND

    def _enter(self, expr: Quantified) -> None:
        """Open the scope of a quantifier."""
        known = [variable.name for scope in self._bound for variable in scope]
        for name in duplicates([*known, *(variable.name for variable in expr.variables)]):
            self.complain(f"two quantified threads are named {name}")
        for variable in expr.variables:
            self._template(variable.template)
            if expr.quantifier is Quantifier.EXISTS and variable.template in self._unbounded:
                self.complain(f"exists, but there is any number of {variable.template}")
        self._bound.append(expr.variables)

    def _place(
        self, place: Place, kinds: Iterator[Kind | None], thread: ThreadVariable | None
    ) -> Type | None:
        """What a place holds; `kinds` are those of its indices and its pointer, root first."""
        suffixes: list[IndexPlace | FieldPlace] = []
        current = place
        while isinstance(current, IndexPlace | FieldPlace):
            suffixes.append(current)
            current = current.base
        held = self._root(current, kinds, thread)
        for suffix in reversed(suffixes):
            index = next(kinds) if isinstance(suffix, IndexPlace) else None
            if held is None:
                continue
            if isinstance(suffix, IndexPlace):
                held = self._element(held, index)
            elif not isinstance(held, RecordType | MutexType):
                self.complain(f"field {suffix.field} of a {Terms().type(held)}")
                held = None
            elif suffix.field not in dict(fields_of(held)):
                self.complain(f"{Terms().type(held)} has no field {suffix.field}")
                held = None
            else:
                held = dict(fields_of(held))[suffix.field]
        return held

    def _root(
        self,
        place: VariablePlace | DerefPlace,
        kinds: Iterator[Kind | None],
        thread: ThreadVariable | None,
    ) -> Type | None:
        if isinstance(place, DerefPlace):
            self.types.check(place.type)
            pointer = next(kinds)
            if pointer not in (POINTER_KIND, None):
                self.complain(f"dereference of kind {_shown_kind(pointer)}")
            if thread is not None:
                self.complain(f"{thread.name} is asked for memory, not for a variable of its own")
            return place.type
        variable = place.variable
        if thread is not None:
            known = self._threads.get(thread.template, {}).get(variable.name) == variable
        else:
            known = self._is_declared(variable)
        if not known:
            self.complain(
                f"{variable.scope.value} variable {variable.name} is not declared like this"
            )
        return variable.type

    def _is_declared(self, variable: Variable) -> bool:
        match variable.scope:
            case Scope.GLOBAL:
                return self._globals.get(variable.name) == variable
            case Scope.LOCAL:
                self.locals.add(variable)
                return self.site.locals.get(variable.name) == variable
            case Scope.THREAD:
                self.looked_at_threads = True
                templates = self.site.templates
                if templates:
                    return all(self._threads[t].get(variable.name) == variable for t in templates)
                return any(own.get(variable.name) == variable for own in self._threads.values())

    def _element(self, held: Type, index: Kind | None) -> Type | None:
        if not isinstance(held, ArrayType):
            self.complain(f"index into a {Terms().type(held)}")
            return None
        wanted = TID_KIND if isinstance(held.extent, PerThread) else INT_KIND
        if index not in (wanted, None):
            self.complain(f"index of kind {_shown_kind(index)}, expected {wanted}")
        return held.element

    # Helpers

    def _scalar(self, expr: Expr, held: Type | None) -> Kind | None:
        if held is None:
            return None
        kind = kind_of(held)
        if kind is None:
            self.complain(f"a {Terms().type(held)} is read as a whole: {_shown(expr)}")
        return kind

    def _all(self, expr: Expr, operands: list[Kind | None], wanted: Kind) -> None:
        for operand in operands:
            if operand not in (wanted, None):
                self.complain(
                    f"operand of kind {_shown_kind(operand)}, expected {_shown_kind(wanted)}: "
                    f"{_shown(expr)}"
                )

    def _same(self, expr: Expr, operands: list[Kind | None]) -> None:
        left, right = operands
        if left is not None and right is not None and left != right:
            self.complain(
                f"operands of kinds {_shown_kind(left)} and {_shown_kind(right)}: {_shown(expr)}"
            )

    def _template(self, name: str) -> None:
        if name not in self._threads:
            self.complain(f"no thread template {name}")

    def _is_bound(self, thread: ThreadVariable) -> None:
        if not any(thread in scope for scope in self._bound):
            self.complain(f"thread {thread.name} of {thread.template} is not quantified")


def _shown(expr: Expr) -> str:
    text = Terms().expr(expr)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _shown_kind(kind: Kind | None) -> str:
    return kind.name if isinstance(kind, EnumType) else str(kind)
