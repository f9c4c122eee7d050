"""Branches by values that are not computed, after which all is as before, excuse no violation.

A maximum of floating-point numbers put every later race in doubt, and so did a line in a log whose
text is printed character by character.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static double v, peak, low;
static int count, other, which;
static int cells[2];
static double *memory;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int more(int n) { return n + 1; }
static void *f(void *a)
{
    pthread_mutex_lock(&m);
    double x = v * 1.5;
    INSIDE
    pthread_mutex_unlock(&m);
    BEHIND
    return a;
}
int main(void)
{
    pthread_t t, u;
    memory = calloc(2, sizeof *memory);
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
MEET_AGAIN = {
    "a maximum": "if (x > peak) peak = x;",
    "two of them": "if (x > peak) peak = x; else if (x < low) low = x;",
    "a number that counts": "if (x > 1) other++; else other--;",
    "a choice": "which = x > 1 ? 3 : 4;",
    "one after the other": "if (x > peak) peak = x; if (x < low) low = x; if (other) which = 1;",
    "in memory": "memory[0] = x; if (memory[0] > memory[1]) memory[1] = memory[0];",
    "an array of one's own": "int own[2] = {0}; own[0] = 1; if (x > 1) own[1] = own[0]; other++;",
}
DECIDES = {
    "behind the branch": ("if (x > 1) other = 1;", "if (other) count++;"),
    "on one way": ("int own = 0; if (x > 1) own = 1;", "if (own == 1) count++;"),
    "on the other way": ("int own = 0; if (x > 1) own = 1;", "if (own == 0) count++;"),
    "where": ("int own = x > 1 ? 0 : 1;", "cells[own] = 1;"),
    "a loop": ("while (x > peak) peak = v * 2;", "count++;"),
    "an end": ("if (x > 1) pthread_exit(0);", "count++;"),
    "a lock": ("if (x > 1) { pthread_mutex_unlock(&m); pthread_mutex_lock(&m); }", "count++;"),
    "a failure": ("if (x > 1) assert(0);", "count++;"),
    "a bad index": ("if (x > 1) cells[7 + count * 0] = 1;", "count++;"),
}


LOG = """
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static int count;
static void report(const char *format, ...)
{
    char stamp[16], text[64];
    struct tm parts;
    time_t now = time(NULL);
    va_list arguments;
    if (localtime_r(&now, &parts) == NULL || strftime(stamp, sizeof stamp, "%T", &parts) == 0)
        strcpy(stamp, "?");
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    INSIDE
}
static void *f(void *a)
{
    report("thread %d", 1);
    BEHIND
    return a;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
PRINTED = {
    "both": 'fprintf(stderr, "%s %s\\n", stamp, text);',
    "one of them": 'fprintf(stderr, "%s\\n", stamp);',
    "twice": "puts(text); puts(stamp);",
    "as they are": "fputs(stamp, stderr); fputs(text, stderr);",
    "if there is one": "if (text[0]) puts(text);",
}
PRINTED_AND_DECIDES = {
    "a character": ("if (text[0] == 'a') count++;", ""),
    "its length": ("if (strlen(text) > 3) count++;", ""),
    "the time": ('if (strcmp(stamp, "12:00:00") == 0) count++;', ""),
    "what was printed": ("puts(stamp); if (stamp[1] == ':') count++;", ""),
    "a copy": ("char own[64]; strcpy(own, text); if (own[0] == 'x') count++;", ""),
}


def verdict(inside: str, behind: str, program: str = HEAD, engine: str = "explicit") -> str:
    text = program.replace("INSIDE", inside).replace("BEHIND", behind)
    found = verdicts(text, "races", engines=(engine,))[engine]
    return "UNSAFE" if "UNSAFE" in found else max(found)


@pytest.mark.parametrize("case", PRINTED)
def test_a_race_behind_a_line_in_a_log_is_one(case: str) -> None:
    assert verdict(PRINTED[case], "count++;", LOG, "walks") == "UNSAFE"


@pytest.mark.parametrize("case", PRINTED_AND_DECIDES)
def test_a_text_that_decides_is_in_doubt(case: str) -> None:
    inside, behind = PRINTED_AND_DECIDES[case]
    assert verdict(inside, behind, LOG, "walks") != "UNSAFE"


@pytest.mark.parametrize("case", MEET_AGAIN)
def test_a_race_behind_ways_that_meet_is_one(case: str) -> None:
    assert verdict(MEET_AGAIN[case], "count++;") == "UNSAFE"


@pytest.mark.parametrize("case", MEET_AGAIN)
def test_what_was_written_on_the_ways_is_in_doubt(case: str) -> None:
    assert (
        verdict(
            MEET_AGAIN[case] + " int seen = which + other + (peak > 2);",
            "if (seen == 12345) count++;",
        )
        != "UNSAFE"
    )


@pytest.mark.parametrize("case", DECIDES)
def test_what_decides_is_in_doubt(case: str) -> None:
    assert verdict(*DECIDES[case]) != "UNSAFE"
