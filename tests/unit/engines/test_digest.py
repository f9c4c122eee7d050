"""Which part of an array each thread works on is known where only contents are forgotten."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c

TEXT = """
#include <pthread.h>
int data[61], sums[3], next;
extern int in(void);
pthread_barrier_t b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int number(void) {{ pthread_mutex_lock(&m); int r = next++; pthread_mutex_unlock(&m); return r; }}
void *work(void *argument) {{ long id = (long)argument; {work} return 0; }}
int main(void) {{
    pthread_t t[3];
    pthread_barrier_init(&b, 0, 3);
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return data[7] + sums[0];
}}
"""


def verdict(work: str) -> str:
    loaded = load_c([SourceFile("t.c", TEXT.format(work=work))], COptions())
    options = CheckOptions(properties=("races",), engine="digest", budget=Budget(steps=500_000))
    return check_loaded("t.c", lambda: loaded.program, options, in_process=True).verdict.value


PARTS = {
    "blocks": "for (long i = id * 20; i < (id + 1) * 20; i++) data[i] = i;",
    "strides": "for (long i = id; i < 60; i += 3) data[i] = data[i] + 1;",
    "one cell each": "sums[id] += 1;",
    "what others do not write": "for (long i = 0; i < 5; i++) sums[id] += data[i];",
    "numbers that change": "for (long i = id * 20; i < (id + 1) * 20; i++) data[i] = data[i] * 3;",
}
OVERLAPS = {
    "one too many": PARTS["blocks"].replace("<", "<="),
    "another stride": PARTS["strides"].replace("i += 3", "i += 2"),
    "the next cell": "sums[id] = sums[(id + 1) % 3];",
    "where data says": "sums[data[id] != 0] = 1; data[id] = 1;",
}


COUNTED = {
    "phases": "data[id] = in(); pthread_barrier_wait(&b); sums[id] = data[(id + 1) % 3];",
    "numbers": "for (int r = number(); r < 4; r = number()) data[r] = data[r] + in();",
}
MISCOUNTED = {
    "one phase": COUNTED["phases"].replace("pthread_barrier_wait(&b);", ""),
    "a number too many": COUNTED["numbers"].replace("= data[r]", "= data[r + 1]"),
}


@pytest.mark.parametrize("work", COUNTED.values(), ids=COUNTED)
def test_threads_that_count_together_are_searched_without_their_data(work: str) -> None:
    assert verdict(work) == "SAFE"


@pytest.mark.parametrize("work", MISCOUNTED.values(), ids=MISCOUNTED)
def test_a_race_of_a_projection_is_no_answer(work: str) -> None:
    assert verdict(work) == "UNKNOWN"


@pytest.mark.parametrize("work", PARTS.values(), ids=PARTS)
def test_threads_work_on_parts_of_their_own(work: str) -> None:
    assert verdict(work) == "SAFE"


@pytest.mark.parametrize("work", OVERLAPS.values(), ids=OVERLAPS)
def test_parts_that_overlap_are_not_proved_apart(work: str) -> None:
    assert verdict(work) == "UNKNOWN"
