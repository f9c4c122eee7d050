"""Library functions that programs declare with another result."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, loaded
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions
from threadwise.ir.program import FailureKind

HEAD = """#include <assert.h>
struct s { int n; struct s *next; } *list;
extern int malloc(), memset(), printf();
extern char *sprintf(), *getpid();
"""


def limits(body: str) -> list[str]:
    """What ends what is modelled."""
    locations = loaded(f"{HEAD}int main(void) {{ {body} }}").program.locations
    failures = [each.failure for each in locations if each.failure is not None]
    return [each.message for each in failures if each.kind is FailureKind.LIMIT]


USABLE = {
    "converted at once": (
        "struct s *p = (struct s *)malloc(sizeof *p); p->n = 3; assert(p->n == 3);"
    ),
    "kept in a variable": (
        "int tmp; struct s *p; tmp = malloc(sizeof *p); p = (struct s *)tmp;"
        " p->n = 3; assert(p->n == 3);"
    ),
    "kept where it is declared": (
        "unsigned tmp = malloc(sizeof *list); list = (struct s *)tmp; list->n = 3;"
        " assert(list->n == 3);"
    ),
    "kept twice": (
        "int tmp; tmp = malloc(sizeof *list); list = (struct s *)tmp; list->n = 1;"
        " tmp = malloc(sizeof *list); list->next = (struct s *)tmp; list->next->n = 2;"
        " assert(list->n == 1);"
    ),
    "ignored": "struct s one; one.n = 1; memset(&one, 0, sizeof one); assert(one.n == 0);",
    "ignored, an integer": "(void)getpid();",
}
NOT_USABLE = {
    "a number": "int k = malloc(4); assert(k != 3);",
    "a number beside a pointer": (
        "int tmp; tmp = malloc(sizeof *list); list = (struct s *)tmp; assert(tmp != 3);"
    ),
    "another value": ("int tmp; tmp = malloc(sizeof *list); tmp = 4; list = (struct s *)tmp;"),
    "a length": "int tmp; tmp = malloc(4); int a[tmp]; a[0] = 1; list = (struct s *)tmp;",
    "an address": "int tmp, *q = &tmp; tmp = malloc(4); *q = 1; list = (struct s *)tmp;",
    "inside an expression": "int tmp; if ((tmp = malloc(4)) == 0) return 1; list = (void *)tmp;",
    "a pointer that is none": 'char text[8]; char *p = sprintf(text, "x"); *p = 1;',
}


@pytest.mark.parametrize("body", USABLE.values(), ids=USABLE)
def test_results_are_those_of_the_library(body: str) -> None:
    assert limits(body) == []
    result = checked(f"{HEAD}int main(void) {{ {body} return 0; }}", "assertions")
    assert result.verdict.value == "SAFE", result.reason


@pytest.mark.parametrize("body", NOT_USABLE.values(), ids=NOT_USABLE)
def test_what_is_no_pointer_stays_a_limit(body: str) -> None:
    assert any("declared with another result" in each for each in limits(body))


def test_what_is_relied_on_is_told() -> None:
    def told(body: str) -> list[str]:
        text = f"{HEAD}int main(void) {{ {body} }}"
        found = load_c([SourceFile("t.c", text)], COptions()).assumptions
        return [each for each in found if "another result" in each]

    assert told(USABLE["kept in a variable"]) == [
        "malloc, which is declared with another result, returns all of its pointer"
    ]
    assert told(USABLE["ignored"]) == []
