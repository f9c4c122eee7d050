"""Control-flow graphs as a picture: text for the `dot` program.

One cluster per procedure. Failure locations are red, locations inside atomic regions grey, final
ones have a double border, and the entry has an arrow from nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.program import Edge, Location, Procedure, Program
from threadwise.ir.text.printer import print_action


def to_dot(program: Program) -> str:
    """The graphs of all procedures, in program order."""
    lines = [
        "digraph program {",
        f"  label={_quoted(program.name)};",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname=monospace];',
        "  edge [fontname=monospace];",
    ]
    for number, procedure in enumerate(program.procedures):
        lines += [f"  {line}" for line in _cluster(number, procedure)]
    return "\n".join([*lines, "}", ""])


def _cluster(number: int, procedure: Procedure) -> Iterator[str]:
    yield f"subgraph cluster_{number} {{"
    yield f"  label={_quoted(procedure.name)};"
    yield f'  entry_{number} [shape=point, label=""];'
    yield f"  entry_{number} -> {_node(procedure.entry)};"
    for location in procedure.locations:
        yield f"  {_location(location)}"
    for edge in procedure.edges:
        yield f"  {_edge(edge)}"
    yield "}"


def _location(location: Location) -> str:
    lines = [str(location.id), *location.labels]
    attributes: list[str] = []
    if location.failure is not None:
        lines.append(f"{location.failure.kind.value}: {location.failure.property}")
        attributes.append("fillcolor=red")
    elif location.atomic:
        attributes.append("fillcolor=grey")
    if location.final:
        attributes.append("peripheries=2")
    label = _quoted("\n".join(lines))
    return f"{_node(location.id)} [{', '.join([f'label={label}', *attributes])}];"


def _edge(edge: Edge) -> str:
    label = _quoted(print_action(edge.action))
    return f"{_node(edge.source)} -> {_node(edge.target)} [label={label}];"


def _node(location: int) -> str:
    return f"l{location}" if location >= 0 else f"l_{-location}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
