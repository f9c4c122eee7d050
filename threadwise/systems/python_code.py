"""Edges compiled to Python functions over flat stores.

    g    a tuple with one value per shared cell (and the heap, see `memory_code`)
    l    a tuple: the location, the thread-scoped cells, the current procedure's cells

`EdgeCompiler.fire(edge)` gives a function `(t, g, l) -> [(values, g', l'), …]` with the meaning of
`threadwise.semantics.step` for one edge; `accesses(edge)` one that lists the shared cells it
touches. Property-based tests compare both with the reference semantics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from types import CodeType
from typing import Any, NamedTuple, Protocol

from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    AddressOf,
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
    Read,
    SameObject,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import root
from threadwise.ir.layout import ProgramLayout, field_offset, size_of
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import (
    INTEGER_OBJECT,
    UNSET,
    Address,
    ArrayType,
    MutexType,
    PerThread,
    RecordType,
    Value,
)
from threadwise.systems.memory_code import Memory

Global = tuple[Value, ...]
Local = tuple[Value, ...]
Fired = list[tuple[tuple[Value, ...], Global, Local]]
Touched = list[tuple[int, bool]]
Given = Iterable[tuple[Value, ...]] | None
"""The values of havocs to try; None: all."""
Accesses = Callable[[int, Global, Local], "Touched | None"]
Evaluate = Callable[[int, Global, Local], Value]
EvaluateAll = Callable[[int, Global, Local], tuple[Value, ...]]

MOST_REMEMBERED = 1 << 12
"""Of so many texts it is remembered what they mean."""


class Fire(Protocol):
    """What an edge does to stores."""

    def __call__(self, t: int, g: Global, l: Local, given: Given = None, /) -> Fired:
        """The stores after it, for each of the values; none where its guard is false."""


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


class Where(NamedTuple):
    """Source text for the position of a cell: in a store, or relative to a pointer."""

    scope: Scope
    position: str
    pointer: str | None = None


class ExpressionCompiler:
    """Source text for expressions and places of one procedure, as run by one template."""

    def __init__(
        self,
        program: Program,
        layout: ProgramLayout,
        procedure: str,
        template: str,
        read: str = "g[{0}]",
        load: str = "memory.load(g, {0}, {1})",
        memory: Memory | None = None,
    ) -> None:
        self.program = program
        self.layout = layout
        self.procedure = procedure
        self.template = template
        self.read = read
        """How a shared cell is read: a format string with one field, the slot."""
        self.load = load
        """How a cell is read through a pointer: with two fields, the pointer and an offset."""
        self.memory = Memory(program, layout) if memory is None else memory

    def slot(self, place: Place) -> tuple[Scope, str]:
        """Where the first cell of a place is that no pointer leads to."""
        found = self.where(place)
        if found.pointer is not None:
            raise Unsupported("access through a pointer here")
        return found.scope, found.position

    def where(self, place: Place) -> Where:
        """Where the first cell of a place is."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable):
                match variable.scope:
                    case Scope.GLOBAL:
                        slot = self.layout.globals.offset[variable.name]
                        return Where(Scope.GLOBAL, str(slot))
                    case Scope.THREAD:
                        offset = self.layout.thread[self.template].offset[variable.name]
                        return Where(Scope.THREAD, str(1 + offset))
                    case Scope.LOCAL:
                        kept = len(self.layout.thread[self.template].cells)
                        offset = self.layout.local[self.procedure].offset[variable.name]
                        return Where(Scope.LOCAL, str(1 + kept + offset))
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                scope, text, pointer = self.where(base)
                return Where(scope, _plus(text, str(field_offset(held, name, numbers))), pointer)
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                scope, text, pointer = self.where(base)
                position = self.expr(index)
                if held.extent == 0 and pointer is not None:
                    kind = self.memory.number_of(held.element)
                    size = size_of(held.element, numbers)
                    there = f"{pointer}, {text}, {position}, {size}, {kind}"
                    return Where(scope, f"memory.in_tail(g, {there})", pointer)
                if isinstance(held.extent, PerThread):
                    members = numbers.ranges[held.extent.template]
                    position = _plus(position, str(-members.start))
                    extent = len(members)
                else:
                    extent = held.extent
                size = size_of(held.element, numbers)
                return Where(
                    scope, _plus(text, f"element({position}, {extent}) * {size}"), pointer
                )
            case DerefPlace(address, _):
                return Where(Scope.GLOBAL, "0", self.expr(address))

    def expr(self, expr: Expr) -> str:  # noqa: C901 - a case per node
        """Source text for an expression."""
        numbers = self.layout.numbers
        match expr:
            case Const(value, _):
                return f"({value!r})"
            case Read(place):
                return self._content(self.where(place), self.read, self.load)
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
            case _ if isinstance(expr, PointerExpr):
                return self._pointer(expr)
            case _:
                raise Unsupported(f"compiled {type(expr).__name__}")

    @staticmethod
    def _content(where: Where, read: str, load: str) -> str:
        scope, text, pointer = where
        if pointer is not None:
            return load.format(pointer, text)
        return read.format(text) if scope is Scope.GLOBAL else f"l[{text}]"

    def _pointer(self, expr: PointerExpr) -> str:
        numbers = self.layout.numbers
        match expr:
            case AddressOf(place):
                return self._address(place)
            case PointerAdd(pointer, count, held):
                moved = f"{self.expr(count)} * {size_of(held, numbers)}"
                return f"memory.shift({self.expr(pointer)}, {moved})"
            case PointerDifference(left, right, held):
                offsets = [f"memory.to_int({self.expr(side)})" for side in (left, right)]
                return f"quotient({offsets[0]} - {offsets[1]}, {size_of(held, numbers)})"
            case IntToPointer(operand):
                return f"memory.from_int({self.expr(operand)})"
            case PointerToInt(pointer):
                return f"memory.to_int({self.expr(pointer)})"
            case IsValid(pointer, wanted):
                known = self.memory.number_of(wanted)
                return f"memory.valid(g, {self.expr(pointer)}, {known})"
            case IsAllocated(pointer):
                return f"memory.allocated(g, {self.expr(pointer)})"
            case HoldsInteger(pointer):
                return f"(memory.target({self.expr(pointer)}) == {INTEGER_OBJECT})"
            case SameObject(left, right):
                sides = [f"memory.target({self.expr(side)})" for side in (left, right)]
                return f"({sides[0]} == {sides[1]})"
            case IsWritten(place):
                held_there = self._content(self.where(place), "g[{0}]", "memory.load(g, {0}, {1})")
                return f"({held_there} != UNSET)"

    def _address(self, place: Place) -> str:
        scope, position, pointer = self.where(place)
        if pointer is not None:
            return f"memory.shift({pointer}, {position})"
        base = root(place)
        assert scope is Scope.GLOBAL
        assert isinstance(base, VariablePlace)
        name = base.variable.name
        start = self.layout.globals.offset[name]
        return f"Address({self.memory.names.index(name)}, {_plus(position, str(-start))})"


class EdgeCompiler:
    """Functions for the edges of a program, as run by one template."""

    def __init__(self, program: Program, layout: ProgramLayout, template: str) -> None:
        self.program = program
        self.layout = layout
        self.template = template
        self.memory = Memory(program, layout)

    def _compiler(self, edge: Edge, *, tracing: bool = False) -> ExpressionCompiler:
        procedure = self.program.procedure_of[edge.source].name
        code = ExpressionCompiler(
            self.program, self.layout, procedure, self.template, memory=self.memory
        )
        if tracing:
            code.read, code.load = "read({0})", "read_at({0}, {1})"
        return code

    def fire(self, edge: Edge, domains: Sequence[Sequence[Value]]) -> Fire:
        """What an action does; `domains` has the values of each of its havocs."""
        if isinstance(edge.action, Allocate | Free):
            return self._fire_memory(edge, edge.action)
        command = edge.action
        assert isinstance(command, Command)
        code = self._compiler(edge)
        body = [f"if not {code.expr(command.guard)}: return []"]
        written: list[tuple[Where, str]] = []
        for number, assignment in enumerate(command.assignments):
            body.append(f"v{number} = {code.expr(assignment.value)}")
            where = _fixed(code.where(assignment.target), f"{number}", body)
            written.append((where, f"v{number}"))
        for number, place in enumerate(command.havocs):
            where = _fixed(code.where(place), f"h{number}", body)
            written.append((where, f"values[{number}]"))
        finish = _stores(written)
        if command.havocs:
            body.append("fired = []")
            body.append("for values in product(*domains) if given is None else given:")
            body.extend("    " + line for line in finish)
            body.append("    fired.append((values, g1, l1))")
            body.append("return fired")
        else:
            body.extend(finish)
            body.append("return [((), g1, l1)]")
        names = {"domains": domains, "memory": code.memory, "there": edge.target}
        fire: Fire = compile_function("t, g, l, given=None", body, names)
        return fire

    def _fire_memory(self, edge: Edge, action: Allocate | Free) -> Fire:
        code = self._compiler(edge)
        body = [f"if not {code.expr(action.guard)}: return []"]
        written: list[tuple[Where, str]] = []
        if isinstance(action, Allocate):
            count = "None" if action.count is None else code.expr(action.count)
            where = _fixed(code.where(action.target), "0", body)
            body.append(f"g, fresh = memory.allocate(g, action, {count})")
            written.append((where, "fresh"))
        else:
            body.append(f"g, _ = memory.free(g, {code.expr(action.pointer)})")
        body.extend(_stores(written))
        body.append("return [((), g1, l1)]")
        names = {"action": action, "memory": code.memory, "there": edge.target}
        fire: Fire = compile_function("t, g, l, given=None", body, names)
        return fire

    def accesses(self, edge: Edge) -> Accesses:
        """The shared cells an action reads and writes; None where its guard is false."""
        action = edge.action
        assert not isinstance(action, Call | Return)
        code = self._compiler(edge, tracing=True)
        body = [
            "touched = []",
            "def read(slot):",
            "    touched.append((slot, False))",
            "    return g[slot]",
            "def read_at(pointer, offset):",
            "    touched.append((memory.cell(pointer, offset), False))",
            "    return memory.load(g, pointer, offset)",
            f"if not {code.expr(action.guard)}: return None",
        ]
        match action:
            case Command(_, assignments, havocs):
                for assignment in assignments:
                    body.extend(self._touch(code, assignment.target))
                    body.append(code.expr(assignment.value))
                for place in havocs:
                    body.extend(self._touch(code, place))
            case Allocate(_, target, count=count):
                body.extend(self._touch(code, target))
                if count is not None:
                    body.append(code.expr(count))
            case Free(_, pointer):
                gone = f"memory.free(g, {code.expr(pointer)})[1]"
                body.append(f"touched.extend((cell, True) for cell in {gone})")
        body.append("return touched")
        accesses: Accesses = compile_function("t, g, l", body, {"memory": code.memory})
        return accesses

    @staticmethod
    def _touch(code: ExpressionCompiler, place: Place) -> list[str]:
        scope, position, pointer = code.where(place)
        if pointer is not None:
            return [f"touched.append((memory.cell({pointer}, {position}), True))"]
        return [f"touched.append(({position}, True))"] if scope is Scope.GLOBAL else [position]

    def formula(self, procedure: str, expr: Expr) -> Evaluate:
        """The value of an expression evaluated by a thread inside a procedure."""
        code = ExpressionCompiler(self.program, self.layout, procedure, self.template)
        body = [f"return {code.expr(expr)}"]
        formula: Evaluate = compile_function("t, g, l", body, {"memory": code.memory})
        return formula

    def local_values(self, edge: Edge, guard: Expr, exprs: Sequence[Expr]) -> EvaluateAll:
        """The guard of a call or a return and, if it holds, the values of some expressions."""
        assert isinstance(edge.action, Call | Return)
        code = self._compiler(edge)
        items = "".join(f"{code.expr(expr)}, " for expr in exprs)
        body = [f"if not {code.expr(guard)}: return (False,)", f"return (True, {items})"]
        values: EvaluateAll = compile_function("t, g, l", body, {"memory": code.memory})
        return values


def _fixed(where: Where, name: str, body: list[str]) -> Where:
    """The same cell, found before anything is written."""
    scope, position, pointer = where
    if not position.isdigit():
        body.append(f"s{name} = {position}")
        position = f"s{name}"
    if pointer is not None:
        body.append(f"p{name} = {pointer}")
        pointer = f"p{name}"
    return Where(scope, position, pointer)


def _stores(written: Sequence[tuple[Where, str]]) -> list[str]:
    """Lines that compute g1 and l1 from g and l; the thread is `there` then."""
    shared = [(where, value) for where, value in written if where.scope is Scope.GLOBAL]
    own = [(where.position, value) for where, value in written if where.scope is not Scope.GLOBAL]
    if any(where.pointer is not None for where, _ in shared):
        lines = ["g1 = g"]
        for (_, position, pointer), value in shared:
            if pointer is None:
                lines.append(f"g1 = g1[:{position}] + ({value},) + g1[{position} + 1:]")
            else:
                lines.append(f"g1 = memory.store(g1, {pointer}, {position}, {value})")
    elif shared:
        lines = _update("g", [(where.position, value) for where, value in shared])
    else:
        lines = ["g1 = g"]
    lines.extend(_update("l", [("0", "there"), *own]))
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


@lru_cache(maxsize=MOST_REMEMBERED)
def _compiled(source: str) -> CodeType:
    """What a text means: many edges, also of other programs, do the same."""
    return compile(source, "<edge>", "exec")


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
        "Address": Address,
        "UNSET": UNSET,
        **(names or {}),
    }
    try:
        exec(_compiled(source), namespace)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise TooDeep("compiling an expression nested this deeply") from error
    return namespace["compiled"]
