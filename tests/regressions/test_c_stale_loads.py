"""Loads that miss stores by their memory orders: no proof about interleavings may hide it.

These programs were SAFE, most of them with nothing but a listed assumption: mutual exclusion by
release stores and acquire loads, which excludes nobody in C.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from tests.every_engine import loaded
from threadwise.driver.verdicts import weak_orders
from threadwise.driver.verdicts.stale_loads import stale

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define LOAD(x, o) atomic_load_explicit(&x, memory_order_##o)
#define STORE(x, v, o) atomic_store_explicit(&x, v, memory_order_##o)
#define SWAP(x, v, o) atomic_exchange_explicit(&x, v, memory_order_##o)
#define ADD(x, v, o) atomic_fetch_add_explicit(&x, v, memory_order_##o)
struct pair { int unused; atomic_int a; };
atomic_int x, y, turn; struct pair s; int r1, r2, r3, r4, c, data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
"""


def program(one: str, two: str, end: str = "", three: str = "", four: str = "") -> str:
    """Two threads, or up to four, and what main does when they have ended."""
    bodies = [body for body in (one, two, three, four) if body]
    threads = range(len(bodies))
    text = HEAD
    for k, body in enumerate(bodies):
        text += f"void *t{k}(void *arg) {{ {body} return 0; }}\n"
    text += f"int main(void) {{ pthread_t t[{len(bodies)}];\n"
    text += "".join(f"pthread_create(&t[{k}], 0, t{k}, 0); " for k in threads)
    text += "".join(f"pthread_join(t[{k}], 0); " for k in threads)
    return f"{text}\n{end} return 0; }}\n"


def buffering(store: str, load: str, between: str = "") -> str:
    """Each thread stores to one variable and loads the other one."""
    return program(
        f"STORE(x, 1, {store}); {between} r1 = LOAD(y, {load});",
        f"STORE(y, 1, {store}); {between} r2 = LOAD(x, {load});",
        "assert(r1 || r2);",
    )


def dekker(store: str, load: str) -> str:
    """The same, to exclude each other."""
    return program(
        f"STORE(x, 1, {store}); if (!LOAD(y, {load})) c++;",
        f"STORE(y, 1, {store}); if (!LOAD(x, {load})) c++;",
        "assert(c < 2);",
    )


def peterson(store: str, load: str, turn: str = "STORE(turn, {}, release)") -> str:
    """Peterson's algorithm."""

    def side(mine: str, other: str, number: int) -> str:
        waits = f"while (LOAD({other}, {load}) && LOAD(turn, {load}) == {number});"
        enters = f"STORE({mine}, 1, {store}); {turn.format(number)}; {waits}"
        return f"{enters} c++; STORE({mine}, 0, release);"

    return program(side("x", "y", 1), side("y", "x", 0), "assert(c == 2);")


def message(store: str, load: str, other: str = "relaxed") -> str:
    """A value and a flag that says that it is there, both atomic."""
    return program(
        f"STORE(x, 1, {other}); STORE(y, 1, {store});",
        f"if (LOAD(y, {load})) assert(LOAD(x, {other}) == 1);",
    )


def readers(load: str) -> str:
    """Two readers of two writers."""
    return program(
        "STORE(x, 1, release);",
        "STORE(y, 1, release);",
        "assert(!(r1 && !r2 && r3 && !r4));",
        f"r1 = LOAD(x, {load}); r2 = LOAD(y, {load});",
        f"r3 = LOAD(y, {load}); r4 = LOAD(x, {load});",
    )


VIOLATED = {
    "store buffering, relaxed": buffering("relaxed", "relaxed"),
    "store buffering, release and acquire": buffering("release", "acquire"),
    "store buffering with another load between": buffering(
        "release", "acquire", "LOAD(turn, acquire);"
    ),
    "store buffering with a lock of each": program(
        "STORE(x, 1, release); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"
        " r1 = LOAD(y, acquire);",
        "STORE(y, 1, release); pthread_mutex_lock(&n); pthread_mutex_unlock(&n);"
        " r2 = LOAD(x, acquire);",
        "assert(r1 || r2);",
    ),
    "in a record": program(
        "STORE(s.a, 1, release); r1 = LOAD(y, acquire);",
        "STORE(y, 1, release); r2 = LOAD(s.a, acquire);",
        "assert(r1 || r2);",
    ),
    "gcc's functions": program(
        "__atomic_store_n(&x, 1, __ATOMIC_RELEASE); r1 = __atomic_load_n(&y, __ATOMIC_ACQUIRE);",
        "__atomic_store_n(&y, 1, __ATOMIC_RELEASE); r2 = __atomic_load_n(&x, __ATOMIC_ACQUIRE);",
        "assert(r1 || r2);",
    ),
    "Dekker": dekker("release", "acquire"),
    "Dekker, relaxed": dekker("relaxed", "relaxed"),
    "Peterson": peterson("release", "acquire"),
    "a message, relaxed": message("relaxed", "relaxed"),
    "a message, not released": message("relaxed", "acquire"),
    "a message, not acquired": message("release", "relaxed"),
    "readers": readers("acquire"),
    "plain data, not released": program(
        "data = 1; STORE(y, 1, relaxed);", "if (LOAD(y, acquire)) assert(data == 1);"
    ),
    "plain data, not released, and sequential": program(
        "data = 1; STORE(y, 1, relaxed);", "if (atomic_load(&y)) assert(data == 1);"
    ),
    "store buffering, sequential stores": buffering("seq_cst", "acquire"),
    "plain data, not acquired": program(
        "data = 1; STORE(y, 1, release);", "if (LOAD(y, relaxed)) assert(data == 1);"
    ),
    "a spin lock that is not acquired": program(
        "while (SWAP(x, 1, relaxed)); c++; STORE(x, 0, release);",
        "while (SWAP(x, 1, relaxed)); c++; STORE(x, 0, release);",
        "assert(c == 2);",
    ),
    "a spin lock that is not released": program(
        "while (SWAP(x, 1, acquire)); c++; STORE(x, 0, relaxed);",
        "while (SWAP(x, 1, acquire)); c++; STORE(x, 0, relaxed);",
        "assert(c == 2);",
    ),
    "an update that is relaxed": program(
        "STORE(x, 1, relaxed); ADD(y, 1, relaxed);",
        "if (ADD(y, 0, relaxed) == 1) assert(LOAD(x, relaxed) == 1);",
    ),
}
HELD = {
    "store buffering, sequential": buffering("seq_cst", "seq_cst"),
    "store buffering, sequential, beside a relaxed load": buffering(
        "seq_cst", "seq_cst", "LOAD(turn, relaxed);"
    ),
    "Dekker, sequential, beside a relaxed load": dekker("seq_cst", "seq_cst").replace(
        "STORE(x, 1", "LOAD(turn, relaxed); STORE(x, 1"
    ),
    "readers, sequential": readers("seq_cst"),
    "plain data, sequential": program(
        "data = 1; y = 1; LOAD(turn, relaxed);", "if (y) assert(data == 1);"
    ),
    "plain data, sequential and acquire": program(
        "data = 1; y = 1;", "if (LOAD(y, acquire)) assert(data == 1);"
    ),
    "store buffering, a sequential update": buffering(
        "release", "acquire", "ADD(turn, 1, seq_cst);"
    ),
    "store buffering, updates of one variable": buffering(
        "release", "acquire", "ADD(turn, 1, acq_rel);"
    ),
    "store buffering with one lock": buffering(
        "release", "acquire", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"
    ),
    "store buffering with fences": buffering(
        "relaxed", "relaxed", "atomic_thread_fence(memory_order_seq_cst);"
    ),
    "Dekker, sequential": dekker("seq_cst", "seq_cst"),
    "Peterson, sequential": peterson("seq_cst", "seq_cst", "turn = {}"),
    "Peterson with an exchange": peterson("release", "acquire", "SWAP(turn, {}, acq_rel)"),
    "a message": message("release", "acquire"),
    "a message by an update": program(
        "STORE(x, 1, relaxed); ADD(y, 1, release);",
        "if (LOAD(y, acquire)) assert(LOAD(x, relaxed) == 1);",
    ),
    "a release sequence": program(
        "STORE(x, 1, relaxed); STORE(y, 1, release); ADD(y, 1, relaxed);",
        "if (LOAD(y, acquire)) assert(LOAD(x, relaxed) == 1);",
    ),
    "coherence": program(
        "STORE(x, 1, relaxed);", "r1 = LOAD(x, relaxed); r2 = LOAD(x, relaxed); assert(r1 <= r2);"
    ),
    "what one has stored": program(
        "STORE(x, 1, relaxed); assert(LOAD(x, relaxed) == 1);", "STORE(y, 1, relaxed);"
    ),
    "a counter": program(
        "ADD(x, 1, relaxed);", "ADD(x, 1, relaxed);", "assert(LOAD(x, relaxed) == 2);"
    ),
    "after joins": program(
        "STORE(x, 1, relaxed);", "STORE(y, 1, relaxed);", "assert(LOAD(x, relaxed));"
    ),
    "a spin lock": program(
        "while (SWAP(x, 1, acquire)); c++; STORE(x, 0, release);",
        "while (SWAP(x, 1, acquire)); c++; STORE(x, 0, release);",
        "assert(c == 2);",
    ),
    "a chain": program(
        "STORE(x, 1, relaxed); STORE(y, 1, release);",
        "if (LOAD(y, acquire)) STORE(turn, 1, release);",
        three="if (LOAD(turn, acquire)) assert(LOAD(x, relaxed) == 1);",
    ),
    "plain data": program(
        "data = 1; STORE(y, 1, release);", "if (LOAD(y, acquire)) assert(data == 1);"
    ),
    "plain data of main": program(
        "assert(data == 0); STORE(y, 1, relaxed);", "r1 = data;", "data = 1; assert(data == 1);"
    ),
    "plain data, handed on": program(
        "data = 1; STORE(y, 1, release);",
        "if (LOAD(y, acquire)) { data = 2; STORE(x, 1, release); }",
        three="if (LOAD(x, acquire)) assert(data == 2);",
    ),
    "plain records": program(
        "pthread_mutex_lock(&m); s = (struct pair){1, 1}; STORE(y, 1, relaxed);"
        " pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); if (LOAD(y, relaxed)) assert(s.unused == 1);"
        " pthread_mutex_unlock(&m);",
    ),
    "under a lock": program(
        "pthread_mutex_lock(&m); STORE(x, 1, relaxed); c = 1; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); if (c) assert(LOAD(x, relaxed) == 1); pthread_mutex_unlock(&m);",
    ),
}


LIBRARY = {
    "a condition": (
        "pthread_mutex_lock(&m); data = 1; c = 1; pthread_cond_signal(&cv); "
        "pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); while (!c) pthread_cond_wait(&cv, &m); pthread_mutex_unlock(&m);",
    ),
    "a semaphore": ("data = 1; sem_post(&se);", "sem_wait(&se);"),
    "a barrier": ("data = 1; pthread_barrier_wait(&br);", "pthread_barrier_wait(&br);"),
    "a routine that runs once": ("pthread_once(&o, made);", "pthread_once(&o, made);"),
    "a read-write lock": (
        "pthread_rwlock_wrlock(&rw); data = 1; c = 1; pthread_rwlock_unlock(&rw);",
        "pthread_rwlock_rdlock(&rw); int seen = c; pthread_rwlock_unlock(&rw); if (seen)",
    ),
    "a spin lock of the library": (
        "pthread_spin_lock(&sl); data = 1; c = 1; pthread_spin_unlock(&sl);",
        "pthread_spin_lock(&sl); int seen = c; pthread_spin_unlock(&sl); if (seen)",
    ),
    "a sequential access": ("data = 1; turn = 1;", "if (turn)"),
    "gcc's old functions": (
        "data = 1; __sync_fetch_and_add(&c, 1);",
        "if (__sync_fetch_and_add(&c, 0))",
    ),
    "a lock on the heap": (
        "pthread_mutex_lock(heap); data = 1; c = 1; pthread_mutex_unlock(heap);",
        "pthread_mutex_lock(heap); int seen = c; pthread_mutex_unlock(heap); if (seen)",
    ),
}
LIBRARY_HEAD = """
#include <semaphore.h>
#include <stdlib.h>
pthread_cond_t cv = PTHREAD_COND_INITIALIZER; pthread_once_t o = PTHREAD_ONCE_INIT;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; pthread_spinlock_t sl; sem_t se;
pthread_barrier_t br; pthread_mutex_t *heap; void made(void) { data = 1; }
"""
LIBRARY_MAIN = """sem_init(&se, 0, 0); pthread_barrier_init(&br, 0, 2); pthread_spin_init(&sl, 0);
heap = malloc(sizeof *heap); pthread_mutex_init(heap, 0);
"""


def shown(text: str) -> dict[str, str]:
    """By kind of property, what runs show."""
    found = loaded(text)
    told = stale(found.program, found.orders, found.program.properties, lambda: None)
    kinds = {each.name: each.kind.value for each in found.program.properties}
    return {kinds[name]: str(each) for name, each in told.items()}


@pytest.mark.parametrize("text", VIOLATED.values(), ids=VIOLATED)
def test_runs_show_the_violation(text: str) -> None:
    assert (
        "by the memory orders of C a load may miss the store at t.c:" in shown(text)["assertion"]
    )


@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_runs_show_nothing_where_nothing_is_violated(text: str) -> None:
    assert shown(text) == {}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_orders_what_it_orders(name: str) -> None:
    tells, learns = LIBRARY[name]
    text = program(f"STORE(x, 1, relaxed); {tells}", f"{learns} assert(data + LOAD(x, relaxed));")
    text = text.replace(HEAD, HEAD + LIBRARY_HEAD)
    text = text.replace("int main(void) {", f"int main(void) {{ {LIBRARY_MAIN}")
    assert shown(text) == {}
    if name != "a routine that runs once":
        assert "assertion" in shown(text.replace(learns, ""))


@pytest.mark.parametrize("name", ["Dekker", "Peterson"])
def test_races_are_shown_too(name: str) -> None:
    assert "violates `races`" in shown(VIOLATED[name])["race"]


@pytest.mark.parametrize("kind", ["assertions", "races"])
@pytest.mark.parametrize("name", ["Dekker", "Peterson"])
def test_such_programs_are_not_safe(name: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text(VIOLATED[name])
    result = threadwise.check(tmp_path / "t.c", properties=kind, in_process=True)
    assert result.verdict.value == "UNKNOWN"
    assert "a load may miss the store" in str(result.properties[0].reason)


def test_others_are_still_safe(tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text(HELD["Peterson with an exchange"])
    result = threadwise.check(tmp_path / "t.c", properties="assertions", in_process=True)
    assert result.verdict.value == "SAFE"


def test_certify_refuses_such_proofs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.c").write_text(VIOLATED["Dekker"])
    with monkeypatch.context() as believing:
        believing.setattr(weak_orders, "beyond_interleavings", lambda *_: {})
        result = threadwise.check(tmp_path / "t.c", properties="assertions", in_process=True)
    threadwise.write_certificate(result, tmp_path / "proof.json")
    with pytest.raises(threadwise.Refuted, match="a load may miss the store"):
        threadwise.certify(tmp_path / "t.c", tmp_path / "proof.json")
