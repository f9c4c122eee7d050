"""Library functions read the times, texts and structures that they are given."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked

PROGRAM = """
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
struct timespec until;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t s;
mtx_t mtx;
void *work(void *unused) { CALL; return 0; }
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    mtx_init(&mtx, mtx_timed);
    pthread_create(&t, 0, work, 0);
    OTHER;
    return 0;
}
"""


@pytest.mark.parametrize(
    "call",
    [
        "nanosleep(&until, 0)",
        "thrd_sleep(&until, 0)",
        "pthread_mutex_timedlock(&m, &until)",
        "pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &until)",
        "pthread_rwlock_timedrdlock(&rw, &until)",
        "sem_timedwait(&s, &until)",
        "mtx_timedlock(&mtx, &until)",
    ],
)
def test_a_time_that_is_written_meanwhile_is_a_race(call: str) -> None:
    """A wrong SAFE once: these functions did not look at their arguments."""
    text = PROGRAM.replace("CALL", call)
    assert checked(text.replace("OTHER", "until.tv_nsec = 1"), "races").verdict.value == "UNSAFE"
    assert checked(text.replace("OTHER", "long n = until.tv_sec"), "races").verdict.value == "SAFE"


@pytest.mark.parametrize(
    "call",
    ["gettext(text)", "dgettext(0, text)", 'dcgettext(text, "", 5)', "textdomain(text)"],
)
def test_a_text_that_is_written_while_it_is_translated_is_a_race(call: str) -> None:
    """A wrong SAFE once: the text was handed on without a look."""
    program = PROGRAM.replace("struct timespec until;", "char text[4];\n#include <libintl.h>")
    text = program.replace("CALL", call)
    assert checked(text.replace("OTHER", "text[0] = 1"), "races").verdict.value == "UNSAFE"
    assert checked(text.replace("OTHER", "int n = text[0]"), "races").verdict.value == "SAFE"


STRUCTURES = """
#include <pthread.h>
#include <stdlib.h>
#include <grp.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
DECLARED;
void *work(void *unused) { CALL; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    OTHER;
    return 0;
}
"""


@pytest.mark.parametrize(
    ("declared", "call", "last"),
    [
        ("struct rlimit v", "setrlimit(RLIMIT_CORE, &v)", "v.rlim_max"),
        ("struct termios v", "tcsetattr(0, 0, &v)", "v.c_lflag"),
        ("struct itimerval v", "setitimer(0, &v, 0)", "v.it_value.tv_usec"),
        ("struct timespec v", "clock_settime(0, &v)", "v.tv_nsec"),
        ("struct epoll_event v", "epoll_ctl(3, 1, 4, &v)", "v.data.fd"),
        ("struct timeval v[2]", 'utimes("f", v)', "v[1].tv_usec"),
        ("unsigned v[2]", "setgroups(2, v)", "v[1]"),
    ],
)
def test_structures_are_read_to_their_ends(declared: str, call: str, last: str) -> None:
    """A wrong SAFE once for arrays: only their first elements were looked at."""
    text = STRUCTURES.replace("DECLARED", declared).replace("CALL", call)
    assert checked(text.replace("OTHER", f"{last} = 1"), "races").verdict.value == "UNSAFE"
    assert checked(text.replace("OTHER", f"long n = {last}"), "races").verdict.value == "SAFE"


@pytest.mark.parametrize(
    "call",
    [
        'execl("/bin/echo", "echo", text, (char *)0)',
        'execlp("echo", text, (char *)0)',
        'execle("/bin/echo", "echo", (char *)0, (char *[]){ text, 0 })',
        'execve("/bin/echo", (char *[]){ 0 }, (char *[]){ text, 0 })',
    ],
)
def test_a_text_that_is_written_while_it_is_given_to_another_program_is_a_race(call: str) -> None:
    """A wrong SAFE once for environments; lists of arguments ended in UNKNOWN."""
    program = PROGRAM.replace("struct timespec until;", "char text[4];\n#include <unistd.h>")
    text = program.replace("CALL", call)
    assert checked(text.replace("OTHER", "text[0] = 1"), "races").verdict.value == "UNSAFE"
    assert checked(text.replace("OTHER", "int n = text[0]"), "races").verdict.value == "SAFE"


def test_a_signal_stack_that_is_written_while_it_is_installed_is_a_race() -> None:
    """A wrong SAFE once: only what was there before was looked at."""
    program = PROGRAM.replace("struct timespec until;", "#include <signal.h>\nstack_t stack;")
    text = program.replace("CALL", "sigaltstack(&stack, 0)")
    said = {
        other: checked(text.replace("OTHER", other), "races").verdict.value
        for other in ("stack.ss_flags = 1", "int n = stack.ss_flags")
    }
    assert said == {"stack.ss_flags = 1": "UNSAFE", "int n = stack.ss_flags": "SAFE"}
