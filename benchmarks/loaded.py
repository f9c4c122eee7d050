"""What `certify` loads for a proof of each kind: the lines that one really trusts for it.

    python -m benchmarks.loaded

One small program per kind of proof (those of the contract tests, and one in C that the kernel of
locksets settles) is proved, and the certificate is checked in a new process, without an audit. The
modules of ours that are loaded there are counted, package by package, with the front end and the
transformations in columns of their own; what verifies the simplification of C (`simplified`) is
trusted instead of the passes, which are not, and has its own column, too. Two things that certify
does can only refuse (REFUSING). They are replaced by ones that refuse nothing: what it takes to
accept a proof is trusted. `--all` counts them as well. `benchmarks.trusted` counts what a checker
imports on whatever way; a test compares: nothing is loaded that is not counted there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

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
VERIFIER = "simplified"
BASE = tuple(column for column in COLUMNS if column != "transforms")
SHOWN = ("frontends", "transforms", VERIFIER, *BASE)

REFUSING = {
    "threadwise.ir.check.validate": "validate = lambda program: []",
    "threadwise.proofs.locksets.failures": (
        "ends_of_certificate = ends_of_model = lambda *claims: ()"
    ),
}
"""Modules whose answers can make a check refuse a proof, never accept one, and what finds nothing
instead of them. The first looks whether a front end made a well-formed program; the second, for
places where all that can happen is undefined, which a proof may not pass by."""

_PROGRAM = """
import json, sys, types
for name, text in json.loads(sys.argv[3]).items():
    sys.modules[name] = types.ModuleType(name)
    exec(text, sys.modules[name].__dict__)
from threadwise.driver.rechecking import certify_file
found = certify_file(sys.argv[1], sys.argv[2], audit=False)
assert found.properties
ours = {name for name in sys.modules if name.startswith("threadwise.")}
print(json.dumps(sorted(ours - json.loads(sys.argv[3]).keys())))
"""


def loaded(kind: str, without: Mapping[str, str] = MappingProxyType({})) -> set[str]:
    """The modules of ours that a process has loaded after it accepted a proof of a kind.

    Modules may be replaced by others, given by their texts, which do not count.
    """
    with tempfile.TemporaryDirectory() as folder:
        program, proof = _written(kind, Path(folder))
        command = [
            sys.executable,
            "-c",
            _PROGRAM,
            str(program),
            str(proof),
            json.dumps(dict(without)),
        ]
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


def table(without: Mapping[str, str] = REFUSING) -> Iterator[tuple[str, Counter[str]]]:
    """Per kind of proof the lines that are loaded, package by package."""
    for kind in (*CLAIMS, IN_C):
        yield kind, of_columns(loaded(kind, without))


def of_columns(modules: set[str]) -> Counter[str]:
    """The lines of modules, by package; what verifies the simplification is one by itself."""
    verifier = {module for module in modules if f".proofs.{VERIFIER}" in module}
    found = lines(modules - verifier)
    found[VERIFIER] = lines(verifier).total()
    return found


def main() -> None:
    """Print the table."""
    counted = table({} if sys.argv[1:] == ["--all"] else REFUSING)
    print("| certify of | all but the first three |", " | ".join(SHOWN), "|")
    print("|---" * (len(SHOWN) + 2) + "|")
    for kind, found in counted:
        row = " | ".join(f"{found[column]:,}" for column in SHOWN)
        print(f"| {kind} | {sum(found[c] for c in BASE):,} | {row} |")


if __name__ == "__main__":
    main()
