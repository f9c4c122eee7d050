"""Edges compiled to Python functions over flat stores.

    g    a tuple with one value per shared cell
    l    a tuple: the location, the thread-scoped cells, the current procedure's cells

`EdgeCompiler.fire(edge)` gives a function `(t, g, l) -> [(values, g', l'), …]` with the meaning of
`threadwise.semantics.step` for one edge; `accesses(edge)` one that lists the shared cells it
touches. Property-based tests compare both with the reference semantics. The heap is not compiled:
`threadwise.systems.reference` runs programs that use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.layout import ProgramLayout, field_offset, size_of
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType, Value

Global = tuple[Value, ...]
Local = tuple[Value, ...]
Fired = list[tuple[tuple[Value, ...], Global, Local]]
Touched = list[tuple[int, bool]]
Fire = Callable[[int, Global, Local], Fired]
Accesses = Callable[[int, Global, Local], "Touched | None"]
Evaluate = Callable[[int, Global, Local], Value]
EvaluateAll = Callable[[int, Global, Local], tuple[Value, ...]]

_PYTHON_BINARY = {
    BinaryOp.ADD: "+",
    BinaryOp.SUB: "-",
    BinaryOp.MUL: "*",
    BinaryOp.SHL: "<<",
    BinaryOp.SHR: ">>",
    BinaryOp.BIT_AND: "&",
    BinaryOp.BIT_OR: "|",
    BinaryOp.BIT_XOR: "^",
    BinaryOp.LT: "<",
    BinaryOp.LE: "<=",
    BinaryOp.GT: ">",
    BinaryOp.GE: ">=",
    BinaryOp.EQ: "==",
    BinaryOp.NE: "!=",
    BinaryOp.AND: "and",
    BinaryOp.OR: "or",
}
_CHAINED = frozenset({BinaryOp.AND, BinaryOp.OR, BinaryOp.ADD, BinaryOp.MUL})
"""Left-associative operators whose chains are written flat: Python's parser limits nesting."""
_PYTHON_UNARY = {UnaryOp.NEG: "-", UnaryOp.NOT: "not ", UnaryOp.BIT_NOT: "~"}


class TooDeep(Unsupported):
    """An expression nested more deeply than Python's own compiler accepts."""


def quotient(left: int, right: int) -> int:
    """C's division: truncated towards zero."""
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


def remainder(left: int, right: int) -> int:
    """C's remainder: the sign of the dividend."""
    return left - right * quotient(left, right)


def element(position: int, extent: int) -> int:
    """An index, checked: Python would take a negative one from the end."""
    if not 0 <= position < extent:
        raise IndexError(position)
    return position


class ExpressionCompiler:
    """Source text for expressions and places of one procedure, as run by one template."""

    def __init__(
        self, program: Program, layout: ProgramLayout, procedure: str, template: str, read: str
    ) -> None:
        self.program = program
        self.layout = layout
        self.procedure = procedure
        self.template = template
        self.read = read
        """How a shared cell is read: a format string with one field, the slot."""

    def slot(self, place: Place) -> tuple[Scope, str]:
        """Where the first cell of a place is: which store, and source text for the position."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable):
                match variable.scope:
                    case Scope.GLOBAL:
                        return Scope.GLOBAL, str(self.layout.globals.offset[variable.name])
                    case Scope.THREAD:
                        offset = self.layout.thread[self.template].offset[variable.name]
                        return Scope.THREAD, str(1 + offset)
                    case Scope.LOCAL:
                        kept = len(self.layout.thread[self.template].cells)
                        offset = self.layout.local[self.procedure].offset[variable.name]
                        return Scope.LOCAL, str(1 + kept + offset)
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                scope, text = self.slot(base)
                return scope, _plus(text, str(field_offset(held, name, numbers)))
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                scope, text = self.slot(base)
                position = self.expr(index)
                if isinstance(held.extent, PerThread):
                    members = numbers.ranges[held.extent.template]
                    position = _plus(position, str(-members.start))
                    extent = len(members)
                else:
                    extent = held.extent
                size = size_of(held.element, numbers)
                return scope, _plus(text, f"element({position}, {extent}) * {size}")
            case _:
                raise Unsupported("compiled access through a pointer")

    def expr(self, expr: Expr) -> str:  # noqa: C901 - a case per node
        """Source text for an expression."""
        numbers = self.layout.numbers
        match expr:
            case Const(value, _):
                return f"({value!r})"
            case Read(place):
                scope, text = self.slot(place)
                return self.read.format(text) if scope is Scope.GLOBAL else f"l[{text}]"
            case Unary(op, operand):
                return f"({_PYTHON_UNARY[op]}{self.expr(operand)})"
            case Binary(BinaryOp.IMPLIES, left, right):
                return f"(not {self.expr(left)} or {self.expr(right)})"
            case Binary(BinaryOp.DIV, left, right):
                return f"quotient({self.expr(left)}, {self.expr(right)})"
            case Binary(BinaryOp.MOD, left, right):
                return f"remainder({self.expr(left)}, {self.expr(right)})"
            case Binary(op, _, right):
                operands = [right]
                left = expr.left
                while isinstance(left, Binary) and left.op is op and op in _CHAINED:
                    operands.append(left.right)
                    left = left.left
                parts = [self.expr(left), *(self.expr(part) for part in reversed(operands))]
                return f"({f' {_PYTHON_BINARY[op]} '.join(parts)})"
            case Conditional(condition, then, otherwise):
                chosen = f"{self.expr(then)} if {self.expr(condition)} else"
                return f"({chosen} {self.expr(otherwise)})"
            case Wrap(low, high, operand):
                return f"({low} + ({self.expr(operand)} - ({low})) % {high - low + 1})"
            case Clamp(low, high, operand):
                return f"min(max({self.expr(operand)}, {low}), {high})"
            case SelfId():
                return "t"
            case SelfIndex():
                return f"(t - {numbers.ranges[self.template].start})"
            case ThreadAt(template, position):
                return f"({numbers.ranges[template].start} + {self.expr(position)})"
            case IsInstance(operand, template):
                members = numbers.ranges[template]
                return f"({members.start} <= {self.expr(operand)} < {members.stop})"
            case _:
                raise Unsupported(f"compiled {type(expr).__name__}")


class EdgeCompiler:
    """Functions for the edges of a program, as run by one template."""

    def __init__(self, program: Program, layout: ProgramLayout, template: str) -> None:
        self.program = program
        self.layout = layout
        self.template = template

    def _compiler(self, edge: Edge, read: str) -> ExpressionCompiler:
        procedure = self.program.procedure_of[edge.source].name
        return ExpressionCompiler(self.program, self.layout, procedure, self.template, read)

    def fire(self, edge: Edge, domains: Sequence[Sequence[Value]]) -> Fire:
        """What a command does; `domains` has the values of each of its havocs."""
        command = edge.action
        assert isinstance(command, Command)
        code = self._compiler(edge, "g[{0}]")
        body = [f"if not {code.expr(command.guard)}: return []"]
        written: list[tuple[Scope, str, str]] = []
        for number, assignment in enumerate(command.assignments):
            body.append(f"v{number} = {code.expr(assignment.value)}")
            scope, slot = code.slot(assignment.target)
            if not slot.isdigit():
                body.append(f"s{number} = {slot}")
                slot = f"s{number}"
            written.append((scope, slot, f"v{number}"))
        for number, place in enumerate(command.havocs):
            scope, slot = code.slot(place)
            body.append(f"h{number} = {slot}")
            written.append((scope, f"h{number}", f"values[{number}]"))
        finish = _stores(written, edge.target)
        if command.havocs:
            body.append("fired = []")
            body.append("for values in product(*domains):")
            body.extend("    " + line for line in finish)
            body.append("    fired.append((values, g1, l1))")
            body.append("return fired")
        else:
            body.extend(finish)
            body.append("return [((), g1, l1)]")
        fire: Fire = compile_function("t, g, l", body, {"domains": domains})
        return fire

    def accesses(self, edge: Edge) -> Accesses:
        """The shared cells a command reads and writes; None where its guard is false."""
        command = edge.action
        assert isinstance(command, Command)
        code = self._compiler(edge, "read({0})")
        body = [
            "touched = []",
            "def read(slot):",
            "    touched.append((slot, False))",
            "    return g[slot]",
            f"if not {code.expr(command.guard)}: return None",
        ]
        for assignment in command.assignments:
            body.extend(self._touch(code, assignment.target))
            body.append(code.expr(assignment.value))
        for place in command.havocs:
            body.extend(self._touch(code, place))
        body.append("return touched")
        accesses: Accesses = compile_function("t, g, l", body)
        return accesses

    @staticmethod
    def _touch(code: ExpressionCompiler, place: Place) -> list[str]:
        scope, slot = code.slot(place)
        return [f"touched.append(({slot}, True))"] if scope is Scope.GLOBAL else [slot]

    def formula(self, procedure: str, expr: Expr) -> Evaluate:
        """The value of an expression evaluated by a thread inside a procedure."""
        code = ExpressionCompiler(self.program, self.layout, procedure, self.template, "g[{0}]")
        formula: Evaluate = compile_function("t, g, l", [f"return {code.expr(expr)}"])
        return formula

    def local_values(self, edge: Edge, guard: Expr, exprs: Sequence[Expr]) -> EvaluateAll:
        """The guard of a call or a return and, if it holds, the values of some expressions."""
        assert isinstance(edge.action, Call | Return)
        code = self._compiler(edge, "g[{0}]")
        items = "".join(f"{code.expr(expr)}, " for expr in exprs)
        body = [f"if not {code.expr(guard)}: return (False,)", f"return (True, {items})"]
        values: EvaluateAll = compile_function("t, g, l", body)
        return values


def _stores(written: Sequence[tuple[Scope, str, str]], target: int) -> list[str]:
    """Lines that compute g1 and l1 from g and l."""
    shared = [(slot, value) for scope, slot, value in written if scope is Scope.GLOBAL]
    own = [(slot, value) for scope, slot, value in written if scope is not Scope.GLOBAL]
    lines = _update("g", shared) if shared else ["g1 = g"]
    lines.extend(_update("l", [("0", str(target)), *own]))
    return lines


def _update(store: str, slots: Sequence[tuple[str, str]]) -> list[str]:
    if len(slots) == 1:
        slot, value = slots[0]
        rest = str(int(slot) + 1) if slot.isdigit() else f"{slot} + 1"
        return [f"{store}1 = {store}[:{slot}] + ({value},) + {store}[{rest}:]"]
    lines = [f"cells = list({store})"]
    lines.extend(f"cells[{slot}] = {value}" for slot, value in slots)
    lines.append(f"{store}1 = tuple(cells)")
    return lines


def _plus(left: str, right: str) -> str:
    if left.lstrip("-").isdigit() and right.lstrip("-").isdigit():
        return str(int(left) + int(right))
    return left if right == "0" else f"{left} + {right}"


def compile_function(
    parameters: str, body: Sequence[str], names: dict[str, Any] | None = None
) -> Any:
    """A function with the given source lines; it sees the helpers of this module and `names`."""
    source = f"def compiled({parameters}):\n" + "\n".join("    " + line for line in body)
    namespace: dict[str, Any] = {
        "product": product,
        "quotient": quotient,
        "remainder": remainder,
        "element": element,
        **(names or {}),
    }
    try:
        exec(compile(source, "<edge>", "exec"), namespace)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise TooDeep("compiling an expression nested this deeply") from error
    return namespace["compiled"]
