"""Which threads run at the same time: one of several that is joined, and those never started."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.registry import check_certificate

HEAD = (
    INCLUDES
    + """
int x, on;
void *f(void *p) { x++; return 0; }
void *g(void *p) { x += 2; return 0; }
void *h(void *p) { pthread_t inner; pthread_create(&inner, 0, g, 0); return 0; }
void *quiet(void *p) { return 0; }
int main(int argc, char **argv)
{
    pthread_t t, u, old;
    BODY
    return 0;
}
"""
)
RIGHT = {
    "one after the other": """
        for (int i = 0; i < argc; i++) {
            pthread_create(&t, 0, f, 0); pthread_join(t, 0); x++; }""",
    "one of two": """
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, f, 0); else pthread_create(&t, 0, g, 0);
            pthread_join(t, 0); x++; }""",
    "one function in two places": """
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, f, 0); else pthread_create(&t, 0, f, &x);
            pthread_join(t, 0); x++; }""",
    "one or none": """
        t = pthread_self();
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, f, 0);
            else if (argv[i][0] == 'g') pthread_create(&t, 0, g, 0);
            else continue;
            pthread_join(t, 0); x++; }""",
    "by a copy of the id": """
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, f, 0); else pthread_create(&t, 0, g, 0);
            u = t; pthread_join(u, 0); x++; }""",
    "never started": """
        pthread_create(&u, 0, quiet, 0);
        if (on) pthread_create(&t, 0, g, 0);
        x++;
        pthread_join(u, 0);""",
    "never started by one that never is": """
        pthread_create(&u, 0, f, 0);
        if (on) pthread_create(&t, 0, h, 0);
        pthread_join(u, 0);""",
}
NEAR_MISSES = {
    "two at once": """
        for (int i = 0; i < argc; i++) {
            pthread_create(&t, 0, f, 0); pthread_create(&t, 0, g, 0); pthread_join(t, 0); }""",
    "one of two is not joined": """
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') { pthread_create(&t, 0, f, 0); continue; }
            pthread_create(&t, 0, g, 0); pthread_join(t, 0); }""",
    "the last one is not joined": """
        for (int i = 0; i < argc; i++) {
            if (i) pthread_join(t, 0);
            pthread_create(&t, 0, f, 0); }
        x++;""",
    "an older id is joined": """
        old = pthread_self();
        for (int i = 0; i < argc; i++) {
            pthread_create(&t, 0, f, 0); if (i) pthread_join(old, 0); old = t; }""",
    "another id is joined": """
        pthread_create(&u, 0, quiet, 0);
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, f, 0); else pthread_create(&t, 0, g, 0);
            t = u; pthread_join(t, 0); x++; }""",
    "the access comes before the join": """
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, f, 0); else pthread_create(&t, 0, g, 0);
            x++; pthread_join(t, 0); }""",
    "one joins under a condition": """
        for (int i = 0; i < argc; i++) {
            pthread_create(&t, 0, f, 0); if (argv[i][0] == 'f') pthread_join(t, 0); x++; }""",
    "two of one function": """
        for (int i = 0; i < argc; i++) {
            pthread_create(&t, 0, f, 0);
            if (argv[i][0] == 'f') pthread_create(&u, 0, f, 0); else u = t;
            pthread_join(t, 0); if (u != t) pthread_join(u, 0); }""",
    "a thread that starts one": """
        for (int i = 0; i < argc; i++) {
            if (argv[i][0] == 'f') pthread_create(&t, 0, h, 0); else pthread_create(&t, 0, f, 0);
            pthread_join(t, 0); x++; }""",
    "started later": """
        pthread_create(&u, 0, f, 0);
        for (int i = 0; i < argc; i++) {
            if (on) pthread_create(&t, 0, g, 0);
            on = 1; }""",
    "started by one that is started": """
        pthread_create(&u, 0, f, 0);
        pthread_create(&t, 0, h, 0);""",
}


def is_proved(body: str) -> bool:
    program = loaded(HEAD.replace("BODY", body)).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for finding in LocksetEngine().run(Task(program, races)):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            return True
    return False


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_at_different_times(body: str) -> None:
    assert is_proved(body)


@pytest.mark.parametrize("body", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_at_the_same_time(body: str) -> None:
    assert not is_proved(body)
