"""Facts about a `Result` that several reports state: certificates, times, why it is UNKNOWN."""

from __future__ import annotations

from threadwise.core.load_options import LoadOptions
from threadwise.core.statistics import Name
from threadwise.core.words import count
from threadwise.proofs.base.audit import Audit
from threadwise.proofs.base.certificate import Certificate
from threadwise.results.blockers import Blocker, Nearness, nearest
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace

_CUT_OFF = ("reached", "interrupted", "killed", "ran out")


def certificates(result: Result) -> list[Certificate]:
    """The distinct certificates, in the order of the properties they prove first.

    A property is proved once, so the properties it proves distinguish a certificate from others.
    """
    found: dict[tuple[str, ...], Certificate] = {}
    for checked in result.properties:
        if checked.certificate is not None:
            found.setdefault(checked.certificate.properties, checked.certificate)
    return list(found.values())


def audit_of(result: Result, certificate: Certificate) -> Audit | None:
    """How thoroughly a certificate was tested in runs; None if it was not."""
    for checked in result.properties:
        if checked.certificate is certificate:
            return checked.audit
    return None


def proof_told(result: Result, certificate: Certificate) -> str:
    """A proof in a phrase."""
    for checked in result.properties:
        if checked.certificate is certificate and checked.proof_told:
            return checked.proof_told
    from threadwise.proofs.base.registry import summarise

    return summarise(certificate).words


def proofs(result: Result) -> list[tuple[Certificate, LoadOptions]]:
    """The distinct certificates, each with how the program was loaded that it is about."""
    loads = {
        checked.certificate.properties: result.load_of(checked)
        for checked in reversed(result.properties)
        if checked.certificate is not None
    }
    return [(found, loads[found.properties]) for found in certificates(result)]


def parts(result: Result) -> list[tuple[Certificate, LoadOptions]]:
    """The proofs of parts of properties, but those that prove others as a whole."""
    whole = certificates(result)
    found: list[tuple[Certificate, LoadOptions]] = []
    for checked in result.properties:
        part = checked.part
        if part is None or not part.is_worth_keeping:
            continue
        if part.certificate not in (*whole, *(known for known, _ in found)):
            found.append((part.certificate, result.load_of(part)))
    return found


def traces(result: Result) -> list[tuple[DescribedTrace, LoadOptions]]:
    """The traces, in the order of the properties, each with how its program was loaded."""
    return [
        (checked.trace, result.load_of(checked))
        for checked in result.properties
        if checked.trace is not None
    ]


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
    near = _nearest(result)
    told = _told_reason(result, near)
    placed = near is not None and near.nearness <= Nearness.POSSIBLE
    hiding = [each for each in result.limits if each.hidden != 0]
    if told is None or placed or not hiding:
        return told
    if any(each.message in told for each in result.limits):
        return told
    return f"{hiding[0].message} (a limit that may be reached); {told}"


def _nearest(result: Result) -> Blocker | None:
    return nearest(checked.blockers[0] for checked in undecided(result) if checked.blockers)


def _told_reason(result: Result, near: Blocker | None) -> str | None:
    cut = None if result.reason is None else _with_progress(result, result.reason)
    pair = _open_pair(result)
    if pair is not None and (near is None or near.nearness >= Nearness.SIZE):
        return pair if cut is None else f"{pair}; {cut}"
    if cut is not None and (near is None or near.nearness >= Nearness.RESOURCE):
        return cut
    reasons = list(dict.fromkeys(c.reason for c in undecided(result) if c.reason is not None))
    if not reasons:
        return None
    told = reasons[0] if near is None else near.told
    more = len(reasons) - 1
    told += f"; and {count(more, 'further reason')}" if more else ""
    if cut is not None and near is not None and near.nearness is not Nearness.CONSTRUCT:
        told += f"; {cut}"
    return told


def _open_pair(result: Result) -> str | None:
    """The first pair of accesses that is undecided, if that is all that is left of a property."""
    for checked in undecided(result):
        part = checked.part
        left = [] if part is None else [each for each in part.locations if each.undecided]
        if part is None or not left:
            continue
        pair = left[0].undecided[0]
        proved = sum(each.is_proved for each in part.locations)
        return (
            f"{pair.first.access}, and {pair.second.access} may race: {pair.lacking}; "
            f"{proved} of {count(len(part.locations), 'shared location')} proved"
        )
    return None


def _with_progress(result: Result, reason: str) -> str:
    """How far the search came before it was cut off."""
    states = result.statistics.get(Name.STATES)
    if states and any(word in reason for word in _CUT_OFF):
        return f"{reason} after {count(int(states), 'state')}"
    return reason
