"""The primitives of the library models (`headers/threadwise.h`), and copies of typed memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.arithmetic import (
    NO_THREAD,
    NULL_POINTER,
    ZERO,
    as_number,
    as_truth,
    both,
    constant,
    opposite,
)
from threadwise.frontends.c.lower.places import folded
from threadwise.frontends.c.lower.requirements import FREED
from threadwise.frontends.c.lower.survey import nodes, strip
from threadwise.frontends.c.lower.types import BIT, Unrepresentable, is_aggregate
from threadwise.frontends.c.types import (
    CArray,
    CInteger,
    CPointer,
    CType,
    CVoid,
    unqualified,
)
from threadwise.ir import operations
from threadwise.ir.commands import Allocate, Assignment, Command, Free
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Expr,
    IsValid,
    Place,
    Read,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import Failure, FailureKind
from threadwise.ir.types import MUTEX, POINTER, Type

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body, Frame

_BYTE = CInteger(8, signed=True)


class Intrinsics:
    """The primitives, as seen by one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def call(self, name: str, expr: tree.Call, target: CType | None) -> Expr | None:
        """A call of a primitive."""
        short = name.removeprefix("__tw_")
        if short.startswith("any_"):
            return self.body.expressions.any_value(unqualified(expr.type))
        match short:
            case "atomic_begin" | "atomic_end":
                self._region(short)
                return None
            case "wait":
                condition = self.body.expressions.truth(expr.arguments[0])
                self.body.step(Command(condition))
                return None
            case "acquire" | "release" | "try_acquire" | "is_free" | "holds":
                return self._lock(short, self._mutex(expr))
            case "self":
                return SelfId()
            case "no_thread":
                return NO_THREAD
            case "spawn" | "join" | "has_ended" | "exit_thread":
                return self._thread(short, expr)
            case "exit_program":
                self.body.end()
                return None
            case "fail_assertion" | "fail_mutex" | "limit" | "assumption":
                self._message(short, expr)
                return None
            case "allocate":
                return self._allocate(expr, target)
            case "free":
                self._free(expr)
                return None
            case _:
                raise Unrepresentable(f"the primitive {name}")

    def _region(self, name: str) -> None:
        body = self.body
        if name == "atomic_begin":
            body.atomic += 1
        elif body.atomic == 0:
            raise Unrepresentable("the end of an atomic region that was not begun")
        else:
            body.atomic -= 1
        body.move_to(body.node())

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

    # -- failures --------------------------------------------------------------------------------

    def _message(self, name: str, expr: tree.Call) -> None:
        body = self.body
        text = _text(expr.arguments[0]) or name
        match name:
            case "fail_assertion":
                self.fail_assertion(text)
            case "fail_mutex":
                body.goto(body.graph.failure(Failure(FailureKind.MUTEX, "mutex", text), body.span))
            case "limit":
                body.limit(text)
            case _:
                body.unit.assume(text)

    def fail_assertion(self, text: str) -> None:
        """A property that the user stated does not hold."""
        body = self.body
        key = f"assertion {body.span}"
        if body.span is not None:
            body.unit.assertions[key] = (body.span, text)
        failure = Failure(FailureKind.ASSERTION, key, text or "the assertion fails")
        target = body.graph.failure(failure, body.span)
        if body.atomic:
            body.arc(target, Command())
            body.at = body.node()
        else:
            body.goto(target)

    # -- memory ----------------------------------------------------------------------------------

    def _allocate(self, expr: tree.Call, target: CType | None) -> Expr:
        body = self.body
        size = body.expressions.value(expr.arguments[0])
        cleared = as_truth(body.expressions.value(expr.arguments[1]))
        element = self._element(expr.arguments[0], target)
        unit = body.unit.types.size(element)
        held = body.unit.types.of(element)
        place = VariablePlace(body.temporary(POINTER))
        known = constant(size)
        count: Expr | None = None
        if known is None:
            count = size if unit == 1 else Binary(BinaryOp.DIV, size, number(unit))
        elif known < unit:
            raise Unrepresentable(f"an allocation of {known} bytes for an object of {unit}")
        elif known // unit > 1:
            count = number(known // unit)
        where = "" if body.span is None else f"{body.span.path}:{body.span.line}"
        site = f"{where} as {element}" if count is None else f"{where} as {element}[]"
        body.step(Allocate(TRUE, place, held, site, count, cleared=cleared == TRUE), sync=True)
        return Read(place)

    def _element(self, size: tree.Expr, target: CType | None) -> CType:
        """What an allocation is for: what `sizeof` measured, or what the result points to."""
        measured = self._measured(size)
        if target is None:
            frame: Frame | None = self.body.frame
            while frame is not None and target is None and frame.function.library:
                target = frame.target
                frame = frame.outer
        wanted = None if target is None else unqualified(target)
        if isinstance(measured, CArray) and measured.element == wanted:
            measured = wanted
        if measured is not None and not isinstance(measured, CVoid):
            return measured
        if wanted is not None and not isinstance(wanted, CVoid):
            return wanted
        return _BYTE

    def _measured(self, size: tree.Expr) -> CType | None:
        for node in nodes(size):
            if isinstance(node, tree.IntegerConstant) and node.sizeof is not None:
                return unqualified(node.sizeof)
            if isinstance(node, tree.VariableRef):
                known = self.body.calls.hints.get(node.variable)
                if known is not None and known is not size:
                    found = self._measured(known)
                    if found is not None:
                        return found
        return None

    def _free(self, expr: tree.Call) -> None:
        """Freeing null does nothing; anything but the start of a heap object is outside."""
        body = self.body
        pointer = body.expressions.value(expr.arguments[0])
        if pointer == NULL_POINTER:
            return
        is_address = as_truth(pointer)
        after = body.node()
        if is_address != TRUE:
            skip = Command(Binary(BinaryOp.EQ, pointer, NULL_POINTER))
            body.arc(after, skip)
        valid = IsValid(pointer)
        body.arc(body.limit_node(FREED), Command(both(is_address, opposite(valid))))
        body.arc(after, Free(both(is_address, valid), pointer))
        body.at = after

    def typed_memory(self, name: str, expr: tree.Call) -> bool:
        """`memset` to zero, `memcpy`, `memmove` of whole objects of one type; whether it was."""
        if name not in ("memset", "memcpy", "memmove", "bzero") or not expr.arguments:
            return False
        first = strip(expr.arguments[0])
        assert first is not None
        held = _target(first)
        size = expr.arguments[-1]
        if held is None or not isinstance(strip(size), tree.IntegerConstant):
            return False
        bytes_ = strip(size)
        assert isinstance(bytes_, tree.IntegerConstant)
        unit = self.body.unit.types.size(held)
        if bytes_.value != unit or (not is_aggregate(held) and unit == 1):
            return False
        target = self.body.places.deref(self.body.expressions.value(first), held)
        if name in ("memset", "bzero"):
            filler = strip(expr.arguments[1]) if name == "memset" else None
            if name == "memset" and not (
                isinstance(filler, tree.IntegerConstant) and filler.value == 0
            ):
                return False
            self.body.places.clear(target)
            return True
        second = strip(expr.arguments[1])
        assert second is not None
        if _target(second) != held:
            return False
        source = self.body.places.deref(self.body.expressions.value(second), held)
        self.body.places.copy(target, source, held)
        return True


def _target(pointer: tree.Expr) -> CType | None:
    """What an expression points to, by its type; a whole array where an array decays."""
    if isinstance(pointer, tree.Decay):
        return unqualified(pointer.place.type)
    held = unqualified(pointer.type)
    if not isinstance(held, CPointer) or isinstance(unqualified(held.target), CVoid):
        return None
    return unqualified(held.target)


def _text(argument: tree.Expr) -> str:
    found: object = strip(argument)
    if isinstance(found, tree.Decay):
        found = found.place
    if isinstance(found, tree.StringLiteral):
        return "".join(map(chr, found.characters[:-1]))
    return ""
