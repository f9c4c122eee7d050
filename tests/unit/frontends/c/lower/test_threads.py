"""Threads, locks, races, deadlocks: what C programs with threads do."""

import pytest

from tests.unit.frontends.c.checking import INCLUDES, checked, loaded, lowered, verdicts
from threadwise.core.errors import InputError
from threadwise.frontends.c.options import COptions

COUNTER = """
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *arg) {
    LOCK
    x++;
    UNLOCK
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
"""


def counter(lock: str, unlock: str) -> str:
    return INCLUDES + COUNTER.replace("UNLOCK", unlock).replace("LOCK", lock)


def test_locked_counter_is_safe() -> None:
    text = counter("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);")
    assert verdicts(text) == {
        "assert:21": "SAFE",
        "mutex": "SAFE",
        "memory": "SAFE",
        "races": "SAFE",
        "deadlocks": "SAFE",
    }


def test_increment_is_a_read_and_a_write() -> None:
    found = verdicts(counter("", ""))
    assert found["assert:21"] == found["races"] == "UNSAFE"
    assert found["mutex"] == found["deadlocks"] == "SAFE"


def test_atomic_increment_is_one_step() -> None:
    text = counter("", "").replace("int x;", "_Atomic int x;")
    assert set(verdicts(text).values()) == {"SAFE"}
    split = text.replace("x++;", "x = x + 1;")
    found = verdicts(split)
    assert found["assert:21"] == "UNSAFE"
    assert found["races"] == "SAFE"


def test_forgotten_unlock_is_a_deadlock_and_a_second_unlock_is_misuse() -> None:
    held = verdicts(counter("pthread_mutex_lock(&m);", ""))
    assert held["deadlocks"] == "UNSAFE"
    twice = "pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);"
    assert verdicts(counter("pthread_mutex_lock(&m);", twice))["mutex"] == "UNSAFE"


def test_traces_speak_c() -> None:
    result = checked(counter("", ""), "races")
    (race,) = result.properties
    assert race.trace is not None
    steps = [(s.thread_name, s.text, s.span.line) for s in race.trace.steps if s.span]
    assert ("main", "pthread_create(&a, 0, f, 0)", 17) in steps


THREADS = """
int got;
void *f(void *arg) { int id = (int)(long)arg; BODY return (void *)(long)(id * 10); }
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)(i + 1));
    int sum = 0;
    for (int i = 0; i < 3; i++) { void *r; pthread_join(t[i], &r); sum += (int)(long)r; }
    assert(sum == 60);
    return 0;
}
"""


def test_arguments_and_results() -> None:
    text = INCLUDES + THREADS.replace("BODY", "")
    program = lowered(text)
    assert program.template["f"].count == 3
    assert verdicts(text, "assertions") == {"assert:14": "SAFE"}
    early = INCLUDES + THREADS.replace("BODY", "if (id == 2) pthread_exit((void *)7);")
    assert verdicts(early, "assertions") == {"assert:14": "UNSAFE"}


def test_how_many_threads() -> None:
    unknown = """
    int n; void *f(void *a) { return 0; }
    int main(void) { pthread_t t; while (n < 2) { n++; pthread_create(&t, 0, f, 0); } return 0; }
    """
    assert lowered(INCLUDES + unknown).template["f"].count == 8
    few = COptions(max_threads=1)
    result = checked(INCLUDES + unknown, "races", options=few)
    assert result.verdict.value == "UNKNOWN"
    assert "more than 1 threads run f" in str(result.properties[0].reason)


def test_main_returning_ends_the_program_and_pthread_exit_does_not() -> None:
    text = """
    void *f(void *a) { for (;;) { } return 0; }
    int g; void *h(void *a) { g = 1; assert(0); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, FUN, 0); END }
    """
    ends = INCLUDES + text.replace("FUN", "f").replace("END", "return 0;")
    assert verdicts(ends, "deadlocks") == {"deadlocks": "SAFE"}
    waits = INCLUDES + text.replace("FUN", "h").replace("END", "pthread_exit(0);")
    assert "UNSAFE" in verdicts(waits, "assertions").values()
    gone = """
    int main(void) { exit(0); assert(0); }
    """
    assert set(verdicts(INCLUDES + gone, "all").values()) == {"SAFE"}


def test_locals_whose_address_escapes_are_shared() -> None:
    text = """
    void *f(void *p) { (*(int *)p)++; return 0; }
    int main(void) {
        int x = 0; pthread_t t;
        pthread_create(&t, 0, f, &x);
        x++;
        pthread_join(t, 0);
        return 0;
    }
    """
    assert verdicts(INCLUDES + text, "races") == {"races": "UNSAFE"}
    ordered = text.replace("x++;\n        pthread_join(t, 0);", "pthread_join(t, 0); x++;")
    ordered = ordered.replace("return 0;\n    }\n    ", "assert(x == 2); return 0; }")
    assert set(verdicts(INCLUDES + ordered).values()) == {"SAFE"}


def test_atomic_regions() -> None:
    text = """
    int x;
    extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
    void *f(void *a) {
        __VERIFIER_atomic_begin(); x++; x++; __VERIFIER_atomic_end(); return 0; }
    int main(void) {
        pthread_t t; pthread_create(&t, 0, f, 0);
        __VERIFIER_atomic_begin(); int odd = x % 2; __VERIFIER_atomic_end();
        assert(!odd);
        return 0;
    }
    """
    assert set(verdicts(INCLUDES + text, "assertions", "races").values()) == {"SAFE"}
    plain = text.replace(
        "__VERIFIER_atomic_begin(); int odd = x % 2; __VERIFIER_atomic_end();", "int odd = x % 2;"
    )
    assert verdicts(INCLUDES + plain, "assertions", "races")["races"] == "UNSAFE"


def test_entries() -> None:
    text = "int x; void inc(void) { x++; } void dec(void) { x--; }"
    options = COptions(entry=("inc", "dec"))
    program = lowered(text, options)
    assert [t.count for t in program.templates] == [None]
    with pytest.raises(InputError, match="no function `nothing`"):
        lowered(text, COptions(entry=("nothing",)))
    with pytest.raises(InputError, match="no function `main`"):
        lowered(text)


def test_assumptions_are_listed() -> None:
    text = "int g; int main(void) { g = g + 1; return 0; }"
    assert "signed integer overflow wraps around" in loaded(text).assumptions
    assert loaded(text.replace("int g", "unsigned g")).assumptions == ()


def test_the_end_of_the_program_is_a_step_of_its_own() -> None:
    text = (
        INCLUDES + "int x; void *t(void *a) { assert(!x); return 0; } "
        "int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); x = 1; return 0; }"
    )
    assert checked(text, "assertions").verdict.value == "UNSAFE"


def test_a_failure_is_a_step_of_its_own() -> None:
    text = (
        INCLUDES + "_Atomic int x; void *t(void *a) { assert(!x); return 0; } "
        "int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); x = 1; assert(0); }"
    )
    assert set(verdicts(text, "assertions").values()) == {"UNSAFE"}


def test_functions_that_are_atomic_by_their_names() -> None:
    text = (
        INCLUDES + "int x; int __VERIFIER_atomic_two(int v) { x = v; if (x != v) return 0; "
        "return x == v; } void *t(void *a) { __VERIFIER_atomic_two(7); return 0; } "
        "int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); "
        "assert(__VERIFIER_atomic_two(3)); }"
    )
    assert set(verdicts(text, "assertions", "races").values()) == {"SAFE"}


def test_a_variable_that_a_pointer_knows_from_the_start_is_shared() -> None:
    text = (
        INCLUDES + "int g; int *gp = &g; void *t(void *a) { *gp = 1; return 0; } "
        "int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); g = 2; "
        "int seen = g; assert(seen == 2); pthread_join(i, 0); }"
    )
    assert set(verdicts(text, "assertions", "races").values()) == {"UNSAFE"}


CHOSEN = """
int x, y;
void *f(void *arg) { x = 1; return 0; }
void *g(void *arg) { Y = 1; return 0; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, i ? f : g, 0);
    return 0;
}
"""


@pytest.mark.parametrize(("variable", "verdict"), [("y", "SAFE"), ("x", "UNSAFE")])
def test_a_function_that_is_chosen_where_a_thread_is_started(variable: str, verdict: str) -> None:
    assert verdicts(INCLUDES + CHOSEN.replace("Y", variable))["races"] == verdict
