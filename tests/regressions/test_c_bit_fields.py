"""Adjacent bit-fields are one memory location: writing two of them at once is a race."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <pthread.h>
static struct {{ {fields}; }} s;
static void *one(void *p) {{ s.b = 1; return 0; }}
static void *two(void *p) {{ {other}; return 0; }}
int main(void)
{{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
}}
"""


@pytest.mark.parametrize(
    ("fields", "other", "verdict"),
    [
        ("unsigned a : 4, b : 4", "s.a = 1", "UNSAFE"),
        ("unsigned a : 4, b : 4, c : 4", "s.c = 1", "UNSAFE"),
        ("unsigned a : 4, b : 4, c : 4", "int seen = s.c", "UNSAFE"),
        ("unsigned a : 20, b : 20", "s.a = 1", "UNSAFE"),
        ("unsigned char a : 4, b : 8", "s.a = 1", "UNSAFE"),
        ("unsigned a : 4; unsigned : 28; unsigned b : 4", "s.a = 1", "UNSAFE"),
        ("int x; unsigned : 4; unsigned b : 4, a : 4", "s.a = 1", "UNSAFE"),
        ("int a; unsigned : 4; unsigned b : 4", "s.a = 1", "SAFE"),
        ("unsigned a : 4; struct { unsigned b : 4; }", "s.a = 1", "SAFE"),
        ("unsigned a : 4; unsigned : 0; unsigned b : 4", "s.a = 1", "SAFE"),
        ("unsigned a : 4; char x; unsigned b : 4", "s.a = 1", "SAFE"),
        ("unsigned a : 4, b : 4; int c", "s.c = 1", "SAFE"),
    ],
)
def test_two_threads(fields: str, other: str, verdict: str) -> None:
    source = SourceFile("fields.c", TEXT.format(fields=fields, other=other))
    program = load_c([source], COptions()).program
    options = CheckOptions(properties=("races",), engine="explicit")
    result = check_loaded("fields.c", lambda: program, options, in_process=True)
    assert result.verdict.value == verdict
