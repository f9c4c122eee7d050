"""The number of threads that is guessed from the text is the one that lowering finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower import guessing
from threadwise.frontends.c.lower import program as lowering
from threadwise.frontends.c.options import COptions
from threadwise.ir.text.printer import print_program

TEXT = """
#include <pthread.h>
static int x;
static void *one(void *p) { x = 1; return p; }
static void *two(void *p) { x = 2; return p; }
static void start(void) { pthread_t t; pthread_create(&t, 0, one, 0); }
int main(int argc, char **argv)
{
    pthread_t t[8];
    void *(*run)(void *) = argc > 1 ? one : two;
    %s
    return 0;
}
"""
PLAIN = "pthread_create(&t[0], 0, one, 0);"
BODIES = {
    "none": ("", {}),
    "one": (PLAIN, {"one": 1}),
    "several": (PLAIN + PLAIN + "pthread_create(&t[1], 0, &two, 0);", {"one": 2, "two": 1}),
    "perhaps": (f"if (argc > 1) {{ {PLAIN} }}", {"one": 1}),
    "never": (f"if (0) {{ {PLAIN} }}", {"one": 1}),
    "loop": (f"for (int i = 0; i < 3; i++) {{ {PLAIN} }}", {}),
    "jump": (f"again: {PLAIN} if (x == 7) goto again;", {}),
    "pointer": ("pthread_create(&t[0], 0, run, 0);", {}),
}


def _noting(
    told: list[dict[str, int]],
) -> Callable[[tree.Program, tree.Function], dict[str, int]]:
    """Guesses, and writes down what."""
    guess = guessing.threads_of

    def note(program: tree.Program, main: tree.Function) -> dict[str, int]:
        told.append(guess(program, main))
        return told[-1]

    return note


@pytest.mark.parametrize("name", BODIES)
def test_guesses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, guess = BODIES[name]
    text = TEXT.replace("static void start(void) { pthread_t t; pthread_create", "//") % body
    told: list[dict[str, int]] = []
    rounds: list[int] = []
    run = lowering._Round.run

    def note(self: lowering._Round) -> None:
        rounds.append(len(rounds))
        run(self)

    monkeypatch.setattr(lowering._Round, "run", note)
    with monkeypatch.context() as patched:
        patched.setattr(guessing, "threads_of", _noting(told))
        found = print_program(load_c([SourceFile("t.c", text)], COptions()).program)
    assert told == [guess]
    some = len(rounds)
    monkeypatch.setattr(guessing, "threads_of", lambda *_: {})
    assert print_program(load_c([SourceFile("t.c", text)], COptions()).program) == found
    assert some <= len(rounds) - some


def test_functions_that_start_threads_are_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, int]] = []
    monkeypatch.setattr(guessing, "threads_of", _noting(told))
    load_c([SourceFile("t.c", TEXT % ("start();" + PLAIN))], COptions())
    assert told == [{}]
