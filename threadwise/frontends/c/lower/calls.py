"""Calls: inlined, as real calls where a function is recursive, or split over what a pointer means.

A parameter that its function never assigns, and whose address it never takes, stands for its
argument if that cannot change meanwhile (constants, addresses, variables of the thread whose
address nobody takes). So `pthread_mutex_lock(&m)` becomes an acquire of m itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from threadwise.core.c_options import UnknownFunctions
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.beyond import go_on
from threadwise.frontends.c.lower.inlining import is_overdone, may_mean, named_callee
from threadwise.frontends.c.lower.survey import survey
from threadwise.frontends.c.lower.unit import SIZE_LIMIT
from threadwise.frontends.c.lower.unknown import unknown_call
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER
from threadwise.frontends.c.lower.values.requirements import NULL_CALL
from threadwise.frontends.c.lower.values.types import (
    Unrepresentable,
    cells,
    is_aggregate,
    scalar_cells,
)
from threadwise.frontends.c.types import CPointer, CType, CVoid, unqualified
from threadwise.ir.commands import Assignment, Call, Command, OperationKind
from threadwise.ir.expr import (
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsValid,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import read_places, root, subexpressions
from threadwise.ir.types import Type

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

Argument = Expr | Place
"""What is passed: a scalar value, or the place of an aggregate."""


CALLED = "a pointer to a function means one of this program, of the type that it is called with"
OVERDONE = (
    "a function that is called through a pointer to a function with more parameters, or without "
    "result, gets the first arguments, and its result is dropped"
)
ATOMIC_PREFIX = "__VERIFIER_atomic_"
"""Functions of which no other thread sees anything but the whole."""


class Calls:
    """The calls of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.hints: dict[tree.Variable, tree.Expr] = {}
        """The text of arguments that parameters stand for: names what an allocation is for."""

    def call(self, expr: tree.Call, target: CType | None = None) -> Argument | None:
        """The value of a call; `target`: what its result will point to, if that is known."""
        callee = named_callee(expr)
        if isinstance(callee, tree.FunctionName):
            return self.direct(callee.function, expr, target)
        pointer = self.body.expressions.value(callee)
        known = self.named(pointer)
        if known is not None:
            return self.direct(known, expr, target)
        return self._indirect(pointer, expr)

    def named(self, pointer: Expr) -> tree.Function | None:
        """The function that a pointer is known to mean."""
        if isinstance(pointer, AddressOf) and isinstance(pointer.place, VariablePlace):
            return self.body.unit.functions.get(pointer.place.variable)
        return None

    def _indirect(self, pointer: Expr, expr: tree.Call) -> Argument | None:
        """A call of whatever function a pointer means, among those whose address is used."""
        body = self.body
        arguments = self._arguments(expr)
        after = body.node()
        result = self._result(unqualified(expr.type))
        somewhere = body.node()
        is_some = Binary(BinaryOp.NE, pointer, NULL_POINTER)
        body.add(somewhere, Command(body.require([(is_some, NULL_CALL)])))
        body.at = somewhere
        entries: list[int] = []
        for function in self.candidates(expr):
            chosen, other = body.node(), body.node()
            entries.append(chosen)
            address = AddressOf(VariablePlace(body.unit.function(function)))
            body.branch(Binary(BinaryOp.EQ, pointer, address), chosen, other)
            body.at = chosen
            if is_overdone(function, expr):
                body.unit.assume(OVERDONE)
            value = self.enter(function, expr, arguments, None)
            self._keep(result, value, unqualified(expr.type))
            body.graph.jump(body.at, after)
            body.at = other
        self._elsewhere(entries)
        body.at = after
        if result is None:
            return None
        return result if is_aggregate(unqualified(expr.type)) else Read(result)

    def _elsewhere(self, entries: list[int]) -> None:
        """A pointer means no function that is known: for proofs, any of those that it may mean."""
        body = self.body
        what = "a call through a pointer that means no function of this type"
        strict = body.unit.options.unknown_functions is UnknownFunctions.STRICT
        if strict or not entries:
            body.limit(what)
            return
        go_on(body, what, OperationKind.UNKNOWN_VALUE, [None])
        body.unit.assume(CALLED)
        for entry in entries:
            body.add(entry, Command())

    def candidates(self, expr: tree.Call) -> list[tree.Function]:
        """The functions a pointer may mean, by its arguments, and by where it comes from."""
        unit = self.body.unit
        meant = unit.origins.functions(expr.callee, unit.pointed)
        return [f for f in meant if may_mean(f, expr, unit.origins)]

    def _result(self, held: CType) -> Place | None:
        if isinstance(held, CVoid):
            return None
        types = self.body.unit.types
        return VariablePlace(self.body.temporary(types.of(held)))

    def _keep(self, result: Place | None, value: Argument | None, held: CType) -> None:
        if result is None or value is None:
            return
        if isinstance(value, VariablePlace | DerefPlace | FieldPlace | IndexPlace):
            self.body.places.copy(result, value, held)
        else:
            self.body.step(Command(assignments=(Assignment(result, value),)))

    def _arguments(self, expr: tree.Call) -> list[Argument]:
        return [
            self.body.expressions.aggregate(argument)
            if is_aggregate(unqualified(argument.type))
            else self.body.expressions.value(argument)
            for argument in expr.arguments
        ]

    # -- direct calls ----------------------------------------------------------------------------

    def direct(
        self, function: tree.Function, expr: tree.Call, target: CType | None
    ) -> Argument | None:
        """A call of a known function."""
        name = function.name
        if _is_pointer(function.type.result) != _is_pointer(expr.type):
            raise Unrepresentable(
                f"a call of {function.shown}, which is declared with another result here"
            )
        if name.startswith("__tw_"):
            return self.body.intrinsics.call(name, expr, target)
        arguments = self._arguments(expr)
        return self.enter(function, expr, arguments, target)

    def enter(
        self,
        function: tree.Function,
        expr: tree.Call,
        arguments: Sequence[Argument],
        target: CType | None,
    ) -> Argument | None:
        """Call a function with arguments that are evaluated already."""
        if self.body.is_dead:
            return self._nothing(expr.type)
        self._note_views(function, expr)
        if function.body is None or function.name in self.body.unit.options.pure:
            return self._unknown(function, expr, arguments)
        if function.shown.startswith(ATOMIC_PREFIX) and not function.library:
            return self._atomic(function, expr, arguments, target)
        if self._is_procedure(function):
            return self._real(function, expr, arguments)
        return self._inline(function, expr, arguments, target)

    def _note_views(self, function: tree.Function, expr: tree.Call) -> None:
        """A function that is called by another type sees objects as of the types it says."""
        for argument, parameter in zip(expr.arguments, function.parameters, strict=False):
            given, seen = unqualified(argument.type), unqualified(parameter.type)
            if isinstance(given, CPointer) and isinstance(seen, CPointer) and given != seen:
                self.body.conversions.note_view(given.target, seen.target)

    def _atomic(
        self,
        function: tree.Function,
        expr: tree.Call,
        arguments: Sequence[Argument],
        target: CType | None,
    ) -> Argument | None:
        """A call of a function that is atomic as a whole, by its name."""
        body = self.body
        body.atomic += 1
        if self._is_procedure(function):
            body.atomic -= 1
            body.limit(f"the atomic function {function.shown} calls itself or is too large")
            return body.expressions.dummy(expr.type)
        body.move_to(body.node())
        found = self._inline(function, expr, arguments, target)
        body.atomic -= 1
        body.move_to(body.node())
        return found

    def _is_procedure(self, function: tree.Function) -> bool:
        unit = self.body.unit
        frame = self.body.frame
        while frame is not None and frame.function is not function:
            frame = frame.outer
        big = len(self.body.graph.arcs) > SIZE_LIMIT
        if frame is not None or big:
            unit.found.procedures[function] = None
            return True
        return function in unit.facts.procedures and not self.body.atomic

    def _unknown(
        self, function: tree.Function, expr: tree.Call, arguments: Sequence[Argument]
    ) -> Argument | None:
        """A function without body: its result is any value, if it cannot reach our memory."""
        unit = self.body.unit
        pure = function.name in unit.options.pure
        if not pure and unit.options.unknown_functions is UnknownFunctions.LOCAL:
            return unknown_call(self.body, function, expr, arguments)
        pointers = any(
            isinstance(unqualified(argument.type), CPointer)
            and not isinstance(_origin(argument), tree.StringLiteral)
            for argument in expr.arguments
        )
        if pointers and not pure:
            self.body.limit(f"a call of {function.shown}, whose body is not known")
            return self.body.expressions.dummy(expr.type)
        if not pure:
            unit.assume(
                f"{function.shown}, whose body is not known, has no effect and returns any value"
            )
        if function.no_return:
            self.body.limit(f"a call of {function.shown}, whose body is not known")
        held = unqualified(expr.type)
        if isinstance(held, CVoid):
            return None
        if is_aggregate(held) or isinstance(held, CPointer):
            self.body.limit(f"the result of {function.shown}, whose body is not known")
            return self._result(held) if is_aggregate(held) else NULL_POINTER
        return self.body.expressions.any_value(held)

    # -- inlining --------------------------------------------------------------------------------

    def _inline(
        self,
        function: tree.Function,
        expr: tree.Call,
        arguments: Sequence[Argument],
        target: CType | None,
    ) -> Argument | None:
        from threadwise.frontends.c.lower.body import Frame

        body = self.body
        outer = body.frame
        seen = survey(function)
        frame = Frame(
            function,
            seen,
            outer,
            body.node(),
            single=body.single and body.loops == 0 and (outer is None or outer.single),
        )
        if function.library:
            frame.span = (outer.span if outer else None) or body.span
            frame.text = (outer.text if outer else "") or body.text
        pairs = tuple(zip(expr.arguments, arguments, strict=False))
        frame.unnamed = pairs[len(function.parameters) :]
        stands = self._bind(frame, expr, arguments)
        held = unqualified(function.type.result)
        if not isinstance(held, CVoid) and not seen.returns_last:
            frame.result = self._named_result(function, held)
        saved = body.span, body.text, body.frame, body.times
        body.frame = frame
        body.loops += seen.has_goto
        body.times = None if seen.has_goto else body.times
        try:
            for variable, value in stands:
                self._pass(variable, value)
            self._hint(frame, expr, target)
            assert function.body is not None
            body.statements.statement(function.body)
            if not seen.returns_last:
                body.graph.jump(body.at, frame.exit)
                body.at = frame.exit
            if outer is not None or body.pool is not None:
                body.free_frames(all_frames=False)
        finally:
            body.loops -= seen.has_goto
            body.span, body.text, body.frame, body.times = saved
        if isinstance(held, CVoid):
            return None
        if seen.returns_last and frame.tail is None:
            return self._nothing(held)
        if seen.returns_last:
            self._note_address_of_local(frame.tail, frame.bindings.values())
            return frame.tail
        assert frame.result is not None
        return frame.result if is_aggregate(held) else Read(frame.result)

    def _nothing(self, held: CType) -> Argument | None:
        """What stands for the result of a call that does not come back."""
        if isinstance(unqualified(held), CVoid):
            return None
        if is_aggregate(unqualified(held)):
            return self._result(unqualified(held))
        return self.body.expressions.dummy(held)

    def _note_address_of_local(self, result: Argument | None, locals_: Iterable[object]) -> None:
        """The address of a variable that is gone may be the result of a call."""
        if isinstance(result, AddressOf) and root(result.place) in locals_:
            self.body.unit.assume("local variables are not used after their functions returned")
            if self.body.unit.options.lifetimes:
                self.body.note_addresses(result)

    def _named_result(self, function: tree.Function, held: CType) -> Place:
        body = self.body
        return VariablePlace(body.local(f"{function.shown}.result$", body.unit.types.of(held)))

    def _hint(self, frame: object, expr: tree.Call, target: CType | None) -> None:
        """Remember what the caller said about sizes and targets."""
        from threadwise.frontends.c.lower.body import Frame

        assert isinstance(frame, Frame)
        for parameter, argument in zip(frame.function.parameters, expr.arguments, strict=False):
            known = argument
            if isinstance(known, tree.Load) and isinstance(known.place, tree.VariableRef):
                known = self.hints.get(known.place.variable, known)
            self.hints[parameter] = known
        frame.target = target

    def _bind(
        self, frame: object, expr: tree.Call, arguments: Sequence[Argument]
    ) -> list[tuple[tree.Variable, Argument]]:
        """Let parameters stand for arguments; what is left must be passed."""
        from threadwise.frontends.c.lower.body import Frame

        assert isinstance(frame, Frame)
        stands: list[tuple[tree.Variable, Argument]] = []
        for parameter, value in zip(frame.function.parameters, arguments, strict=False):
            aggregate = is_aggregate(unqualified(parameter.type))
            fixed = parameter not in frame.survey.assigned and not parameter.address_taken
            if not aggregate and fixed and self.is_stable(value, arguments):  # type: ignore[arg-type]
                frame.bindings[parameter] = value
            else:
                stands.append((parameter, value))
        return stands

    def _pass(self, parameter: tree.Variable, value: Argument) -> None:
        body = self.body
        place = body.statements.bring_to_life(parameter, cleared=False)
        if isinstance(value, VariablePlace | DerefPlace | FieldPlace | IndexPlace):
            body.places.copy(place, value, parameter.type)
        else:
            body.step(Command(assignments=(Assignment(place, value),)))

    def is_stable(self, value: Expr, arguments: Sequence[Argument]) -> bool:
        """Whether a value cannot change while a function runs that gets these arguments.

        The function can change a variable of its caller's only if it gets its address.
        """
        for part in subexpressions(value):
            if isinstance(part, IsValid | IsWritten):
                return False
        given = {v for argument in arguments for v in _addressed(argument)}
        for place in read_places(value):
            base = root(place)
            if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.LOCAL:
                return False
            if base.variable in given:
                return False
        partial = [c for c, _ in self.body.unit.requirements.of(value) if c != TRUE]
        return not partial or isinstance(value, AddressOf)

    # -- real calls ------------------------------------------------------------------------------

    def _real(
        self, function: tree.Function, expr: tree.Call, arguments: Sequence[Argument]
    ) -> Argument | None:
        """A call of a procedure of the IR; aggregates are passed cell by cell.

        An aggregate comes back in a variable of the thread, and is copied before anything else
        can happen to that.
        """
        body = self.body
        passed: list[Expr] = []
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            held = body.unit.types.of(parameter.type)
            if isinstance(argument, VariablePlace | DerefPlace | FieldPlace | IndexPlace):
                copy = VariablePlace(body.temporary(held))
                body.places.copy(copy, argument, parameter.type)
                passed.extend(Read(cell) for cell in cells(copy, held))
            else:
                passed.append(self._evaluated(argument, held))
        if len(arguments) < len(function.parameters):
            raise Unrepresentable(f"a call of {function.shown} with too few arguments")
        if body.atomic:
            raise Unrepresentable("recursion inside an atomic region")
        body.called.append((function, body.times))
        held_result = unqualified(function.type.result)
        if is_aggregate(held_result):
            body.step(Call(function.name, tuple(passed), None, TRUE))
            kept = self._result(held_result)
            assert kept is not None
            body.places.copy(kept, VariablePlace(body.unit.returned(function)), held_result)
            return kept
        result = self._result(held_result)
        body.step(Call(function.name, tuple(passed), result, TRUE))
        return None if result is None else Read(result)

    def _evaluated(self, value: Expr, held: Type) -> Expr:
        """A value that a call may read: constants and variables only."""
        if isinstance(value, Const | Read):
            return value
        place = VariablePlace(self.body.temporary(held))
        self.body.step(Command(assignments=(Assignment(place, value),)))
        return Read(place)


def _is_pointer(held: CType) -> bool:
    return isinstance(unqualified(held), CPointer)


def parameters_of(body: Body, function: tree.Function) -> list[tuple[tree.Variable, list[Type]]]:
    """The parameters of the procedure for a function: one for each cell."""
    found: list[tuple[tree.Variable, list[Type]]] = []
    for parameter in function.parameters:
        held = body.unit.types.of(parameter.type)
        found.append((parameter, list(scalar_cells(held))))
    return found


def _addressed(argument: Argument) -> Iterator[Variable]:
    """The variables whose address an argument may be or contain."""
    if isinstance(argument, VariablePlace | DerefPlace | FieldPlace | IndexPlace):
        return
    for part in subexpressions(argument):
        if isinstance(part, AddressOf):
            base = root(part.place)
            if isinstance(base, VariablePlace):
                yield base.variable


def _origin(argument: tree.Expr) -> object:
    while isinstance(argument, tree.Convert):
        argument = argument.operand
    return argument.place if isinstance(argument, tree.Decay) else argument
