"""Paths through regions as one parallel assignment: what cannot be told that way is refused."""

from __future__ import annotations

import pytest

from threadwise.frontends.c.lower.graph import Arc, Graph, Region
from threadwise.frontends.c.lower.parallel import (
    Store,
    Unknown,
    Ways,
    _Path,
    stores,
    variables,
)
from threadwise.ir.commands import Action, Allocate, Assignment, Command
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Expr,
    IndexPlace,
    Place,
    Read,
    Scope,
    Variable,
)
from threadwise.ir.expr import VariablePlace as Whole
from threadwise.ir.fold import number
from threadwise.ir.types import INT, POINTER, ArrayType


def place(name: str, scope: Scope) -> Place:
    return Whole(Variable(name, INT, scope))


X, Y = place("x", Scope.GLOBAL), place("y", Scope.GLOBAL)
T, U = place("t", Scope.LOCAL), place("u", Scope.LOCAL)


def arc(action: Action) -> Arc:
    return Arc(0, 1, action, None, None, True, "")


def sets(target: Place, value: Expr, guard: Expr = TRUE) -> Arc:
    return arc(Command(guard, (Assignment(target, value),)))


def is_one(of: Place) -> Expr:
    return Binary(BinaryOp.EQ, Read(of), number(1))


def test_what_is_assigned_is_put_in_for_what_is_read() -> None:
    path = _Path().along(sets(T, Read(X))).along(sets(U, Binary(BinaryOp.ADD, Read(T), number(1))))
    store = path.along(sets(Y, Read(U), is_one(T))).store()
    more = Binary(BinaryOp.ADD, Read(X), number(1))
    assert store.writes == (Assignment(Y, more),)
    assert store.guard == is_one(X)
    assert store.kept == (Assignment(T, Read(X)), Assignment(U, more))


@pytest.mark.parametrize(
    "later",
    [
        sets(T, Read(Y)),
        sets(T, number(0), is_one(Y)),
        sets(Y, Read(X)),
        arc(Command(TRUE, (Assignment(T, number(1)), Assignment(U, Read(X))))),
        arc(Command(havocs=(T,))),
        arc(Allocate(TRUE, Whole(Variable("p", POINTER, Scope.LOCAL)), INT, "s")),
    ],
    ids=["reads", "guards", "copies", "reads among others", "chooses", "allocates"],
)
def test_what_follows_a_write_and_looks_at_memory_is_refused(later: Arc) -> None:
    written = _Path().along(sets(X, number(1)))
    with pytest.raises(Unknown):
        written.along(later)


def of_paths(*paths: list[Action]) -> list[Store]:
    """What the paths from one node to another do."""
    graph = Graph()
    end = graph.node()
    for path in paths:
        at = 0
        for action in path:
            graph.arcs.append(Arc(at, graph.node(), action, None, None, True, ""))
            at = graph.arcs[-1].target
        graph.jump(at, end)
    return stores(Ways(graph), Region(0, 0, end, None, ""))


def test_each_path_that_writes_is_a_store() -> None:
    one, two = (Command(TRUE, (Assignment(X, number(value)),)) for value in (1, 2))
    nothing = Command(is_one(T))
    found = of_paths([one], [two], [nothing])
    assert {store.writes[0].value for store in found} == {number(1), number(2)}
    assert of_paths([nothing]) == []


def test_paths_that_keep_other_variables_are_refused() -> None:
    write = Command(TRUE, (Assignment(X, number(1)),))
    keep = Command(TRUE, (Assignment(T, number(2)),))
    assert len(of_paths([keep, write], [keep, write])) == 2
    with pytest.raises(Unknown):
        of_paths([keep, write], [write])
    with pytest.raises(Unknown):
        of_paths([write], [keep, write])


def test_variables_of_the_thread_that_are_mentioned() -> None:
    inside = Read(IndexPlace(Whole(Variable("a", ArrayType(INT, 2), Scope.GLOBAL)), Read(T)))
    expr = Binary(BinaryOp.AND, is_one(U), Binary(BinaryOp.EQ, inside, Read(X)))
    assert {variable.name for variable in variables(expr)} == {"t", "u"}
    assert variables(Read(X)) == set()
