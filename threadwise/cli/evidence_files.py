"""Writing certificates and traces to files: OUT for the first, OUT.2, OUT.3, … for others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadwise.cli import terminal
from threadwise.core.errors import InputError
from threadwise.evidence.jsonio import certificate_to_json, trace_to_json
from threadwise.evidence.result import Result
from threadwise.report.summary import certificates, traces


def check_writable(option: str, path: str) -> None:
    """Find out before a long run that its evidence could not be written."""
    if Path(path).is_dir():
        raise InputError.of(f"{option} {path}: is a directory, expected a file")
    if not Path(path).parent.is_dir():
        raise InputError.of(f"{option} {path}: there is no directory {Path(path).parent}")


def write_certificates(result: Result, path: str) -> None:
    """Write the proofs of all properties that have one."""
    found = certificates(result)
    if not found:
        terminal.err(f"{path}: not written, since nothing was proved\n")
    documents = [certificate_to_json(certificate, result.load) for certificate in found]
    proved = [", ".join(certificate.properties) for certificate in found]
    _write_all("certificate", path, documents, proved)


def write_traces(result: Result, path: str) -> None:
    """Write the traces of all violated properties."""
    found = traces(result)
    if not found:
        terminal.err(f"{path}: not written, since no violation was found\n")
    documents = [trace_to_json(trace, result.load) for trace in found]
    _write_all("trace", path, documents, [described.trace.property for described in found])


def _write_all(kind: str, path: str, documents: Sequence[Any], about: Sequence[str]) -> None:
    for number, (document, properties) in enumerate(zip(documents, about, strict=True), start=1):
        target = path if number == 1 else f"{path}.{number}"
        try:
            Path(target).write_text(json.dumps(document) + "\n", encoding="utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError.of(f"{target}: cannot be written: {reason}") from None
        terminal.err(f"{kind} for {properties} written to {target}\n")
