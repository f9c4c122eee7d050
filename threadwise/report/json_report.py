"""The report as JSON: one object per file, its format fixed by `report.schema.json` beside this.

The evidence of an UNSAFE property is a complete trace file: saved on its own it can be replayed.
Certificates are only summarised here, since they can be large; `--certificate` writes them.
"""

from __future__ import annotations

from typing import Any

from threadwise.core.documents import span_to_json
from threadwise.core.load_options import LoadOptions
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import summarise
from threadwise.proofs.transformed.certificate import TransformedCertificate
from threadwise.report.audits import audit_to_json
from threadwise.report.doubts import assumed_doubts, doubts, listed_doubts
from threadwise.report.locations import locations_of_result, locations_to_json
from threadwise.report.summary import unknown_reason
from threadwise.results.result import (
    Assumed,
    Attempt,
    Defect,
    PropertyResult,
    ReachedLimit,
    Result,
    Suppressed,
    Unreached,
)
from threadwise.traces.files import trace_to_json

FORMAT_VERSION = 1

Json = Any


def to_json(result: Result) -> dict[str, Json]:
    """The whole report."""
    found, load = doubts(result), result.load.seen_from(result.file)
    return {
        "format_version": FORMAT_VERSION,
        "file": result.file,
        "inputs": list(result.files),
        "verdict": result.verdict.value,
        "reason": unknown_reason(result),
        "engine": result.engine,
        "assumptions": [*result.assumptions, *assumed_doubts(result)],
        **({"doubts": [_doubt(assumed) for assumed in found]} if found else {}),
        **({"limits": [_limit(limit) for limit in result.limits]} if result.limits else {}),
        **(
            {"suppressed": list(map(_suppressed, found_))} if (found_ := result.suppressed) else {}
        ),
        "bounds": dict(result.bounds),
        "tried": [_attempt(attempt) for attempt in result.tried],
        "properties": [
            _property(checked, result.load_of(checked).seen_from(result.file))
            for checked in result.properties
        ],
        **({"spare": [_spare(each, load) for each in result.spare]} if result.spare else {}),
        "unreached": [_unreached(statement) for statement in result.unreached],
        "defects": [_defect(defect) for defect in result.defects],
        "statistics": dict(result.statistics),
    }


def _limit(limit: ReachedLimit) -> Json:
    return {"message": limit.message, "span": span_to_json(limit.span), "hidden": limit.hidden}


def _suppressed(each: Suppressed) -> Json:
    return {
        "property": each.name,
        "kind": each.kind,
        "why": each.why.value,
        "message": each.message,
        "locations": [span_to_json(span) for span in each.places],
        "reason": each.reason,
    }


def _attempt(attempt: Attempt) -> Json:
    return {"engine": attempt.engine, "time_s": attempt.time_s, "outcome": attempt.outcome}


def _defect(defect: Defect) -> Json:
    return {
        "kind": defect.kind.value,
        "engine": defect.engine,
        "message": defect.message,
        "properties": list(defect.properties),
        "steps": defect.steps,
        "program_hash": defect.program_hash,
        "options": dict(defect.options),
        "traceback": defect.traceback,
    }


def _doubt(assumed: Assumed) -> Json:
    doubt = assumed.doubt
    return {
        "kind": doubt.kind.value,
        "text": doubt.denied,
        "file": doubt.path,
        "line": doubt.line,
        "matters": assumed.matters,
        "example": assumed.example,
    }


def _property(checked: PropertyResult, load: LoadOptions) -> Json:
    return {
        "name": checked.name,
        "kind": checked.kind,
        "verdict": checked.verdict.value,
        "engine": checked.engine,
        "reason": checked.reason,
        **({"explanation": list(checked.explanation)} if checked.explanation else {}),
        "location": span_to_json(checked.location),
        **_story(checked),
        "evidence": _evidence(checked, load),
        **_locations(checked, load),
    }


def _spare(checked: PropertyResult, load: LoadOptions) -> Json:
    """What was not asked for and has no answer."""
    idle = checked.idle
    run = {} if idle is None else {"idle": trace_to_json(idle, load)}
    return {"name": checked.name, "kind": checked.kind, "reason": checked.reason, **run}


def _story(checked: PropertyResult) -> dict[str, Json]:
    """What a violation of a C program looks like for people, and both accesses of a race."""
    story = checked.trace.story if checked.trace is not None else None
    if story is None:
        return {}
    told = [
        {
            "thread": story.threads[row.thread],
            "location": span_to_json(row.span),
            "text": row.text,
            "what": row.what,
            "locks": list(row.held),
        }
        for row in story.end
    ]
    lines = [
        {
            "step": line.step,
            "thread": story.threads[line.thread],
            "location": span_to_json(line.span),
            "text": line.text,
            "effects": list(line.effects),
            "locks": list(line.held),
            "matters": line.matters,
        }
        for line in story.lines
    ]
    return {**({"accesses": told} if told else {}), "story": lines}


def _locations(checked: PropertyResult, load: LoadOptions) -> dict[str, Json]:
    """The results for shared locations, if a proof has them."""
    found: dict[str, Json] = {}
    if locations := locations_of_result(checked):
        runs = {} if checked.part is None else checked.part.witnesses
        witnesses = {name: trace_to_json(trace, load) for name, trace in runs.items()}
        found["locations"] = locations_to_json(locations, witnesses)
    if (part := checked.part) is not None:
        found["part"] = {
            "engine": part.engine,
            "certificate_kind": part.certificate.kind,
            "size": summarise(part.certificate).size,
            "assumptions": [*part.assumptions, *listed_doubts(d.doubt for d in part.doubts)],
            "audit": audit_to_json(part.audit),
        }
    return found


def _evidence(checked: PropertyResult, load: LoadOptions) -> Json:
    # A result only carries evidence that has passed its checker.
    common = {"checked": True, "check_time_s": checked.check_time_s}
    if checked.trace is not None:
        return {"kind": "trace", **common, **trace_to_json(checked.trace, load)}
    if checked.certificate is not None:
        summary = summarise(checked.certificate)
        return {
            "kind": "certificate",
            **common,
            "certificate_kind": checked.certificate.kind,
            **_inner_kind(checked.certificate),
            "size": summary.size,
            "properties": list(checked.certificate.properties),
            "audit": audit_to_json(checked.audit),
        }
    return None


def _inner_kind(certificate: Certificate) -> Json:
    inner = certificate.inner if isinstance(certificate, TransformedCertificate) else None
    return {} if inner is None else {"inner_kind": inner.kind}


def _unreached(statement: Unreached) -> Json:
    return {
        "location": span_to_json(statement.span),
        "text": statement.text,
        "is_assertion": statement.is_assertion,
    }
