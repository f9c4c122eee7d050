"""Handlers of signals: each that is installed may run."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

HANDLERS = """
#include <signal.h>
#include <unistd.h>
#include <assert.h>
static volatile sig_atomic_t first, second, third, never;
static void one(int number) { first = 1; }
static void two(int number) { second = 1; }
static void three(int number) { third = 1; }
static void four(int number) { never = 1; }
int main(void) {
    signal(SIGINT, one);
    signal(SIGTERM, two);
    signal(SIGHUP, three);
    pause();
    assert(!WHICH);
    return 0;
}
"""


@pytest.mark.parametrize("which", ["first", "second", "third"])
def test_every_handler_may_run(which: str) -> None:
    result = checked(HANDLERS.replace("WHICH", which), "assertions")
    assert result.verdict.value == "UNSAFE", result.reason


def test_other_functions_do_not() -> None:
    """A function that is installed nowhere is no handler."""
    result = checked(HANDLERS.replace("WHICH", "never"), "assertions")
    assert result.verdict.value != "UNSAFE"
