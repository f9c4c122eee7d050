"""Pointers that functions get at by `va_arg`."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, loaded
from threadwise.ir.program import FailureKind

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
int x, y, z;
"""
ADD = """
static void add(int n, ...) {
    va_list ap;
    va_start(ap, n);
    while (n-- > 0) { int *p = va_arg(ap, int *); if (p) *p = 7; }
    va_end(ap);
}
"""


def limits(text: str) -> list[str]:
    """What ends what is modelled."""
    locations = loaded(HEAD + text).program.locations
    failures = [each.failure for each in locations if each.failure is not None]
    return [each.message for each in failures if each.kind is FailureKind.LIMIT]


def test_a_pointer_is_one_of_those_that_were_given() -> None:
    main = "int main(void) { add(2, &x, &y); assert(z == 0); return 0; }"
    assert limits(ADD + main) == []
    assert checked(HEAD + ADD + main, "assertions").verdict.value == "SAFE"


@pytest.mark.parametrize("what", ["x != 7", "y != 7"])
def test_each_of_them_may_be_it(what: str) -> None:
    """Which one it is is not computed: no violation rests on it, and no proof."""
    main = f"int main(void) {{ add(1, &x, &y, 0); assert({what}); return 0; }}"
    result = checked(HEAD + ADD + main, "assertions")
    assert result.verdict.value == "UNSAFE"  # in the model: the driver doubts it
    spans = {span.line for span in loaded(HEAD + ADD + main).approximated}
    assert spans == {9}


def test_what_is_given_to_callers_counts() -> None:
    text = """
static void inner(va_list ap) { int *p = va_arg(ap, int *); *p = 7; }
static void outer(int n, ...) { va_list ap; va_start(ap, n); inner(ap); va_end(ap); }
int main(void) { outer(1, &x); assert(x == 7); return 0; }
"""
    assert limits(text) == []
    assert checked(HEAD + text, "assertions").verdict.value == "SAFE"


@pytest.mark.parametrize(
    "text",
    [
        # nobody around has such arguments
        "void f(va_list ap) { *va_arg(ap, int *) = 1; }\n"
        "int main(void) { va_list ap; f(ap); return 0; }",
        # a procedure: its callers are not known
        "static int f(int n, ...) { va_list ap; va_start(ap, n); *va_arg(ap, int *) = 1;"
        " va_end(ap); return n ? f(n - 1, &x) : 0; }\n"
        "int main(void) { return f(2, &y); }",
        # lists that are kept
        "struct s { va_list *ap; } kept;\n"
        "static void g(int n, ...) { *va_arg(*kept.ap, int *) = 1; }\n"
        "static void f(int n, ...) { va_list ap; va_start(ap, n); kept.ap = &ap; g(1, &x); }\n"
        "int main(void) { f(1, &y); return 0; }",
        # no pointer at all
        "static void f(int n, ...) { va_list ap; va_start(ap, n); *va_arg(ap, int *) = 1; }\n"
        "int main(void) { f(1, 2); return 0; }",
    ],
)
def test_what_is_not_known_is_a_limit(text: str) -> None:
    assert limits(text)
