"""Lengths in types are evaluated where the type is declared or named."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

PROGRAM = """
#include <pthread.h>
const int few = 4;
int n = 1, *p = &n;
int next(void) { return n++; }
void with(int k, PARAMETER) { }
void *work(void *unused) {
    int k = 3, row[4] = { 0 };
    STATEMENT;
    with(2, (void *)row);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    return 0;
}
"""


def verdict(statement: str = "", parameter: str = "int *q") -> str:
    """What `locksets` says, which passes by values that are not computed."""
    text = PROGRAM.replace("STATEMENT", statement).replace("PARAMETER", parameter)
    options = CheckOptions(properties=("races",), engine="locksets", audit=False)
    return check_loaded(
        "t.c", lambda: loaded(text).program, options, in_process=True
    ).verdict.value


@pytest.mark.parametrize(
    "statement",
    [
        "long s = sizeof(int[n++])",
        "long s = sizeof(int[next()])",
        "long s = sizeof(int[2][n = 1])",
        "long s = sizeof(int[n])",
        "long s = sizeof(int[*p])",
        "long s = (long)(int (*)[n++])0",
        "int (*q)[n++]",
        "int (*q)[next()] = 0",
        "int (*q)[2][n]",
        "static int (*q)[n++]",
        "typedef int row_t[n++]",
        "__typeof__(int[n++]) v",
        "int *v[n++]",
    ],
)
def test_what_a_length_reads_and_writes_races(statement: str) -> None:
    """A wrong SAFE once, except for the last two."""
    assert verdict(statement) != "SAFE"


@pytest.mark.parametrize("parameter", ["int v[n++]", "int v[][next()]", "int (*v)[n]"])
def test_lengths_of_parameters_are_evaluated_at_each_call(parameter: str) -> None:
    """A wrong SAFE once."""
    assert verdict(parameter=parameter) != "SAFE"


@pytest.mark.parametrize(
    "statement",
    [
        "long s = sizeof(int[k])",
        "long s = sizeof(int[(k + 1) * 2])",
        "int (*q)[k]",
        "int v[k]; v[0] = 1",
        "int v[few]; v[0] = 1",
        "int v[sizeof(long)]; v[0] = 1",
        "__typeof__(*p) v = 1",
        "__typeof__(next()) v[2]; v[0] = 1",
        "long s = (__typeof__(*p))k",
        "__sync_fetch_and_add(&row[0], 1)",
    ],
)
def test_lengths_by_local_variables_are_as_before(statement: str) -> None:
    assert verdict(statement) == "SAFE"


@pytest.mark.parametrize("parameter", ["int v[k]", "int v[static 3]", "int (*v)[k]"])
def test_lengths_of_parameters_by_parameters_are_as_before(parameter: str) -> None:
    assert verdict(parameter=parameter) == "SAFE"
