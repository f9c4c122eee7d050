"""The picture of control-flow graphs."""

from __future__ import annotations

from tests.unit.ir.text.samples import sample
from threadwise.report.graphviz import to_dot


def test_shows_locations_edges_and_colours() -> None:
    text = to_dot(sample())
    assert text == to_dot(sample())
    assert text.count("subgraph cluster_") == 2
    assert '  l0 [label="0\\nstart"];' in text
    assert '  l1 [label="1", fillcolor=grey];' in text
    assert '  l3 [label="3", peripheries=2];' in text
    assert '  l4 [label="4\\nrange: range:6", fillcolor=red];' in text
    assert '  l0 -> l1 [label="when (m.owner == none): m.owner := self"];' in text
    assert "  entry_1 -> l5;" in text
    assert text.count("{") == text.count("}")


def test_quotes_are_escaped() -> None:
    program = sample()
    object.__setattr__(program, "name", 'odd "name"\\')
    assert 'label="odd \\"name\\"\\\\";' in to_dot(program)
