"""Findings that are known: a file that `check --write-baseline` writes and `--baseline` reads.

    {"format": "threadwise-baseline", "format_version": 1,
     "findings": [{"fingerprint": "5d…", "rule": "TW001-data-race", "file": "queue.c", "line": 31,
                   "message": "races: …"}]}

Only the fingerprint counts: lines may be inserted above. The rest is for people.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.core.writing import write_lines
from threadwise.report.findings import Finding, Sources, findings
from threadwise.results.result import PropertyResult, Result, Why
from threadwise.results.verdict import Verdict

FORMAT = "threadwise-baseline"
VERSION = 1


def read_baseline(path: str) -> frozenset[str]:
    """The fingerprints in a file; raises InputError."""
    try:
        data = json.loads(read_source(path).text)
        if data["format"] != FORMAT or data["format_version"] != VERSION:
            raise InputError.of(f"{path}: no baseline, or one of another version")
        return frozenset(str(each["fingerprint"]) for each in data["findings"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError.of(f"{path}: no baseline") from None


def write_baseline(path: str, results: Iterable[Result], sources: Sources) -> int:
    """Write what is violated in reported results, and what a baseline left out; how many."""
    found: dict[str, Finding] = {}
    for result in results:
        for answer in _violations(result):
            (finding,) = findings([Result(result.file, (answer,))], sources)
            found.setdefault(finding.fingerprint, finding)
    document = {
        "format": FORMAT,
        "format_version": VERSION,
        "findings": [_to_json(finding) for finding in found.values()],
    }
    write_lines(path, [json.dumps(document, indent=1).replace("{\n ", "{", 1)])
    return len(found)


def _violations(result: Result) -> Iterator[PropertyResult]:
    """One answer for each run that shows something."""
    for checked in result.properties:
        if checked.verdict is Verdict.UNSAFE:
            yield checked
            witnesses = {} if checked.part is None else checked.part.witnesses
            for run in witnesses.values():
                yield replace(checked, trace=run)
    for each in result.suppressed:
        if each.why is Why.BASELINE and each.answer is not None:
            yield each.answer


def _to_json(finding: Finding) -> dict[str, object]:
    return {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule.id,
        "file": None if finding.span is None else finding.span.path,
        "line": None if finding.span is None else finding.span.line,
        "message": finding.message,
    }
