"""Stories of deadlocks: where what is waited for was got, and nothing that was given back."""

from __future__ import annotations

from pathlib import Path

import threadwise
from threadwise.traces.trace import DescribedTrace

START = "#include <pthread.h>\n#include <stdlib.h>\n"


def deadlock(folder: Path, text: str) -> DescribedTrace:
    """The trace of the deadlock of a program."""
    source = folder / "program.c"
    source.write_text(START + text, encoding="utf-8")
    result = threadwise.check(source, properties="deadlocks", engine="explicit", in_process=True)
    (found,) = result.properties
    assert found.trace is not None
    return found.trace


def told(trace: DescribedTrace) -> list[tuple[str, str]]:
    """Who does what in the lines that matter."""
    assert trace.story is not None
    names = trace.story.threads
    return [(names[line.thread], line.text) for line in trace.story.slice]


def held(trace: DescribedTrace) -> dict[str, tuple[str, ...]]:
    """What the threads of the deadlock hold."""
    assert trace.story is not None
    return {trace.story.threads[row.thread]: row.held for row in trace.story.end}


LOCKS = "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n"


def test_locks_that_were_given_back_are_left_out(tmp_path: Path) -> None:
    text = LOCKS + (
        "static void *other(void *x) {\n  pthread_mutex_lock(&b);\n  pthread_mutex_lock(&a);\n"
        "  pthread_mutex_unlock(&a);\n  pthread_mutex_unlock(&b);\n  return x;\n}\n"
        "int main(void) {\n  pthread_t t;\n"
        "  pthread_mutex_lock(&a);\n  pthread_mutex_unlock(&a);\n"
        "  pthread_create(&t, 0, other, 0);\n  pthread_mutex_lock(&a);\n"
        "  pthread_mutex_lock(&b);\n  pthread_mutex_unlock(&b);\n  pthread_mutex_unlock(&a);\n"
        "  pthread_join(t, 0);\n  return 0;\n}\n"
    )
    trace = deadlock(tmp_path, text)
    assert sorted(told(trace)) == [
        ("main", "pthread_mutex_lock(&a)"),
        ("main", "starts other"),
        ("other", "pthread_mutex_lock(&b)"),
    ]
    assert held(trace) == {"main": ("a",), "other": ("b",)}


def test_a_signal_that_came_too_early(tmp_path: Path) -> None:
    text = LOCKS + (
        "static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;\n"
        "int main(void) {\n  pthread_cond_signal(&changed);\n  pthread_mutex_lock(&b);\n"
        "  pthread_mutex_unlock(&b);\n  pthread_mutex_lock(&a);\n"
        "  pthread_cond_wait(&changed, &a);\n  pthread_mutex_unlock(&a);\n  return 0;\n}\n"
    )
    assert told(deadlock(tmp_path, text)) == [
        ("main", "pthread_cond_signal(&changed)"),
        ("main", "pthread_mutex_lock(&a)"),
        ("main", "pthread_cond_wait(&changed, &a)"),
    ]


def test_a_lock_for_reading_in_memory_is_held(tmp_path: Path) -> None:
    text = (
        "struct table {\n  pthread_rwlock_t lock;\n  int size;\n};\n"
        "int main(void) {\n  struct table *t = malloc(sizeof *t);\n  if (!t)\n    return 1;\n"
        "  pthread_rwlock_init(&t->lock, 0);\n  pthread_rwlock_rdlock(&t->lock);\n"
        "  pthread_rwlock_wrlock(&t->lock);\n  return 0;\n}\n"
    )
    trace = deadlock(tmp_path, text)
    (waiting,) = map(str, trace.waiting)
    lock = "lock of struct table (line 8)"
    assert waiting == f"main waits at line 13 for {lock}, held by main since line 12"
    assert held(trace) == {"main": ("table#1.lock (read)",)}
    assert ("main", "pthread_rwlock_rdlock(&t->lock)") in told(trace)


def test_an_initialisation_that_needs_itself(tmp_path: Path) -> None:
    text = (
        "static pthread_once_t once = PTHREAD_ONCE_INIT;\n"
        "static void make(void) {\n  pthread_once(&once, make);\n}\n"
        "int main(void) {\n  pthread_once(&once, make);\n  return 0;\n}\n"
    )
    trace = deadlock(tmp_path, text)
    (waiting,) = map(str, trace.waiting)
    assert waiting == "main waits at line 5 for once, held by main since line 8"
    assert held(trace) == {"main": ("once",)}
    assert trace.story is not None
    (row,) = trace.story.end
    assert row.span is not None
    assert (row.span.line, row.text) == (5, "pthread_once(&once, make)")


def test_locks_on_the_heap_are_held_since_a_line(tmp_path: Path) -> None:
    text = (
        "struct node {\n  pthread_mutex_t lock;\n  int size;\n};\n"
        "int main(void) {\n  struct node *n = malloc(sizeof *n);\n  if (!n)\n    return 1;\n"
        "  pthread_mutex_init(&n->lock, 0);\n  pthread_mutex_lock(&n->lock);\n"
        "  pthread_mutex_lock(&n->lock);\n  return 0;\n}\n"
    )
    trace = deadlock(tmp_path, text)
    (waiting,) = map(str, trace.waiting)
    lock = "lock of struct node (line 8)"
    assert waiting == f"main waits at line 13 for {lock}, held by main since line 12"
    assert ("main", "pthread_mutex_lock(&n->lock)") in told(trace)


def test_who_waits_for_the_end_of_others_comes_last(tmp_path: Path) -> None:
    text = (
        "#include <semaphore.h>\nstatic sem_t s;\n"
        "static void *other(void *x) {\n  sem_wait(&s);\n  return x;\n}\n"
        "int main(void) {\n  pthread_t t;\n  sem_init(&s, 0, 0);\n"
        "  pthread_create(&t, 0, other, 0);\n  pthread_join(t, 0);\n  return 0;\n}\n"
    )
    trace = deadlock(tmp_path, text)
    assert [waiting.thread for waiting in trace.waiting] == ["other", "main"]
