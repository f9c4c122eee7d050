"""Places behind which nothing is known leave an answer for the rest, and never make SAFE."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.results.result import Result

TEXT = """
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
int x, y, *none;
jmp_buf buffer;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *run(void *given) {{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    if (given) {{ {end} }}
    {behind}
    return 0;
}}
int main(int n, char **v) {{
    pthread_t a, b;
    pthread_create(&a, 0, run, n > 1 ? &x : 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}}
"""
ENDS = [
    pytest.param("*none = 1;", id="a pointer that is null"),
    pytest.param("int *p = malloc(8); int k = *p; p = (int *)0; *p = k;", id="null once more"),
    pytest.param("if (setjmp(buffer)) y = 1;", id="a limit"),
    pytest.param("int a[2]; a[2] = 1;", id="an index"),
]


def checked(end: str, behind: str = "") -> Result:
    """What `locksets` says about races."""
    options = CheckOptions(properties=("races",), engine="locksets", budget=Budget(steps=40_000))
    text = TEXT.format(end=end, behind=behind)
    found = check_loaded("t.c", lambda: loaded(text), options, in_process=True)
    assert not found.defects
    return found


@pytest.mark.parametrize("end", ENDS)
def test_the_rest_is_answered(end: str) -> None:
    """The location is proved, of runs that do not get past the place; the property is not."""
    found = checked(end)
    assert found.verdict.value == "UNKNOWN"
    (part,) = (each.part for each in found.properties)
    assert part is not None
    assert [place.name for place in part.locations if place.is_proved] == ["x"]
    assert any("no run gets past" in told and "t.c:12" in told for told in part.assumptions)


def test_nothing_is_assumed_without_an_end() -> None:
    """The same without the place, and with an access that races."""
    assert checked("").verdict.value == "SAFE"
    found = checked("", "y++;")
    (part,) = (each.part for each in found.properties)
    assert part is not None
    assert not any("no run gets past" in told for told in part.assumptions)
    assert [place.name for place in part.locations if not place.is_proved] == ["y"]
