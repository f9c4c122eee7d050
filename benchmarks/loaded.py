"""What `certify` loads for a proof of each kind: the lines that one really trusts for it.

    python -m benchmarks.loaded

One small program per kind of proof (those of the contract tests, and one in C that the kernel of
locksets settles) is proved, and the certificate is checked in a new process, without an audit. The
modules of ours that are loaded there are counted, package by package, with the front end and the
transformations in columns of their own. `benchmarks.trusted` counts what a checker imports on
whatever way; a test compares: nothing is loaded that is not counted there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.trusted import COLUMNS, lines
from tests.contract.samples import CLAIMS
from threadwise import api
from threadwise.core.load_options import LoadOptions
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines

IN_C = "locksets, in C"
C = """
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *work(void *none) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
SHOWN = ("frontends", *COLUMNS)

_PROGRAM = """
import json, sys
from threadwise.driver.rechecking import certify_file
found = certify_file(sys.argv[1], sys.argv[2], audit=False)
assert found.properties
print(json.dumps(sorted(name for name in sys.modules if name.startswith("threadwise."))))
"""


def loaded(kind: str) -> set[str]:
    """The modules of ours that a process has loaded after it checked a proof of a kind."""
    with tempfile.TemporaryDirectory() as folder:
        program, proof = _written(kind, Path(folder))
        command = [sys.executable, "-c", _PROGRAM, str(program), str(proof)]
        told = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(json.loads(told.stdout))


def _written(kind: str, folder: Path) -> tuple[Path, Path]:
    """A program and its proof, in files."""
    proof = folder / "proof.json"
    if kind == IN_C:
        program = folder / "program.c"
        program.write_text(C, encoding="utf-8")
        result = api.check(program, engine="locksets", properties=["races"], in_process=True)
        api.write_certificate(result, proof)
        return program, proof
    claim = CLAIMS[kind]
    program = folder / "program.tw"
    text = claim.text
    for word, value in claim.safe.items():
        text = text.replace(word, value)
    program.write_text(text, encoding="utf-8")
    document = certificate_to_json(claim.certificate, LoadOptions())
    proof.write_text("".join(f"{line}\n" for line in certificate_lines(document)), "utf-8")
    return program, proof


def table() -> Iterator[tuple[str, dict[str, int]]]:
    """Per kind of proof the lines that are loaded, package by package."""
    for kind in (*CLAIMS, IN_C):
        yield kind, dict(lines(loaded(kind)))


def main() -> None:
    """Print the table."""
    print("| certify of | in all |", " | ".join(SHOWN), "|")
    print("|---" * (len(SHOWN) + 2) + "|")
    for kind, found in table():
        row = " | ".join(f"{found.get(column, 0):,}" for column in SHOWN)
        print(f"| {kind} | {sum(found.get(c, 0) for c in SHOWN):,} | {row} |")


if __name__ == "__main__":
    main()
