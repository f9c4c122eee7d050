"""Evidence about absurd numbers of threads is malformed: no crash, no endless work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import threadwise
from threadwise import InputError

MODEL = "int[0..3] x;\nthread c[*] { x = 1; assert(x == 0); }\n"


@pytest.mark.parametrize("count", [-1, 10**9, 10**30])
def test_counts(tmp_path: Path, count: int) -> None:
    file = tmp_path / "model.tw"
    file.write_text(MODEL)
    result = threadwise.check(file, in_process=True)
    trace, proof = tmp_path / "trace.json", tmp_path / "proof.json"
    threadwise.write_trace(result, trace)
    threadwise.write_certificate(result, proof)
    told = json.loads(trace.read_text())
    told["counts"]["c"] = count
    trace.write_text(json.dumps(told))
    with pytest.raises(InputError, match="malformed"):
        threadwise.replay(file, trace)
    header, *rows = proof.read_text().split("\n")
    claimed = json.loads(header)
    assert claimed["kind"] == "symmetric"
    claimed["counts"]["c"] = count
    proof.write_text("\n".join([json.dumps(claimed), *rows]))
    with pytest.raises(InputError, match="malformed"):
        threadwise.certify(file, proof)
