"""R, from which movers are inferred: a thread-modular fixpoint, one role per thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from threadwise.engines.thread_modular.pushdown import PushdownFixpoint, pushdown_fixpoint
from threadwise.engines.thread_modular.rules import (
    ThreadModularFixpoint,
    thread_modular_fixpoint,
)
from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local

Fixpoint: TypeAlias = (
    ThreadModularFixpoint[Global, Local, Any] | PushdownFixpoint[Global, Local, Frame, Any]
)


def compute_pairs(system: ConcreteSystem, tick: Callable[[], object]) -> Fixpoint:
    """R: by the finite rules (FQ §2.2), or by the pushdown rules (FQ §3.1) if there are calls."""
    if has_calls(system.program):
        return pushdown_fixpoint(system, tick)
    return thread_modular_fixpoint(system, tick)


def has_calls(program: Program) -> bool:
    """Whether some thread may call a procedure."""
    return any(isinstance(edge.action, Call) for edge in program.edges)
