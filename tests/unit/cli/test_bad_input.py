"""Whatever the user gets wrong: a clear message, exit code 2, no stack trace."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

LOCATED = {
    "junk text": b"%$&!\n",
    "unterminated comment": b"bool b;\n/* no end\n",
    "unknown name": b"bool b;\nthread t { b = c; }\n",
    "type error": b"bool b;\nthread t { b = 1; }\n",
    "end of file": b"thread t {",
    "not UTF-8": b"bool b;\n\xff\xfe\n",
    "NUL bytes": b"\x00\x01\x02",
}


@pytest.mark.parametrize("name", LOCATED)
@pytest.mark.parametrize("command", ["check", "simulate", "dump-ir"])
def test_bad_files_are_located(run: Run, name: str, command: str) -> None:
    Path("bad.tw").write_bytes(LOCATED[name])
    outcome = run(command, "bad.tw")
    assert outcome.code == 2
    assert outcome.err.startswith("bad.tw:")
    assert ": error: " in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_the_line_is_shown_with_a_caret(run: Run) -> None:
    Path("bad.tw").write_bytes(LOCATED["unknown name"])
    lines = run("check", "bad.tw").err.splitlines()
    assert lines[1].strip() == "thread t { b = c; }"
    assert lines[2].index("^") == lines[1].index("c;")


@pytest.mark.parametrize("command", ["check", "simulate", "dump-ir"])
def test_empty_file(run: Run, command: str) -> None:
    Path("empty.tw").write_text("")
    outcome = run(command, "empty.tw")
    assert outcome.code == 2
    assert "empty.tw" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("command", ["check", "simulate", "dump-ir"])
def test_missing_files_and_directories(run: Run, command: str) -> None:
    Path("folder.tw").mkdir()
    missing, folder = run(command, "missing.tw"), run(command, "folder.tw")
    assert (missing.code, missing.err) == (2, "error: missing.tw: no such file\n")
    assert folder.code == 2
    assert "is a directory" in folder.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-D", "N"], "expected a name, `=` and a value"),
        (["-D", "NOPE=1"], "NOPE"),
        (["--threads", "worker"], "expected the name of a thread"),
        (["--threads", "worker=many"], "expected the name of a thread"),
        (["--threads", "wroker=2"], "did you mean `worker`?"),
        (["--property", "smal"], "did you mean `small`?"),
        (["--property", "small,mutex"], "--property small --property mutex"),
        (["--property", "small,muttex"], "unknown property `small,muttex`"),
        (["--property", "xyz123"], "unknown property `xyz123`"),
        (["--property", "xyz123"], "known properties: all, assertions, range, "),
        (["--engine", "explict"], "did you mean `explicit`?"),
        (["--engine", "zzz"], "known engines: auto"),
        (["--time-limit", "soon"], "`soon` is not a time limit"),
        (["--time-limit", "-1"], "`-1` is not a time limit"),
        (["--memory-limit", "8 apples"], "`8 apples` is not a memory limit"),
        (["--max-depth", "-1"], "at least 0"),
        (["--max-depth", "deep"], "--max-depth"),
        (["--max-threads", "0"], "at least 1"),
        (["--format", "jsn"], "did you mean `json`?"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_bad_options(run: Run, arguments: list[str], told: str) -> None:
    outcome = run("check", "counter.tw", *arguments)
    assert outcome.code == 2
    assert told in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    "arguments", [["check"], ["frobnicate"], ["replay", "counter.tw"], ["engines", "extra"]]
)
def test_usage_errors(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert "Usage: threadwise" in outcome.err


@pytest.mark.parametrize(
    "name", ["bug.json", "ci.yml", "README.md", "settings.toml", "x.prp", "x.cpp"]
)
def test_files_that_are_no_programs_are_refused_by_name(run: Run, name: str) -> None:
    Path(name).write_text("{}")
    outcome = run("check", name)
    assert outcome.code == 2
    assert f"{name}: not a program" in outcome.err
