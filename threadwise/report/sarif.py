"""SARIF 2.1.0, for services that show findings beside code.

| verdict | in the file                                                        |
|---------|--------------------------------------------------------------------|
| UNSAFE  | a result, `level: error`                                           |
| UNKNOWN | a notification of the tool, `level: warning`                       |
| SAFE    | nothing, or with `everything` a result with `kind: pass`           |

What a comment or a baseline suppresses is a result with `suppressions`; what was excluded is
counted in a notification.

Both accesses of a race are places of the result; the interleaving is a code flow, one thread flow
per thread, numbered in the order of execution. Paths are relative to the repository. Numbers of
places keep to what services display.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from threadwise import __version__
from threadwise.core.source import Span
from threadwise.core.words import count
from threadwise.report.findings import RULES, Finding, Place, Sources, findings
from threadwise.report.summary import unknown_reason
from threadwise.results.result import Result, Why
from threadwise.results.verdict import Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "threadwise/v1"
_BASE = "SRCROOT"
_MOST_FLOW = 1000
_MOST_PLACES = 100
_LONGEST_MESSAGE = 1000

Json = Any


def to_sarif(
    results: Sequence[Result],
    sources: Sources,
    *,
    everything: bool = False,
    failures: Sequence[str] = (),
) -> dict[str, Json]:
    """One run with the findings of all programs; `failures` says why some have no result."""
    root = repository(Path.cwd())
    found = list(findings(results, sources))
    rules = list(RULES.values())
    shown = [f for f in found if f.verdict is Verdict.UNSAFE or _passes(f, everything)]
    notes = [_notification(f, root) for f in found if f.verdict is Verdict.UNKNOWN]
    notes += [_of_run(result, root) for result in results if not result.properties]
    notes += [_excluded(number) for result in results if (number := _count_excluded(result))]
    failed = [f"defect of threadwise: {d.message}" for result in results for d in result.defects]
    failed += (message.strip() for message in failures)
    notes += ({"level": "error", "message": _message(each)} for each in failed)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "threadwise",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(kind) for kind in RULES],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_BASE: {"uri": f"{root.as_uri()}/"}},
                "invocations": [
                    {
                        "executionSuccessful": not failed,
                        "toolExecutionNotifications": notes,
                    }
                ],
                "results": [
                    *(_result(f, rules.index(f.rule), root) for f in shown),
                    *_suppressed(results, sources, root),
                ],
            }
        ],
    }


_SUPPRESSIONS = {Why.COMMENT: "inSource", Why.BASELINE: "external"}


def _suppressed(results: Sequence[Result], sources: Sources, root: Path) -> Iterator[Json]:
    """Violations that are known to be there."""
    rules = list(RULES.values())
    for each in (each for result in results for each in result.suppressed):
        kind = _SUPPRESSIONS.get(each.why)
        if kind is None or each.answer is None:
            continue
        (finding,) = findings([Result("", (each.answer,))], sources)
        reason = {} if each.reason is None else {"justification": each.reason}
        told = _result(finding, rules.index(finding.rule), root)
        yield {**told, "suppressions": [{"kind": kind, **reason}]}


def _count_excluded(result: Result) -> int:
    return sum(each.why is Why.EXCLUDED for each in result.suppressed)


def _excluded(number: int) -> Json:
    told = f"not reported, since --only or --exclude says so: {count(number, 'finding')}"
    return {"level": "note", "message": _message(told)}


def _passes(finding: Finding, everything: bool) -> bool:
    return everything and finding.verdict is Verdict.SAFE


def repository(folder: Path) -> Path:
    """The innermost folder with a repository, from one upwards; else the folder itself."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return folder


def _rule(kind: str) -> Json:
    rule = RULES[kind]
    return {
        "id": rule.id,
        "name": rule.id.partition("-")[2].title().replace("-", ""),
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": ["concurrency", *(f"external/cwe/cwe-{number}" for number in rule.cwe)],
            "precision": "very-high",
        },
    }


def _result(finding: Finding, index: int, root: Path) -> Json:
    failed = finding.verdict is Verdict.UNSAFE
    told: dict[str, Json] = {
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "kind": "fail" if failed else "pass",
        "level": "error" if failed else "none",
        "message": _message(finding.message),
        "locations": [_location(finding.span, root)] if finding.span else [],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
    }
    related = [place for place in finding.related if place.span != finding.span]
    if related:
        told["relatedLocations"] = [
            {"id": number, **_location(place.span, root, place.message)}
            for number, place in enumerate(related[:_MOST_PLACES], start=1)
        ]
    if finding.flow:
        told["codeFlows"] = [{"threadFlows": list(_flows(finding.flow, root))}]
    return told


def _flows(flow: Sequence[Place], root: Path) -> Iterator[Json]:
    """The last steps, those of each thread together."""
    kept = list(enumerate(flow, start=1))[-_MOST_FLOW:]
    for thread in dict.fromkeys(place.thread for _, place in kept):
        yield {
            "id": thread,
            "locations": [
                {"executionOrder": order, "location": _location(place.span, root, place.message)}
                for order, place in kept
                if place.thread == thread
            ],
        }


def _notification(finding: Finding, root: Path) -> Json:
    return {
        "level": "warning",
        "message": _message(finding.message),
        "associatedRule": {"id": finding.rule.id},
        "locations": [_location(finding.span, root)] if finding.span else [],
    }


def _of_run(result: Result, root: Path) -> Json:
    reason = unknown_reason(result) or result.verdict.value
    place = {"physicalLocation": {"artifactLocation": _artifact(result.file, root)}}
    return {"level": "warning", "message": _message(reason), "locations": [place]}


def _location(span: Span, root: Path, message: str = "") -> Json:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(span.path, root),
            "region": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            },
        },
        **({"message": _message(message)} if message else {}),
    }


def _artifact(path: str, root: Path) -> Json:
    absolute = Path(os.path.abspath(path))
    try:
        inside = absolute.relative_to(root)
    except ValueError:
        return {"uri": absolute.as_uri()}
    return {"uri": quote(inside.as_posix()), "uriBaseId": _BASE}


def _message(text: str) -> Json:
    return {"text": text[:_LONGEST_MESSAGE]}
