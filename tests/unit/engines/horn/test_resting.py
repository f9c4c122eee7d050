"""What locks protect is computed and proved; what they do not protect is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.transforms.parametric.test_parametric import c_program
from threadwise.engines.api import Finding, Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.engines.horn.proofs import Proofs
from threadwise.engines.horn.resting import suggestions
from threadwise.engines.parametric import with_parametric
from threadwise.ir.program import Program
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate

SHARED = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
"""
LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
ATOMIC, ATOMIC_END = "__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();"
OTHER, OTHER_UNLOCK = "pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);"


def program_of(work: str, main: str = "", before: str = "") -> Program:
    return c_program(
        f"{SHARED}static void *work(void *a) {{ {work} return 0; }}\n"
        f"int main(void) {{ pthread_t t; {before}"
        f" for (int i = 0; i < 1000; i++) pthread_create(&t, 0, work, 0); {main} return 0; }}"
    )


def proofs(program: Program) -> list[Certificate]:
    """What is proved by suggestions alone."""
    asked = tuple(p for p in program.properties if p.name.startswith("assert"))
    assert asked
    found: list[Certificate] = []

    def run(task: Task) -> Iterator[Finding]:
        told = suggestions(task.program)
        assert told is not None
        proved = Proofs(task, 1, (), narrow=False, suggested=told).by_guesses(task.properties)
        if proved is not None:
            yield proved

    task = Task(program, asked)
    for finding in with_parametric(task, run, lambda _: iter(()), without_loops=True):
        assert isinstance(finding, Proved)
        found.append(finding.certificate)
    return found


RIGHT = {
    "a number at rest": (f"{LOCK} x--; x++; {UNLOCK}", f"{LOCK} assert(x == 0); {UNLOCK}", ""),
    "equal numbers": (f"{LOCK} assert(x == y); x++; y++; {UNLOCK}", "", ""),
    "a sum": (f"{LOCK} assert(x + y == z); x++; y--; {UNLOCK}", "", "x = 5; z = 5;"),
    "a multiple": (f"{LOCK} assert(x == 2 * y); if (y < 9) {{ x += 2; y++; }} {UNLOCK}", "", ""),
    "bounds": (f"{LOCK} if (x < 7) x++; assert(x <= 7); {UNLOCK}", "", ""),
    "before threads are created": (f"{LOCK} assert(x == 3); {UNLOCK}", "", "x = 9; x = 3;"),
    "two locks for writing": (
        f"{LOCK} {OTHER} x++; y++; {OTHER_UNLOCK} assert(x == y); {UNLOCK}",
        f"{OTHER} assert(x == y); {OTHER_UNLOCK}",
        "",
    ),
    "a lock that is tried": (
        f"if (pthread_mutex_trylock(&m) == 0) {{ x++; x--; {UNLOCK} }}",
        f"{LOCK} assert(x == 0); {UNLOCK}",
        "",
    ),
    "a sum that nobody changes": (
        f"int k = __VERIFIER_nondet_int(); {LOCK} x -= k; y += k; assert(x + y == z); {UNLOCK}",
        "",
        "x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int(); z = x + y;",
    ),
    "a value that follows from another one": (
        f"{LOCK} if (x != 0) {{ x = 0; y = 1; z++; assert(z == 1); }}"
        f" else {{ x = 1; y = 0; assert(z == 1); z--; }} {UNLOCK}",
        "",
        "x = 1;",
    ),
    "one is never above the other": (
        f"{LOCK} if (x < y) x++; else if (y < 1000) y++; assert(x <= y); {UNLOCK}",
        f"{LOCK} assert(x <= y); {UNLOCK}",
        "",
    ),
    "no more is taken than there is": (
        f"int k = __VERIFIER_nondet_int(); {LOCK} if (k > 0 && k <= x) {{ x -= k; y += k; }}"
        f" {UNLOCK}",
        f"{LOCK} assert(x >= 0 && y >= 0); {UNLOCK}",
        "x = 100;",
    ),
    "no more is taken than there is, at once": (
        f"int k = __VERIFIER_nondet_int(); {ATOMIC} if (k > 0 && k <= x) {{ x -= k; y += k; }}"
        f" {ATOMIC_END}",
        f"{ATOMIC} assert(x >= 0 && y >= 0); {ATOMIC_END}",
        "x = 100;",
    ),
    "atomic sections": (
        f"int k = __VERIFIER_nondet_int(); {ATOMIC} x += k; y += k; {ATOMIC_END}"
        f" {ATOMIC} assert(x == y); {ATOMIC_END}",
        "",
        "",
    ),
    "a lock that is taken under a condition": (
        f"int b = __VERIFIER_nondet_int() ? 1 : 0; if (b) {LOCK} if (b) {{ x++; x--; }}"
        f" if (b) {UNLOCK}",
        f"{LOCK} assert(x == 0); {UNLOCK}",
        "",
    ),
}


@pytest.mark.parametrize("parts", RIGHT.values(), ids=RIGHT)
def test_what_locks_protect_is_proved(parts: tuple[str, str, str]) -> None:
    program = program_of(*parts)
    (certificate,) = proofs(program)
    check_certificate(program, certificate, lambda: None)


WRONG = {
    "released too early": (f"{LOCK} x++; {UNLOCK} {LOCK} y++; assert(x == y); {UNLOCK}", "", ""),
    "another lock": (f"{OTHER} x--; x++; {OTHER_UNLOCK}", f"{LOCK} assert(x == 0); {UNLOCK}", ""),
    "no lock for one write": (f"{LOCK} assert(x == 0); {UNLOCK} x++; x--;", "", ""),
    "no lock for the look": (f"{LOCK} x--; x++; {UNLOCK}", "assert(x == 0);", ""),
    "left otherwise": (f"{LOCK} assert(x == y); x++; {UNLOCK}", "", ""),
    "written after threads are created": (
        f"{LOCK} assert(x == 3); {UNLOCK}",
        "x = 4; x = 3;",
        "x = 3;",
    ),
    "a bound that is passed": (f"{LOCK} if (x < 8) x++; assert(x <= 7); {UNLOCK}", "", ""),
    "wraps around": (f"{LOCK} x++; assert(x > 0); {UNLOCK}", "", ""),
    "a lock that was not got": (
        f"pthread_mutex_trylock(&m); x++; x--; {UNLOCK}",
        f"{LOCK} assert(x == 0); {UNLOCK}",
        "",
    ),
    "a lock that is taken under another condition": (
        f"int b = __VERIFIER_nondet_int() ? 1 : 0; int c = __VERIFIER_nondet_int() ? 1 : 0;"
        f" if (b) {LOCK} if (c) {{ x++; x--; }} if (b) {UNLOCK}",
        f"{LOCK} assert(x == 0); {UNLOCK}",
        "",
    ),
    "a sum that somebody changes": (
        f"{LOCK} x--; y++; assert(x + y == z); {UNLOCK}",
        "z = 1; z = 0;",
        "",
    ),
    "one more is taken than there is": (
        f"int k = __VERIFIER_nondet_int(); {LOCK} if (k > 0 && k <= x + 1) x -= k; {UNLOCK}",
        f"{LOCK} assert(x >= 0); {UNLOCK}",
        "x = 100;",
    ),
    "what is given back wraps around": (
        f"int k = __VERIFIER_nondet_int(); {LOCK} if (k > 0) x += k; {UNLOCK}",
        f"{LOCK} assert(x >= 0); {UNLOCK}",
        "",
    ),
    "one is above the other for once": (
        f"{LOCK} if (x <= y) x++; else if (y < 1000) y++; assert(x <= y); {UNLOCK}",
        "",
        "",
    ),
    "atomic sections that end too early": (
        f"{ATOMIC} x++; {ATOMIC_END} {ATOMIC} y++; {ATOMIC_END}"
        f" {ATOMIC} assert(x == y); {ATOMIC_END}",
        "",
        "",
    ),
    "an atomic section beside plain writes": (
        f"{ATOMIC} assert(x == y); {ATOMIC_END} x++; y++;",
        "",
        "",
    ),
    "half of a pair": (f"{LOCK} assert(x == 2 * y); x += 2; y++; {UNLOCK}", "", "x = 1;"),
}


@pytest.mark.parametrize("parts", WRONG.values(), ids=WRONG)
def test_what_they_do_not_protect_is_not_proved(parts: tuple[str, str, str]) -> None:
    assert proofs(program_of(*parts)) == []


def test_nothing_is_suggested_without_integers() -> None:
    program = c_program("static void *work(void *a) { return 0; }\nint main(void) { return 0; }")
    assert suggestions(program) is None


JOINED = """
static pthread_t ids[1000];
static void *work(void *a) {
  pthread_mutex_lock(&m); x--; x++; pthread_mutex_unlock(&m); return 0;
}
int main(void) {
  for (int i = 0; i < 1000; i++) pthread_create(&ids[i], 0, work, 0);
  LOOK
  for (int i = 0; i < JOINS; i++) pthread_join(ids[i], 0);
  return 0;
}
"""


@pytest.mark.parametrize("joins", ["1000", "10"])
def test_joins_of_many_threads_hinder_nothing(joins: str) -> None:
    text = JOINED.replace("LOOK", f"{LOCK} assert(x == 0); {UNLOCK}").replace("JOINS", joins)
    program = c_program(SHARED + text)
    (certificate,) = proofs(program)
    check_certificate(program, certificate, lambda: None)


def test_joins_of_many_threads_excuse_nothing() -> None:
    text = JOINED.replace("LOOK", "assert(x == 0);").replace("JOINS", "1000")
    assert proofs(c_program(SHARED + text)) == []


TWO = """
static void *one(void *a) { ONE return 0; }
static void *two(void *a) { TWO return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
GUARDED = f"while (1) {{ {LOCK} if (x < y) x++; assert(x <= y); {UNLOCK} }}"


def _two(second: str) -> Program:
    return c_program(SHARED + TWO.replace("ONE", GUARDED).replace("TWO", second))


def test_threads_that_are_created_without_loops_are_parametric_too() -> None:
    program = _two(f"while (1) {{ {LOCK} if (y < 1000) y++; {UNLOCK} }}")
    asked = tuple(p for p in program.properties if p.name.startswith("assert"))
    (proved,) = HornEngine().run(Task(program, asked))
    assert isinstance(proved, Proved)
    check_certificate(program, proved.certificate, lambda: None)


def test_and_are_not_proved_right_if_they_are_not() -> None:
    assert proofs(_two(f"{LOCK} y = x + 1; x = x + 2; y++; {UNLOCK} y--;")) == []


def test_a_lock_that_is_only_released_protects_nothing() -> None:
    readers = """
    static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    static void *work(void *a) {
      pthread_rwlock_rdlock(&l); x--; x++; assert(x == 0); pthread_rwlock_unlock(&l); return 0;
    }
    int main(void) {
      pthread_t t;
      for (int i = 0; i < 1000; i++) pthread_create(&t, 0, work, 0);
      return 0;
    }
    """
    assert proofs(c_program(SHARED + readers)) == []
