"""Level II of a summary certificate: P, Sum, Sum+, Sum-, Mark and C3' of one thread (QRR §5).

Obligations, for the start nodes a thread needs:

    (a) every P(a, b) with a ≠ b follows by CFL STEP or CFL POP from edges listed before it: an
        edge stands for a run, so that C3' may rely on it
    (b) P is closed: CFL STEP, CFL PUSH and CFL POP lead into it
    (c) CFL SUM, CFL SUM+, CFL SUM-: what follows is listed; Mark is the least set
    (d) C3': for P(a, b) with b in L and every context of a, a rank that decreases along the rules
        until a Sum or Sum+ from a, or a Sum- with the frame of the context

`U`, `U+` and `U-` are computed by the reference semantics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from threadwise.ir.program import EdgeId
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transactions.certificate import SummaryTables
from threadwise.proofs.transactions.partition import Transactions
from threadwise.semantics.state import Cells, Frame, GlobalStore, LocalStore


class Node(NamedTuple):
    """A global store, a local store and the part N, L or R."""

    g: Cells
    l: LocalStore
    part: str


class ThreadPaths:
    """The tables of one thread, and what follows from them."""

    def __init__(
        self, transactions: Transactions, t: int, tables: SummaryTables, stores: list[Cells]
    ) -> None:
        self.transactions = transactions
        self.interpreter = transactions.interpreter
        self.t = t
        nodes = [Node(stores[g], l, part) for g, l, part in tables.nodes]
        frames = tables.frames
        self.edges = dict.fromkeys((nodes[a], nodes[b]) for a, b in tables.path_edges)
        self.sums: defaultdict[Node, set[Node]] = defaultdict(set)
        for a, b in tables.sums:
            self.sums[nodes[a]].add(nodes[b])
        self.calls: defaultdict[Node, set[tuple[Node, Frame]]] = defaultdict(set)
        for a, n, f in tables.calls:
            self.calls[nodes[a]].add((nodes[n], frames[f]))
        self.returns: defaultdict[tuple[Node, Frame], set[Node]] = defaultdict(set)
        for a, f, c in tables.returns:
            self.returns[nodes[a], frames[f]].add(nodes[c])
        self.marks = {nodes[a] for a in tables.marks}
        self.ranks: dict[tuple[Node, Node, Frame | None], int] = {}
        for a, b, frame, rank in tables.ranks:
            key = (nodes[a], nodes[b], None if frame is None else frames[frame])
            self.ranks[key] = min(rank, self.ranks.get(key, rank))
        self.contexts: defaultdict[Node, set[Frame | None]] = defaultdict(set)
        """The frames on top of which a node is started; None for an empty stack."""
        self.started: set[Node] = set()
        self.callers: defaultdict[tuple[Node, Frame], set[tuple[Node, Node]]] = defaultdict(set)
        """Per entry and frame, the P(a, b) that call it."""
        self.taken: set[EdgeId] = set()

    def start(self, a: Node, context: Frame | None) -> None:
        """START: a state of Ω needs P(a, a)."""
        if (a, a) not in self.edges:
            raise Refuted("START: a node has no path edge")
        self.started.add(a)
        self.contexts[a].add(context)

    # -- U, U+, U- -------------------------------------------------------------------------------

    def steps(self, b: Node) -> Iterator[Node]:
        """U."""
        for choices, g, l, _ in self.interpreter.step(self.t, GlobalStore(b.g), b.l):
            self.taken.update(choice.edge for choice in choices)
            part = self.transactions.after(self.t, b.l, b.part, choices[0].edge, l)
            yield Node(g.cells, l, part)

    def pushes(self, b: Node) -> Iterator[tuple[Node, Frame]]:
        """U+."""
        for choice, l, frame in self.interpreter.push(self.t, b.l):
            self.taken.add(choice.edge)
            part = self.transactions.after(self.t, b.l, b.part, choice.edge, l)
            yield Node(b.g, l, part), frame

    def pops(self, b: Node, frame: Frame) -> Iterator[Node]:
        """U-."""
        for choice, l in self.interpreter.pop(self.t, b.l, frame):
            self.taken.add(choice.edge)
            part = self.transactions.after(self.t, b.l, b.part, choice.edge, l)
            yield Node(b.g, l, part)

    def goes_on(self, a: Node, b: Node) -> bool:
        """Whether the rules marked * apply to P(a, b)."""
        if self.transactions.has_failed(b.l):
            return False
        return b.part != "N" or (b == a and a in self.started)

    # -- the obligations -------------------------------------------------------------------------

    def check(self, tick: Callable[[], object]) -> None:
        """Discharge (a) to (d), after all STARTs are known."""
        for a, b in self.edges:
            if self.goes_on(a, b):
                for n, frame in self.pushes(b):
                    if (n, n) not in self.edges:
                        raise Refuted("CFL PUSH: the entry of a procedure has no path edge")
                    self.contexts[n].add(frame)
                    self.callers[n, frame].add((a, b))
        self._check_paths(tick)
        self._check_marks()
        for a, b in self.edges:
            tick()
            if b.part == "L" and not self.transactions.has_failed(b.l):
                for context in self.contexts[a]:
                    self._check_finish(a, b, context)

    def _check_paths(self, tick: Callable[[], object]) -> None:
        """(a), (b), CFL SUM and CFL SUM-."""
        follows: set[tuple[Node, Node]] = set()
        self.real_returns: defaultdict[tuple[Node, Frame], set[Node]] = defaultdict(set)
        reached: set[tuple[Node, Node]] = set()
        for a, b in self.edges:
            tick()
            if a != b and (a, b) not in follows:
                raise Refuted("a path edge does not follow from those before it")
            reached.add((a, b))
            ends = b.part == "N" and b != a and not self.transactions.has_failed(b.l)
            if ends and b not in self.sums[a]:
                raise Refuted("CFL SUM: a summary is missing")
            if not self.goes_on(a, b):
                continue
            follows.update((a, c) for c in self.steps(b))
            for n, frame in self.pushes(b):
                if n.part != "N":
                    follows.update((a, c) for c in self.real_returns[n, frame])
            for frame_below in self.contexts[a]:
                if frame_below is not None:
                    follows.update(self._return(a, b, frame_below, reached))
        if not follows <= self.edges.keys():
            raise Refuted("CFL STEP, CFL POP: a path edge is missing")

    def _return(
        self, a: Node, b: Node, frame: Frame, reached: set[tuple[Node, Node]]
    ) -> Iterator[tuple[Node, Node]]:
        """CFL SUM- at P(a, b), and CFL POP for the callers listed so far."""
        for c in self.pops(b, frame):
            if c not in self.returns[a, frame]:
                raise Refuted("CFL SUM-: a summary is missing")
            self.real_returns[a, frame].add(c)
            if a.part != "N":
                yield from ((d, c) for d, at in self.callers[a, frame] if (d, at) in reached)

    def _check_marks(self) -> None:
        """Mark and CFL SUM+."""
        callers: defaultdict[Node, list[tuple[Node, Frame]]] = defaultdict(list)
        for (n, frame), edges in self.callers.items():
            callers[n] += ((a, frame) for a, _ in edges)
        ends = [
            a for a, b in self.edges if b.part == "N" and not self.transactions.has_failed(b.l)
        ]
        marks = dict.fromkeys(ends)
        pending = list(marks)
        for n in pending:
            for a, frame in callers[n]:
                if (n, frame) not in self.calls[a]:
                    raise Refuted("CFL SUM+: a summary is missing")
                if a not in marks:
                    marks[a] = None
                    pending.append(a)
        if marks.keys() != self.marks:
            raise Refuted("Mark is not what follows from P")

    def _check_finish(self, a: Node, b: Node, context: Frame | None) -> None:
        """(d) for one context."""
        rank = self._rank(a, b, context)
        if rank is None:
            raise Refuted(f"C3': {self.transactions.name(self.t)} may not finish its transaction")
        if context is not None and next(self.pops(b, context), None) is not None:
            return
        for c in self._next(b):
            if c is None or c.part == "N":
                return
            after = self._rank(a, c, context)
            if after is not None and after < rank:
                return
        raise Refuted(f"C3': a rank of {self.transactions.name(self.t)} does not decrease")

    def _rank(self, a: Node, b: Node, context: Frame | None) -> int | None:
        everywhere = self.ranks.get((a, b, None))
        return self.ranks.get((a, b, context)) if everywhere is None else everywhere

    def _next(self, b: Node) -> Iterator[Node | None]:
        """Where CFL STEP and CFL POP lead; None for a Sum+."""
        for c in self.steps(b):
            if not self.transactions.has_failed(c.l):
                yield c
        for n, frame in self.pushes(b):
            if n in self.marks:
                yield None
            if n.part != "N":
                yield from self.real_returns[n, frame]
