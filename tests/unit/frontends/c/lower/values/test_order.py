"""Operands whose order matters: every kind of them in one program, told by their lines."""

from __future__ import annotations

from tests.regressions.test_c_evaluation_order import CLOSED, OPEN, TEXT, UNDEFINED
from threadwise.core.source import SourceFile
from threadwise.frontends.c import LoadedC, load_c
from threadwise.frontends.c.options import COptions

FIRST = TEXT[: TEXT.index("BODY")].count("\n") + 1
"""The line of the first statement."""


def loaded(statements: dict[str, str]) -> LoadedC:
    """A program with statements one below the other, each of which may be left out."""
    lines = "\n".join(f"if (y > {n}) {{ {text} }}" for n, text in enumerate(statements.values()))
    return load_c([SourceFile("t.c", TEXT.replace("BODY", lines))], COptions())


def assumed(statements: dict[str, str]) -> set[str]:
    """The statements of which it is told that operands are evaluated from left to right."""
    told = loaded(statements).assumptions
    return {
        name
        for n, name in enumerate(statements)
        if f"t.c:{FIRST + n}: operands are evaluated from left to right" in told
    }


def test_where_the_order_matters_it_is_told() -> None:
    assert assumed(OPEN) == set(OPEN)
    assert assumed(CLOSED) == set()


def test_two_changes_in_no_order_are_limits() -> None:
    for statements, expected in ((UNDEFINED, set(UNDEFINED)), (OPEN, set()), (CLOSED, set())):
        places = loaded(statements).lowered.program.locations
        messages = [place.failure.message for place in places if place.failure is not None]
        refused = [text for text in messages if "two changes of one variable" in text]
        found = {
            name
            for n, name in enumerate(statements)
            if any(text.startswith(f"t.c:{FIRST + n}:") for text in refused)
        }
        assert found == expected
