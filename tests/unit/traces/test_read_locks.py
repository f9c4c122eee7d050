"""Read-write locks in stories: one name, and what reading excludes."""

from __future__ import annotations

from pathlib import Path

import threadwise

PROGRAM = """
#include <pthread.h>
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
static int entries, hits;
static void *work(void *arg) {
  pthread_rwlock_wrlock(&guard);
  entries = 1;
  pthread_rwlock_unlock(&guard);
  pthread_rwlock_rdlock(&guard);
  if (entries)
    hits++;
  pthread_rwlock_unlock(&guard);
  return arg;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return hits;
}
"""


def test_a_lock_that_is_held_for_reading_excludes_no_reader(tmp_path: Path) -> None:
    path = tmp_path / "cache.c"
    path.write_text(PROGRAM)
    result = threadwise.check(path, properties="races", engine="explicit")
    (races,) = result.properties
    assert races.trace is not None
    story = races.trace.story
    assert story is not None
    told = (
        "nothing orders the two: both hold guard for reading only, and neither waits for the other"
    )
    assert story.why == told
    assert {lock for line in story.lines for lock in line.held} == {"guard", "guard (read)"}
    assert [row.held for row in story.end] == [("guard (read)",)] * 2
