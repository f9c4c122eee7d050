"""The class of every statement, for people: what it is wherever the thread executes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from threadwise.core.errors import Unsupported
from threadwise.core.source import Span
from threadwise.engines.movers.classify import OWN_STEP, Mover, Movers, MoversOfOne, classify
from threadwise.engines.movers.pairs import compute_pairs
from threadwise.ir.commands import Command
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Edge, Program
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Local


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
    pairs = compute_pairs(system, tick).pairs
    movers: Movers = MoversOfOne(system)
    if len(system.roles) > 1:
        movers = classify(system, pairs, tick=tick)
    found: dict[tuple[str, Span | None, str], dict[Mover, None]] = {}
    order: dict[tuple[str, Span | None, str], int] = {}
    for t, reached in zip(system.roles, pairs.pairs, strict=True):
        template = system.layout.numbers.templates[t]
        for l in dict.fromkeys(l for _, l in reached):
            for edge, mover in _steps(system, movers, t, l):
                key = (template, edge.span, edge.text)
                found.setdefault(key, {})[mover] = None
                order[key] = min(order.get(key, edge.id), edge.id)
    templates = list(dict.fromkeys(system.layout.numbers.templates))
    return [
        StatementClass(*key, tuple(sorted(found[key], key=_freedom)))
        for key in sorted(found, key=lambda key: (templates.index(key[0]), order[key]))
    ]


def _steps(
    system: ConcreteSystem, movers: Movers, t: int, l: Local
) -> Iterator[tuple[Edge, Mover]]:
    """The steps from a local store, except what a statement checks before it does its work.

    Calls and returns always move, and are left out.
    """
    for number, mover in movers.at(system.roles[t], l).items():
        edge = system.program.edges[number]
        fails = system.program.locations[edge.target].failure is not None
        checks = fails and any(
            other.text == edge.text and other.target != edge.target
            for other in system.program.outgoing[edge.source]
        )
        if isinstance(edge.action, Command) and not checks:
            yield edge, mover


def _freedom(mover: Mover) -> tuple[bool, int, bool, str]:
    return not mover.refuted, mover.right + mover.left, mover.reason == OWN_STEP, mover.reason
