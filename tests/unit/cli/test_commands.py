"""The smaller subcommands."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.conftest import COUNTER, Run
from threadwise import __version__
from threadwise.backends.bdd.manager import Manager
from threadwise.batch.database import Database
from threadwise.engines.registry import ENGINES


def test_version(run: Run) -> None:
    outcome = run("--version")
    first, *libraries = outcome.out.splitlines()
    assert (outcome.code, first) == (0, f"threadwise {__version__}")
    assert [line.split(":")[0] for line in libraries] == ["BDDs", "SMT"]
    assert Manager().library in libraries[0]


@pytest.mark.parametrize(
    "command", [None, "check", "replay", "certify", "simulate", "engines", "dump-ir"]
)
def test_help(run: Run, command: str | None) -> None:
    outcome = run(*([command] if command else []), "--help")
    assert outcome.code == 0
    assert "Usage: threadwise" in outcome.out


def test_engines_lists_all(run: Run) -> None:
    outcome = run("engines")
    assert outcome.code == 0
    for info in ENGINES.values():
        assert info.name in outcome.out
        assert info.summary in outcome.out


def test_movers(run: Run) -> None:
    Path("movers.tw").write_text(
        "int[0..3] wrap x; mutex m;\n"
        "thread t[2] { acquire(m); release(m);\n"
        "mover both x = x + 1;\n"
        "mover right x = 1; }\n"
    )
    outcome = run("explain", "movers.tw", "--movers")
    assert outcome.code == 3
    rows = [line.split(maxsplit=3) for line in outcome.out.splitlines()[1:]]
    assert [row[2] for row in rows if row] == ["right", "left", "none", "none"]
    assert outcome.out.count("WRONG: annotated `mover") == 2
    assert run("explain", "counter.tw", "--movers", "--threads", "worker=2").code == 0


def test_movers_of_any_number_are_refused(run: Run) -> None:
    Path("any.tw").write_text("thread t[*] { skip; }\n")
    outcome = run("explain", "any.tw", "--movers")
    assert outcome.code == 3
    assert "any number of threads" in outcome.out


def test_dump_ir(run: Run) -> None:
    outcome = run("dump-ir", "counter.tw", "--threads", "worker=5")
    assert outcome.code == 0
    assert "thread worker[5]" in outcome.out
    dot = run("dump-ir", "counter.tw", "--format", "dot")
    assert dot.code == 0
    assert dot.out.startswith("digraph")


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    (tmp_path / "counter.tw").write_text(COUNTER)
    command = f"{sys.executable} -c 'from threadwise.cli.main import main; main()'"
    script = f"set -o pipefail; {command} check counter.tw | true"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")


# -- simulate ------------------------------------------------------------------------------------


def test_simulation_is_a_function_of_the_seed(run: Run) -> None:
    outputs = {run("simulate", "counter.tw", "--seed", str(seed)).out for seed in range(8)}
    assert len(outputs) > 1
    assert run("simulate", "counter.tw").out == run("simulate", "counter.tw", "--seed", "0").out


def test_simulation_reports_violations(run: Run) -> None:
    outcome = run("simulate", "counter.tw", "--steps", "0")
    assert outcome.code == 0
    assert outcome.out.endswith("0 steps, as many as asked for; 0 properties violated\n")
    outcomes = [run("simulate", "counter.tw", "--seed", str(seed)) for seed in range(8)]
    violating = [outcome for outcome in outcomes if "race_free x: data race" in outcome.out]
    assert violating
    assert all(outcome.code == 1 for outcome in violating)


def test_simulation_of_any_number(run: Run) -> None:
    Path("any.tw").write_text("bool b;\nthread t[*] { b = !b; }\n")
    outcome = run("simulate", "any.tw")
    assert "t: 2 threads stand for any number" in outcome.err
    assert "t[1]" in outcome.out
    assert run("simulate", "any.tw", "--threads", "t=1").err == ""


def test_guided_simulation(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n9\nx\n2\n\n"))
    outcome = run("simulate", "counter.tw", "--guided")
    assert "`9` is not a number from 1 to 2" in outcome.err
    assert "`x` is not a number from 1 to 2" in outcome.err
    assert "2 steps, stopped by the user" in outcome.out
    first, second = [line for line in outcome.out.splitlines() if "t = x" in line]
    assert first.index("t = x") < second.index("t = x")


def test_guided_choice_of_the_initial_state(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("init.tw").write_text("int[0..3] x = *;\nthread t { x = 0; }\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("3\n"))
    outcome = run("simulate", "init.tw", "--guided")
    assert "initially: x = 2" in outcome.out


def test_random_choice_of_the_initial_state(run: Run) -> None:
    Path("init.tw").write_text("int[0..3] x = *;\nthread t { x = 0; }\n")
    outputs = [run("simulate", "init.tw", "--seed", str(seed)).out for seed in range(20)]
    started = {line for out in outputs for line in out.splitlines() if "initially" in line}
    assert started == {f"  initially: x = {value}" for value in range(4)}


def test_simulation_until_nothing_can_happen(run: Run) -> None:
    Path("end.tw").write_text("bool b;\nthread t { b = true; }\n")
    assert "1 step, no thread can step" in run("simulate", "end.tw").out


def test_simulation_of_a_failure(run: Run) -> None:
    Path("fail.tw").write_text("thread t { assert(1 > 2); }\n")
    outcome = run("simulate", "fail.tw")
    assert outcome.code == 1
    assert "1 step, the program failed; 1 property violated" in outcome.out


INPUT = """
#include <stdio.h>
#include <assert.h>
int main(int argc, char **argv) {
  int c = getchar();
  assert(c != 'x');
  return 0;
}
"""


def test_simulation_chooses_inputs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "input.c").write_text(INPUT)
    outcomes = [run("simulate", "input.c", "--seed", str(n), "--steps", "99") for n in range(40)]
    assert {outcome.code for outcome in outcomes} == {0, 1}
    for outcome in outcomes:
        end = "the program failed; 1 property" if outcome.code else "the program is over; 0 prop"
        assert end in outcome.out


def test_a_batch_with_one_engine(run: Run) -> None:
    outcome = run("batch", "counter.tw", "--engine", "explicit", "-j", "1")
    assert outcome.code == 1
    with Database("results.db", writing=False) as database:
        assert [row["engine"] for row in database.rows()] == ["explicit"]
