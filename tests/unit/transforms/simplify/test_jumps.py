"""Branches on constants are taken at once, where that is the same program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from threadwise.analyses.uses import Uses
from threadwise.core.c_options import COptions
from threadwise.core.doubts import SWITCHES, DoubtKind
from threadwise.core.source import SourceFile
from threadwise.frontends.c import load_c
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Command
from threadwise.ir.expr import Place
from threadwise.ir.program import Program
from threadwise.ir.text.printer import print_action
from threadwise.proofs.simplified.check import is_verified
from threadwise.transforms.pipeline import PIPELINE, applied
from threadwise.transforms.simplify.jumps import thread_jumps

TEXT = """
#include <assert.h>
#include <pthread.h>
int g, h;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int get(int *out) {{ {get} }}
void *work(void *argument) {{ {work} return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); g = 1; h = 2; return 0; }}
"""
CONSTANT = "if (g) { *out = 5; return 1; } return 0;"
USED = "int v; if (get(&v)) assert(v == 5);"


def before_and_after(name: str, get: str, work: str) -> tuple[Program, Program]:
    """A program as a pass finds it, and as it leaves it."""
    text = TEXT.format(get=get, work=work)
    program = load_c([SourceFile("t.c", text)], COptions()).lowered.program
    for each in PIPELINE[: PIPELINE.index(name)]:
        program = applied(program, each, Uses())
    return program, applied(program, name, Uses())


def branches_on_result(program: Program) -> list[str]:
    guards = (print_action(edge.action) for edge in program.procedure["work"].edges)
    return [text for text in guards if "when" in text and "result$" in text]


DECIDED = {
    "a condition": (CONSTANT, USED),
    "negated": (CONSTANT, "int v; if (!get(&v)) return 0; assert(v == 5);"),
    "compared": ("if (g) { *out = 5; return -1; } return 3;", "int v; if (get(&v) < 0) h = v;"),
    "a loop around it": (CONSTANT, "int v; while (!get(&v)) ; assert(v == 5);"),
    "one way computed": ("if (g) return 0; *out = 1; return h;", "int v; if (get(&v)) h = v;"),
}


@pytest.mark.parametrize(("get", "work"), DECIDED.values(), ids=DECIDED)
def test_what_is_returned_decides_the_way(get: str, work: str) -> None:
    before, after = before_and_after("threaded jumps", get, work)
    assert branches_on_result(before)
    assert not branches_on_result(after)
    assert validate(after) == []
    assert is_verified("threaded jumps", before, after)
    assert len(after.edges) <= len(before.edges)


def test_what_is_computed_everywhere_is_asked_for() -> None:
    before, after = before_and_after("threaded jumps", "*out = 1; return h;", USED)
    assert after is before


def choices(program: Program) -> list[Place]:
    actions = [edge.action for edge in program.procedure["work"].edges]
    return [place for a in actions if isinstance(a, Command) for place in a.havocs]


def test_a_value_that_is_not_read_is_not_chosen() -> None:
    before, after = before_and_after(
        "dead values", CONSTANT, "int v; if (get(&v)) assert(v * h < v);"
    )
    assert choices(before)
    assert not choices(after)
    assert is_verified("dead values", before, after)


def test_a_value_that_may_be_read_is_chosen() -> None:
    _, after = before_and_after("dead values", CONSTANT, "int v; get(&v); assert(v * h < v);")
    assert choices(after)


WOKEN = """
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
int ready;
mtx_t t;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int get(void) { return mtx_trylock(&t) == thrd_success; }
static int *make(void) { int *p = malloc(sizeof *p); return p; }
static void *work(void *argument) {
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    if (get()) mtx_unlock(&t);
    if (!make()) return argument;
    return 0;
}
int main(void) {
    pthread_t one;
    mtx_init(&t, mtx_plain);
    pthread_create(&one, 0, work, 0);
    work(0);
    return 0;
}
"""


def test_what_users_doubt_still_shows() -> None:
    doubts = frozenset(kind.value for kind in SWITCHES)
    loaded = load_c([SourceFile("t.c", WOKEN)], COptions(doubts=doubts)).lowered
    program = loaded.program
    for each in PIPELINE[: PIPELINE.index("threaded jumps")]:
        program = applied(program, each, Uses())
    after = applied(program, "threaded jumps", Uses())
    shown = {doubt.told for doubt in loaded.doubts if doubt.kind is not DoubtKind.MAIN_RETURNS}
    assert len(shown) >= len(("a wake-up", "an allocation", "a trylock"))
    assert shown <= {edge.text for edge in program.edges}
    assert shown <= {edge.text for edge in after.edges}


def test_a_branch_that_users_doubt_is_kept() -> None:
    before, _ = before_and_after("threaded jumps", *DECIDED["a condition"])
    doubted = [
        replace(
            procedure,
            edges=tuple(
                replace(edge, text="with a spurious wake-up at line 3")
                if branches_on_result(before)[0] == print_action(edge.action)
                else edge
                for edge in procedure.edges
            ),
        )
        for procedure in before.procedures
    ]
    program = replace(before, procedures=tuple(doubted))
    assert branches_on_result(thread_jumps(program))
    assert not branches_on_result(thread_jumps(before))
