"""Loading models from strings, and showing what became of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.frontends.model import load_model
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.text.printer import print_action


def load(
    text: str,
    defines: Mapping[str, str | int] | None = None,
    threads: Mapping[str, int | None] | None = None,
    max_threads: int = 8,
) -> Program:
    """The program of a model, which must be well formed."""
    program = load_model(SourceFile("m.tw", text), defines, threads, max_threads)
    assert validate(program) == []
    return program


def edges(program: Program, body: str) -> list[str]:
    """The edges of a body, with locations numbered in the order a reader meets them.

    A failure location is shown by its kind; what cannot be reached comes last.
    """
    procedure = program.procedure[body]
    outgoing = program.outgoing
    found: dict[LocId, None] = {}
    for start in (procedure.entry, *(where.id for where in procedure.locations)):
        pending = [start]
        while pending:
            current = pending.pop(0)
            if current not in found:
                found[current] = None
                pending += [edge.target for edge in outgoing[current]]
    kept = [where for where in found if program.locations[where].failure is None]
    number = {where: position for position, where in enumerate(kept)}
    shown: list[str] = []
    for source in kept:
        for edge in outgoing[source]:
            failure = program.locations[edge.target].failure
            target = failure.kind.value if failure else str(number[edge.target])
            sync = " sync" if edge.sync else ""
            shown.append(f"{number[source]}->{target} {print_action(edge.action)}{sync}")
    return shown


def body_edges(statements: str, before: str = "int x; int y; bool b;") -> list[str]:
    """The edges of a single thread with these statements."""
    return edges(load(f"{before} thread t {{ {statements} }}"), "t")


def edge_list(program: Program, body: str) -> tuple[Edge, ...]:
    """The edges of a body themselves."""
    return program.procedure[body].edges


def failures(program: Program) -> list[str]:
    """The messages of all failure locations."""
    return [where.failure.message for where in program.locations if where.failure]


def errors(
    text: str,
    defines: Mapping[str, str | int] | None = None,
    threads: Mapping[str, int | None] | None = None,
) -> list[str]:
    """What is wrong with a model: `line:column message`, and `(hint)`."""
    with pytest.raises(InputError) as caught:
        load_model(SourceFile("m.tw", text), defines, threads)
    shown = []
    for diagnostic in caught.value.diagnostics:
        place = f"{diagnostic.span.line}:{diagnostic.span.column} " if diagnostic.span else ""
        hint = f" ({diagnostic.hint})" if diagnostic.hint else ""
        shown.append(f"{place}{diagnostic.message}{hint}")
    return shown
