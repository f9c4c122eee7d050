"""Numbers that were never written to memory: any value, chosen at the first read and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.api import certify, replay, write_certificate, write_trace
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.engines.auto import AUTO
from threadwise.results.result import Result

TEXT = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair {{ int a, b; struct pair *next; }};
static int *p; static struct pair *q; static atomic_int *r;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument) {{ {work} return 0; }}
int main(void) {{
    pthread_t one, two;
    p = malloc(2 * sizeof *p); q = malloc(sizeof *q); r = malloc(sizeof *r);
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    {after}
    return 0;
}}
"""
LOCKED = "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);"
RACES = {
    "counted under a lock": (LOCKED.format("(*p)++;"), "SAFE"),
    "counted": ("(*p)++;", "UNSAFE"),
    "only read": ("int x = *p; (void)x;", "SAFE"),
    "a member, under a lock": (LOCKED.format("q->a += q->b;"), "SAFE"),
    "a member": (LOCKED.format("q->a++;") + "q->a = 1;", "UNSAFE"),
    "an element": ("p[1] = p[0];", "UNSAFE"),
    "another element": (LOCKED.format("p[1] += p[0];"), "SAFE"),
    "read by one, written under a lock": ("int x = *p;" + LOCKED.format("*p = x;"), "UNSAFE"),
    "atomic": ("atomic_fetch_add(r, 1);", "SAFE"),
    "behind a condition": ("if (*p == 3) q->b = 1;", "UNSAFE"),
}
ASSERTIONS = {
    "one value": ("", "int x = *p; assert(x == *p);", "SAFE"),
    "any value": ("", "assert(*p != 3);", "UNSAFE"),
    "written": ("", "*p = 4; assert(*p == 4);", "SAFE"),
    "kept beside others": ("", "int x = p[0]; p[1] = 7; assert(p[0] == x);", "SAFE"),
    "seen by all": (LOCKED.format("if (*p == 3) p[1] = 1; else p[1] = 0;"),
                    "assert(p[1] == (*p == 3));", "SAFE"),
}  # fmt: skip


def checked(folder: Path, selector: str, work: str, after: str = "", engine: str = AUTO) -> Result:
    path = folder / "t.c"
    path.write_text(TEXT.format(work=work, after=after))
    budget = Budget(steps=3_000_000)
    options = CheckOptions(properties=(selector,), budget=budget, engine=engine)
    return check_file(str(path), options)


@pytest.mark.parametrize(("work", "expected"), RACES.values(), ids=RACES)
def test_races(work: str, expected: str, tmp_path: Path) -> None:
    result = checked(tmp_path, "races", work)
    assert result.verdict.value == expected
    confirm(result, tmp_path / "t.c")


@pytest.mark.parametrize(("work", "after", "expected"), ASSERTIONS.values(), ids=ASSERTIONS)
def test_assertions(work: str, after: str, expected: str, tmp_path: Path) -> None:
    result = checked(tmp_path, "assertions", work, after)
    assert result.verdict.value in {expected, "UNKNOWN"}
    if expected == "UNSAFE":
        assert result.verdict.value == expected
    confirm(result, tmp_path / "t.c")


def confirm(result: Result, path: Path) -> None:
    """What is written about an answer is about the program that it is about."""
    if result.verdict.value == "SAFE":
        write_certificate(result, path.with_suffix(".proof"))
        assert certify(path, path.with_suffix(".proof"))
    elif result.verdict.value == "UNSAFE":
        write_trace(result, path.with_suffix(".trace"))
        shown = replay(path, path.with_suffix(".trace"))
        assert shown.trace.property in {each.name for each in result.properties}


@pytest.mark.parametrize(
    "engine", ["explicit", "locksets", "bounded", pytest.param(AUTO, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("work", ["q->next->a = 1;", "struct pair *n = q->next; n->b++;"])
def test_a_pointer_that_was_never_written_leads_nowhere(
    work: str, engine: str, tmp_path: Path
) -> None:
    result = checked(tmp_path, "races", work, engine=engine)
    assert result.verdict.value == "UNKNOWN"


def test_a_formatted_text_ends(tmp_path: Path) -> None:
    after = 'char text[3]; snprintf(text, 3, "%d", 12345); assert(strlen(text) < 3);'
    assert checked(tmp_path, "assertions", "", after).verdict.value == "SAFE"


def test_equal_seeds_give_equal_numbers(tmp_path: Path) -> None:
    """What a seed determines is not computed, so nothing about it is a violation."""
    after = "unsigned a = 1, b = 1; assert(rand_r(&a) == rand_r(&b));"
    assert checked(tmp_path, "assertions", "", after).verdict.value != "UNSAFE"
