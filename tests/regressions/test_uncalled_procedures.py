"""Found by random programs: where nobody calls a procedure, `horn` gave a proof that was refused.

Its locations were split although the check of that step knows no returns.
"""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.engines.api import Proved, Task
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.proofs.base.registry import check_certificate

PROGRAM = """
int[0..2] x;
int[0..1] wrap y;
bool b;
mutex m;
void f(int[0..2] p) {
    if (x < 2) { x = 1; } else { p = y + 1; b = false; }
    if (p >= 2) { release(m); }
}
thread t[*] {
    int[0..2] r;
    l1: skip;
    r = choose(y, r);
    goto l1;
    b = (r >= x) && ((y < y) && (x != y));
    atomic { if (2 == x) { assert(r >= y); skip; } }
    here_t: acquire(m);
}
invariant about_globals: b ==> x != 1;
"""


def test_proofs_beside_procedures_that_nobody_calls_pass_their_check() -> None:
    program = model(PROGRAM)
    findings = list(HornEngine().run(Task(program, program.properties)))
    proofs = [finding for finding in findings if isinstance(finding, Proved)]
    assert proofs
    for finding in proofs:
        check_certificate(program, finding.certificate, lambda: None)
