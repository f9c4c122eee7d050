"""The class of every statement, for people: what it is wherever the thread executes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from threadwise.core.errors import Unsupported
from threadwise.core.source import Span
from threadwise.engines.movers.classify import (
    OWN_STEP,
    Mover,
    Movers,
    MoversOfOne,
    choose_source,
    classify,
)
from threadwise.engines.movers.sources import Source
from threadwise.ir.commands import Command
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem


@dataclass(frozen=True)
class StatementClass:
    """A statement as the threads of a template execute it."""

    template: str
    span: Span | None
    text: str
    classes: tuple[Mover, ...]
    """The classes it has in different local stores; those that move least come first."""


def classify_statements(program: Program, tick: Callable[[], object]) -> list[StatementClass]:
    """All statements that a thread may get to, in program order; raises Unsupported."""
    if program.has_any_number:
        raise Unsupported("movers of any number of threads", hint="fix it: `--threads name=2`")
    if uses_memory(program):
        raise Unsupported("movers of a program with a heap")
    system = ConcreteSystem(program)
    source = choose_source(system, tick)
    movers: Movers = MoversOfOne(source.system)
    if len(system.roles) > 1:
        movers = classify(source, tick=tick)
    found: dict[tuple[str, Span | None, str], dict[Mover, None]] = {}
    order: dict[tuple[str, Span | None, str], int] = {}
    for t, number, mover in _classes(source, movers):
        template = system.layout.numbers.templates[t]
        edge = program.edges[number]
        if _is_step(program, edge):
            key = (template, edge.span, edge.text)
            found.setdefault(key, {})[mover] = None
            order[key] = min(order.get(key, edge.id), edge.id)
    templates = list(dict.fromkeys(system.layout.numbers.templates))
    return [
        StatementClass(*key, tuple(sorted(found[key], key=_freedom)))
        for key in sorted(found, key=lambda key: (templates.index(key[0]), order[key]))
    ]


def _classes(source: Source, movers: Movers) -> Iterator[tuple[Role, EdgeId, Mover]]:
    """The classes of all edges, for every local store that the source has."""
    if not isinstance(movers, MoversOfOne):
        yield from ((t, edge, mover) for t, _, edge, mover in movers.all())
        return
    for t, reached in zip(source.system.roles, source.fixpoint.reached, strict=True):
        for l in dict.fromkeys(l for _, l in reached):
            yield from ((t, edge, mover) for edge, mover in movers.at(t, l).items())


def _is_step(program: Program, edge: Edge) -> bool:
    """Whether an edge is a step, and not what a statement checks before it does its work.

    Calls and returns always move, and are left out.
    """
    fails = program.locations[edge.target].failure is not None
    checks = fails and any(
        other.text == edge.text and other.target != edge.target
        for other in program.outgoing[edge.source]
    )
    return isinstance(edge.action, Command) and not checks


def _freedom(mover: Mover) -> tuple[bool, int, bool, str]:
    return (
        not mover.refuted,
        mover.right + mover.left,
        mover.reason == OWN_STEP,
        mover.reason,
    )
