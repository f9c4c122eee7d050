"""Proofs by transactions for people: the pairs behind the movers, which leave no state out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.pushdown.explain import explain_pushdown
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.thread_modular.explain import explain_thread_modular
from threadwise.proofs.toolbox.explain.calls import CallTables
from threadwise.proofs.toolbox.explain.pairs import Pairs, explain_pairs
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.transforms.forget import forget


def explain_reduction(
    program: Program, certificate: ReductionCertificate
) -> Iterator[ThreadExplanation]:
    """R behind the movers."""
    return _explain_behind(program, certificate, certificate.pairs)


def explain_summaries(
    program: Program, certificate: SummaryCertificate
) -> Iterator[ThreadExplanation]:
    """R behind the movers; of a single thread, its nodes and what calls do."""
    if certificate.pairs is not None:
        return _explain_behind(program, certificate, certificate.pairs)
    calls = CallTables(
        certificate.globals,
        [[(g, l) for g, l, _ in tables.nodes] for tables in certificate.summaries],
        [tables.path_edges for tables in certificate.summaries],
        [
            [(a, a, tables.frames[f]) for a, f, _ in tables.returns]
            for tables in certificate.summaries
        ],
    )
    return explain_pairs(program, _nodes(certificate), calls=calls)


def _explain_behind(
    program: Program,
    certificate: ReductionCertificate | SummaryCertificate,
    pairs: ThreadModularCertificate | PushdownCertificate,
) -> Iterator[ThreadExplanation]:
    """The pairs; where they are about less than the program, a note says so."""
    less = forget(program, certificate.forgotten) if certificate.forgotten else program
    if isinstance(pairs, PushdownCertificate):
        explained = explain_pushdown(less, pairs)
    else:
        explained = explain_thread_modular(less, pairs)
    notes: tuple[str, ...] = ()
    if certificate.forgotten:
        notes = ("the data do not matter to what commutes: they are left out",)
    if certificate.alone:
        notes = (*notes, "locks that others hold count as free here")
    for thread in explained:
        yield replace(thread, notes=(*thread.notes, *notes))


def _nodes(certificate: SummaryCertificate) -> Iterator[Pairs]:
    stores = [tuple(cells) for cells in certificate.globals]
    for t, tables in enumerate(certificate.summaries):
        seen = dict.fromkeys((stores[g], l) for g, l, _ in tables.nodes)
        yield Pairs(t, list(seen), [])


def summarise_reduction(certificate: ReductionCertificate) -> ProofSummary:
    """How many states there are between transactions."""
    size = len(certificate.states)
    return ProofSummary(size, f"a set of {count(size, 'state')} closed under whole transactions")


def summarise_summaries(certificate: SummaryCertificate) -> ProofSummary:
    """How many states there are between transactions, and edges inside."""
    size = len(certificate.states)
    edges = sum(
        len(rows)
        for tables in certificate.summaries
        for rows in (tables.sums, tables.calls, tables.returns)
    )
    words = (
        f"{count(size, 'state')} between transactions, {count(edges, 'summary edge')} "
        "inside them, and the movers behind them"
    )
    return ProofSummary(size, words)
