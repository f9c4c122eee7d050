"""Nodes of the instrumented program, and its relations U, U+ and U- (QRR §4).

A node (g, ⟨l, part⟩) is what one thread sees, with the part N, L or R of `partition` instead of
the phase: p holds in N and R. U, U+ and U- are T, T+ and T- that go on to the part of ⟨l', p'⟩.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from threadwise.engines.reduction.partition import Part, Partition
from threadwise.ir.commands import Return
from threadwise.semantics.state import Choice
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local


class Node(NamedTuple):
    """A global store, a local store, and where the thread is with respect to its transactions."""

    g: Global
    l: Local
    part: Part


class Instrumented:
    """U, U+ and U- of a program."""

    def __init__(self, system: ConcreteSystem, partition: Partition) -> None:
        self.system = system
        self.partition = partition
        self._exits = {
            edge.source for edge in system.program.edges if isinstance(edge.action, Return)
        }

    def step(self, t: Role, b: Node) -> Iterator[tuple[tuple[Choice, ...], Node]]:
        """U(t, b)."""
        for step in self.system.step(t, b.g, b.l):
            part = self.partition.after(t, b.l, b.part, step.choices[0].edge, step.l)
            yield step.choices, Node(step.g, step.l, part)

    def push(self, t: Role, b: Node) -> Iterator[tuple[Choice, Node, Frame]]:
        """U+(t, b): the entry of the callee, and the frame to return to."""
        for push in self.system.push(t, b.g, b.l):
            part = self.partition.after(t, b.l, b.part, push.choice.edge, push.l)
            yield push.choice, Node(b.g, push.l, part), push.frame

    def pop(self, t: Role, b: Node, f: Frame) -> Iterator[tuple[Choice, Node]]:
        """U-(t, b, f)."""
        for pop in self.system.pop(t, b.g, b.l, f):
            part = self.partition.after(t, b.l, b.part, pop.choice.edge, pop.l)
            yield pop.choice, Node(b.g, pop.l, part)

    def may_return(self, b: Node) -> bool:
        """Whether U-(t, b, f) can be defined for some f."""
        return self.system.location(b.l) in self._exits

    def has_failed(self, b: Node) -> bool:
        """Whether a node is `wrong`."""
        return self.system.is_stopped(b.l)
