"""Handlers of signals run on threads of the program: while main is alone, they run on main.

So what main does to a variable of a handler is no race before it starts threads and after it has
joined them, and is one, as the handler may run on another thread, everywhere else.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.frontends.model import load_model
from threadwise.results.verdict import Verdict

PROGRAM = """
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static int end = -1, other, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    WORK
    return a;
}
OTHERS
static void on_term(int sig) { HANDLER }
int main(void)
{
    pthread_t t, u;
    signal(SIGTERM, on_term);
    FIRST
    if (pthread_create(&t, 0, work, 0))
        return 1;
    MEANWHILE
    JOIN
    LAST
    return 0;
}
"""
USUAL = {
    "WORK": "",
    "OTHERS": "",
    "HANDLER": 'if (end >= 0) write(end, "x", 1);',
    "FIRST": "end = 2;",
    "MEANWHILE": "",
    "JOIN": "pthread_join(t, 0);",
    "LAST": "",
}
RIGHT = {
    "before threads": {},
    "after them": {"FIRST": "", "LAST": "end = 2;"},
    "both": {"LAST": "end = -1;"},
    "in a function": {"OTHERS": "static void open_it(void) { end = 2; }", "FIRST": "open_it();"},
    "between two of them": {
        "LAST": "end = -1; if (!pthread_create(&u, 0, work, 0)) pthread_join(u, 0); end = 2;"
    },
    "threads read it": {"WORK": "if (end > 3) return 0;"},
}
NOT_PROVED = {
    "while a thread runs": {"MEANWHILE": "end = 1;"},
    "after a thread that was not joined": {"JOIN": "pthread_detach(t);", "LAST": "end = 1;"},
    "after one of two threads": {
        "MEANWHILE": "pthread_create(&u, 0, work, 0);",
        "LAST": "end = 1;",
    },
    "a thread writes it": {"WORK": "end = 1;"},
    "the handler writes it, and may run on two threads": {"HANDLER": "end++;"},
    "the handler writes what threads read": {"HANDLER": "end = 1;", "WORK": "other += end;"},
    "the handler starts a thread": {
        "OTHERS": "static void *more(void *a) { other = end; return a; }",
        "HANDLER": "pthread_t v; pthread_create(&v, 0, more, 0);",
    },
    "a thread of the handler uses something else": {
        "OTHERS": "static void *more(void *a) { other++; return a; }",
        "HANDLER": "pthread_t v; pthread_create(&v, 0, more, 0);",
        "FIRST": "other++;",
    },
    "a thread that another thread starts": {
        "OTHERS": "",
        "WORK": "if (!a) { pthread_t v; pthread_create(&v, 0, work, (void *)&n); }",
        "LAST": "end = 1;",
    },
}


def verdict(case: dict[str, str]) -> Verdict:
    program = PROGRAM
    for name, part in (USUAL | case).items():
        program = program.replace(name, part)
    found = loaded(program).program
    options = CheckOptions(properties=("races",), engine="locksets")
    return check_loaded("t.c", lambda: found, options, in_process=True).verdict


@pytest.mark.parametrize("case", RIGHT)
def test_handlers_do_not_race_with_main_alone(case: str) -> None:
    assert verdict(RIGHT[case]) is Verdict.SAFE


@pytest.mark.parametrize("case", NOT_PROVED)
def test_handlers_may_run_on_other_threads(case: str) -> None:
    assert verdict(NOT_PROVED[case]) is not Verdict.SAFE


def test_a_thread_of_a_model_is_no_handler() -> None:
    """Whatever its name is."""
    text = """
    int x;
    thread __library_handler() { x = 1; }
    thread main { spawn __library_handler(); x = 2; }
    race_free x;
    """
    found = load_model(SourceFile("t.tw", text))
    options = CheckOptions(properties=("all",), engine="locksets")
    assert (
        check_loaded("t.tw", lambda: found, options, in_process=True).verdict is not Verdict.SAFE
    )
