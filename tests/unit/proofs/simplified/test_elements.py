"""Pointers into one array as indices: what is believed, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from threadwise.analyses.uses import Uses
from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.frontends.c import load_c
from threadwise.ir.check.validate import validate
from threadwise.ir.expr import Binary, BinaryOp, Const, DerefPlace, Expr, IndexPlace, IsValid
from threadwise.ir.fold import number, rebuild, uses_memory
from threadwise.ir.program import Declaration, FillValue, Program
from threadwise.ir.types import INT
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.check import compare_programs
from threadwise.transforms.pipeline import applied, simplify
from threadwise.transforms.simplify import element_pointers
from threadwise.transforms.simplify.element_pointers import PASS, _Indices

TEXT = """
#include <pthread.h>
struct job {{ int id; int result; }};
struct job jobs[{count}];
int numbers[4], others[4];
struct job *last;
void *work(void *argument) {{ struct job *mine = argument; {body} return 0; }}
int main(void) {{
    pthread_t t;
    for (int i = 0; i < {count}; i++) {{ {before} pthread_create(&t, 0, work, {given}); }}
    return 0;
}}
"""


def program_of(
    body: str = "mine->result = mine->id;",
    given: str = "&jobs[i]",
    before: str = "jobs[i].id = i;",
) -> Program:
    text = TEXT.format(body=body, given=given, before=before, count=5000)
    program = load_c([SourceFile("t.c", text)], COptions()).lowered.program
    return simplify(program).program


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"given": "&jobs[i / 2]"},
        {"given": "i ? &jobs[i] : 0"},
        {"body": "last = mine; last->result = 1;"},
        {"body": "struct job *same = mine; same->id = 2;"},
        {"body": "*(int *)argument = 1;", "given": "&numbers[i]", "before": ""},
    ],
)
def test_indices_stand_for_pointers(parts: dict[str, str]) -> None:
    program = program_of(**parts)
    assert uses_memory(program)
    after = applied(program, PASS, Uses())
    assert not uses_memory(after)
    assert validate(after) == []
    compare_programs(PASS, program, after, None)


@pytest.mark.parametrize(
    "parts",
    [
        {"body": "if (mine) mine->result = 1;"},
        {"body": "if (mine == last) mine->result = 1;"},
        {"body": "mine++; mine->result = 1;"},
        {"body": "(mine + 1)->result = 1;"},
        {"body": "int *part = &mine->result; *part = 1;"},
        {"body": "*(int *)argument = 1;"},
        {"body": "long n = (long)mine; if (n) mine->result = 1;"},
        {"given": "i ? (void *)&jobs[i] : (void *)&numbers[i]"},
    ],
)
def test_other_pointers_are_left_alone(parts: dict[str, str]) -> None:
    program = program_of(**parts)
    assert uses_memory(program)
    assert applied(program, PASS, Uses()) is program


Faulty = Callable[[Any], Any]


def _off_by_one(sound: Any) -> Any:
    def shifted(self: _Indices, place: Any) -> Any:
        made = sound(self, place)
        if isinstance(place, DerefPlace):
            assert isinstance(made, IndexPlace)
            return IndexPlace(made.base, Binary(BinaryOp.ADD, made.index, number(1)))
        return made

    return shifted


def _one_more(sound: Any) -> Any:
    def longer(self: _Indices, expr: Any) -> Any:
        if isinstance(expr, IsValid):
            self = _Indices(self.number, self.array)
            self.extent += 1
        return sound(self, expr)

    return longer


def _always_valid(sound: Any) -> Any:
    def valid(self: _Indices, expr: Any) -> Any:
        made = sound(self, expr)
        return made.left if isinstance(expr, IsValid) else made

    return valid


FAULTS: dict[str, tuple[str, Faulty]] = {
    "null is the first element": ("_value", lambda sound: lambda s, v: sound(s, v) if v else 0),
    "elements are shifted": ("_place", _off_by_one),
    "the element behind the last is valid": ("expr", _one_more),
    "elements beyond the last are valid": ("expr", _always_valid),
    "sizes are not looked at": (
        "_value",
        lambda sound: lambda s, v: getattr(v, "offset", sound(s, v)),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of("last = &jobs[3]; mine->result = 1;", given="i ? &jobs[i] : 0")
    attribute, faulty = FAULTS[fault]
    monkeypatch.setattr(_Indices, attribute, faulty(getattr(_Indices, attribute)))
    after = element_pointers.pointers_to_indices(program)
    assert after is not program
    with pytest.raises(Refuted):
        compare_programs(PASS, program, after, None)


def test_initial_pointers_are_null() -> None:
    """A pointer that starts as the element 0 could be followed; null could not."""
    program = program_of("if (mine->id) last = mine; last->result = 1;")
    after = applied(program, PASS, Uses())
    forged = replace(
        after,
        globals=tuple(
            Declaration(d.variable, FillValue(0))
            if d.variable.name == "last" and d.variable.type == INT
            else d
            for d in after.globals
        ),
    )
    assert forged != after
    with pytest.raises(Refuted):
        compare_programs(PASS, program, forged, None)


def test_comparisons_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Null and the element -1 have one index."""
    program = program_of("if (mine == last) mine->result = 1;")
    sound = _Indices.expr

    def comparing(self: _Indices, expr: Expr) -> Expr:
        return rebuild(expr, self.expr) if isinstance(expr, Binary) else sound(self, expr)

    monkeypatch.setattr(_Indices, "expr", comparing)
    after = element_pointers.pointers_to_indices(program)
    assert not uses_memory(after)
    with pytest.raises(Refuted, match="compared"):
        compare_programs(PASS, program, after, None)


def test_null_is_no_element() -> None:
    assert Const(element_pointers.NOWHERE, INT) == number(-1)
