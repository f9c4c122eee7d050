"""P, Sum, Sum+, Sum-, Mark and Ω, the partition, and R behind the movers, as a certificate."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.engines.movers.sources import Source
from threadwise.engines.summaries.finish import Finish, Ranks
from threadwise.engines.summaries.merged import MergedRules
from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.relations import ThreadRelations
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.engines.thread_modular.certificates import certify as certify_pairs
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import (
    StoreClaims,
    SummaryCertificate,
    SummaryTables,
)
from threadwise.semantics.state import Cells
from threadwise.semantics.state import Frame as ReferenceFrame
from threadwise.systems.api import Role
from threadwise.systems.concrete import Frame


def certify(
    program_hash: str, names: tuple[str, ...], finish: Finish, source: Source | None
) -> SummaryCertificate:
    """The certificate of a complete search that proves the named properties."""
    rules = finish.rules
    pairs: ThreadModularCertificate | PushdownCertificate | None = None
    if source is not None:
        certified = certify_pairs(program_hash, (), source.system, source.fixpoint)
        assert isinstance(certified, ThreadModularCertificate | PushdownCertificate)
        pairs = certified
    stores: dict[Cells, int] = {}
    tables = [_Tables(rules, t, stores).write(finish.ranks[t]) for t in rules.system.roles]
    return SummaryCertificate(
        program_hash,
        names,
        pairs,
        list(stores),
        [table.claims for table in tables],
        [table.written for table in tables],
        [rules.system.reference_state(state.joint) for state in rules.omega.states],
        ["".join(state.parts) for state in rules.omega.states],
        () if source is None else source.forgotten,
        source is not None and source.alone,
        _below(rules) if isinstance(rules, MergedRules) else None,
    )


def _below(rules: MergedRules) -> list[list[tuple[ReferenceFrame, ReferenceFrame | None]]]:
    return [
        [
            (ReferenceFrame(*f), None if under is None else ReferenceFrame(*under))
            for f, row in rows.items()
            for under in row
        ]
        for rows in rules.below
    ]


class _Tables:
    """The relations of one thread, nodes and frames by position."""

    def __init__(self, rules: SummaryRules, t: Role, stores: dict[Cells, int]) -> None:
        self.rules = rules
        self.t = t
        self.stores = stores
        self.nodes: dict[Node, int] = {}
        self.frames: dict[Frame, int] = {}
        self.claims: list[StoreClaims] = []

    def node(self, node: Node) -> int:
        return self.nodes.setdefault(node, len(self.nodes))

    def frame(self, frame: Frame) -> int:
        return self.frames.setdefault(frame, len(self.frames))

    def write(self, ranks: Ranks) -> _Tables:
        """Fill all tables."""
        relations: ThreadRelations = self.rules.threads[self.t]
        node, frame = self.node, self.frame
        path = [(node(a), node(b)) for a, b in relations.edges]
        sums = [(node(a), node(b)) for a, row in relations.sum.items() for b in row]
        calls = [
            (node(a), node(n), frame(f)) for a, row in relations.sum_push.items() for n, f in row
        ]
        returns = [
            (node(a), frame(f), node(c)) for (a, f), row in relations.sum_pop.items() for c in row
        ]
        marks = [node(a) for a in relations.mark]
        ranked = [
            (node(a), node(b), None if f is None else frame(f), rank)
            for (a, b, f), rank in ranks.items()
        ]
        system = self.rules.system
        nodes = [
            (
                self.stores.setdefault(n.g, len(self.stores)),
                system.reference_local(self.t, n.l),
                n.part,
            )
            for n in self.nodes
        ]
        frames = [ReferenceFrame(*f) for f in self.frames]
        self.written = SummaryTables(nodes, frames, path, sums, calls, returns, marks, ranked)
        self.claims = list(self._claims())
        return self

    def _claims(self) -> Iterator[StoreClaims]:
        """What the search relied on about each local store."""
        partition = self.rules.program.partition
        part, t = partition.part, self.t
        for l in dict.fromkeys(n.l for n in self.nodes):
            classes = partition.movers.at(t, l)
            yield StoreClaims(
                self.rules.system.reference_local(t, l),
                part(t, l, True) == "R",
                part(t, l, False) == "L",
                tuple(edge for edge, mover in classes.items() if mover.right),
                tuple(edge for edge, mover in classes.items() if mover.left),
            )
