"""Floating-point arithmetic is not computed: no violation may rest on its results."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver import CheckOptions, check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.evidence.result import LoadOptions

TEXT = """
#include <assert.h>
#include <math.h>
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
int main(void)
{{
    double d = 1.5;
    int i = 3;
    {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("assert((int)d == 1);", "UNKNOWN"),
        ("d = d * 2; assert(d == 3.0);", "UNKNOWN"),
        ("d = i; assert(d == 3.0);", "UNKNOWN"),
        ("d = -d; assert(d < 0);", "UNKNOWN"),
        ("float f = d; assert(f == 1.5);", "UNKNOWN"),
        ("d = fabs(-1.0); assert(d == 1.0);", "UNKNOWN"),
        ("d = d * 2; assert(i == 3);", "SAFE"),
        ("assert(i != 3); d = d * 2;", "UNSAFE"),
        ("d = __VERIFIER_nondet_double(); assert(d == d);", "UNSAFE"),
        ("float f = __VERIFIER_nondet_float(); assert(f != 0);", "UNSAFE"),
    ],
)
def test_one_thread(body: str, verdict: str) -> None:
    source = SourceFile("floating.c", TEXT.format(body=body))
    loaded = load_c_sources([source], LoadOptions())
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_loaded("floating.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value == verdict
    if verdict == "UNKNOWN":
        assert "not computed" in (result.properties[0].reason or "")
