"""Locations, accesses and locks under the names that the source gives them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from threadwise.core.c_options import COptions
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.proofs.base.locations import Location
from threadwise.report.locations import locations_of_result

HEAD = "#include <pthread.h>\n#include <stdlib.h>\n#include <semaphore.h>\n"
MAIN = """
int main(void) {
  pthread_t s, t;
  start();
  pthread_create(&s, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
"""
PORTS = """
struct port { pthread_mutex_t lock; int count; int errors; };
static struct port ports[4];
static void start(void) { for (int i = 0; i < 4; i++) pthread_mutex_init(&ports[i].lock, 0); }
"""

THROUGH_POINTERS = f"""{PORTS}
static void add(struct port *p) {{
  pthread_mutex_lock(&p->lock);
  p->count++;
  pthread_mutex_unlock(&p->lock);
  p->errors++;
}}
static void *work(void *arg) {{
  struct port *mine = ports + rand() % 4;
  add(mine);
  return arg;
}}
"""

BY_INDEX = f"""{PORTS}
static void *work(void *arg) {{
  int number = rand() % 4;
  pthread_mutex_lock(&ports[number].lock);
  ports[number].count++;
  pthread_mutex_unlock(&ports[number].lock);
  ports[number].errors++;
  return arg;
}}
"""

ONE_POOL = """
struct pool { pthread_mutex_t lock; pthread_cond_t filled; sem_t free; int size; int errors; };
static struct pool pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static void start(void) { sem_init(&pool.free, 0, 1); }
static void take(struct pool *p) {
  pthread_mutex_lock(&p->lock);
  while (p->size == 0)
    pthread_cond_wait(&p->filled, &p->lock);
  p->size--;
  pthread_mutex_unlock(&p->lock);
}
static void put(struct pool *p) {
  sem_wait(&p->free);
  pthread_mutex_lock(&p->lock);
  p->size++;
  pthread_cond_signal(&p->filled);
  pthread_mutex_unlock(&p->lock);
  p->errors++;
  sem_post(&p->free);
}
static void *work(void *arg) { put(&pool); take(&pool); return arg; }
"""

ALLOCATED = """
struct item { pthread_mutex_t lock; int value, seen; };
static struct item *all[2];
static void start(void) {
  for (int i = 0; i < 2; i++) {
    struct item *fresh = malloc(sizeof *fresh);
    if (!fresh) abort();
    pthread_mutex_init(&fresh->lock, 0);
    fresh->value = fresh->seen = 0;
    all[i] = fresh;
  }
}
static void *work(void *arg) {
  struct item *each = all[rand() % 2];
  pthread_mutex_lock(&each->lock);
  each->value++;
  pthread_mutex_unlock(&each->lock);
  each->seen++;
  return arg;
}
"""

PROGRAMS = {
    "through pointers": THROUGH_POINTERS,
    "by index": BY_INDEX,
    "one pool": ONE_POOL,
    "allocated": ALLOCATED,
}

FOREIGN = ("$", "#", "address(", "wrap[", "(*", "__tw")
"""What the intermediate program has and no source."""


@cache
def located(folder: Path, program: str) -> dict[str, Location]:
    """The shared locations of a program, by their names."""
    path = folder / f"{program.replace(' ', '_')}.c"
    path.write_text(HEAD + PROGRAMS[program] + MAIN)
    options = CheckOptions(properties=("races",), engine="locksets", audit=False)
    (races,) = check_file(str(path), options, in_process=True).properties
    return {location.name: location for location in locations_of_result(races)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("names")


def texts(location: Location) -> set[str]:
    """All that is told of the accesses to a location and the locks that are held."""
    sides = [side for pair in location.undecided for side in (pair.first, pair.second)]
    return {*location.protections, *(s.place for s in sides), *(m for s in sides for m in s.locks)}


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_of_the_intermediate_program_is_told(folder: Path, program: str) -> None:
    for name, location in located(folder, program).items():
        for text in (name, *texts(location)):
            assert not [part for part in FOREIGN if part in text], text


def test_what_a_pointer_of_an_inlined_function_leads_to(folder: Path) -> None:
    found = located(folder, "through pointers")
    assert set(found) == {"ports[].count", "ports[].errors"}
    assert found["ports[].count"].protections == ("under p->lock",)
    assert texts(found["ports[].errors"]) == {"mine->errors"}


def test_elements_of_an_array(folder: Path) -> None:
    found = located(folder, "by index")
    assert set(found) == {"ports[].count", "ports[].errors"}
    assert found["ports[].count"].protections == ("under ports[i].lock",)
    assert texts(found["ports[].errors"]) == {"ports[number].errors"}


def test_insides_of_the_thread_library_are_not_told(folder: Path) -> None:
    found = located(folder, "one pool")
    assert set(found) == {"pool.size", "pool.errors"}
    assert "under pool.lock" in found["pool.size"].protections
    assert found["pool.errors"].protections == ("under pool.free",)


def test_objects_of_the_heap(folder: Path) -> None:
    found = located(folder, "allocated")
    assert {name.partition(",")[0] for name in found} >= {"struct item.value", "struct item.seen"}
    (value,) = (each for name, each in found.items() if "value" in name)
    (seen,) = (each for name, each in found.items() if "seen" in name)
    assert value.protections == ("under p->lock",)
    assert texts(seen) == {"each->seen"}


def test_arguments_of_entry_functions_have_their_names(tmp_path: Path) -> None:
    path = tmp_path / "driver.c"
    path.write_text(
        """
        static struct port { int count; } ports[4];
        void bump(int number) { if (number >= 0 && number < 4) ports[number].count++; }
        """
    )
    options = CheckOptions(
        load=LoadOptions(c=COptions(entry=("bump",))),
        properties=("races",),
        engine="locksets",
        audit=False,
    )
    (races,) = check_file(str(path), options, in_process=True).properties
    (count,) = locations_of_result(races)
    assert texts(count) == {"ports[number].count"}
