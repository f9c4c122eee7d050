"""Models written for SPIN have the states that `explicit` finds, and one to begin with."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.peers.__main__ import MODELS
from benchmarks.peers.promela import NotWritableError, promela_text
from tests.tools import needs
from tests.unit.semantics.running import model
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_program
from threadwise.semantics.oracle import explore

COUNTER = """
const int N = 2;
enum Mood { calm, busy }
int[0..3] wrap x;
Mood mood[N];
mutex m;
bool seen[t];
thread t[N] {
    int[0..1] mine;
    acquire(m);
    mood[self.index] = busy;
    await(x < 3) { x = x + 1; if (x == 2) { seen[self] = true; } }
    havoc mine;
    release(m);
    mood[self.index] = calm;
}
invariant fine: forall i, j: t. i != j && i.mine == 1 ==> j.mine <= 1 && x < 4;
"""


@needs("spin", "gcc")
def test_same_states(tmp_path: Path) -> None:
    program = model(COUNTER)
    (tmp_path / "m.pml").write_text(promela_text(program))
    for command in (
        ["spin", "-o2", "-a", "m.pml"],
        ["gcc", "-w", "-DSAFETY", "-DNOREDUCE", "pan.c"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    shown = subprocess.run(["./a.out"], cwd=tmp_path, check=True, capture_output=True, text=True)
    stored = re.search(r"(\d+) states, stored", shown.stdout)
    assert stored is not None
    assert "errors: 0" in shown.stdout
    assert int(stored[1]) == len(explore(program, program.properties).states) + 1


def test_parts_of_the_text() -> None:
    text = promela_text(model(COUNTER))
    assert "proctype thread_t(byte me)" in text
    assert "select(h0 : 0 .. 1)" in text
    assert "assert(false)" in text


def test_calls_are_left_out() -> None:
    text = "void f() { f(); } thread t { f(); }"
    with pytest.raises(NotWritableError):
        promela_text(model(text))


@pytest.mark.parametrize("path", sorted(MODELS.iterdir()), ids=lambda path: path.stem)
def test_models_for_peers_can_be_written(path: Path) -> None:
    program = load_program(str(path), LoadOptions())
    assert program.properties
    assert "proctype" in promela_text(program)
