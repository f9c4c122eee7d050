"""A race with a step through an atomic region that depends on an input chosen inside."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.traces.files import trace_from_json, trace_to_json

PROGRAM = """
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
int a[3];
void *work(void *unused) {
    __VERIFIER_atomic_begin();
    int k = __VERIFIER_nondet_int();
    if (0 <= k && k < MOST) { int l = a[k]; l = 0; }
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    a[2] = 1;
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["explicit", "bounded", "tar"])
def test_the_trace_says_which_value_the_other_thread_chooses(engine: str) -> None:
    """An internal error once: in the last state only values of earlier steps were tried."""
    program = lowered(PROGRAM.replace("MOST", "3"))
    options = CheckOptions(properties=("races",), engine=engine)
    (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
    assert found.verdict.value == "UNSAFE"
    assert found.trace is not None
    assert 2 in found.trace.trace.inputs
    data = trace_to_json(found.trace, LoadOptions())
    assert trace_from_json(data, "t.json") == found.trace.trace


@pytest.mark.parametrize("engine", ["bounded", "horn"])
def test_the_cell_and_the_condition_are_about_one_value(engine: str) -> None:
    """An internal error once: the value that was tested was not the one that was the index."""
    program = lowered(PROGRAM.replace("MOST", "2"))
    options = CheckOptions(properties=("races",), engine=engine)
    (found,) = check_loaded("t.c", lambda: program, options, in_process=True).properties
    assert found.verdict.value == "SAFE"
