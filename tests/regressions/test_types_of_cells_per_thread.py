"""Cells of arrays with one per thread hold values of their types, for the checker as for engines.

A proof by `horn` used to fail its check if a formula excluded all members of an enumeration but
one: the engine knows that the cell then holds that one, the checker did not.
"""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.proofs.representatives.check import check_representatives
from threadwise.results.verdict import Verdict

CELLS = {
    "enum": ("St", "S", "I", "state[t1] != St::M", "state[i] == I || state[i] == S"),
    "range": ("int[0..2]", "1", "0", "state[t1] != 2", "state[i] <= 1"),
    "negative": ("int[-2..0]", "-1", "0", "state[t1] != -2", "state[i] >= -1"),
    "wrap": ("int[0..2] wrap", "1", "0", "state[t1] < 2", "state[i] >= 0"),
}


def text_of(name: str, number: str) -> str:
    """A model in which a cell per thread takes two of the three values of its type."""
    held, first, second, _, claim = CELLS[name]
    return (
        f"enum St {{ I, S, M }} {held} state[cache]; "
        f"thread cache[{number}] {{ while (true) {{ state[self] = {first}; "
        f"state[self] = {second}; }} }} invariant two: forall i: cache. {claim};"
    )


def certificate(text: str, formula: str) -> RepresentativesCertificate:
    """That the formula holds of every thread, wherever it is."""
    return RepresentativesCertificate(
        program_hash(model(text)),
        ("two",),
        1,
        (RepresentativesFormula(("cache",), (None,), formula),),
    )


@pytest.mark.parametrize("number", ["*", "9"])
@pytest.mark.parametrize("name", CELLS)
def test_what_is_left_of_a_type(name: str, number: str) -> None:
    text = text_of(name, number)
    formula = CELLS[name][3]
    checked = check_representatives(model(text), certificate(text, formula), lambda: None)
    assert checked.properties == ("two",)


@pytest.mark.parametrize("name", ["enum", "range", "negative"])
def test_a_formula_that_says_too_little(name: str) -> None:
    text = text_of(name, "*")
    with pytest.raises(Refuted):
        check_representatives(model(text), certificate(text, "true"), lambda: None)


LICENCE = """
enum St { I, S, M }
St state[cache];
tid owner;
int readers;
thread cache[*] {
    while (true) {
        either { atomic { assume(state[self] == I); assume(owner == none); state[self] = S;
                          readers = readers + 1; } }
        or { atomic { assume(state[self] == I); assume(owner == none && readers == 0);
                      state[self] = M; owner = self; } }
        or { atomic { assume(state[self] == M); assert(owner == self); owner = none;
                      state[self] = I; } }
        or { atomic { assume(state[self] == S); state[self] = I; readers = readers - 1; } }
    }
}
invariant swmr: forall i, j: cache. state[i] == M && state[j] != I ==> i == j;
"""


def test_two_properties_together() -> None:
    options = CheckOptions(properties=("swmr", "assertions"), engine="horn")
    program = model(LICENCE)
    result = check_loaded("x.tw", lambda: program, options, in_process=True)
    assert {checked.verdict for checked in result.properties} == {Verdict.SAFE}
