"""Hostile and huge input: a diagnostic or a program, never a crash, in bounded time."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.frontends.model.loading import edges, errors, load
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.frontends.model import load_model
from threadwise.ir.check.validate import validate

ROOT = Path(__file__).parents[4]
MANY = 10_000


@pytest.mark.parametrize(
    "text",
    [
        "int x; thread t { x = " + "(" * MANY + "1" + ")" * MANY + "; }",
        "int x; thread t { x = " + "-" * MANY + "1; }",
        "bool x; thread t { x = " + "!" * MANY + "x; }",
        "int x; thread t { x = " + " - ".join(["x"] * MANY) + "; }",
        "int x[2]; thread t { x[0] = " + "x[" * MANY + "0" + "]" * MANY + "; }",
        "int x; thread t " + "{" * MANY + "x = 1;" + "}" * MANY,
        "int x; thread t { " + "if (x == 1) " * MANY + "skip; }",
        "int x; thread t { " + "while (x == 1) " * MANY + "skip; }",
        "int x; thread t { " + "atomic { " * MANY + "}" * MANY + " }",
        "int x; thread t { " + "either { " * MANY + "} or { }" * MANY + " }",
        "thread t { } invariant i: " + "forall k: t. " * MANY + "true;",
        "int x = " + "{" * MANY + "1" + "}" * MANY + "; thread t { }",
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    (message,) = errors(text)
    place, rest = message.split(" ", 1)
    assert re.fullmatch(r"1:\d+", place)
    assert rest == "nesting limit exceeded (split it into simpler parts)"


@pytest.mark.parametrize("operator", ["+", "*", "&", "|", "^"])
def test_long_chains_are_accepted(operator: str) -> None:
    load(f"int x; thread t {{ x = {f' {operator} '.join(['x'] * MANY)}; }}")


def test_long_formulas_are_accepted() -> None:
    load(f"bool b; thread t {{ assume({' && '.join(['b'] * MANY)}); }}")


def test_long_chain_of_else_if_is_accepted() -> None:
    clauses = "".join(f"if (x == {i}) x = {i}; else " for i in range(2000))
    program = load(f"int x; thread t {{ {clauses} skip; }}")
    assert len(program.edges) == 3 * 2000 + 1


def test_depth_within_the_limit_is_accepted() -> None:
    load("int x; thread t " + "{" * 90 + "x = 1;" + "}" * 90)
    load("int x; thread t { x = " + "(" * 90 + "1" + ")" * 90 + "; }")


def test_many_labels_and_equal_names() -> None:
    labels = "".join(f"l{i}:" for i in range(MANY))
    assert edges(load(f"int x; thread t {{ {labels} x = 1; }}"), "t") == ["0->1 x := 1"]
    program = load("thread t { " + "{ int i; }" * MANY + " }")
    assert program.procedure["t"].locals[-1].variable.name == f"i.{MANY}"


def test_calls_that_multiply_when_inlined_are_refused() -> None:
    procedures = "void f0() { skip; }" + "".join(
        f"void f{i}() {{ f{i - 1}(); f{i - 1}(); }}" for i in range(1, 16)
    )
    found = errors(f"{procedures} thread t {{ atomic {{ f15(); }} }}")
    assert any("too many nested calls in an atomic block" in message for message in found)


def test_long_numbers() -> None:
    (message,) = errors("int x; thread t { x = " + "9" * 5000 + "; }")
    assert message == "1:23 a number of more than 1000 digits"


def test_many_unknown_names_are_reported_quickly() -> None:
    declared = "".join(f"int variable{i};" for i in range(2000))
    text = declared + "thread t { " + "varable1 = 1;\n" * 5000 + " }"
    start = time.monotonic()
    found = errors(text)
    assert time.monotonic() - start < 20
    assert found[-1] == "… and 4950 more errors"


def _models() -> Iterator[str]:
    for path in sorted((ROOT / "examples").glob("*/*.tw")):
        yield re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(4))
def test_mutilated_models(seed: int) -> None:
    """Whatever is deleted, inserted or exchanged: a well-formed program or an InputError."""
    chance = random.Random(seed)
    words = re.compile(r"\w+|\s+|[^\w\s]")
    models = [words.findall(model) for model in _models()]
    known = sorted({word for model in models for word in model})
    for _ in range(150):
        model = list(chance.choice(models))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(model))
            match chance.randrange(3):
                case 0:
                    del model[place]
                case 1:
                    model.insert(place, chance.choice(known))
                case _:
                    model[place] = chance.choice(known)
        assert _is_handled("".join(model))


def _is_handled(text: str) -> bool:
    try:
        program = load_model(SourceFile("m.tw", text))
    except InputError as error:
        return len(error.diagnostics) > 0
    return validate(program) == []


def large_model(size: int) -> str:
    """A model of about so many characters, with all common statements."""
    parts = ["mutex m; int[0..3] a[4]; int[0..9] b; int[0..9] c;"]
    written = count = 0
    while written < size:
        lines = [f"void p{count}(int[0..3] q) {{ int[0..9] l = 0; bool t;"]
        for i in range(40):
            lines += [
                f"    l = (l + {i % 7}) % 10;",
                f"    if (a[q] < b && c > {i % 5}) {{ b = (b + c) % 10; }} else {{ a[q] = 1; }}",
                "    acquire(m); // comment",
                "    b, c = c, b;",
                "    release(m);",
                "    while (l < 5) { l = l + 1; if (t) break; }",
                "    assert(l >= 0 || t);",
            ]
        parts.append("\n".join([*lines, "}"]))
        written += len(parts[-1])
        count += 1
    calls = "\n".join(f"  p{i}(1);" for i in range(count))
    return "\n".join([*parts, f"thread w[2] {{\n{calls}\n}}"])


@pytest.mark.slow
@pytest.mark.parametrize(("size", "limit"), [(2_000_000, 30), (5_000_000, 100)])
def test_large_model(size: int, limit: float) -> None:
    text = large_model(size)
    start = time.process_time()
    program = load_model(SourceFile("m.tw", text))
    assert time.process_time() - start < limit
    assert len(program.edges) > size // 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["(" * 2_000_000, "}" * 2_000_000, "int " * 500_000, "/*" * 1_000_000, "x" * 2_000_000],
)
def test_large_nonsense(text: str) -> None:
    start = time.process_time()
    assert errors(text)
    assert time.process_time() - start < 60
