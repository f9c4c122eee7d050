"""Split programs for the reader: names of copied locations include the values they stand for."""

from __future__ import annotations

from dataclasses import replace

from threadwise.ir.expr import Binary, BinaryOp, Const, Expr, Unary, UnaryOp
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import LocId, Program
from threadwise.ir.text.printer import print_expr
from threadwise.proofs.counting.explain import location_name
from threadwise.transforms.split import Split


def named_copies(divided: Split) -> Program:
    """The program, with names of locations that include the values: `line 6 where got`."""
    program = divided.program
    procedures = [
        replace(
            procedure,
            locations=tuple(
                replace(location, span=None, labels=(_name(divided, location.id),))
                if location.id in divided.told
                else location
                for location in procedure.locations
            ),
        )
        for procedure in program.procedures
    ]
    return replace(program, procedures=tuple(procedures))


def _name(divided: Split, location: LocId) -> str:
    told = [_words(part) for part in conjuncts(divided.told[location])]
    return f"{location_name(divided.program, location)} where {' and '.join(told)}"


def _words(formula: Expr) -> str:
    match formula:
        case Binary(BinaryOp.EQ, left, Const(True, _)):
            return print_expr(left)
        case Binary(BinaryOp.EQ, left, Const(False, _)):
            return print_expr(Unary(UnaryOp.NOT, left))
        case _:
            return print_expr(formula)
