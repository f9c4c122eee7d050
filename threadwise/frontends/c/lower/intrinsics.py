"""The primitives of the library models (`headers/threadwise.h`), and copies of typed memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from threadwise.core.doubts import Doubt
from threadwise.core.memory_orders import AccessOrder
from threadwise.core.quick_dataclass import replace
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower import signals
from threadwise.frontends.c.lower.beyond import go_on
from threadwise.frontends.c.lower.graph import Access, Region
from threadwise.frontends.c.lower.storage import reading
from threadwise.frontends.c.lower.storage.filling import any_arguments, opaque_arguments
from threadwise.frontends.c.lower.storage.formatting import can_format, formatted
from threadwise.frontends.c.lower.storage.places import folded
from threadwise.frontends.c.lower.survey import strip
from threadwise.frontends.c.lower.unknown import leads_on
from threadwise.frontends.c.lower.values.arithmetic import NO_THREAD, ZERO, as_number, as_truth
from threadwise.frontends.c.lower.values.types import BIT, Unrepresentable
from threadwise.frontends.c.lower.variadic import next_pointer
from threadwise.frontends.c.types import (
    CInteger,
    CType,
    unqualified,
)
from threadwise.ir import operations
from threadwise.ir.commands import Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import Failure, FailureKind
from threadwise.ir.types import MUTEX, POINTER, Type

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

CLAIM = "claim"
"""The word for what attributes say about locks: findings of their own, beside assertions."""
_ACQUIRE = 2
_ACQUIRING = (_ACQUIRE, 4, 5)
"""The memory orders acquire, acq_rel and seq_cst, by the numbers of stdatomic.h."""
_BYTE = CInteger(8, signed=True)
_ORDERS = frozenset(
    {
        "relaxed_store",
        "strong_read",
        "access",
        "access_or_fail",
        "release_fence",
        "acquire_fence",
    }
)
_LOCKS = frozenset(
    {"acquire", "release", "try_acquire", "is_free", "holds", "waits_for", "wait_free"}
)
_FILLING = frozenset(
    {
        "any_memory",
        "opaque_memory",
        "any_object",
        "opaque_object",
        "any_arguments",
        "opaque_arguments",
        "can_format",
        "format",
    }
)
_READING = frozenset({"read", "read_text", "read_arguments"})


class Intrinsics:
    """The primitives, as seen by one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def call(  # noqa: C901 - a case per primitive
        self, name: str, expr: tree.Call, target: CType | None
    ) -> Expr | None:
        """A call of a primitive."""
        short = name.removeprefix("__tw_")
        if short in _FILLING | _READING:
            return self._filling(short, expr)
        if short in _LOCKS:
            return self._lock(short, self._mutex(expr))
        if short.startswith("any_"):
            return self.body.expressions.any_value(unqualified(expr.type))
        if short.startswith("opaque_"):
            found = next_pointer(self.body, expr.type) if short == "opaque_argument" else None
            return found or self.body.expressions.opaque_value(unqualified(expr.type))
        match short:
            case "atomic_begin" | "atomic_end":
                self._region(short)
                return None
            case "wait" | "wait_held" | "purpose":
                self._wait(short, expr.arguments)
                return None
            case "self" | "no_thread":
                return SelfId() if short == "self" else NO_THREAD
            case "spawn" | "join" | "has_ended" | "exit_thread":
                return self._thread(short, expr)
            case "exit_program":
                self.body.end()
                return None
            case "fail_assertion" | "fail_claim" | "fail_mutex" | "limit" | "assumption":
                self._message(short, expr)
                return None
            case _ if short in _ORDERS:
                self._order(short, expr.arguments)
                return None
            case "doubtful":
                return self._doubtful(_text(expr.arguments[0]))
            case "allocate" | "allocate_local" | "reallocate" | "free":
                return self._memory(short, expr, target)
            case "copy" | "move" | "set" | "compare" | "element" | "swap":
                return self._block(short, expr)
            case "open" | "open_end" | "beyond" | "beyond_end" | "touch" | "handlers":
                return self._open(short, expr)
            case _:
                raise Unrepresentable(f"the primitive {name}")

    def _filling(self, name: str, expr: tree.Call) -> Expr | None:
        body, arguments = self.body, expr.arguments
        match name:
            case _ if name in _READING:
                self._reading(name, arguments)
            case "any_arguments":
                format_, _ = body.memory.given(arguments[0])
                return any_arguments(body, opaque=not reading.asks_for_any(format_))
            case "opaque_arguments":
                opaque_arguments(body)
            case "can_format":
                format_, _ = body.memory.given(arguments[0])
                return number(int(can_format(body, format_)))
            case "format":
                return self._format(arguments)
            case "any_object" | "opaque_object":
                body.memory.any_object(arguments[0], opaque=name == "opaque_object")
            case _:
                return body.memory.havoc(*arguments, opaque=name == "opaque_memory")
        return None

    def _format(self, arguments: Sequence[tree.Expr]) -> Expr:
        body = self.body
        text, size = (body.expressions.value(each) for each in arguments[:2])
        format_, _ = body.memory.given(arguments[2])
        put = [each.function for each in arguments[3:] if isinstance(each, tree.FunctionName)]
        return formatted(body, text, size, format_, *put)

    def _reading(self, name: str, arguments: Sequence[tree.Expr]) -> None:
        body = self.body
        origin, element = body.memory.given(arguments[0])
        if name == "read_arguments":
            reading.read_arguments(body, origin)
            return
        if reading.is_literal(origin):
            return
        pointer = body.expressions.value(arguments[0])
        if name == "read":
            reading.read_block(body, pointer, element, body.expressions.value(arguments[1]))
        else:
            reading.read_text(body, pointer, element)

    def _block(self, name: str, expr: tree.Call) -> Expr | None:
        memory = self.body.memory
        match name:
            case "copy":
                memory.copy(*expr.arguments)
            case "move":
                memory.move(*expr.arguments)
            case "set":
                memory.fill(*expr.arguments)
            case "swap":
                memory.exchange(*expr.arguments)
            case "element":
                return memory.element(*expr.arguments)
            case _:
                return memory.compare(*expr.arguments)
        return None

    def _memory(self, name: str, expr: tree.Call, target: CType | None) -> Expr | None:
        body, arguments = self.body, expr.arguments
        match name:
            case "allocate":
                cleared = as_truth(body.expressions.value(arguments[1])) == TRUE
                return body.memory.allocate(arguments[0], target, cleared=cleared)
            case "allocate_local":
                return self._until_return(arguments[0], expr, target)
            case "reallocate":
                return body.memory.reallocate(arguments[0], arguments[1], target)
            case _:
                body.memory.free(body.expressions.value(arguments[0]))
                return None

    def _until_return(self, size: tree.Expr, expr: tree.Call, target: CType | None) -> Expr:
        """Memory that is gone when the function returns; in loops there is more than one."""
        body = self.body
        if body.here.function.name == "main":
            return body.memory.allocate(size, target, cleared=False)
        if not body.unit.options.lifetimes or body.loops:
            body.unit.assume("local variables are not used after their functions returned")
            return body.memory.allocate(size, target, cleared=False)
        heap = body.heap_local("alloca", POINTER)
        born = tree.Variable("alloca", "alloca", expr.type, tree.Storage.LOCAL, expr.span)
        body.here.heap[born] = heap
        fresh = body.memory.allocate(size, target, cleared=False)
        body.step(Command(assignments=(Assignment(VariablePlace(heap.pointer), fresh),)))
        return fresh

    def _region(self, name: str) -> None:
        body = self.body
        if name == "atomic_begin":
            change, limit = 1, body.limit_node("too many atomic regions inside each other")
        else:
            change, limit = -1, body.limit_node("the end of an atomic region that was not begun")
        body.graph.call_limit = body.limit_node("a call of a procedure inside an atomic region")
        body.graph.end_limit = body.limit_node("a thread that ends inside an atomic region")
        target = body.node()
        body.graph.marks[body.at, target] = (change, limit)
        body.purpose = None
        if body.access is not None and change < 0:
            self._end_access(body.access)
        elif change < 0:
            body.unit.note_access(body.span, None)
        elif body.access is not None:
            body.access = replace(body.access, before=body.at, begin=target)
        body.move_to(target)
        if body.access is not None and change < 0:
            acquires, body.access = body.access.order in _ACQUIRING, None
            if acquires:
                body.keep_order()

    def _order(self, name: str, arguments: Sequence[tree.Expr]) -> None:
        """What is known about the order of memory accesses."""
        match name:
            case "access" | "access_or_fail":
                known = [self._known_order(each) for each in arguments]
                self.body.access = Access(known[0], known[-1])
            case "release_fence":
                self.body.unit.orders[name] = None
                self.body.keep_order()
            case _:
                self.body.unit.orders[name] = None

    def _known_order(self, order: tree.Expr) -> int | None:
        value = self.body.expressions.value(order)
        known = value.value if isinstance(value, Const) else None
        return known if isinstance(known, int) else None

    def _end_access(self, access: Access) -> None:
        """An access whose order is weaker than release and acquire, or unknown, may be early."""
        body = self.body
        if access.order is not None and access.failing is not None:
            body.unit.note_access(body.span, AccessOrder(access.order, access.failing))
        else:
            body.unit.note_access(body.span, None)
        if (access.order is None or access.order < _ACQUIRE) and not body.is_dead:
            found = Region(access.before, access.begin, body.at, body.span, body.text)
            body.graph.weak.append(found)

    def _wait(self, name: str, arguments: Sequence[tree.Expr]) -> None:
        """Go on only if a condition holds; or what such steps are for."""
        body = self.body
        if name == "purpose":
            body.purpose = Operation(OperationKind(_text(arguments[0])))
            return
        condition = body.choices.truth(arguments[0])
        operation = body.purpose
        if len(arguments) > 1:
            operation = Operation(OperationKind.HELD, body.expressions.value(arguments[1]))
        body.step(Command(condition), operation=operation)

    # -- locks -----------------------------------------------------------------------------------

    def _mutex(self, expr: tree.Call) -> Place:
        return folded(self.body.expressions.value(expr.arguments[0]), MUTEX)

    def _lock(self, name: str, mutex: Place) -> Expr | None:
        body = self.body
        match name:
            case "acquire":
                found = operations.acquire(mutex)
                body.step(found.command, operation=found.operation, sync=True)
                return None
            case "release":
                self._release(mutex)
                return None
            case "try_acquire":
                return self._try_acquire(mutex)
            case "waits_for":
                awaiting = Operation(OperationKind.AWAIT, operations.owner(mutex))
                body.step(Command(), operation=awaiting, sync=True)
                return None
            case "wait_free":
                awaiting = Operation(OperationKind.AWAIT, operations.owner(mutex))
                body.step(Command(operations.is_free(mutex)), operation=awaiting, sync=True)
                return None
            case _:
                holds = operations.is_free(mutex) if name == "is_free" else operations.holds(mutex)
                return self._observe(as_number(holds), BIT)

    def _release(self, mutex: Place) -> None:
        body = self.body
        found = operations.release(mutex)
        assert found.requires is not None
        failure = Failure(FailureKind.MUTEX, "mutex", "a lock is released that is not held")
        wrong = body.graph.failure(failure, body.span)
        not_held = Command(Binary(BinaryOp.NE, operations.owner(mutex), SelfId()))
        body.arc(wrong, not_held, operation=found.operation, sync=True)
        held = Command(found.requires, found.command.assignments)
        body.step(held, operation=found.operation, sync=True)

    def _try_acquire(self, mutex: Place) -> Expr:
        body = self.body
        result = VariablePlace(body.temporary(BIT))
        taken, refused = operations.try_acquire(
            mutex, Assignment(result, number(1)), Assignment(result, ZERO)
        )
        after = body.node()
        body.arc(after, taken.command, operation=taken.operation, sync=True)
        body.arc(after, refused.command, operation=refused.operation, sync=True)
        body.at = after
        return Read(result)

    def _observe(self, value: Expr, held: Type) -> Expr:
        """A value of shared memory, read in a synchronising step."""
        place = VariablePlace(self.body.temporary(held))
        self.body.step(Command(assignments=(Assignment(place, value),)), sync=True)
        return Read(place)

    # -- threads ---------------------------------------------------------------------------------

    def _thread(self, name: str, expr: tree.Call) -> Expr | None:
        from threadwise.frontends.c.lower import threads

        values = [self.body.expressions.value(argument) for argument in expr.arguments]
        match name:
            case "spawn":
                return threads.spawn(self.body, values[0], values[1], expr)
            case "join":
                return threads.join(self.body, values[0])
            case "has_ended":
                return self._observe(threads.has_ended(self.body, values[0]), BIT)
            case _:
                threads.exit_thread(self.body, values[0])
                return None

    # -- behaviour that users doubt --------------------------------------------------------------

    def _doubtful(self, text: str) -> Expr:
        """Whether something doubtful happens: a choice if that is allowed, otherwise never.

        The edge on which it happens is known by its text, which no other edge has.
        """
        body = self.body
        if body.is_dead:
            return ZERO
        doubt = Doubt.of(text, body.span)
        body.unit.doubts[doubt] = None
        if not doubt.is_allowed(body.unit.options.doubts):
            return ZERO
        result = VariablePlace(body.temporary(BIT))
        after = body.node()
        body.add(after, Command(assignments=(Assignment(result, ZERO),)))
        shown, body.text = body.text, doubt.told
        body.add(after, Command(assignments=(Assignment(result, number(1)),)))
        body.text = shown
        body.at = after
        return Read(result)

    # -- what is not modelled --------------------------------------------------------------------

    def _open(self, name: str, expr: tree.Call) -> Expr | None:
        """A limit, and for proofs what lies behind it."""
        body = self.body
        if name == "handlers":
            signals.run_any_handler(body)
            return None
        text = _text(expr.arguments[0])
        if name == "touch":
            pointer = body.expressions.value(expr.arguments[1])
            go_on(body, text, OperationKind.UNKNOWN_WRITE, [pointer])
            if leads_on(expr.arguments[1], body.unit.types.records):
                go_on(body, text, OperationKind.UNKNOWN_CALL, [pointer])
            return None
        ends = name.endswith("_end")
        kind = OperationKind.UNKNOWN_END if ends else OperationKind.UNKNOWN_VALUE
        if name.startswith("open"):
            go_on(body, text, kind, [None])
            return None
        result, after = VariablePlace(body.temporary(BIT)), body.node()
        body.add(after, Command(assignments=(Assignment(result, ZERO),)))
        go_on(body, text, kind, [None])
        body.add(after, Command(assignments=(Assignment(result, number(1)),)))
        body.at = after
        return Read(result)

    # -- failures --------------------------------------------------------------------------------

    def _message(self, name: str, expr: tree.Call) -> None:
        """A failure, or an assumption, with its text."""
        body = self.body
        text = _text(expr.arguments[0]) or name
        match name:
            case "fail_assertion":
                self.fail_assertion(text)
            case "fail_claim":
                self.fail_assertion(text, CLAIM)
            case "fail_mutex":
                body.fail(Failure(FailureKind.MUTEX, "mutex", text))
            case "limit":
                body.limit(text)
            case _:
                body.unit.assume(text)

    def fail_assertion(self, text: str, word: str = "assert") -> None:
        """A property that the user stated does not hold."""
        body = self.body
        key = f"{word} {body.span}"
        if body.span is not None:
            body.unit.assertions[key] = (body.span, text)
        body.fail(Failure(FailureKind.ASSERTION, key, text or "the assertion fails"))


def _text(argument: tree.Expr) -> str:
    found: object = strip(argument)
    if isinstance(found, tree.Decay):
        found = found.place
    if isinstance(found, tree.StringLiteral):
        held = bytes(each & 0xFF for each in found.characters[:-1])
        return held.decode(errors="replace")
    return ""
