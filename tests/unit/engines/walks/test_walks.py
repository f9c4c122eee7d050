"""Walks: deep errors are found, what they find is real, and nothing else is said."""

from __future__ import annotations

import pytest

from tests.property.test_simplify import plain_program
from tests.unit.frontends.c.checking import INCLUDES, loaded
from tests.unit.semantics.running import model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Finding, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.walks import walk
from threadwise.engines.walks import walks_engine as engine
from threadwise.engines.walks.orders import Lots, Order
from threadwise.engines.walks.walks_engine import WalksEngine
from threadwise.ir.program import Program
from threadwise.systems.api import Role
from threadwise.traces.replay import replay


def findings(program: Program, *selectors: str) -> list[Finding]:
    properties = select_properties(program, selectors or ("all",))
    return list(WalksEngine().run(Task(program, properties, EngineOptions())))


def violated(program: Program, found: list[Finding]) -> set[str]:
    """What is violated; the traces are replayed."""
    traces = [finding.trace for finding in found if isinstance(finding, Violated)]
    for trace in traces:
        replay(program, trace)
    return {trace.property for trace in traces}


@pytest.mark.parametrize("seed", range(40))
def test_only_what_explicit_search_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WALKS", 12)
    monkeypatch.setattr(walk, "LONGEST", 200)
    program = plain_program(seed)
    found = findings(program)
    explicit = list(ExplicitEngine().run(Task(program, program.properties, EngineOptions())))
    assert violated(program, found) <= violated(program, explicit)
    assert all(isinstance(finding, Violated | Undecided) for finding in found)


SIGMA = (
    INCLUDES
    + """
int array[N], at = -1;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a)
{
    pthread_mutex_lock(&m);
    array[at] = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t *t = malloc(N * sizeof(pthread_t));
    int sum = 0;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        at++;
        pthread_mutex_unlock(&m);
        pthread_create(&t[i], 0, f, 0);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < N; i++)
        sum += array[i];
    assert(sum == N);
    return 0;
}
"""
)


def test_many_threads() -> None:
    program = loaded("#define N 8\n" + SIGMA).program
    assert violated(program, findings(program, "assertions"))


def test_programs_that_run_for_ever_have_short_traces() -> None:
    """Two threads rarely meet; a walk that goes on until they do shows it in many steps."""
    text = """
    int[0..20] turn, x;
    thread each[2] {
        int[0..20] mine;
        bool lucky;
        while (true) {
            havoc mine;
            atomic { lucky = mine == turn; turn = (turn + 1) % 20; }
            if (lucky) { x = mine; }
        }
    }
    """
    (found,) = findings(model(text), "races")
    assert isinstance(found, Violated)
    assert len(found.trace.moves) < 300


HANDED_OVER = (
    INCLUDES
    + """
struct node { int v; struct node *next; } *list;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *give(void *a)
{
    for (int i = 0; i < 9; i++) {
        struct node *n = malloc(sizeof *n);
        n->v = i;
        pthread_mutex_lock(&m);
        n->next = list;
        list = n;
        pthread_mutex_unlock(&m);
        AFTER
    }
    return 0;
}
void *take(void *a)
{
    for (int i = 0; i < 9; i++) {
        pthread_mutex_lock(&m);
        struct node *n = list;
        if (n)
            list = n->next;
        pthread_mutex_unlock(&m);
        if (n) {
            n->v = 0;
            free(n);
        }
    }
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, give, 0);
    pthread_create(&u, 0, take, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
"""
)


def test_race_on_the_heap() -> None:
    program = loaded(HANDED_OVER.replace("AFTER", "if (i == 7) n->v = 1;")).program
    assert violated(program, findings(program, "races")) == {"races"}


ANY_LENGTH = """
#include <stdlib.h>
int x;
void *f(void *u) { x++; return 0; }
int main(int argc, char **argv) {
    unsigned n = argc > 1 ? 4000000000u : argc > 0 ? 2 : 3;
    int *p = malloc(n * sizeof *p);
    if (!p) return 0;
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return p[1];
}
"""


def test_objects_that_are_too_large_end_only_their_runs() -> None:
    program = loaded(INCLUDES + ANY_LENGTH).program
    assert violated(program, findings(program, "races")) == {"races"}


def test_nothing_is_said_about_what_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WALKS", 12)
    program = loaded(HANDED_OVER.replace("AFTER", "")).program
    (found,) = findings(program, "races")
    assert isinstance(found, Undecided)
    assert not found.applies


def test_deadlock() -> None:
    program = model("""
        mutex a, b;
        thread one { acquire(a); acquire(b); release(b); release(a); }
        thread two { acquire(b); acquire(a); release(a); release(b); }
    """)
    assert violated(program, findings(program, "deadlocks")) == {"deadlocks"}


def test_spinning_threads_give_way() -> None:
    program = model("""
        bool go; int[0..1] x;
        thread first { while (!go) { skip; } x = 1; assert(x == 0); }
        thread second { go = true; }
    """)
    assert violated(program, findings(program, "assertions"))


def test_any_number_of_threads() -> None:
    program = model("""
        int[0..9] x;
        thread t[*] { atomic { if (x < 9) { x = x + 1; } } assert(x < 3); }
    """)
    assert violated(program, findings(program, "assertions"))


def test_the_same_answer_every_time() -> None:
    program = loaded(HANDED_OVER.replace("AFTER", "n->v = 1;")).program
    assert findings(program, "races") == findings(program, "races")


def test_ranks() -> None:
    roles = [Role(t) for t in range(3)]
    order = Order(roles, Lots(0), 0)
    assert order.threads(None, 0)[0] == 0
    order.yields(roles[0])
    assert order.threads(roles[0], 1) == [1, 2, 0]
    order.parked[roles[1]] = None
    assert order.threads(roles[0], 1) == [2, 0, 1]


def racing() -> Program:
    """Two threads that write a variable."""
    body = "int x; void *f(void *a) { x = 1; return 0; } int main(void) { pthread_t t, u; "
    body += "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); return 0; }"
    return loaded(INCLUDES + body).program


def test_another_run_is_looked_for_where_one_is_in_doubt() -> None:
    program = racing()
    task = Task(program, select_properties(program, ("races",)), EngineOptions())
    seen = []
    for finding in WalksEngine().run(task):
        assert isinstance(finding, Violated)
        seen.append(finding.trace)
        if len(seen) < 3:
            task.doubted.add("races")
    assert len(seen) == 3
    assert not task.doubted
    assert violated(program, [Violated(trace) for trace in seen]) == {"races"}


def test_doubts_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_DOUBTS", 2)
    program = racing()
    task = Task(program, select_properties(program, ("races",)), EngineOptions())
    seen = 0
    for _ in WalksEngine().run(task):
        seen += 1
        task.doubted.add("races")
    assert seen == 3


def test_a_thread_that_ends_all_runs_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others go on without it: its undefined behaviour hid what they do."""
    monkeypatch.setattr(engine, "WALKS", 1)
    text = """
    #include <pthread.h>
    #include <assert.h>
    static int *nowhere;
    static void *lost(void *p) { *nowhere = 1; return p; }
    static void *fails(void *p) { assert(0); return p; }
    int main(void)
    {
        pthread_t t, u;
        pthread_create(&t, 0, lost, 0);
        pthread_create(&u, 0, fails, 0);
        pthread_join(u, 0);
        return 0;
    }
    """
    program = loaded(text).program
    assert violated(program, findings(program, "assertions")) == {"assert:6"}
