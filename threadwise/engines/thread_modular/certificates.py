"""R and G as certificates: tables per thread, or per class of threads that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from threadwise.core.interning import Interned
from threadwise.engines.thread_modular.pushdown import PushdownFixpoint
from threadwise.engines.thread_modular.rules import ThreadModularFixpoint
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
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
    if isinstance(system, ConcreteSystem):
        if isinstance(fixpoint, PushdownFixpoint):
            pushdown = _pushdown_tables(system, system.roles, fixpoint)
            return PushdownCertificate(program_hash, names, *pushdown)
        tables = _tables(system, system.roles, fixpoint)
        return ThreadModularCertificate(program_hash, names, *tables)
    representatives = tuple(Role(members.me) for members in system.classes)
    counts = {t.name: len(system.layout.numbers.ranges[t.name]) for t in system.program.templates}
    identity = program_hash, names, counts, representatives
    if isinstance(fixpoint, PushdownFixpoint):
        stores, pairs, edges, callers, made = _pushdown_tables(
            system.concrete, representatives, fixpoint
        )
        return SymmetricCertificate(*identity, stores, pairs, made, edges, callers)
    return SymmetricCertificate(*identity, *_tables(system.concrete, representatives, fixpoint))


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
        [(number(before), number(after)) for before, after, *_ in actions]
        for actions in fixpoint.guarantees
    ]
    return list(position), reached, guarantees


def _pushdown_tables(
    system: ConcreteSystem, threads: Sequence[Role], fixpoint: Pushdown
) -> tuple[
    list[Global],
    list[list[tuple[int, LocalStore]]],
    list[list[tuple[int, int]]],
    list[list[tuple[int, int, ReferenceFrame]]],
    list[list[tuple[int, int]]],
]:
    """The global stores, the pairs, P, callers and G, everything by position."""
    stores: Interned[Global] = Interned()
    pairs: list[list[tuple[int, LocalStore]]] = []
    path_edges: list[list[tuple[int, int]]] = []
    callers: list[list[tuple[int, int, ReferenceFrame]]] = []
    for k, t in enumerate(threads):
        numbers: Interned[tuple[Global, Local]] = Interned()
        path_edges.append(
            [
                (numbers.position(entry), numbers.position(pair))
                for pair, entries in fixpoint.path_edges[k].items()
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
                for entry, listed in fixpoint.callers[k].items()
                for caller in listed
            ]
        )
        pairs.append(
            [(stores.position(g), system.reference_local(t, l)) for g, l in numbers.items]
        )
    guarantees = [
        [(stores.position(before), stores.position(after)) for before, after, *_ in made]
        for made in fixpoint.guarantees
    ]
    return stores.items, pairs, path_edges, callers, guarantees
