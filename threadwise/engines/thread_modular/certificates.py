"""R and G as certificates: tables per thread, or per class of threads that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from threadwise.engines.thread_modular.rules import ThreadModularFixpoint
from threadwise.evidence.certificate import (
    Certificate,
    SymmetricCertificate,
    ThreadModularCertificate,
)
from threadwise.semantics.state import LocalStore
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.system import SymmetricSystem

Fixpoint = ThreadModularFixpoint[Global, Local, Any]


def certify(
    program_hash: str,
    names: tuple[str, ...],
    system: ConcreteSystem | SymmetricSystem,
    fixpoint: Fixpoint,
) -> Certificate:
    """The certificate of a fixpoint that proves the named properties."""
    if isinstance(system, ConcreteSystem):
        tables = _tables(system, system.roles, fixpoint)
        return ThreadModularCertificate(program_hash, names, *tables)
    representatives = [Role(members.me) for members in system.classes]
    counts = {t.name: len(system.layout.numbers.ranges[t.name]) for t in system.program.templates}
    tables = _tables(system.concrete, representatives, fixpoint)
    return SymmetricCertificate(program_hash, names, counts, tuple(representatives), *tables)


def _tables(
    system: ConcreteSystem, threads: Sequence[Role], fixpoint: Fixpoint
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
