"""Same input, same output, byte for byte, apart from times and memory."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.robustness.command_line import COMMAND, ROOT, environment

EXAMPLES = ROOT / "examples"
FILES = [
    "flanagan_qadeer/simple_owner.tw",
    "flanagan_qadeer/simple_boolean_bug.tw",
    "meng_he_wang_liu/dining_philosophers_bug.tw",
    "qadeer_rajamani_rehof/figure2_coarse_allocator_bug.tw",
]
_TIMES = re.compile(
    r'\d+(?:\.\d+)? (?:s|MB)\b|"(?:check_)?time_s": [\d.]+|"peak_memory_bytes": \d+'
)


def output(hash_seed: int, *arguments: str) -> tuple[int, str]:
    """Exit code and output under a given order of hashing, times blanked out."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=EXAMPLES,
        env={**environment(), "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, _TIMES.sub("_", done.stdout)


@pytest.mark.parametrize(("name", "engine"), [(FILES[1], "auto"), (FILES[2], "explicit")])
def test_reports(name: str, engine: str) -> None:
    """Rows are printed as they arrive: their order and width depend on when that is."""
    text = ["check", name, "--property", "all", "--engine", engine, "--full", "--jobs", "1"]
    (code, first), (again, second) = output(1, *text), output(2, *text)
    assert code == again
    assert sorted(first.split()) == sorted(second.split())


@pytest.mark.parametrize("arguments", [(FILES[0], "--property", "all"), (FILES[3],)])
def test_reports_for_programs(arguments: tuple[str, ...]) -> None:
    """No engine is stopped here: after how many steps that happens is a matter of time."""
    asked = ["check", *arguments, "--format", "json", "--jobs", "1"]
    assert output(1, *asked) == output(3, *asked)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["dump-ir", "explain"])
def test_printed_programs_and_proofs(command: str) -> None:
    assert output(1, command, FILES[0]) == output(2, command, FILES[0])


@pytest.mark.slow
def test_evidence_files(tmp_path: Path) -> None:
    written: list[tuple[str, str]] = []
    for seed in (1, 2):
        certificate, trace = tmp_path / f"c{seed}.json", tmp_path / f"t{seed}.json"
        output(seed, "check", FILES[0], "--certificate", str(certificate))
        output(seed, "check", FILES[1], "--trace", str(trace))
        written.append((_all_text(certificate), _all_text(trace)))
    assert written[0] == written[1]
    assert all(written[0])


def _all_text(path: Path) -> str:
    """The text of an evidence file, or of all of them if there are several."""
    names = sorted(n for n in os.listdir(path.parent) if n.startswith(path.stem))
    return "".join((path.parent / name).read_text(encoding="utf-8") for name in names)


def test_random_runs_depend_on_the_seed_alone() -> None:
    arguments = ["simulate", FILES[0], "--seed", "7"]
    assert output(1, *arguments) == output(2, *arguments)
