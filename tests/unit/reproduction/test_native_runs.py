"""Traces that the model gives, run in the machine: what is seen from outside."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import threadwise
from threadwise import OutcomeKind

COUNTER = """
#include <assert.h>
#include <pthread.h>
static int counter;
static void *work(void *unused) {
    counter++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
"""

CROSSED = """
#include <pthread.h>
static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    pthread_mutex_lock(&q);
    pthread_mutex_lock(&p);
    pthread_mutex_unlock(&p);
    pthread_mutex_unlock(&q);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&p);
    pthread_mutex_lock(&q);
    pthread_mutex_unlock(&q);
    pthread_mutex_unlock(&p);
    pthread_join(a, 0);
    return 0;
}
"""

WOKEN_EARLY = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items;
static void *take(void *unused) {
    pthread_mutex_lock(&m);
    if (items == 0)
        pthread_cond_wait(&c, &m);
    items--;
    assert(items >= 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
"""

INPUTS = """
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int shared;
static void *work(void *unused) {
    shared = __VERIFIER_nondet_int();
    return 0;
}
int main(void) {
    pthread_t a;
    int limit = __VERIFIER_nondet_int();
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    if (limit > 5 && shared == limit + 3)
        reach_error();
    return 0;
}
"""


ROUNDS = """
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int total;
static void *work(void *unused) {
    while (__VERIFIER_nondet_int())
        total++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    return 0;
}
"""

LAST_ONE = """
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t all;
static int first;
static void *work(void *unused) {
    if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD)
        first = 1;
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_barrier_init(&all, 0, 2);
    pthread_create(&a, 0, work, 0);
    pthread_barrier_wait(&all);
    pthread_join(a, 0);
    assert(first);
    return 0;
}
"""

ATOMIC_BLOCKS = """
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x, y;
static void *work(void *unused) {
    __VERIFIER_atomic_begin();
    x = y + 1;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    __VERIFIER_atomic_begin();
    y = x + 1;
    __VERIFIER_atomic_end();
    pthread_join(a, 0);
    assert(x == 1);
    return 0;
}
"""

HANDLE = """
#include <pthread.h>
static pthread_t worker;
static void *look(void *unused) {
    pthread_t seen = worker;
    return 0;
}
int main(void) {
    pthread_create(&worker, 0, look, 0);
    return 0;
}
"""

THIRD_ACCESS = """
#include <pthread.h>
static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void *other(void *unused) {
    pthread_mutex_lock(&q);
    value = value + 2;
    pthread_mutex_unlock(&q);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, other, 0);
    pthread_mutex_lock(&p);
    value = 1;
    pthread_mutex_unlock(&p);
    pthread_mutex_lock(&p);
    int seen = value;
    pthread_mutex_unlock(&p);
    pthread_join(a, 0);
    return seen;
}
"""

SLOW = pytest.mark.slow


CALLED_BACK = """
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ready;
static void load(void) {
    ready = 1;
}
static void *work(void *unused) {
    if (!ready)
        pthread_once(&once, load);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    return 0;
}
"""

KEY = """
#include <assert.h>
#include <pthread.h>
static pthread_key_t key;
static int calls;
static void *work(void *unused) {
    pthread_setspecific(key, &calls);
    calls++;
    return pthread_getspecific(key);
}
int main(void) {
    pthread_t a;
    if (pthread_key_create(&key, 0) != 0)
        return 1;
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    return 0;
}
"""

ARGUMENTS = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int x;
static void *work(void *unused) {
    x++;
    return 0;
}
int main(int count, char **texts) {
    pthread_t a;
    if (count < 3 || texts[2][0] != 'v')
        exit(2);
    pthread_create(&a, 0, work, 0);
    x++;
    pthread_join(a, 0);
    assert(x == 2);
    return 0;
}
"""

HANDLES = """
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *work(void *unused) {
    int file = open("/dev/null", O_RDWR);
    FILE *stream = file < 0 ? 0 : fdopen(file, "w");
    if (!stream)
        return 0;
    x++;
    fclose(stream);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    return 0;
}
"""


def trace_of(source: str, asked: str) -> Path:
    """The trace of a violation, in a file beside its program."""
    Path("program.c").write_text(source)
    engine = "explicit" if source is KEY else "auto"
    result = threadwise.check("program.c", properties=asked, engine=engine, in_process=True)
    threadwise.write_trace(result, "bug.json")
    return Path("bug.json")


@pytest.mark.parametrize(
    ("source", "asked", "seen"),
    [
        pytest.param(COUNTER, "assertions", "Assertion `counter == 2' failed", marks=SLOW),
        (COUNTER, "races", "program.c:6"),
        (CROSSED, "deadlocks", "sleeps in pthread_mutex_lock"),
        pytest.param(WOKEN_EARLY, "assertions", "Assertion `items >= 0' failed", marks=SLOW),
        (INPUTS, "assertions", "reach_error is called"),
        pytest.param(ROUNDS, "races", "program.c:7", marks=SLOW),
        pytest.param(LAST_ONE, "assertions", "Assertion `first' failed", marks=SLOW),
        pytest.param(ATOMIC_BLOCKS, "assertions", "Assertion `x == 1' failed", marks=SLOW),
        pytest.param(HANDLE, "races", "program.c:9", marks=SLOW),
        pytest.param(THIRD_ACCESS, "races", "program.c", marks=SLOW),
        (CALLED_BACK, "races", "load"),
        pytest.param(KEY, "races", "program.c:8", marks=SLOW),
        pytest.param(ARGUMENTS, "assertions", "Assertion `x == 2' failed", marks=SLOW),
        (HANDLES, "races", "program.c:13"),
    ],
    ids=[
        "lost-update",
        "race",
        "crossed-locks",
        "woken-early",
        "inputs",
        "rounds",
        "serial-thread",
        "atomic-blocks",
        "handle",
        "third-access",
        "called-back",
        "key",
        "arguments",
        "handles",
    ],
)
def test_what_the_trace_says_is_seen(folder: Path, source: str, asked: str, seen: str) -> None:
    before = source
    outcome = threadwise.reproduce(trace_of(source, asked), runs=2)
    assert (outcome.kind, outcome.step) == (OutcomeKind.REPRODUCED, None), outcome
    assert any(seen in line for line in outcome.seen), outcome.seen
    assert Path("program.c").read_text() == before, "user sources are never edited"


def test_a_trace_with_another_step_is_refused_at_that_step(folder: Path) -> None:
    path = trace_of(COUNTER, "assertions")
    data = json.loads(path.read_text())
    line = COUNTER.splitlines().index("    pthread_join(a, 0);") + 1
    places = [step["location"]["line"] for step in data["steps"]]
    data["steps"].insert(3, data["steps"].pop(places.index(line)))
    path.write_text(json.dumps(data))
    outcome = threadwise.reproduce(path)
    assert (outcome.kind, outcome.step) == (OutcomeKind.NOT_FORCED, 4)


@pytest.mark.parametrize(
    ("declaration", "body"),
    [
        (
            "pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
            "pthread_cond_destroy(&c); pthread_cond_signal(&c);",
        ),
        (
            "pthread_rwlock_t l;",
            "pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); pthread_rwlock_rdlock(&l);",
        ),
        ("sem_t s;", "sem_init(&s, 0, 1); sem_destroy(&s); sem_wait(&s);"),
        ("pthread_spinlock_t l;", "pthread_spin_destroy(&l); pthread_spin_lock(&l);"),
        (
            "#define _(call) pthread_barrier_##call\npthread_barrier_t b;",
            "_(init)(&b, 0, 1); _(destroy)(&b); _(wait)(&b);",
        ),
    ],
    ids=["condition", "rwlock", "semaphore", "spin", "barrier"],
)
def test_what_nothing_shows_is_missed_at_the_last_step(
    folder: Path, declaration: str, body: str
) -> None:
    includes = "#include <pthread.h>\n#include <semaphore.h>\n"
    path = trace_of(f"{includes}{declaration}\nint main(void) {{ {body} return 0; }}\n", "mutex")
    outcome = threadwise.reproduce(path)
    assert outcome.kind is OutcomeKind.NOT_FORCED, outcome
    assert outcome.step is not None
    assert outcome.step >= len(json.loads(path.read_text())["steps"]) - 1


def test_a_program_of_several_files_with_the_options_of_its_database(folder: Path) -> None:
    Path("src").mkdir()
    Path("include").mkdir()
    Path("include/shared.h").write_text("extern int total; void *work(void *);\n")
    Path("src/work.c").write_text(
        '#include "shared.h"\nint total;\nvoid *work(void *unused) { total += STEP; return 0; }\n'
    )
    Path("src/main.c").write_text(
        COUNTER.replace("static int counter;", '#include "shared.h"')
        .replace("static void *work(void *unused) {\n    counter++;\n    return 0;\n}\n", "")
        .replace("counter == 2", "total == 2 * STEP")
    )
    commands = [
        {
            "directory": str(folder),
            "file": f"{where}src/{name}.c",
            "arguments": ["cc", "-O2", "-Iinclude", "-DSTEP=5", "-c", f"src/{name}.c", "-o", "x"],
        }
        for name, where in (("main", ""), ("work", f"{folder}/"))
    ]
    Path("compile_commands.json").write_text(json.dumps(commands))
    result = threadwise.check("compile_commands.json", properties="assertions", in_process=True)
    threadwise.write_trace(result, "bug.json")
    outcome = threadwise.reproduce("bug.json")
    assert outcome.kind is OutcomeKind.REPRODUCED, outcome
    assert "total == 2 * STEP" in outcome.seen[0]


@SLOW
def test_another_program_than_the_model_diverges(folder: Path) -> None:
    """A flag that only the compiler gets: the two see other numbers."""
    source = COUNTER.replace("counter++;", "counter += AMOUNT;").replace("== 2", "== 2 * AMOUNT")
    trace = trace_of(f"#ifndef AMOUNT\n#define AMOUNT 1\n#endif\n{source}", "assertions")
    outcome = threadwise.reproduce(trace, flags=["-DAMOUNT=7"])
    assert outcome.kind is OutcomeKind.DIVERGED
    assert "7, in the model 1" in outcome.reason


@SLOW
def test_a_program_that_does_not_compile(folder: Path) -> None:
    trace = trace_of(COUNTER, "assertions")
    with pytest.raises(threadwise.InputError, match="cannot compile"):
        threadwise.reproduce(trace, flags=["-Dmain=int"])


def test_a_compiler_that_is_not_there(folder: Path) -> None:
    trace = trace_of(COUNTER, "assertions")
    with pytest.raises(threadwise.InputError, match="no `nocc` here"):
        threadwise.reproduce(trace, compiler="nocc")


@SLOW
def test_the_script_for_gdb_names_every_step(folder: Path) -> None:
    trace = trace_of(COUNTER, "assertions")
    threadwise.reproduce(trace, gdb="bug.gdb")
    script = Path("bug.gdb").read_text()
    assert "work[1] writes counter at program.c:6" in script
    program = next(line for line in script.splitlines() if line.startswith("file "))
    assert Path(program.removeprefix("file ")).exists()


@SLOW
def test_the_command(folder: Path) -> None:
    trace_of(COUNTER, "races")
    command = [sys.executable, "-m", "threadwise", "reproduce", "bug.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("reproduced: ThreadSanitizer reports the race")
