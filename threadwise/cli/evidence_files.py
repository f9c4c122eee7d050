"""Writing evidence to files: all certificates to one; traces to OUT, OUT.2, OUT.3, …."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from threadwise.cli import terminal
from threadwise.core.errors import InputError
from threadwise.evidence.certificate_files import certificate_lines
from threadwise.evidence.jsonio import certificate_to_json, trace_to_json
from threadwise.evidence.result import Result
from threadwise.report.summary import proofs, traces


def check_writable(option: str, path: str) -> None:
    """Find out before a long run that its evidence could not be written."""
    if Path(path).is_dir():
        raise InputError.of(f"{option} {path}: is a directory, expected a file")
    if not Path(path).parent.is_dir():
        raise InputError.of(f"{option} {path}: there is no directory {Path(path).parent}")


def write_certificates(result: Result, path: str) -> None:
    """Write the proofs of all properties that have one."""
    found = proofs(result)
    if not found:
        terminal.err(f"{path}: not written, since nothing was proved\n")
        return
    lines = (
        line
        for certificate, load in found
        for line in certificate_lines(certificate_to_json(certificate, load))
    )
    _write(path, lines)
    proved = ", ".join(name for certificate, _ in found for name in certificate.properties)
    terminal.err(f"certificate for {proved} written to {path}\n")


def write_traces(result: Result, path: str) -> None:
    """Write the traces of all violated properties."""
    found = traces(result)
    if not found:
        terminal.err(f"{path}: not written, since no violation was found\n")
    for number, described in enumerate(found, start=1):
        target = path if number == 1 else f"{path}.{number}"
        _write(target, [json.dumps(trace_to_json(described, result.load))])
        terminal.err(f"trace for {described.trace.property} written to {target}\n")


def _write(path: str, lines: Iterable[str]) -> None:
    try:
        with Path(path).open("w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError.of(f"{path}: cannot be written: {reason}") from None
