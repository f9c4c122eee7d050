"""A return changes the variable that the result goes to, also one that outlives calls.

`tar` kept what it knew of variables of the thread over returns: its proofs failed their check.
"""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.proofs.base.registry import check_certificate

SOME = "int[0..2] some() { int[0..2] i; havoc i; assume(i != 2); return i; } "
LOW, ZERO = "invariant ok: forall i: t. i.r < 2;", "invariant ok: forall i: t. i.r == 0;"
PROGRAMS = {
    "any": (SOME + "thread t { int[0..2] r; r = some(); }" + ZERO, False),
    "two": (SOME + "thread t[2] { int[0..2] r; r = some(); }" + LOW, True),
    "loop": (SOME + "thread t { int[0..2] r; while (r == 0) { r = some(); } }" + ZERO, False),
    "kept": (SOME + "thread t { int[0..2] r, q; q = some(); q = r; }" + ZERO, True),
    "array": (
        SOME
        + "thread t { int[0..2] r[2]; r[1] = some(); } invariant ok: forall i: t. i.r[1] == 0;",
        False,
    ),
    "any number": (SOME + "thread t[*] { int[0..2] r; r = some(); }" + ZERO, False),
    "nested": (
        SOME
        + "int[0..2] more() { int[0..2] j; j = some(); return j; } "
        + "thread t { int[0..2] r; r = more(); }"
        + ZERO,
        False,
    ),
    "truth": (
        "bool yes() { bool b; b = true; return b; } "
        "thread t[2] { bool r; r = yes(); } invariant ok: forall i: t. !i.r;",
        False,
    ),
    "twice": (SOME + "thread t { int[0..2] r; r = some(); r = some(); }" + ZERO, False),
    "asserted": (
        SOME + "thread t { int[0..2] r; r = some(); assert(r == 0); }" + LOW,
        False,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_proofs_pass_their_check(name: str) -> None:
    text, safe = PROGRAMS[name]
    program = model(text)
    asked = tuple(p for p in program.properties if p.name == "ok" or p.name.startswith("assert"))
    told = set()
    for finding in TarEngine().run(Task(program, asked)):
        told.add(type(finding))
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
    assert (Proved if safe else Violated) in told
