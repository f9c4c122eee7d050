"""Handlers of signals: each that is installed may run."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, lowered
from threadwise.ir.program import FailureKind

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


BESIDE = """
#include <signal.h>
#include <assert.h>
static void stop(int number) { }
int main(void) {
    struct sigaction action = { .sa_handler = stop };
    sigaction(SIGTERM, &action, 0);
    void (*before)(int) = signal(WHICH, SIG_IGN);
    assert(before == SIG_DFL);
    assert(signal(WHICH, SIG_DFL) != SIG_IGN);
    return 0;
}
"""


def test_other_signals_are_ignored_as_usual_beside_sigaction() -> None:
    result = checked(BESIDE.replace("WHICH", "SIGPIPE"), "assertions")
    found = {each.name: each.verdict.value for each in result.properties}
    assert found["assert:9"] != "UNSAFE"
    assert found["assert:10"] == "UNSAFE"


def test_what_sigaction_installed_is_no_limit_and_not_known() -> None:
    """For proofs `signal` may return anything then; runs end there."""
    program = lowered(BESIDE.replace("WHICH", "SIGTERM"))
    kinds = {each.failure.kind for each in program.locations if each.failure is not None}
    assert FailureKind.LIMIT not in kinds
    assert checked(BESIDE.replace("WHICH", "SIGTERM"), "assertions").verdict.value == "UNKNOWN"
