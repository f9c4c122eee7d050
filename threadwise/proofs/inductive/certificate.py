"""The certificates of the symbolic engines: inductive formulas, with ghosts (MHWL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from threadwise.ir.types import Value


class Ghost(NamedTuple):
    """A predicate "cell = value" for each thread of a template, shown to all threads (MHWL §4).

    `cell` numbers a thread's own cells, thread-scoped ones first; None means its location.
    `values` has an entry per thread; None: no predicate for that thread, the ghost is false.
    """

    template: str
    cell: int | None
    values: tuple[Value | None, ...]


class CellTest(NamedTuple):
    """An atomic formula: a cell, a location or a ghost has a value.

    kind `shared`: `slot` numbers the global cells; `location` and `own`: those of a thread;
    `ghost`: `slot` numbers the ghosts, and it is the thread's element.
    """

    kind: str
    thread: int
    slot: int
    value: Value


class Decision(NamedTuple):
    """A node of a formula: if the test holds, then this node, else that one."""

    test: int
    then: int
    otherwise: int


class Conjunct(NamedTuple):
    """A formula about the shared cells, all ghosts, and the own cells of some threads.

    Nodes 0 and 1 are false and true; node k + 2 is the k-th decision, which names earlier nodes.
    """

    threads: tuple[int, ...]
    root: int


@dataclass(frozen=True)
class FormulaCertificate:
    """An inductive invariant: the conjunction of some formulas, with ghosts (MHWL).

    Threads of the templates `alike` can be exchanged, and a conjunct about some of them stands for
    all conjuncts that exchanging makes of it; it then mentions no further thread of theirs.
    """

    kind: ClassVar[str] = "formulas"

    program_hash: str
    properties: tuple[str, ...]
    ghosts: tuple[Ghost, ...]
    alike: tuple[str, ...]
    tests: Sequence[CellTest]
    decisions: Sequence[Decision]
    conjuncts: Sequence[Conjunct]
