"""Where states come from, read off the text."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.analyses.growth import growth
from threadwise.core.growth import GrowthKind

CASES = {
    "int x;\nthread t {\n while (true) {\n  x = x * 3;\n } }": (GrowthKind.LOOP, 4),
    "int x; int y;\nthread t {\n while (true) {\n  y = x;\n  x = y + 1;\n } }": (
        GrowthKind.LOOP,
        4,
    ),
    "int[0..999] x;\nthread t {\n while (x < 900) {\n  x = x + 1;\n } }": (GrowthKind.COUNTER, 4),
    "int x; int y;\nthread t {\n while (x - y < 4) {\n  x = x + 1;\n } }": (GrowthKind.LOOP, 4),
    "int x; int y;\nthread t {\n while (x % 9 < 4) {\n  x = x + 1;\n } }": (GrowthKind.LOOP, 4),
    "int x; int y;\nthread t {\n while (x - 1 < 4) {\n  x = x + 1;\n } }": (GrowthKind.COUNTER, 4),
    "int x;\nthread t {\n havoc x; }": (GrowthKind.INPUT, 3),
    "int[0..3] x;\nvoid f() {\n f(); }\nthread t { f(); }": (GrowthKind.RECURSION, 3),
    "int[0..3] x;\nthread t[5] { x = 1; }": (GrowthKind.THREADS, 2),
}


@pytest.mark.parametrize(("text", "first"), CASES.items(), ids=lambda _: "")
def test_the_likeliest_place_comes_first(text: str, first: tuple[GrowthKind, int]) -> None:
    place = growth(model(text))[0]
    assert (place.kind, place.span.line) == first


@pytest.mark.parametrize(
    "text",
    [
        "int[0..3] x; thread t { while (true) { x = 1 - x; } }",
        "int x; int y; thread t { while (true) { x = 1; y = x; } }",
    ],
)
def test_small_programs_have_none(text: str) -> None:
    assert growth(model(text)) == ()
