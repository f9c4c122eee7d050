"""How many lines one trusts for a proof of each kind: those that checking a sample of it loads.

    python -m benchmarks.trusted

Each sample is proved, its certificate written to a file, and the file checked in a process of its
own; the modules that this process has loaded are counted, package by package. The front end and
the transformations, which make the program, have columns of their own; `driver` and what it loads
besides decide nothing, and are left out. Imports at the top of modules count, used or not: the
figure can only be too large.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import threadwise
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.transformed.certificate import TransformedCertificate

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
COLUMNS = ("proofs", "backends", "semantics", "analyses", "ir", "core", "transforms", "frontends")


@dataclass(frozen=True)
class Sample:
    """A program whose proof by an engine is of a kind."""

    kind: str
    engine: str
    file: str
    properties: tuple[str, ...] = ()


SAMPLES = (
    Sample("state-set", "explicit", "flanagan_qadeer/simple_owner.tw"),
    Sample("persistent", "persistent", "flanagan_qadeer/simple_owner.tw"),
    Sample("thread-modular", "cartesian", "flanagan_qadeer/simple_owner.tw"),
    Sample("symmetric", "thread-modular", "flanagan_qadeer/simple_owner.tw"),
    Sample("frontier", "cartesian-frontier", "flanagan_qadeer/simple_owner.tw"),
    Sample("reduction", "reduction", "flanagan_qadeer/simple_owner.tw"),
    Sample("summaries", "summaries", "flanagan_qadeer/simple_owner.tw"),
    Sample("formulas", "tmmcir", "flanagan_qadeer/simple_owner.tw"),
    Sample("representatives", "tar", "flanagan_qadeer/simple_owner.tw"),
    Sample("locksets", "locksets", "c/counter_mutex.c", ("races",)),
    Sample("thread-modular", "digest", "c/counter_mutex.c", ("races",)),
)

CHECK = """
import json, sys
from threadwise.driver import certify_file
certify_file(sys.argv[1], sys.argv[2])
print(json.dumps([m.__file__ for n, m in sys.modules.items()
                  if n.startswith("threadwise.") and getattr(m, "__file__", None)]))
"""


def _innermost(certificate: Certificate) -> str:
    """The kind of proof about the program after all steps."""
    inner = isinstance(certificate, TransformedCertificate)
    return certificate.inner.kind if inner else certificate.kind


def trusted(sample: Sample, folder: Path) -> dict[str, int]:
    """Lines per package that checking a sample loads."""
    source = EXAMPLES / sample.file
    result = threadwise.check(source, engine=sample.engine, properties=sample.properties)
    found = [each.certificate for each in result.properties if each.certificate]
    kinds = {_innermost(certificate) for certificate in found}
    if kinds != {sample.kind}:
        raise SystemExit(f"{sample.engine} on {sample.file} left {kinds}, not {sample.kind}")
    path = folder / f"{sample.kind}.json"
    threadwise.write_certificate(result, path)
    command = [sys.executable, "-c", CHECK, str(source), str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    lines = dict.fromkeys(COLUMNS, 0)
    for name in json.loads(answer.stdout):
        package = Path(name).relative_to(ROOT / "threadwise").parts[0]
        if package in lines:
            lines[package] += len(Path(name).read_text().splitlines())
    return lines


def main() -> None:
    """Print the table."""
    checker = [column for column in COLUMNS if column not in ("transforms", "frontends")]
    print("| kind | checker in all |", " | ".join(COLUMNS), "|")
    print("|---" * (len(COLUMNS) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for sample in SAMPLES:
            lines = trusted(sample, Path(folder))
            total = sum(lines[column] for column in checker)
            row = " | ".join(f"{lines[column]:,}" for column in COLUMNS)
            print(f"| {sample.kind} | {total:,} | {row} |", flush=True)


if __name__ == "__main__":
    main()
