"""The relations of Rulesets 2 and 3, indexed for the rules that use them, with first derivations.

All but Ω exist per thread:

    P(a, b)          from node a, where t was started, to b at the same stack, in one transaction
    Sum(a, b)        … and the transaction ends at b
    Sum+(a, n, f)    … at a call: pushes f and enters n, inside which a transaction ends
    Sum-(a, f, c)    … at a return: pops f and goes on at c
    Mark(a)          a transaction ends at the stack of a or above it, before t returns
    Ω(g, ls, ss)     states between transactions

A derivation of P or Ω uses only what was derived before it, so expanding it ends.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from threadwise.engines.reduction.partition import Part
from threadwise.engines.summaries.nodes import Node
from threadwise.semantics.state import Choice
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import Frame
from threadwise.systems.python_code import Global, Local

Joint: TypeAlias = JointState[Global, Local, Frame]


class Begun(NamedTuple):
    """How P(a, a) came about: START in a state of Ω."""

    state: int


class Entered(NamedTuple):
    """How P(n, n) came about: CFL PUSH from P(a, b)."""

    a: Node
    b: Node
    call: Choice


class Stepped(NamedTuple):
    """How P(a, c) came about: CFL STEP from P(a, before)."""

    before: Node
    choices: tuple[Choice, ...]


class Called(NamedTuple):
    """How P(a, c) came about: CFL POP from P(a, before) and a summary P(entry, exit)."""

    before: Node
    call: Choice
    entry: Node
    exit: Node
    back: Choice


Origin: TypeAlias = Begun | Entered | Stepped | Called


class Ends(NamedTuple):
    """Why a node is marked: CFL SUM at b."""

    b: Node


class EndsInside(NamedTuple):
    """Why a node is marked: CFL SUM+ into a marked entry."""

    entry: Node


class Exit(NamedTuple):
    """Where a Sum+ or Sum- leaves P(a, ·), and by which call or return."""

    b: Node
    choice: Choice


@dataclass
class ThreadRelations:
    """P, Sum, Sum+, Sum- and Mark of one thread."""

    path: dict[Node, dict[Node, Origin]] = field(default_factory=dict)
    """P, by a."""
    edges: list[tuple[Node, Node]] = field(default_factory=list)
    """P, in the order of derivation."""
    sum: defaultdict[Node, dict[Node, None]] = field(default_factory=lambda: defaultdict(dict))
    sum_push: defaultdict[Node, dict[tuple[Node, Frame], Exit]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    sum_pop: defaultdict[tuple[Node, Frame], dict[Node, Exit]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    mark: dict[Node, Ends | EndsInside] = field(default_factory=dict)
    callers: defaultdict[Node, dict[Frame, dict[tuple[Node, Node], Choice]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """Per entry n and frame f, the P(a, b) with U+(b) ∋ (n, f)."""
    frames: defaultdict[Node, dict[Frame, None]] = field(default_factory=lambda: defaultdict(dict))
    """The frames on top of which a node was started, by START or by CFL PUSH."""
    exits: defaultdict[Node, list[Node]] = field(default_factory=lambda: defaultdict(list))
    """Per a, the b with P(a, b) that may return."""
    started: dict[Node, None] = field(default_factory=dict)
    """The nodes started by START."""
    bottom: dict[Node, None] = field(default_factory=dict)
    """Those started with an empty stack."""
    waiting: defaultdict[Node, dict[Frame | None, list[int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """Per node, the states of Ω that have it and may schedule t, by their top frame."""

    @property
    def path_edge_count(self) -> int:
        """|P|."""
        return len(self.edges)

    @property
    def summary_count(self) -> int:
        """|Sum| + |Sum+| + |Sum-|."""
        return (
            sum(map(len, self.sum.values()))
            + sum(map(len, self.sum_push.values()))
            + sum(map(len, self.sum_pop.values()))
        )


class OmegaState(NamedTuple):
    """An element of Ω, with the part each thread is in."""

    joint: Joint
    parts: tuple[Part, ...]

    def node(self, t: Role) -> Node:
        """What a thread sees."""
        return Node(self.joint.g, self.joint.locals[t], self.parts[t])

    def top(self, t: Role) -> Frame | None:
        """The frame a return of t needs."""
        stack = self.joint.stacks[t]
        return stack[-1] if stack else None


class Transaction(NamedTuple):
    """How a state of Ω was reached: t went from its node to b, then perhaps called or returned."""

    before: int
    t: Role
    b: Node
    last: Choice | None


class Cut(NamedTuple):
    """A call that would have made a stack too deep."""

    t: Role
    entry: Node
    stack: tuple[Frame, ...]


class Omega:
    """Ω, in the order of discovery."""

    def __init__(self) -> None:
        self.number: dict[OmegaState, int] = {}
        self.states: list[OmegaState] = []
        self.parents: list[Transaction | None] = []

    def reach(self, state: OmegaState, parent: Transaction | None) -> None:
        """Add a state."""
        if state not in self.number:
            self.number[state] = len(self.states)
            self.states.append(state)
            self.parents.append(parent)
