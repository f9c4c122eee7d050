"""Random well-formed edges: actions of every kind, operations, spans."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.property.drawing import Draw
from tests.property.ir_term_strategies import Surroundings, draw_expr, draw_place, same_kind
from threadwise.core.source import Span
from threadwise.ir.commands import (
    Action,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    Operation,
    OperationKind,
    Return,
)
from threadwise.ir.expr import (
    TRUE,
    DerefPlace,
    Expr,
    FieldPlace,
    Place,
    Read,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.program import Edge, EdgeId, Location, MoverClaim, Procedure
from threadwise.ir.types import (
    BOOL,
    POINTER,
    ArrayType,
    MutexType,
    RecordType,
    ScalarType,
    Type,
)

_BARE = (OperationKind.ASSERT, OperationKind.BEGIN, OperationKind.FINISH)
_THREAD = (OperationKind.SPAWN, OperationKind.JOIN)
_LOCK = (OperationKind.ACQUIRE, OperationKind.RELEASE, OperationKind.TRY_ACQUIRE)


def draw_span(draw: Draw) -> Span | None:
    """A place in one of two files, or none."""
    if draw.flag():
        return None
    path = draw.pick(("a.tw", 'odd "name"\n.h'))
    line, column, length = draw.number(1, 99), draw.number(1, 99), draw.number(0, 9)
    return Span.at(path, line, column, length)


@dataclass(frozen=True)
class EdgeMaker:
    """Draws the edges of one procedure."""

    draw: Draw
    shared: Surroundings
    private: tuple[Variable, ...]
    """The thread's own variables that the procedure sees."""
    signature: Procedure
    callable: tuple[Procedure, ...]

    @property
    def everything(self) -> Surroundings:
        """What commands may mention."""
        return self.shared.reading((*self.shared.variables, *self.private))

    @property
    def own(self) -> Surroundings:
        """What calls and returns may mention."""
        return replace(self.shared.reading(self.private), memory=False)

    def edge(self, number: int, source: Location, locations: list[Location]) -> Edge:
        """An edge from a location to any of the locations."""
        draw = self.draw
        target = draw.pick(locations)
        action = self.action(calls=not (source.atomic or target.atomic))
        return Edge(
            EdgeId(number),
            source.id,
            source.id if isinstance(action, Return) else target.id,
            action,
            draw_span(draw),
            self.operation(),
            draw.flag(),
            draw.text(),
            draw.pick([None, None, *MoverClaim]),
        )

    def action(self, *, calls: bool) -> Action:
        """Any action; a call or return only where one may stand."""
        draw = self.draw
        choice = draw.number(0, 7)
        if calls and choice == 1 and self.callable:
            return self.call()
        if calls and choice == 2 and self.signature in self.callable:
            result = self.signature.result
            value = None if result is None else draw_expr(draw, _scalar(result), self.own, 2)
            return Return(value, self.guard(self.own))
        guard = self.guard(self.everything)
        if choice == 3:
            target: Place = DerefPlace(draw_expr(draw, POINTER, self.everything, 2), POINTER)
            mine = [variable for variable in self.private if variable.type == POINTER]
            if mine:
                target = VariablePlace(draw.pick(mine))
            held = draw.pick(self.shared.types)
            return Allocate(guard, target, held, draw.pick(("a:3", "b")))
        if choice == 4:
            return Free(guard, draw_expr(draw, POINTER, self.everything, 2))
        return self.command(guard)

    def command(self, guard: Expr) -> Command:
        """A command with any assignments and havocs."""
        draw = self.draw
        assignments: list[Assignment] = []
        havocs: list[Place] = []
        for _ in range(draw.number(0, 3)):
            place = draw_place(draw, self.everything, 2)
            if place is None:
                continue
            if draw.flag():
                value = draw_expr(draw, _scalar(place.type), self.everything, 3)
                assignments.append(Assignment(place, value))
            else:
                havocs.append(place)
        return Command(guard, tuple(assignments), tuple(havocs))

    def call(self) -> Call:
        """A call of any procedure; its result may be dropped."""
        draw = self.draw
        callee = draw.pick(self.callable)
        arguments = tuple(
            draw_expr(draw, _scalar(parameter.type), self.own, 2)
            for parameter in callee.parameters
        )
        result = draw_place(draw, self.own, 1)
        fits = (
            result is not None
            and callee.result is not None
            and same_kind(result.type, callee.result)
        )
        return Call(callee.name, arguments, result if fits else None, self.guard(self.own))

    def guard(self, around: Surroundings) -> Expr:
        """A guard, often none."""
        return TRUE if self.draw.flag() else draw_expr(self.draw, BOOL, around, 3)

    def operation(self) -> Operation | None:
        """A purpose, often none."""
        choices: list[Operation | None] = [None, None, *map(Operation, _BARE)]
        choices += [Operation(kind, SelfId()) for kind in _THREAD]
        for variable in self.shared.variables:
            if isinstance(variable.type, MutexType):
                owner = Read(FieldPlace(VariablePlace(variable), "owner"))
                choices += [Operation(kind, owner) for kind in _LOCK]
        return self.draw.pick(choices)


def _scalar(held: Type) -> ScalarType:
    assert not isinstance(held, ArrayType | RecordType | MutexType)
    return held
