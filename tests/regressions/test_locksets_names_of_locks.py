"""A lock that is held was told by memory that others change, in place of a variable that was lost.

Inside an atomic region, a thread that holds m[i] finds that g == i, and changes i. It holds m[g]
at that moment, but not for long, since others write g: two threads that "hold m[g]" held m[0] and
m[1]. The answer was SAFE.
"""

from __future__ import annotations

from tests.unit.frontends.c.checking import INCLUDES, loaded
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.properties import RaceProperty

TEXT = (
    INCLUDES
    + """
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
int g, d;
pthread_mutex_t m[2];
void *f(void *arg)
{
    int i = __VERIFIER_nondet_bool(), ok = 0;
    pthread_mutex_lock(&m[i]);
    __VERIFIER_atomic_begin();
    if (g == i) {
        i = 5;
        ok = 1;
    }
    __VERIFIER_atomic_end();
    if (ok)
        d++;
    return 0;
}
void *set(void *arg)
{
    __VERIFIER_atomic_begin();
    g = 1;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void)
{
    pthread_t t, u, v;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_create(&v, 0, set, 0);
    return 0;
}
"""
)


def test_names_that_others_change() -> None:
    program = loaded(TEXT).program
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    task = Task(program, races)
    assert not any(isinstance(found, Proved) for found in LocksetEngine().run(task))
    assert any(isinstance(found, Violated) for found in ExplicitEngine().run(task))
