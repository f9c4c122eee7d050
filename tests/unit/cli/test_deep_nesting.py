"""Programs that are nested deeply: they are read, or refused with a message that says why.

A RecursionError inside a callback of the C parser used to be lost, and with it the rest of a
statement's parts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from threadwise.core.recursion import deep_recursion, ensure_headroom

DEPTH = 400
ABSURD = 3_000

C = {
    "else if": ("", " else ".join(f"if (x == {i}) {{ x = {i + 1}; }}" for i in range(DEPTH))),
    "or": ("", "x = " + " || ".join(f"x == {i}" for i in range(DEPTH)) + ";"),
    "and": ("", "x = " + " && ".join(f"x != {i}" for i in range(DEPTH)) + ";"),
    "plus": ("", "x = " + " + ".join(["x"] * DEPTH) + ";"),
    "commas": ("", "x = 0" + ", x = 1" * DEPTH + ";"),
    "conditional": ("", "x = " + "x == 0 ? 1 : " * DEPTH + "2;"),
    "not": ("", "x = " + "!" * DEPTH + "x;"),
    "calls": (
        "void f0(void) { x = 1; }\n"
        + "\n".join(f"void f{i}(void) {{ f{i - 1}(); }}" for i in range(1, DEPTH)),
        f"f{DEPTH - 1}();",
    ),
    "records": (
        "struct S0 { int a; };\n"
        + "\n".join(f"struct S{i} {{ struct S{i - 1} a; }};" for i in range(1, DEPTH))
        + f"\nstruct S{DEPTH - 1} s;",
        "s" + ".a" * DEPTH + " = 1;",
    ),
    "pointers": ("", f"int {'*' * DEPTH} p = 0;"),
}
MODELS = {
    "else if": " else ".join(f"if (x == {i}) {{ x = {i % 9}; }}" for i in range(DEPTH)),
    "or": "assert(x >= 0 || " + " || ".join(f"x == {i}" for i in range(DEPTH)) + ");",
    "plus": "x = 0 * (" + " + ".join(["x"] * DEPTH) + ");",
    "choices": "either { x = 1; } " + "or { x = 2; } " * DEPTH,
}
REFUSED_MODELS = {
    "parentheses": "x = " + "(" * DEPTH + "1" + ")" * DEPTH + ";",
    "blocks": "{" * DEPTH + "x = 1;" + "}" * DEPTH,
    "conditional": "x = " + "x == 0 ? 1 : " * DEPTH + "2;",
    "not": "assert(" + "!" * DEPTH + "(x == 0));",
    "while": "while (x == 0) { " * DEPTH + "x = 1;" + "}" * DEPTH,
    "implies": "assert(" + " ==> ".join(["x == 0"] * DEPTH) + ");",
}


@pytest.mark.parametrize("name", C)
def test_c_that_is_nested_deeply_is_read(run: Run, name: str) -> None:
    before, statement = C[name]
    text = f"int x;\n{before}\nint main(void) {{ {statement} return 0; }}\n"
    Path("deep.c").write_text(text, encoding="utf-8")
    outcome = run("dump-ir", "deep.c")
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize("operator", [" + ", " ? 1 : "])
def test_absurd_c_is_refused(run: Run, operator: str) -> None:
    text = f"int x; int main(void) {{ x = {operator.join(['x'] * ABSURD * 3)}; return 0; }}"
    Path("deep.c").write_text(text, encoding="utf-8")
    outcome = run("dump-ir", "deep.c")
    assert outcome.code == 3
    assert "nested too deeply" in outcome.err


@pytest.mark.parametrize("name", MODELS)
def test_models_with_long_chains_are_checked(run: Run, name: str) -> None:
    Path("deep.tw").write_text(f"int[0..9] x; thread t {{ {MODELS[name]} }}", encoding="utf-8")
    assert run("check", "deep.tw").code == 0


@pytest.mark.parametrize("name", REFUSED_MODELS)
def test_models_that_are_nested_too_deeply_are_refused(run: Run, name: str) -> None:
    text = f"int[0..9] x; thread t {{ {REFUSED_MODELS[name]} }}"
    Path("deep.tw").write_text(text, encoding="utf-8")
    outcome = run("check", "deep.tw")
    assert outcome.code == 2
    assert "nesting limit exceeded" in outcome.err


def test_headroom() -> None:
    def descend() -> None:
        ensure_headroom()
        descend()

    with pytest.raises(RecursionError):
        descend()


def test_recursion_is_deeper_for_a_while_only() -> None:
    before = sys.getrecursionlimit()
    with deep_recursion():
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before
