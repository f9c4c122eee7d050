"""What users assume of places: it changes what lies behind them, and nothing in front."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from threadwise import COptions, check
from threadwise.core.errors import InputError
from threadwise.results.result import Result

PROGRAM = """
#include <pthread.h>
#include <setjmp.h>
#include <assert.h>
int x, y; jmp_buf b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a) {
    IN_FRONT;
    if (setjmp(b)) return 0;
    BEHIND;
    return 0;
}
int main(void) {
    pthread_t t; pthread_create(&t, 0, f, 0);
    MEANWHILE;
    pthread_join(t, 0);
    AFTER;
    return 0;
}
"""
NOTHING: Mapping[str, str] = {}
PLACE = COptions(unreached=frozenset({"x.c:8"}))


def checked(
    folder: Path, name: str, c: COptions = PLACE, parts: Mapping[str, str] = NOTHING
) -> Result:
    text = PROGRAM
    for part in ("in_front", "behind", "meanwhile", "after"):
        text = text.replace(f"{part.upper()};", f"{parts.get(part, '')};")
    path = folder / "x.c"
    path.write_text(text)
    return check(path, properties=[name], engine="explicit", in_process=True, c=c)


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ({"in_front": "x = 1", "meanwhile": "x = 2"}, "UNSAFE"),
        ({"behind": "x = 1", "meanwhile": "x = 2"}, "SAFE"),
        ({"behind": "x = 1", "after": "x = 2"}, "SAFE"),
    ],
)
def test_races(tmp_path: Path, parts: dict[str, str], verdict: str) -> None:
    assert checked(tmp_path, "races", COptions(), {"behind": "x = 1"}).verdict.value == "UNKNOWN"
    result = checked(tmp_path, "races", parts=parts)
    assert result.verdict.value == verdict
    assert any(f"no run gets past {tmp_path}/x.c:8: setjmp" in each for each in result.assumptions)


def test_what_is_held_in_front_stays_held(tmp_path: Path) -> None:
    locked = {"in_front": "x = 1; pthread_mutex_lock(&m); y = 1", "behind": "y = 0"}
    seen = "pthread_mutex_lock(&m); int seen = x && y; pthread_mutex_unlock(&m); assert(!seen)"
    result = checked(tmp_path, "assertions", parts={**locked, "meanwhile": seen})
    assert result.verdict.value == "SAFE"


def test_nobody_who_waits_there_is_in_a_deadlock(tmp_path: Path) -> None:
    assert checked(tmp_path, "deadlocks").verdict.value == "SAFE"


def test_other_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing ends the model there"):
        checked(tmp_path, "races", COptions(unreached=frozenset({"x.c:9"})))
    with pytest.raises(InputError, match="leaves a value open"):
        checked(tmp_path, "races", COptions(any_value=frozenset({"x.c:8"})))
