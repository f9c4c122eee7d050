"""An `_Atomic` object accessed through a plain pointer, and a local used after its block."""

from __future__ import annotations

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.frontends.c.options import COptions
from threadwise.ir.properties import RaceProperty

THREADS = """
#include <pthread.h>
_Atomic int x;
void *work(void *unused) {{ {0} return 0; }}
int main(void) {{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    {1}
    pthread_join(t, 0);
    return 0;
}}
"""


def races(first: str, second: str) -> bool:
    source = SourceFile("t.c", THREADS.format(first, second))
    program = load_c([source], COptions()).program
    checked = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    (finding,) = ExplicitEngine().run(Task(program, checked))
    assert isinstance(finding, Proved | Violated)
    return isinstance(finding, Violated)


def test_whether_an_access_synchronises_is_up_to_the_access() -> None:
    """A wrong SAFE once: the variable was atomic, whoever accessed it."""
    plain = "int *p = (int *)&x; *p = 1;"
    assert races(plain, "x = 2;")
    assert races(plain, "x++;")
    assert races(plain, "if (x) { x += 3; }")


def test_atomic_accesses_do_not_race() -> None:
    through = "_Atomic int *p = &x; *p = 1; (*p)++;"
    assert not races(through, "x = 2; x++; x += 3; if (x == 4) { --x; }")


def assumptions(body: str) -> tuple[str, ...]:
    text = f"int *p; int main(void) {{ {body} return *p; }}"
    return load_c([SourceFile("t.c", text)], COptions()).assumptions


def test_the_end_of_a_block_is_assumed_to_end_the_uses() -> None:
    """Nothing was listed once, although `*p` reads a variable that is gone."""
    told = "local variables are not used after their blocks ended"
    assert told in assumptions("{ int x = 5; p = &x; }")
    assert told in assumptions("for (int i = 0; i < 2; i++) { p = &i; }")
    assert told not in assumptions("int x = 5; p = &x;")
