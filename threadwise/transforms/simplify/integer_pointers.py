"""Pointers that hold nothing but integers become integers.

An integer is often passed to a thread as a pointer: `pthread_create(&t, 0, worker, (void *)i)`. If
no pointer of a program ever holds an address, each of them is the integer it holds (null is 0),
and engines that know nothing of memory can work on the result.

Edges that are taken only where some pointer holds an address (what happens when an address is used
as an integer, say) are not analysed, and are left out: as long as no pointer holds an
address none of them is taken, and without them none ever does.
"""

from __future__ import annotations

from threadwise.analyses.graphs import numbered_again
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import (
    TRUE,
    Const,
    DerefPlace,
    Expr,
    HoldsInteger,
    IntToPointer,
    PointerExpr,
    PointerToInt,
    Read,
    Unary,
    UnaryOp,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    allocates,
    conjuncts,
    interval,
    root,
    subexpressions,
)
from threadwise.ir.program import AnyValue, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import (
    INT,
    INTEGER_OBJECT,
    NULL,
    UNSET,
    IntType,
    MachineType,
    PointerType,
    Value,
)
from threadwise.transforms.simplify.opaque_pointers import PointerReplacement, constant_addresses

WORD = MachineType(64, signed=True)
_HARMLESS = IntToPointer | PointerToInt | HoldsInteger


def pointers_to_integers(program: Program, uses: Uses | None = None) -> Program:
    """The program with integers instead of pointers, if they are nothing more."""
    if not _hold_integers(program):
        return program
    constants = constant_addresses(program, uses or Uses())
    if UNSET in constants:
        return program
    values: dict[Value, int] = {NULL: 0}
    for value in constants:
        if value.number != INTEGER_OBJECT:
            return program
        values[value] = value.offset
    made = _Integers(_kind(program, values), values).program(program)
    kept = [
        replace(
            p,
            edges=tuple(e for e in p.edges if not needs_an_address(program.edges[e.id].action)),
        )
        for p in made.procedures
    ]
    return replace(made, procedures=numbered_again(kept))


def needs_an_address(action: Action) -> bool:
    """Whether an action is taken only where a pointer holds an address."""
    return any(
        isinstance(part, Unary)
        and part.op is UnaryOp.NOT
        and isinstance(part.operand, HoldsInteger)
        for part in conjuncts(action.guard)
    )


def _kind(program: Program, values: dict[Value, int]) -> IntType | MachineType:
    """The type of the integers: machine integers if all that occur are."""
    for action in program.actions:
        for expr in action_expressions(action):
            for part in subexpressions(expr):
                if isinstance(part, IntToPointer):
                    low, high = interval(part.operand)
                    if low is None or high is None or low < WORD.low or high > WORD.high:
                        return INT
    return WORD if all(WORD.low <= value <= WORD.high for value in values.values()) else INT


def _hold_integers(program: Program) -> bool:
    """Whether pointers are made of integers, copied, compared, and nothing else."""
    if allocates(program):
        return False
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return False
    if any(isinstance(declaration.initial, AnyValue) for declaration in program.globals):
        return False
    converted = False
    for action in program.actions:
        if needs_an_address(action):
            continue
        places = list(action_places(action))
        if isinstance(action, Command) and any(
            isinstance(place.type, PointerType) for place in action.havocs
        ):
            return False
        for expr in action_expressions(action):
            for part in subexpressions(expr):
                if isinstance(part, Read):
                    places.append(part.place)
                elif isinstance(part, _HARMLESS):
                    converted = True
                elif isinstance(part, PointerExpr):
                    return False
        if any(isinstance(root(place), DerefPlace) for place in places):
            return False
    return converted


class _Integers(PointerReplacement):
    def expr(self, expr: Expr) -> Expr:
        """An expression of the new program."""
        match expr:
            case IntToPointer(operand):
                return self.expr(operand)
            case PointerToInt(pointer):
                return self.expr(pointer)
            case HoldsInteger():
                return TRUE
            case Const(value, PointerType()):
                return Const(self.values[value], self.kind)
            case _:
                return super().expr(expr)
