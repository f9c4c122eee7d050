"""Forty-five shared locations, of which three race and two are beyond the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.results.result import PropertyResult
from threadwise.results.verdict import Verdict

GROUPS, FIELDS = 4, 9
NAMES = [f"f{number}" for number in range(FIELDS)]
RACING = {"loose", "stopped", "g0_total"}
BEYOND = {"handed", "slots[]"}


def _program() -> str:
    """Records with locks, counters without, a value that is waited for, slots by remainder."""
    fields = ", ".join(NAMES)
    records = "\n".join(
        f"static struct {{ pthread_mutex_t m; int {fields}; }} "
        f"g{n} = {{.m = PTHREAD_MUTEX_INITIALIZER}};"
        for n in range(GROUPS)
    )
    updates = "\n".join(
        f"pthread_mutex_lock(&g{n}.m);\n"
        + "\n".join(f"g{n}.{name} += by;" for name in NAMES)
        + f"\npthread_mutex_unlock(&g{n}.m);"
        for n in range(GROUPS)
    )
    return f"""
#include <pthread.h>
{records}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, sum, least, most, loose, stopped, g0_total, handed, slots[8];
static void *worker(void *argument)
{{
    int by = (int)(long)argument;
    {updates}
    g0_total += by;
    loose++;
    if (stopped)
        return 0;
    for (int i = by; i < 8; i += 2)
        slots[i] = by;
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    sum += by;
    least = by < least ? by : least;
    most = by > most ? by : most;
    pthread_mutex_unlock(&lock);
    if (by == 0) {{
        handed++;
        pthread_mutex_lock(&lock);
        ready = 2;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }}
    return 0;
}}
int main(void)
{{
    pthread_t s, t;
    pthread_create(&s, 0, worker, (void *)0);
    pthread_create(&t, 0, worker, (void *)1);
    stopped = loose > 1;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&changed);
    while (ready != 2)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    handed = 5;
    pthread_join(s, 0);
    pthread_join(t, 0);
    return sum + handed + slots[1] + stopped;
}}
"""


def _checked(folder: Path, engine: str, seconds: float) -> PropertyResult:
    path = folder / "many.c"
    path.write_text(_program())
    options = CheckOptions(properties=("races",), engine=engine, budget=Budget(time_s=seconds))
    (found,) = check_file(str(path), options).properties
    return found


def test_what_is_known_after_locksets(tmp_path: Path) -> None:
    found = _checked(tmp_path, "locksets", 300)
    assert found.verdict is Verdict.UNKNOWN
    assert found.part is not None
    locations = found.part.locations
    proved = {each.name for each in locations if each.is_proved}
    assert (len(locations), len(proved)) == (45, 40)
    assert {each.name for each in locations} - proved == RACING | BEYOND
    assert all(each.protections for each in locations if each.is_proved)
    for each in locations:
        for pair in each.undecided:
            assert "many.c:" in pair.first.told
            assert "many.c:" in pair.second.told


@pytest.mark.slow
def test_what_races_has_runs(tmp_path: Path) -> None:
    found = _checked(tmp_path, "auto", 300)
    assert found.verdict is Verdict.UNSAFE
    assert found.part is not None
    assert found.part.witnesses.keys() == RACING
    left = {each.name for each in found.part.locations if not each.is_proved}
    assert left - found.part.witnesses.keys() == BEYOND
