"""Walks over the typed tree."""

from __future__ import annotations

from tests.unit.frontends.c.parse.showing import program
from threadwise.frontends.c import tree
from threadwise.frontends.c.walking import nodes, parts


def test_everything_below_a_node_parents_first() -> None:
    body = program("int f(int a) { if (a) return f(a - 1); return 2; }").functions["f"].body
    found = [type(node) for node in nodes(body) if not isinstance(node, tuple)]
    assert found[0] is tree.Compound
    assert found.index(tree.If) < found.index(tree.Call)
    assert found.count(tree.Return) == 2


def test_texts_are_not_taken_apart() -> None:
    body = program('const char *f(void) { return "some text"; }').functions["f"].body
    found = list(nodes(body))
    assert any(isinstance(node, tree.StringLiteral) for node in found)
    assert not any(isinstance(node, int) for node in found)


def test_nodes_are_all_that_parts_lead_to() -> None:
    body = program("int f(int a) { int b[2] = { a, 3 }; return b[a] + (a ? 1 : 2); }")
    pending: list[object] = [body.functions["f"].body]
    reached = []
    while pending:
        node = pending.pop()
        reached.append(node)
        pending.extend(part for part in parts(node) if not isinstance(part, int))
    assert {id(node) for node in reached} == {id(n) for n in nodes(body.functions["f"].body)}
