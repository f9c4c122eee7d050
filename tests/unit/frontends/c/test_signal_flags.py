"""Flags of signal handlers: what handlers do to `volatile sig_atomic_t` is no race, all else is.

A worker counts under a lock, and main waits for a flag that a handler sets. Each case changes one
thing. Signals arrive in runs where the flag is read, so that bugs behind the loop are found.
"""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.core.errors import InputError
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict

PROGRAM = """
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <assert.h>
#include <unistd.h>
static DECLARED quit;
static int n, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void on_term(int sig) { HANDLER }
OTHERS
static void *work(void *a)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    WORK
    return a;
}
int main(void)
{
    pthread_t t;
    BEFORE
    INSTALL
    if (pthread_create(&t, 0, work, 0))
        return 1;
    while (!quit)
        sleep(1);
    BEHIND
    pthread_join(t, 0);
    return n;
}
"""
USUAL = {
    "DECLARED": "volatile sig_atomic_t",
    "HANDLER": "quit = 1;",
    "OTHERS": "",
    "WORK": "",
    "BEFORE": "",
    "INSTALL": "signal(SIGTERM, on_term);",
    "BEHIND": "",
}
ACTION = "struct sigaction sa = {.sa_handler = on_term}; sigaction(SIGTERM, &sa, 0);"
ASSIGNED = """struct sigaction sa; sa.sa_handler = on_term; sa.sa_flags = 0;
    sigemptyset(&sa.sa_mask); sigaction(SIGTERM, &sa, 0);"""
RIGHT = {
    "signal": {},
    "sigaction": {"INSTALL": ACTION},
    "an action that is assigned": {"INSTALL": ASSIGNED},
    "a thread reads it": {"WORK": "if (quit) return 0;"},
    "an atomic one": {"DECLARED": "atomic_int"},
    "the handler reads it": {"HANDLER": "if (!quit) quit = sig;"},
    "main sets it back": {"BEFORE": "quit = 0;"},
    "a lock behind it": {
        "BEHIND": "pthread_mutex_lock(&m); n--; pthread_mutex_unlock(&m);",
    },
    "a function sets it": {
        "OTHERS": "static void stop(void) { quit = 1; } static void on_int(int s) { stop(); }",
        "BEFORE": "signal(SIGINT, on_int);",
    },
    "a function of a function": {
        "OTHERS": """static void stop(int s) { if (s) quit = s; }
            static void note(int s) { stop(s); }
            static void on_int(int s) { note(s); stop(s); }""",
        "BEFORE": "signal(SIGINT, on_int);",
    },
}
RACES = {
    "behind the flag": {"BEHIND": "n = 0;"},
    "behind the flag, sigaction": {"BEHIND": "n = 0;", "INSTALL": ACTION},
    "behind an atomic flag": {"BEHIND": "n = 0;", "DECLARED": "atomic_int"},
    "behind an atomic load": {
        "WORK": "if (atomic_load(&quit)) n = 0;",
        "BEHIND": "n = 0;",
        "DECLARED": "atomic_int",
    },
    "threads use it, too": {"WORK": "quit = 1;"},
    "a thread reads what main writes": {"WORK": "if (quit) return 0;", "BEHIND": "quit = 0;"},
}
NOT_PROVED = {
    "another type": {"DECLARED": "volatile int"},
    "not volatile": {"DECLARED": "sig_atomic_t"},
    "more than the flag": {"HANDLER": "quit = 1; seen++;", "BEHIND": "seen++;"},
    "also called": {"WORK": "on_term(0);"},
    "also called by a pointer": {
        "OTHERS": "static void (*action)(int) = on_term;",
        "WORK": "action(0);",
    },
    "called by a pointer from elsewhere": {
        "OTHERS": "void (*action)(int);",
        "WORK": "if (action) action(0);",
    },
    "given to somebody else": {
        "OTHERS": "void elsewhere(void (*f)(int));",
        "WORK": "elsewhere(on_term);",
    },
    "its address is taken": {"WORK": "volatile sig_atomic_t *p = &quit; *p = 1;"},
    "it is counted": {"HANDLER": "quit++;"},
    "a function sets it that threads call": {
        "OTHERS": "static void stop(void) { quit = 1; } static void on_int(int s) { stop(); }",
        "BEFORE": "signal(SIGINT, on_int);",
        "WORK": "stop();",
    },
    "one that threads call by a pointer": {
        "OTHERS": """static void stop(void) { quit = 1; } static void on_int(int s) { stop(); }
            static void (*action)(void) = stop;""",
        "BEFORE": "signal(SIGINT, on_int);",
        "WORK": "action();",
    },
    "one that a function of threads calls": {
        "OTHERS": """static void stop(void) { quit = 1; } static void note(void) { stop(); }
            static void on_int(int s) { note(); stop(); }""",
        "BEFORE": "signal(SIGINT, on_int);",
        "WORK": "note();",
    },
}
NO_RUN = {
    "before it is installed": {"BEFORE": "assert(!quit);"},
    "a number that is not installed": {
        "HANDLER": "quit = sig;",
        "BEHIND": "assert(quit == SIGTERM);",
    },
    "taken back": {"BEFORE": "signal(SIGTERM, on_term); signal(SIGTERM, SIG_IGN); assert(!quit);"},
    "blocked": {
        "BEFORE": "sigset_t s; sigfillset(&s); pthread_sigmask(SIG_BLOCK, &s, 0);",
        "BEHIND": "assert(0);",
    },
    "a handler that runs once": {
        "INSTALL": "struct sigaction sa = {.sa_handler = on_term, .sa_flags = (int)SA_RESETHAND};"
        "sigaction(SIGTERM, &sa, 0);",
        "BEHIND": "quit = 0; assert(!quit);",
    },
    "an action of another kind": {
        "INSTALL": "struct sigaction sa = {.sa_handler = on_term, .sa_flags = SA_SIGINFO};"
        "sigaction(SIGTERM, &sa, 0);",
        "BEHIND": "assert(0);",
    },
}


def text(case: dict[str, str]) -> str:
    program = PROGRAM
    for name, part in (USUAL | case).items():
        program = program.replace(name, part)
    return program


def checked(program: str, wanted: str, engine: str = "explicit") -> Result:
    found = loaded(program).program
    options = CheckOptions(properties=(wanted,), engine=engine)
    return check_loaded("t.c", lambda: found, options, in_process=True)


@pytest.mark.parametrize("case", RIGHT)
def test_what_handlers_do_to_flags_is_no_race(case: str) -> None:
    assert checked(text(RIGHT[case]), "races", "locksets").verdict is Verdict.SAFE
    flags = [told for told in loaded(text(RIGHT[case])).assumptions if "sig_atomic_t" in told]
    assert len(flags) == ("DECLARED" not in RIGHT[case])


@pytest.mark.parametrize("case", RACES)
def test_races_of_threads_are_found(case: str) -> None:
    assert checked(text(RACES[case]), "races").verdict is Verdict.UNSAFE


@pytest.mark.parametrize("case", NOT_PROVED)
def test_what_is_more_than_a_flag_of_a_handler_is_not_proved(case: str) -> None:
    assert checked(text(NOT_PROVED[case]), "races", "locksets").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("case", NO_RUN)
def test_handlers_run_only_once_they_are_installed(case: str) -> None:
    assert checked(text(NO_RUN[case]), "assertions").verdict is not Verdict.UNSAFE


OLD = [
    "void on_term()",
    "void on_term(void)",
    "int on_term(int sig)",
    "void on_term(int a, int b)",
]


@pytest.mark.parametrize("declared", OLD)
@pytest.mark.parametrize("install", [USUAL["INSTALL"], ACTION, ASSIGNED, "CAST"])
def test_handlers_of_other_types_run(declared: str, install: str) -> None:
    """Programs rely on that: `void f()` needs no cast, and others are cast."""
    cast = "(void (*)(int))on_term"
    install = install.replace(" on_term;", f" {cast};").replace("= on_term}", f"= {cast}}}")
    install = install.replace(", on_term)", f", {cast})")
    if install == "CAST":
        install = f"void (*f)(int) = {cast}; signal(SIGTERM, f);"
    result = "return 0;" if declared.startswith("int") else ""
    case = {"INSTALL": install, "HANDLER": f"n = 0; {result}"}
    program = text(case).replace("void on_term(int sig)", declared)
    assert checked(program, "races", "locksets").verdict is Verdict.UNKNOWN
    if install.startswith("void"):
        return
    program = text(case | {"HANDLER": f"quit = 1; {result}"})
    program = program.replace("void on_term(int sig)", declared)
    assert checked(program, "races", "locksets").verdict is Verdict.SAFE


def test_a_handler_without_prototype_needs_no_cast() -> None:
    program = text({"HANDLER": "n = 0;"}).replace("on_term(int sig)", "on_term()")
    assert checked(program, "races", "locksets").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "program",
    [
        "void *__library_handler(void *a) { return a; } int main(void) { return 0; }",
        """#include <pthread.h>
        void *__library_handler(void *a);
        int main(void) { pthread_t t; return pthread_create(&t, 0, __library_handler, 0); }""",
        "void *__library_handler(void *a); void *(*f)(void *) = __library_handler;"
        "int main(void) { return 0; }",
    ],
)
def test_the_thread_of_handlers_is_none_of_the_program(program: str) -> None:
    """Proofs know it by its name, and that no run starts it."""
    with pytest.raises(InputError, match="__library_handler"):
        loaded(program)


def test_what_handlers_do_is_found() -> None:
    case = {"HANDLER": "quit = sig;", "BEHIND": "assert(quit != SIGTERM);"}
    assert checked(text(case), "assertions").verdict is Verdict.UNSAFE


def test_actions_of_another_system_do_not_end_runs() -> None:
    """As in preprocessed programs: what is installed is not known then, and no signal arrives."""
    other = """
    typedef int sig_atomic_t;
    struct sigaction { union { void (*sa_handler)(int); } __sigaction_handler; int sa_flags; };
    int sigaction(int number, const struct sigaction *action, struct sigaction *old);
    """
    program = text(
        {"INSTALL": ASSIGNED.replace("sigemptyset(&sa.sa_mask);", ""), "WORK": "if (!quit) n = 0;"}
    )
    program = program.replace("#include <signal.h>", other).replace("SIGTERM", "15")
    program = program.replace("sa.sa_handler", "sa.__sigaction_handler.sa_handler")
    program = program.replace("pthread_join(t, 0);", "").replace("while (!quit)", "n = 1; if (0)")
    assert checked(program, "races").verdict is Verdict.UNSAFE
