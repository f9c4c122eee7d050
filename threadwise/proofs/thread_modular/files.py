"""R and G as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from threadwise.core.documents import Json, as_position
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.json import (
    Interned,
    cells_from_json,
    cells_to_json,
    local_from_json,
    local_to_json,
)
from threadwise.semantics.state import Cells, LocalStore


class PairTables(Protocol):
    """R and G, as thread-modular certificates of any kind have them."""

    @property
    def globals(self) -> Sequence[Cells]:
        """Global stores."""

    @property
    def reached(self) -> Sequence[Sequence[tuple[int, LocalStore]]]:
        """R, global stores by position."""

    @property
    def guarantees(self) -> Sequence[Sequence[tuple[int, int]]]:
        """G, likewise."""


def write_thread_modular(certificate: ThreadModularCertificate) -> dict[str, Json]:
    """R and G."""
    return pairs_to_json(certificate)


def read_thread_modular(
    data: Json, program_hash: str, properties: tuple[str, ...]
) -> ThreadModularCertificate:
    """A thread-modular certificate."""
    return ThreadModularCertificate(program_hash, properties, *pairs_from_json(data))


def pairs_to_json(certificate: PairTables) -> dict[str, Json]:
    """R and G, local stores interned."""
    locals_ = Interned(local_to_json)
    reached = [[[g, locals_.position(l)] for g, l in pairs] for pairs in certificate.reached]
    return {
        "globals": [cells_to_json(cells) for cells in certificate.globals],
        "locals": locals_.items,
        "reached": reached,
        "guarantees": [[list(change) for change in made] for made in certificate.guarantees],
    }


def pairs_from_json(
    data: Json,
) -> tuple[list[Cells], list[list[tuple[int, LocalStore]]], list[list[tuple[int, int]]]]:
    """Global stores, R and G."""
    locals_ = [local_from_json(item) for item in data["locals"]]
    reached = [
        [(as_position(g), locals_[as_position(l)]) for g, l in pairs] for pairs in data["reached"]
    ]
    guarantees = [
        [(as_position(before), as_position(after)) for before, after in made]
        for made in data["guarantees"]
    ]
    return [cells_from_json(item) for item in data["globals"]], reached, guarantees
