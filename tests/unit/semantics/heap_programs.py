"""Programs with pointers, built by hand."""

from __future__ import annotations

from threadwise.ir.builder import Node, ProcedureBuilder, ProgramBuilder
from threadwise.ir.commands import Action, Allocate, Assignment, Command
from threadwise.ir.expr import (
    TRUE,
    DerefPlace,
    Expr,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.program import ListedValues, Program, Template
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import INT, POINTER, ArrayType, RecordType, Type

NODE = RecordType("node", (("value", INT), ("next", POINTER)))
P = VariablePlace(Variable("p", POINTER, Scope.GLOBAL))
Q = VariablePlace(Variable("q", POINTER, Scope.GLOBAL))
X = VariablePlace(Variable("x", INT, Scope.GLOBAL))
A = VariablePlace(Variable("a", ArrayType(INT, 3), Scope.GLOBAL))


def set_(target: Place, value: Expr, guard: Expr = TRUE) -> Command:
    return Command(guard, (Assignment(target, value),))


def new(target: Place, held: Type = NODE, site: str = "here") -> Allocate:
    return Allocate(TRUE, target, held, site)


def at(pointer: Place, held: Type = NODE) -> DerefPlace:
    return DerefPlace(Read(pointer), held)


def chain(body: ProcedureBuilder, actions: list[Action]) -> Node:
    here = body.node()
    for action in actions:
        after = body.node()
        body.edge(here, after, action)
        here = after
    return here


def program(*threads: list[Action]) -> Program:
    """Threads that do one action after the other on x, a, p and q."""
    builder = ProgramBuilder("memory")
    builder.shared("x", INT)
    builder.shared("a", ArrayType(INT, 3), ListedValues((10, 11, 12)))
    builder.shared("p", POINTER)
    builder.shared("q", POINTER)
    for number_, actions in enumerate(threads):
        body = builder.procedure(f"t{number_}")
        end = chain(body, actions)
        body.jump(end, body.node(final=True))
        builder.template(Template(f"t{number_}", 1, f"t{number_}"))
    builder.property(RaceProperty("races", None))
    return builder.build()


DECLARED = 4
"""How many shared variables there are; heap objects are numbered from here."""
