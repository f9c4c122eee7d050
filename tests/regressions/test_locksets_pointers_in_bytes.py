"""Pointers that are stored in memory for numbers: they are found there again."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

TEXT = """
#include <pthread.h>
#include <stdlib.h>
#include <stdint.h>
struct numbers {{ long first, second; }};
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
{buffer}
void *run(void *unused) {{
    int *p = {found};
    pthread_mutex_lock(&m);
    (*p)++;
    pthread_mutex_unlock(&m);
    return 0;
}}
int main(void) {{
    pthread_t a;
    {made}
    uintptr_t number = (uintptr_t)&y;
    {stored} = &x;
    if (number == 7)
        y = 1;
    pthread_create(&a, 0, run, 0);
    {access}
    pthread_join(a, 0);
    return 0;
}}
"""
CAST = "*(int **)buffer"
PLACES = [
    pytest.param("char *buffer;", "buffer = malloc(64);", CAST, CAST, id="bytes on the heap"),
    pytest.param("char buffer[64];", "", CAST, CAST, id="an array"),
    pytest.param("struct numbers all, *buffer = &all;", "", CAST, CAST, id="a record"),
    pytest.param("long one, *buffer = &one;", "", CAST, "(int *)one", id="read as a number"),
]


def verdict(text: str) -> str:
    """What `locksets` says about races, without a defect."""
    options = CheckOptions(properties=("races",), engine="locksets", budget=Budget(steps=20_000))
    found = check_loaded("t.c", lambda: loaded(text), options, in_process=True)
    assert not found.defects
    return found.verdict.value


@pytest.mark.parametrize(("buffer", "made", "stored", "found"), PLACES)
def test_races_on_what_they_lead_to(buffer: str, made: str, stored: str, found: str) -> None:
    """The pointer read was any that became a number, but not the one that was stored."""
    parts = {"buffer": buffer, "made": made, "stored": stored, "found": found}
    assert verdict(TEXT.format(access="x = 1;", **parts)) == "UNKNOWN"


def test_what_nobody_else_uses() -> None:
    """The same without the access that races."""
    parts = {"buffer": "char *buffer;", "made": "buffer = malloc(64);"}
    text = TEXT.format(access="", stored=CAST, found=CAST, **parts)
    assert verdict(text) == "SAFE"
