"""Found by a stack of a hundred elements: comparing an array with a thread's id ended the run.

And by random programs: a formula about a thread mentioned its cell of an array with cells for
threads of another template. There is none, so the proof was refused.
"""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.engines.api import Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.proofs.base.registry import check_certificate

PROGRAM = """
mutex m;
int a[100];
int[0..99] x;
thread t[2] { acquire(m); a[x] = 1; assert(a[x] == 1); release(m); }
"""


def test_arrays_beside_ids() -> None:
    program = model(PROGRAM)
    findings = list(HornEngine().run(Task(program, program.properties)))
    assert any(isinstance(finding, Proved) for finding in findings)


OTHERS = """
int[0..2] wrap x;
int[0..1] y = 1;
bool b;
mutex n;
thread w(int[0..1] p) { b = p != x; }
thread t[*] { int[0..2] r; tid c; assert(y < r); here_t: x = r; }
thread u { int[0..2] r; tid c; acquire(n); here_u: r = x; }
invariant about_globals: b ==> x != 1;
invariant about_t: forall i: t. at(i, here_t) ==> x == 0;
"""


def test_cells_of_other_threads() -> None:
    program = model(OTHERS)
    asked = tuple(p for p in program.properties if p.name in ("about_globals", "about_t", "races"))
    proved: set[str] = set()
    for finding in HornEngine().run(Task(program, asked)):
        if isinstance(finding, Proved):
            proved |= set(check_certificate(program, finding.certificate, lambda: None).properties)
    assert {"about_globals", "about_t"} <= proved
