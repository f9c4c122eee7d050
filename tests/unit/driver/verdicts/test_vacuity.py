"""Statements that a proof shows to be unreachable."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.driver.selection import select_properties
from threadwise.driver.verdicts.vacuity import unreached_statements
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.proofs.base.registry import check_certificate


def unreached(text: str, engine: str) -> list[tuple[str, bool]]:
    program = model(text)
    properties = select_properties(program, ["mutex"])
    task = Task(program, properties, EngineOptions(symmetry=False))
    (finding,) = ENGINES[engine].create().run(task)
    assert isinstance(finding, Proved)
    proof = check_certificate(program, finding.certificate, lambda: None)
    return [(item.text, item.is_assertion) for item in unreached_statements(program, proof)]


@pytest.mark.parametrize("engine", ["explicit", "thread-modular"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int[0..3] x; thread t { x = 1; assert(x == 1); }", []),
        (
            "bool b; int[0..3] x; thread t { assume(b); x = 1; assert(x == 1); }",
            [("x = 1", False), ("assert(x == 1)", True)],
        ),
        ("int[0..3] x; thread t { if (x == 1) { x = 2; } else { x = 3; } }", [("x = 2", False)]),
        ("int[0..3] x; thread t { goto L; x = 1; L: x = 2; }", [("x = 1", False)]),
        (
            "bool b; int[0..3] x; thread t { atomic { skip; assume(b); x = 2; } }",
            [("x = 2", False)],
        ),
        (
            "int[0..3] x; thread t { either { x = 1; } or { assume(false); x = 2; } }",
            [("x = 2", False)],
        ),
        (
            "int[0..3] x; void f() { x = 1; return; } thread t { x = 2; }",
            [("x = 1", False), ("return", False)],
        ),
    ],
)
def test_unreached(text: str, expected: list[tuple[str, bool]], engine: str) -> None:
    assert [found for found in unreached(text, engine) if found[0] != "assume(b)"] == expected


def test_statements_are_listed_in_source_order() -> None:
    found = unreached("bool b; thread t { assume(b); skip; b = true; b = false; }", "explicit")
    assert [text for text, _ in found] == ["skip", "b = true", "b = false"]


def test_inlined_statements_count_once() -> None:
    text = "int[0..9] x; void f() { x = x; } thread t { atomic { f(); } assume(false); f(); }"
    assert ("x = x", False) not in unreached(text, "explicit")
