"""Undecided pairs go to a directed search: which locations race is shown by runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.unit.engines.locksets.test_locations import MIXED, partial
from tests.unit.semantics.running import model
from threadwise.core.load_options import LoadOptions
from threadwise.core.progress import silent
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.driver.loading import load_input
from threadwise.driver.running import evidence
from threadwise.driver.running.collector import Collector
from threadwise.driver.running.messages import Decided, Loaded, Located
from threadwise.driver.running.undecided_pairs import goals_of, shows
from threadwise.engines.api import Goal, Task, Undecided, Violated
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.engines.walks.aims import FAR, Aim
from threadwise.engines.walks.walks_engine import WalksEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.locations import Location
from threadwise.proofs.base.registry import check_certificate
from threadwise.report.json_report import to_json
from threadwise.report.text import to_text
from threadwise.results.result import ProvedInPart, Result
from threadwise.results.verdict import Verdict

POOL = """
#include <pthread.h>
#include <stdlib.h>
struct job { int number; struct job *next; };
struct pool { pthread_mutex_t m; struct job *head; int done; int served; } pool;
void *worker(void *u) {
  while (!pool.done) {
    pthread_mutex_lock(&pool.m);
    struct job *j = pool.head;
    if (j) { pool.head = j->next; pool.served++; }
    pthread_mutex_unlock(&pool.m);
    free(j);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_init(&pool.m, 0);
  pthread_create(&t, 0, worker, 0);
  for (int i = 0; i < 3; i++) {
    struct job *j = malloc(sizeof *j);
    pthread_mutex_lock(&pool.m);
    j->number = i; j->next = pool.head; pool.head = j;
    pthread_mutex_unlock(&pool.m);
  }
  pthread_mutex_lock(&pool.m);
  pool.done = 1;
  pthread_mutex_unlock(&pool.m);
  pthread_join(t, 0);
  return pool.served;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("witnesses")


@cache
def result(folder: Path, text: str) -> Result:
    path = folder / f"{len(text)}.c"
    path.write_text(text)
    options = CheckOptions(properties=("races",), audit=False)
    return check_file(str(path), options, in_process=True)


def test_each_racing_location_has_a_run(folder: Path) -> None:
    (races,) = result(folder, MIXED).properties
    assert races.verdict is Verdict.UNSAFE
    assert races.part is not None
    assert set(races.part.witnesses) == {"done", "loose"}
    for name, trace in races.part.witnesses.items():
        assert trace.violation.startswith(f"data race on {name}")
    assert {each.name for each in races.part.locations if each.is_proved} == {"b.size", "b.hits[]"}


def test_the_run_of_the_report_is_about_a_location_too(folder: Path) -> None:
    """Another engine may find the race before it is known which locations are undecided."""
    path = folder / "mixed.c"
    path.write_text(MIXED)
    program, certificate = partial(path)
    proof = check_certificate(program, certificate, lambda: None)
    options = CheckOptions(properties=("races",), engine="explicit")
    (unsafe,) = check_file(str(path), options, in_process=True).properties
    assert unsafe.trace is not None
    collector = Collector(str(path), LoadOptions(), silent)
    collector.take(Loaded(certificate.program_hash, (("races", "race", None),)))
    collector.take(Decided((unsafe,)))
    collector.take(
        Located("races", ProvedInPart("locksets", certificate, proof.locations["races"]))
    )
    (races,) = collector.result(None).properties
    assert races.part is not None
    ((name, shown),) = races.part.witnesses.items()
    assert shown is unsafe.trace
    assert shown.violation.startswith(f"data race on {name}: ")


def test_reports_tell_them(folder: Path) -> None:
    found = result(folder, MIXED)
    told = "races: 4 shared locations, 2 proved (2 by the kernel), 2 racy"
    assert told in to_text(found, {})
    (races,) = to_json(found)["properties"]
    witnesses = {each["name"] for each in races["locations"] if "witness" in each}
    assert witnesses == {"done", "loose"}


def test_a_flag_read_without_the_lock(folder: Path) -> None:
    (races,) = result(folder, POOL).properties
    assert races.verdict is Verdict.UNSAFE
    assert races.part is not None
    assert set(races.part.witnesses) == {"pool.done"}
    proved = {each.name for each in races.part.locations if each.is_proved}
    assert {"pool.head", "pool.served"} <= proved


def undecided(folder: Path, text: str) -> tuple[Program, tuple[Location, ...]]:
    path = folder / "undecided.c"
    path.write_text(text)
    program = load_input(str(path)).worked_on
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    (found,) = LocksetEngine().run(Task(program, races))
    assert isinstance(found, Undecided)
    assert found.certificate is not None
    proof = check_certificate(program, found.certificate, lambda: None)
    return program, proof.locations["races"]


def test_a_run_shows_the_location_that_it_races_on(folder: Path) -> None:
    program, locations = undecided(folder, MIXED)
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    goals = {"races": goals_of(locations)}
    found = list(WalksEngine().run(Task(program, races, goals=goals)))
    shown = {f.goal: f.trace for f in found if isinstance(f, Violated) and f.goal is not None}
    assert set(shown) == {"done", "loose"}
    by_name = {location.name: location for location in locations}
    assert shows(program, shown["loose"], by_name["loose"])
    assert not shows(program, shown["loose"], by_name["b.size"])


DEEP = """
int[0..9] x; int[0..9] y; int[0..400] n;
thread a { n = 0; while (n < 400) { n = n + 1; } if (y == 3) { x = 1; } else { skip; } }
thread b { y = 3; skip; skip; x = 2; }
race_free x, y;
"""


ONE = """
#include <pthread.h>
int x;
void *f(void *u) { x++; return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, 0);
  pthread_create(&u, 0, f, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
"""


def test_a_location_that_is_known_to_race_is_not_searched_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a list of locations none of which is proved is not tested in runs."""
    audited: list[object] = []
    monkeypatch.setattr(evidence, "audit_behind_steps", lambda *given: audited.append(given))
    path = folder / "one.c"
    path.write_text(ONE)
    found = check_file(str(path), CheckOptions(properties=("races",)), in_process=True)
    (races,) = found.properties
    assert races.engine == "explicit"
    assert races.part is not None
    assert set(races.part.witnesses) == {"x"}
    assert "locksets" in [each.engine for each in found.tried]
    assert "walks" not in [each.engine for each in found.tried]
    assert audited == []


def test_an_aim_knows_how_far_it_is() -> None:
    program = model(DEEP)
    edges = [e.id for e in program.edges if "x = " in e.text]
    aim = Aim(program, Goal((frozenset(edges[:1]), frozenset(edges[1:]))))
    for side in aim.places:
        assert all(aim.distance(at) == 0 for at in side)
    starts = [program.procedure[t.body].entry for t in program.templates]
    assert all(0 < aim.distance(at) < FAR for at in starts)
    last = [n for n, at in enumerate(program.locations) if not program.outgoing[n]]
    assert all(aim.distance(at.id) == FAR for at in program.locations if at.id in last)


def test_who_is_wanted_where_is_asked_once() -> None:
    program = model(DEEP)
    edges = [e.id for e in program.edges if "x = " in e.text]
    aim = Aim(program, Goal((frozenset(edges[:1]), frozenset(edges[:1]))))
    (place,) = aim.places[0]
    assert aim.wanted(place, ()) == 0
    assert aim.wanted(place, (0,)) == 1
    assert aim.wanted(place, (0, 1)) is None
