"""Search over persistent sets follows threads one by one whose data are their own, at each state.

What a thread works on is often known only at run time: an object from the heap that it was given,
the part of an array that its number says. Each of these programs is proved in few states, and each
of its near misses, in which two threads meet after all, is found.
"""

from __future__ import annotations

from functools import partial

import pytest

from tests.every_engine import loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n"
START = """pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, w, {argument});
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);"""

OBJECTS = """
struct work {{ int in, out; }};
struct work *all[3];
void *w(void *p) {{ struct work *k = p; for (int i = 0; i < 5; i++) {{ {body} }} return 0; }}
int main(void) {{
    for (int i = 0; i < 3; i++) {{ {make} }}
    {start}
    return 0;
}}"""
MAKE = "all[i] = malloc(sizeof *all[i]); if (!all[i]) exit(1); all[i]->in = i; all[i]->out = 0;"


def objects(body: str, make: str = MAKE, argument: str = "all[i]") -> str:
    return HEAD + OBJECTS.format(body=body, make=make, start=START.format(argument=argument))


IDS = """
int ids[3], out[3], table[15];
int *where = &out[0];
void *w(void *p) {{ int id = *(int *)p; for (int i = 0; i < 5; i++) {{ {body} }} return 0; }}
int main(void) {{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {{ ids[i] = i; pthread_create(&t[i], 0, w, &ids[{which}]); }}
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}}"""


def ids(body: str, which: str = "i") -> str:
    return HEAD + IDS.format(body=body, which=which)


SAFE = {
    "objects": objects("k->out += k->in;"),
    "parts of an array, by numbers in an array": ids("out[id] += i;"),
    "the same through a pointer that moves": ids("int *q = &out[0] + id; *q += i;"),
    "a pointer that is read and at rest": ids("where[id]++;"),
    "ranges of an array": ids("table[id * 5 + i]++;"),
}

UNSAFE = {
    "one object for two": objects("k->out += k->in;", argument="all[i / 2]"),
    "the next object": objects("if (i == 4 && k == all[1]) all[2]->out++; else k->out++;"),
    "another pointer later": objects("if (i == 3) k = all[0]; k->out++;"),
    "freed by another": objects("if (k->in == 1 && i == 4) free(all[2]); else k->out++;"),
    "one number for two": ids("out[id] += i;", which="i / 2"),
    "a number that changes": ids("if (i == 4) id = 0; out[id] += i;"),
    "a number that another changes": ids("if (id == 2) ids[1] = 2; else out[ids[id]]++;"),
    "a pointer that another changes": ids("if (id == 2) where = &out[1]; else where[id]++;"),
    "beside the part": ids("out[i == 4 ? (id + 1) % 3 : id]++;"),
    "ranges that overlap": ids("table[id * 4 + i]++;"),
}


def searched(text: str) -> str:
    """The verdict on races after few steps."""
    options = CheckOptions(properties=("races",), engine="persistent", budget=Budget(steps=4_000))
    result = check_loaded("t.c", partial(loaded, text), options, in_process=True)
    return result.properties[0].verdict.value


@pytest.mark.parametrize("name", SAFE)
def test_proved_in_few_states(name: str) -> None:
    assert searched(SAFE[name]) == "SAFE"


@pytest.mark.parametrize("name", UNSAFE)
def test_near_misses_are_found(name: str) -> None:
    assert searched(UNSAFE[name]) == "UNSAFE"
