"""Floating-point arithmetic is not computed: no violation may rest on its results."""

from __future__ import annotations

import pytest

from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources

TEXT = """
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
static int sum(int count, ...)
{{
    int total = 0;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        total += va_arg(list, int);
    va_end(list);
    return total;
}}
double g[2];
int h[2];
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
        ("d = d * 2; assert(i != 3);", "UNSAFE"),
        ("d = d * 2; if (d > 7) i = 4; assert(i == 3);", "UNKNOWN"),
        ("i = (int)(d * 2); int j = i; assert(j == 3);", "UNKNOWN"),
        ("i = (int)(d * 2); i = 5; assert(i == 3);", "UNSAFE"),
        ("int a[2] = {3, 3}; a[0] = (int)(d * 2); int *p = a; assert(p[0] == 3);", "UNKNOWN"),
        ("int a[9] = {1}; int k = (int)(d * 2); if (k == 3) a[k] = 1; assert(!a[3]);", "UNKNOWN"),
        ("int a[2] = {3}, *p = rand() ? a : h; g[0] = d * 2; assert(p[0] != 3);", "UNSAFE"),
        ("int a[2] = {3}, *p = rand() ? a : h; h[0] = d * 2; assert(p[0] != 3);", "UNSAFE"),
        ("double *p = g; *p = d * 2; int *q = h; assert(*q);", "UNSAFE"),
        ("int *p = h; *p = d * 2; assert(h[0]);", "UNKNOWN"),
        ("int *p = malloc(4); *p = (int)(d * 2); assert(*p == 3);", "UNKNOWN"),
        ("char t[4]; snprintf(t, 4, \"a\"); assert(t[0] == 'a');", "SAFE"),
        ('char t[4] = "zz"; snprintf(t, 4, "a"); assert(t[1] != \'z\');', "SAFE"),
        ('char t[4]; snprintf(t, 4, "a"); assert(i != 3);', "UNSAFE"),
        ('i = 4; sscanf("3", "%d", &i); assert(i == 3);', "UNKNOWN"),
        ('int j = 1; sscanf("3", "%d", &j); assert(i != 3);', "UNSAFE"),
        ("union { int i; char c; } u; u.i = 7; assert(u.c == 7);", "UNKNOWN"),
        ("union { int i; char c; } u; u.i = 7; char c = u.c; assert(i != 3);", "UNSAFE"),
        ("union { int i; char c; } u; u.i = 7; u.c = 1; assert(u.c == 1);", "SAFE"),
        ("assert(sum(2, 1, 2) == 3);", "UNKNOWN"),
        ("sum(2, 1, 2); assert(i != 3);", "UNSAFE"),
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
