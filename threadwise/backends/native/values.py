"""What expressions become: numbers with bounds, places in a state, and who looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from llvmlite import ir

from threadwise.backends.native.jit import LONG
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.types import Type


class Number(NamedTuple):
    """A 64-bit value that lies between two bounds."""

    term: ir.Value
    low: int
    high: int


def constant(value: int) -> Number:
    """A number that is known."""
    return Number(LONG(value), value, value)


class Spot(NamedTuple):
    """A place in a state: a pointer to its first byte."""

    pointer: ir.Value
    type: Type


@dataclass(frozen=True)
class Seen:
    """Who evaluates: the state, and the thread with its block; outside of threads, neither."""

    state: ir.Value
    template: str = ""
    thread: ir.Value | None = None
    own: ir.Value | None = None
    others: Mapping[str, int] = field(default_factory=dict)
    """Quantified threads, by the names of their variables."""
