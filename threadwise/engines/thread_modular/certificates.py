"""R and G as certificates: tables per thread, or per class of threads that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from threadwise.engines.thread_modular.pushdown import PushdownFixpoint
from threadwise.engines.thread_modular.rules import ThreadModularFixpoint
from threadwise.evidence.certificate import (
    Certificate,
    PushdownCertificate,
    SymmetricCertificate,
    ThreadModularCertificate,
)
from threadwise.evidence.interning import Interned
from threadwise.semantics.state import Frame as ReferenceFrame
from threadwise.semantics.state import LocalStore
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.system import SymmetricSystem

Finite: TypeAlias = ThreadModularFixpoint[Global, Local, Any]
Pushdown: TypeAlias = PushdownFixpoint[Global, Local, Frame, Any]


def certify(
    program_hash: str,
    names: tuple[str, ...],
    system: ConcreteSystem | SymmetricSystem,
    fixpoint: Finite | Pushdown,
) -> Certificate:
    """The certificate of a fixpoint that proves the named properties."""
    if isinstance(fixpoint, PushdownFixpoint):
        assert isinstance(system, ConcreteSystem)
        return _pushdown(program_hash, names, system, fixpoint)
    if isinstance(system, ConcreteSystem):
        tables = _tables(system, system.roles, fixpoint)
        return ThreadModularCertificate(program_hash, names, *tables)
    representatives = [Role(members.me) for members in system.classes]
    counts = {t.name: len(system.layout.numbers.ranges[t.name]) for t in system.program.templates}
    tables = _tables(system.concrete, representatives, fixpoint)
    return SymmetricCertificate(program_hash, names, counts, tuple(representatives), *tables)


def _tables(
    system: ConcreteSystem, threads: Sequence[Role], fixpoint: Finite
) -> tuple[list[Global], list[list[tuple[int, LocalStore]]], list[list[tuple[int, int]]]]:
    """The global stores, R and G with global stores by position."""
    position: dict[Global, int] = {}

    def number(g: Global) -> int:
        return position.setdefault(g, len(position))

    reached = [
        [(number(g), system.reference_local(t, l)) for g, l in pairs]
        for t, pairs in zip(threads, fixpoint.reached, strict=True)
    ]
    guarantees = [
        [(number(before), number(after)) for before, after in actions]
        for actions in fixpoint.guarantees
    ]
    return list(position), reached, guarantees


def _pushdown(
    program_hash: str, names: tuple[str, ...], system: ConcreteSystem, fixpoint: Pushdown
) -> PushdownCertificate:
    """P, callers and G as tables."""
    stores: Interned[Global] = Interned()
    pairs: list[list[tuple[int, LocalStore]]] = []
    path_edges: list[list[tuple[int, int]]] = []
    callers: list[list[tuple[int, int, ReferenceFrame]]] = []
    for t in system.roles:
        numbers: Interned[tuple[Global, Local]] = Interned()
        path_edges.append(
            [
                (numbers.position(entry), numbers.position(pair))
                for pair, entries in fixpoint.path_edges[t].items()
                for entry in entries
            ]
        )
        callers.append(
            [
                (
                    numbers.position(entry),
                    numbers.position(caller.entry),
                    ReferenceFrame(*caller.frame),
                )
                for entry, listed in fixpoint.callers[t].items()
                for caller in listed
            ]
        )
        pairs.append(
            [(stores.position(g), system.reference_local(t, l)) for g, l in numbers.items]
        )
    guarantees = [
        [(stores.position(before), stores.position(after)) for before, after in made]
        for made in fixpoint.guarantees
    ]
    return PushdownCertificate(
        program_hash, names, stores.items, pairs, path_edges, callers, guarantees
    )
