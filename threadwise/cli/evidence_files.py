"""Writing evidence to files: all certificates to one; traces to OUT, OUT.2, OUT.3, …."""

from __future__ import annotations

import json
from collections.abc import Sequence

from threadwise.cli import terminal
from threadwise.core.writing import check_output, write_lines
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines
from threadwise.report.summary import parts, proofs, traces
from threadwise.results.result import Result
from threadwise.traces.files import trace_to_json


def write_certificates(result: Result, path: str) -> None:
    """Write the proofs of all properties that have one."""
    whole, some = proofs(result), parts(result)
    found = [*whole, *some]
    if not found:
        terminal.err(f"{path}: not written, since nothing was proved\n")
        return
    lines = (
        line
        for certificate, load in found
        for line in certificate_lines(
            certificate_to_json(certificate, load.seen_from(result.file))
        )
    )
    write_lines(path, lines)
    proved = [name for certificate, _ in whole for name in certificate.properties]
    proved += [
        f"parts of {c.name}" for c in result.properties if c.part and c.part.is_worth_keeping
    ]
    terminal.err(f"certificate for {', '.join(proved)} written to {path}\n")


def write_traces(result: Result, path: str, others: Sequence[str] = ()) -> None:
    """Write the traces of all violated properties; none over one of the `others`."""
    found = traces(result)
    if not found:
        terminal.err(f"{path}: not written, since no violation was found\n")
    for number, (described, load) in enumerate(found, start=1):
        target = path if number == 1 else f"{path}.{number}"
        if number > 1:
            check_output(f"--trace {target}", target, others)
        data = trace_to_json(described, load.seen_from(result.file), result.file)
        write_lines(target, [json.dumps(data)])
        terminal.err(f"trace for {described.trace.property} written to {target}\n")


def write_witness_file(result: Result, path: str) -> None:
    """Write a witness of what was found, in the format of SV-COMP."""
    from threadwise.driver.witnesses.writing import write_witness

    told = write_witness(result, path)
    if told is None:
        terminal.err(f"{path}: not written, since nothing was decided that witnesses are about\n")
    else:
        terminal.err(f"{told} written to {path}\n")
