"""Pointers to `errno` that need not be pointers."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.ir.expr import Scope

HEAD = """
extern int *__errno_location(void);
int shown, *kept;
extern int open(const char *, int);
"""
MAIN = "int main(int n, char **v) { int *p; int *q; %s return shown; }"


def is_own(text: str) -> bool:
    """Whether `errno` is a variable of the thread that no pointer leads to."""
    program = loaded(HEAD + MAIN % text).program
    own = [v for t in program.templates for v in t.variables if "errno" in v.variable.name]
    shared = [d for d in program.globals if "errno" in d.variable.name]
    assert bool(own) != bool(shared)
    return bool(own) and own[0].variable.scope is Scope.THREAD


@pytest.mark.parametrize(
    "text",
    [
        "shown = *__errno_location();",
        "p = __errno_location(); shown = *p;",
        "p = __errno_location(); if (*p == 4) *p = 3; shown = *__errno_location();",
        "if (n) { p = __errno_location(); while (*p) { (*p)--; } } shown = *__errno_location();",
        "int *r = __errno_location(); q = __errno_location(); shown = *r + *q;",
        "switch (n) { case 1: shown = 2; break; default: p = __errno_location(); shown = *p; }",
        "if (n) goto there; shown = 1; there: p = __errno_location(); shown = *p;",
    ],
)
def test_the_variable_itself(text: str) -> None:
    """What is assigned once and followed only."""
    assert is_own(text)


@pytest.mark.parametrize(
    "text",
    [
        "p = __errno_location(); kept = p; shown = *p;",
        "p = &shown; if (n) p = __errno_location(); shown = *p;",
        "if (n) p = __errno_location(); shown = *p;",
        "if (n) goto there; p = __errno_location(); there: shown = *p;",
        "switch (n) { case 1: p = __errno_location(); default: shown = *p; }",
        "switch (n) { case 1: case 2: if (n) p = __errno_location(); shown = *p; }",
        "p = __errno_location(); q = p; shown = *q;",
        "p = __errno_location(); int **r = &p; shown = **r;",
        "p = __errno_location(); p++; shown = *p;",
    ],
)
def test_what_stays_a_pointer(text: str) -> None:
    """Copies, other uses, and paths on which it may not be assigned."""
    assert not is_own(text)


def test_in_functions_that_are_called() -> None:
    """Functions that use files go on, however often they are called."""
    body = "p = __errno_location(); if (open(v[0], 0) < 0 && *p == 4) shown = 1;"
    text = HEAD + "int f(char **v) { int *p; " + body + " return 0; }\n"
    calls = "".join(f"if (n == {k}) f(v); " for k in range(40))
    program = loaded(text + MAIN % calls).program
    told = [here.failure.message for here in program.locations if here.failure is not None]
    assert not any("thread variable" in message for message in told)
