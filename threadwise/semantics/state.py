"""Stores, frames and states of the reference semantics.

g   GlobalStore   the cells of the shared variables, and the heap
l   LocalStore    the location, the thread-scoped cells, the current procedure's cells
f   Frame         the call edge to return from, the caller's cells
"""

from __future__ import annotations

from typing import NamedTuple

from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.types import Value

Cells = tuple[Value, ...]


class HeapObject(NamedTuple):
    """An allocated object; `site` names the allocating statement."""

    site: str
    cells: Cells
    alive: bool


class GlobalStore(NamedTuple):
    """Everything threads share."""

    cells: Cells
    heap: tuple[HeapObject, ...] = ()


class LocalStore(NamedTuple):
    """One thread's location and variables, without its callers' frames."""

    pc: LocId
    thread: Cells
    locals: Cells


class Frame(NamedTuple):
    """A caller waiting for its callee."""

    call: EdgeId
    locals: Cells


class State(NamedTuple):
    """A state of the whole program; stacks grow to the right."""

    g: GlobalStore
    locals: tuple[LocalStore, ...]
    stacks: tuple[tuple[Frame, ...], ...]


class Choice(NamedTuple):
    """An edge taken, with the values its havocs chose."""

    edge: EdgeId
    values: Cells = ()


class Move(NamedTuple):
    """One step of one thread: a single choice, or the path through an atomic region."""

    thread: int
    choices: tuple[Choice, ...]
