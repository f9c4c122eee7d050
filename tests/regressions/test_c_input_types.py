"""Inputs of different types that are compared: the values that stand for all can be equal."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <assert.h>
extern {wide} __VERIFIER_nondet_{wide}(void);
extern {narrow} {input}(void);
int main(void)
{{
    {wide} one = __VERIFIER_nondet_{wide}();
    {narrow} other = {input}();
    if (one == {excluded})
        return 0;
    assert(one != other);
}}
"""


@pytest.mark.parametrize(
    ("wide", "narrow", "input_name", "excluded"),
    [
        ("long", "unsigned", "__VERIFIER_nondet_uint", -5),
        ("int", "unsigned char", "__VERIFIER_nondet_uchar", -7),
        ("int", "_Bool", "__VERIFIER_nondet_bool", 700),
    ],
)
def test_may_be_equal(wide: str, narrow: str, input_name: str, excluded: int) -> None:
    text = TEXT.format(wide=wide, narrow=narrow, input=input_name, excluded=excluded)
    program = load_c([SourceFile("inputs.c", text)], COptions()).program
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_loaded("inputs.c", lambda: program, options, in_process=True)
    assert result.verdict.value == "UNSAFE"
