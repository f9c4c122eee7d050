"""Facts about a `Result` that several reports state: certificates, times, why it is UNKNOWN."""

from __future__ import annotations

from dataclasses import dataclass

from threadwise.core.options import LoadOptions
from threadwise.core.statistics import Name
from threadwise.proofs.base.union import Certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace

_CUT_OFF = ("reached", "interrupted", "killed", "ran out")


@dataclass(frozen=True)
class CertificateSummary:
    """The kind of a certificate, its size, and both in words."""

    kind: str
    size: int
    words: str


def summarise(certificate: Certificate) -> CertificateSummary:  # noqa: C901, PLR0911, PLR0915 - a case per kind
    """What to say about a certificate without writing it out."""
    match certificate:
        case StateSetCertificate():
            size = len(certificate.states)
            return CertificateSummary("state-set", size, f"a closed set of {count(size, 'state')}")
        case PersistentCertificate():
            size = len(certificate.states)
            words = f"a set of {count(size, 'state')} closed under persistent sets"
            return CertificateSummary("persistent", size, words)
        case LocksetCertificate():
            size = sum(map(len, certificate.knowledge.values()))
            words = f"what threads know at {count(len(certificate.knowledge), 'location')}"
            return CertificateSummary("locksets", size, words)
        case ForgettingCertificate(_, _, forgotten, inner):
            told = summarise(inner)
            words = f"{told.words}, with {count(len(forgotten), 'variable')} forgotten"
            return CertificateSummary("forgetting", told.size, words)
        case FollowingCertificate(_, _, followings, inner):
            told = summarise(inner)
            names = " and ".join(f"`{following.template}`" for following in followings)
            words = f"{told.words}, following one thread {names}"
            return CertificateSummary("following", told.size, words)
        case SplitCertificate(_, _, inner):
            told = summarise(inner)
            words = f"{told.words}, with locations told apart by what threads remember"
            return CertificateSummary("split", told.size, words)
        case ThreadModularCertificate():
            size = sum(map(len, certificate.reached))
            changes = sum(map(len, certificate.guarantees))
            words = (
                f"R with {count(size, 'store')} of single threads, G with {count(changes, 'step')}"
            )
            return CertificateSummary("thread-modular", size, words)
        case PushdownCertificate():
            size = sum(map(len, certificate.path_edges))
            words = f"P with {count(size, 'path edge')} of single threads, and their guarantees"
            return CertificateSummary("pushdown", size, words)
        case FrontierCertificate():
            size = sum(len(rows) for sets in certificate.chain for rows in sets)
            words = f"a chain of {count(len(certificate.chain), 'frontier')}"
            return CertificateSummary("frontier", size, words)
        case SummaryCertificate():
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
            return CertificateSummary("summaries", size, words)
        case SymmetricCertificate():
            size = sum(map(len, certificate.reached))
            changes = sum(map(len, certificate.guarantees))
            words = (
                f"R with {count(size, 'view')} of one representative per kind of thread, "
                f"G with {count(changes, 'step')}"
            )
            if certificate.lemmas:
                words += f", and {count(len(certificate.lemmas), 'equation')}"
            return CertificateSummary("symmetric", size, words)
        case ReductionCertificate():
            size = len(certificate.states)
            words = f"a set of {count(size, 'state')} closed under whole transactions"
            return CertificateSummary("reduction", size, words)
        case CountingCertificate():
            size = len(certificate.invariants)
            words = f"{count(size, 'equation')} between shared cells and numbers of threads"
            return CertificateSummary("counting", size, words)
        case InterleavingsCertificate():
            size = sum(certificate.lengths)
            active = sum(1 for length in certificate.lengths if length)
            words = f"all interleavings of {count(size, 'step')} of {count(active, 'thread')}"
            return CertificateSummary("interleavings", size, words)
        case FormulaCertificate():
            size = len(certificate.conjuncts)
            ghosts = sum(v is not None for g in certificate.ghosts for v in g.values)
            words = f"{count(size, 'inductive formula')} with {count(ghosts, 'ghost')}"
            return CertificateSummary("formulas", size, words)
        case RepresentativesCertificate():
            size = len(certificate.formulas)
            threads = count(certificate.k, "thread")
            words = f"{count(size, 'formula')} about {threads} at a time"
            if certificate.lemmas:
                words += f", and {count(len(certificate.lemmas), 'equation')}"
            if certificate.ghosts:
                words += f", with {count(len(certificate.ghosts), 'ghost')}"
            return CertificateSummary("representatives", size, words)


def certificates(result: Result) -> list[Certificate]:
    """The distinct certificates, in the order of the properties they prove first.

    A property is proved once, so the properties it proves tell a certificate from the others.
    """
    found: dict[tuple[str, ...], Certificate] = {}
    for checked in result.properties:
        if checked.certificate is not None:
            found.setdefault(checked.certificate.properties, checked.certificate)
    return list(found.values())


def proofs(result: Result) -> list[tuple[Certificate, LoadOptions]]:
    """The distinct certificates, each with how the program was loaded that it is about."""
    loads = {
        checked.certificate.properties: result.load_of(checked)
        for checked in reversed(result.properties)
        if checked.certificate is not None
    }
    return [(found, loads[found.properties]) for found in certificates(result)]


def traces(result: Result) -> list[DescribedTrace]:
    """The traces, in the order of the properties."""
    return [checked.trace for checked in result.properties if checked.trace is not None]


def check_time_s(result: Result) -> float | None:
    """How long checking the evidence took, each piece counted once; None if there is none."""
    seen: set[tuple[str, ...]] = set()
    times: list[float] = []
    for checked in result.properties:
        if checked.check_time_s is None:
            continue
        if checked.certificate is not None:
            if checked.certificate.properties in seen:
                continue
            seen.add(checked.certificate.properties)
        times.append(checked.check_time_s)
    return sum(times) if times else None


def undecided(result: Result) -> list[PropertyResult]:
    """The properties without an answer."""
    return [checked for checked in result.properties if checked.verdict is Verdict.UNKNOWN]


def unknown_reason(result: Result) -> str | None:
    """Why the verdict is UNKNOWN, in one phrase; None if it is not."""
    if result.verdict is not Verdict.UNKNOWN:
        return None
    if result.reason is not None:
        return _with_progress(result, result.reason)
    reasons = list(dict.fromkeys(c.reason for c in undecided(result) if c.reason is not None))
    if not reasons:
        return None
    more = len(reasons) - 1
    return reasons[0] + (f"; and {count(more, 'further reason')}" if more else "")


def _with_progress(result: Result, reason: str) -> str:
    """How far the search came before it was cut off."""
    states = result.statistics.get(Name.STATES)
    if states and any(word in reason for word in _CUT_OFF):
        return f"{reason} after {count(int(states), 'state')}"
    return reason


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 state", "12,345 states"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
