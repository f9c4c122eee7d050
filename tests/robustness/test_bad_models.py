"""Bad models: a located message, exit code 2, no stack trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robustness.command_line import Outcome, threadwise
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.frontends.model import load_model

BAD: dict[str, tuple[str | bytes, str]] = {
    # what is wrong: the text, and what the message must contain
    "empty": ("", "empty model"),
    "only comments": ("// nothing\n/* here */\n", "no thread"),
    "binary junk": (bytes(range(256)) * 40, "bad.tw:1:"),
    "random bytes of text": ("\x7fELF\x01\x02\x03", "bad.tw:1:1"),
    "unterminated comment": ("thread t { skip; }\n/* no end", "bad.tw:2:1"),
    "unknown variable": (
        "bool available;\nthread t { avialable = true; }",
        "did you mean `available`?",
    ),
    "unknown procedure": ("void get() { }\nthread t { gett(); }", "did you mean `get`?"),
    "unknown label": ("thread t { L1: goto L2; }", "L2"),
    "unknown type": ("integer x; thread t { skip; }", "bad.tw:1:1"),
    "unknown thread in an invariant": (
        "thread worker { skip; }\ninvariant i: forall k: wroker. true;",
        "did you mean `worker`?",
    ),
    "bool and int": ("bool b;\nthread t { b = 1 + 2; }", "bad.tw:2:"),
    "int as condition": ("int x;\nthread t { if (x) { skip; } }", "bad.tw:2:"),
    "arithmetic on bool": ("bool b; int x;\nthread t { x = b + 1; }", "bad.tw:2:"),
    "tid order": ("tid o;\nthread t { assume(o < self); }", "bad.tw:2:"),
    "wrong number of arguments": ("void f(int x) { }\nthread t { f(1, 2); }", "bad.tw:2:"),
    "duplicate variable": ("bool x;\nint x;\nthread t { skip; }", "bad.tw:2:"),
    "duplicate label": ("thread t { L: skip; L: skip; }", "bad.tw:1:"),
    "duplicate thread": ("thread t { skip; }\nthread t { skip; }", "bad.tw:2:"),
    "assignment to a constant": ("const int N = 1;\nthread t { N = 2; }", "constant"),
    "constant index out of bounds": ("int a[2];\nthread t { a[2] = 1; }", "bad.tw:2:"),
    "negative constant index": ("int a[2];\nthread t { a[-1] = 1; }", "bad.tw:2:"),
    "division by the constant zero": ("int x;\nthread t { x = 1 / 0; }", "bad.tw:2:"),
    "initial value out of range": ("int[0..2] x = 3;\nthread t { skip; }", "bad.tw:1:"),
    "empty range": ("int[3..1] x;\nthread t { skip; }", "bad.tw:1:"),
    "too many initial values": ("int a[2] = {1, 2, 3};\nthread t { skip; }", "bad.tw:1:"),
    "jump into an atomic block": ("thread t { goto L; atomic { L: skip; } }", "bad.tw:1:"),
    "recursion inside atomic": (
        "int x; void f() { f(); }\nthread t { atomic { f(); } }",
        "bad.tw:",
    ),
    "spawn of a thread without parameters": (
        "thread w { skip; }\nthread t { spawn w(); }",
        "bad.tw:2:",
    ),
    "break outside a loop": ("thread t { break; }", "bad.tw:1:"),
    "self.index among any number": ("int x; thread t[*] { x = self.index; }", "bad.tw:1:"),
    "missing semicolon": ("bool b;\nthread t { b = true }", "bad.tw:2:"),
    "missing brace": ("thread t { skip;", "bad.tw:1:"),
    "nested parentheses": (
        f"int x; thread t {{ x = {'(' * 10_000}1{')' * 10_000}; }}",
        "nesting limit exceeded",
    ),
    "nested operators": (f"bool b; thread t {{ b = {'!' * 10_000}b; }}", "nesting limit exceeded"),
    "nested blocks": (f"thread t {{ {'{' * 10_000}{'}' * 10_000} }}", "nesting limit exceeded"),
    "nested conditionals": (
        f"bool b; thread t {{ {'if (b) ' * 10_000} skip; }}",
        "nesting limit exceeded",
    ),
    "unclosed parentheses": (f"int x; thread t {{ x = {'(' * 10_000}1; }}", "bad.tw:1:"),
    "a number with many digits": (f"int x = {'9' * 10_000}; thread t {{ skip; }}", "bad.tw:1:"),
    "a huge array": ("int a[1000000000]; thread t { skip; }", "bad.tw:1:"),
}


def assert_rejected(outcome: Outcome, message: str) -> None:
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


THROUGH_THE_COMMAND_LINE = [
    "empty",
    "binary junk",
    "unterminated comment",
    "unknown variable",
    "bool and int",
    "duplicate variable",
    "assignment to a constant",
    "constant index out of bounds",
    "nested parentheses",
    "a huge array",
]


@pytest.mark.parametrize("name", BAD)
def test_messages(name: str) -> None:
    given, message = BAD[name]
    text = given.decode("latin-1") if isinstance(given, bytes) else given
    with pytest.raises(InputError) as caught:
        load_model(SourceFile("bad.tw", text))
    told = [f"{d.span}: {d.message} ({d.hint})" for d in caught.value.diagnostics]
    assert any(message in line for line in told), told
    assert all(line.startswith("bad.tw:") for line in told)


@pytest.mark.parametrize("name", THROUGH_THE_COMMAND_LINE)
def test_bad_models(name: str, tmp_path: Path) -> None:
    given, message = BAD[name]
    data = given.encode() if isinstance(given, str) else given
    (tmp_path / "bad.tw").write_bytes(data)
    outcome = threadwise("check", "bad.tw", cwd=tmp_path)
    assert_rejected(outcome, message)
    assert outcome.err.startswith("bad.tw:")
    assert ": error: " in outcome.err


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "bad.tw").write_text("bool b;\nthread t {\n b = c;\n d = true;\n b = 1;\n}\n")
    outcome = threadwise("check", "bad.tw", cwd=tmp_path)
    assert_rejected(outcome, "bad.tw:3:")
    assert "bad.tw:4:" in outcome.err
    assert "bad.tw:5:" in outcome.err


@pytest.mark.parametrize("command", ["check", "explain"])
def test_files_that_cannot_be_read(command: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert_rejected(threadwise(command, "missing.tw", cwd=tmp_path), "missing.tw: no such file")
    assert_rejected(threadwise(command, "folder", cwd=tmp_path), "is a directory")


@pytest.mark.parametrize("command", ["replay", "certify"])
def test_evidence_that_cannot_be_read(command: str, tmp_path: Path) -> None:
    (tmp_path / "good.tw").write_text("thread t { skip; }")
    (tmp_path / "bad.json").write_text('{"format": "threadwise-')
    for evidence in ("missing.json", "bad.json"):
        outcome = threadwise(command, "good.tw", evidence, cwd=tmp_path)
        assert outcome.code == 2, outcome
        assert "Traceback" not in outcome.err
        assert evidence in outcome.err or "directory" in outcome.err
