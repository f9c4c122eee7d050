"""Initial values of static variables: constants of compilers, or not known; never just zero."""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.ir.program import ListedValues

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
struct s {{ int a; char c; long b; }} s;
struct row {{ const char *name; int offset; short size; }};
int x, arr[5][3];
void act(void) {{}}
{before}
int main(void) {{ {main} return 0; }}
"""


def verdict(before: str, main: str) -> str:
    text = HEAD.format(before=before, main=main)
    found = verdicts(text, "assertions", engines=("explicit",))["explicit"]
    return "UNSAFE" if "UNSAFE" in found else max(found)


KNOWN = [
    ("static long d = (char *)&s.b - (char *)&s.a;", "d", "8"),
    ("static long d = (char *)&s - (char *)&s.b;", "d", "-8"),
    ("static unsigned char d = (char *)&s - (char *)&s.b;", "d", "248"),
    ("static long d = &arr[2][1] - &arr[1][0];", "d", "4"),
    ("static long d = 3 + 2 * (&arr[1][0] - &arr[0][0]);", "d", "9"),
    ("static long d = (long)&((struct s *)0)->b;", "d", "8"),
    ("static int d = (int)(long)&((struct s *)0)->c;", "d", "4"),
    ("static int d[3] = {1, &arr[1][0] - &arr[0][0], 2};", "d[0] * 100 + d[1] * 10 + d[2]", "132"),
    ('struct row t[] = {{"c", (long)&((struct s *)0)->c, 1}, {"b", 8, 8}};', "t[0].offset", "4"),
    ('struct row t[] = {{"c", (long)&((struct s *)0)->c, 1}, {"b", 8, 9}};', "t[1].size", "9"),
]


@pytest.mark.parametrize(("before", "value", "number"), KNOWN)
def test_numbers_that_come_from_addresses_are_those_of_the_compiler(
    before: str, value: str, number: str
) -> None:
    assert verdict(before, f"assert({value} == {number});") == "SAFE"
    assert verdict(before, f"assert({value} != {number});") == "UNSAFE"


OPEN = [
    ("static unsigned long d = (unsigned long)&x;", "d"),
    ("static unsigned long d = (unsigned long)&x + 1;", "d"),
    ("static long d = (long)act;", "d"),
    ("static double d = 1.5f * 2;", "d"),
    ("static long double d = 1.25L;", "d"),
    ("static float d[2] = {1.0f, 0.1f + 0.2f};", "d[1]"),
    ("static struct { float a; int b; } d = {0.1f + 0.2f, 3};", "d.a"),
    ("static _Thread_local unsigned long d = (unsigned long)&x;", "d"),
    ("static unsigned long e = (unsigned long)&x, *d = &e;", "*d"),
]


@pytest.mark.parametrize(("before", "value"), OPEN)
def test_what_is_not_known_is_not_zero(before: str, value: str) -> None:
    assert verdict(before, f"assert({value} == 0);") == "UNKNOWN"
    assert verdict(before, f"assert({value} != 0);") == "UNKNOWN"


LABELS = "a: assert({}); return 0; b: assert({});"


@pytest.mark.parametrize(
    "main",
    [
        "static int d = &&b - &&a; goto *(&&a + d); " + LABELS.format(1, 0),
        "static const int d[] = {0, &&b - &&a}; goto *(&&a + d[1]); " + LABELS.format(1, 0),
        "static const int d[] = {0, &&b - &&a}; goto *(&&a + d[1]); " + LABELS.format(0, 1),
        "static long d = &&b - &&a; if (0) goto *&&a; assert(d); " + LABELS.format(1, 1),
        "static long d = &&b - &&a; if (0) goto *&&a; assert(!d); " + LABELS.format(1, 1),
    ],
)
def test_how_far_labels_are_from_each_other_is_not_known(main: str) -> None:
    assert verdict("", main) == "UNKNOWN"


@pytest.mark.parametrize(
    ("before", "condition"),
    [
        ("static struct { long double a; int b; } d = {1.25L, 3};", "d.b == 3"),
        (
            "static struct { int b; double a[2]; } d[2] = {{1, {1.5f * 2}}, {2, {2}}};",
            "d[1].b == 2",
        ),
        (
            "static struct { int b; double a[2]; } d[2] = {{1, {1.5f * 2}}, {2, {2}}};",
            "d[0].b == 1",
        ),
        ("static double e = 1.5f * 2, *d = &e;", "d == &e"),
        ("static double d = 1.5f * 2;", "(d = 5.0) == 5.0"),
    ],
)
def test_the_other_parts_are_known(before: str, condition: str) -> None:
    assert verdict(before, f"assert({condition});") == "SAFE"
    assert verdict(before, f"assert(!({condition}));") == "UNSAFE"


def test_constants_beside_them_are_listed_and_not_computed() -> None:
    text = HEAD.format(before="float d[9] = {1, 2, 0.1f + 0.2f, 4};", main="d[0] = d[1];")
    program = load_c_sources([SourceFile("d.c", text)], LoadOptions()).program
    (initial,) = (g.initial for g in program.globals if g.variable.name == "d")
    assert isinstance(initial, ListedValues)
    assert [value != 0 for value in initial.values[:5]] == [True, True, False, True, False]
    computed = [e for e in program.edges if e.text == "d is initialised"]
    assert len(computed) == 2  # any value, and its store
