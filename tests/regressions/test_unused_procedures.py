"""A procedure that nobody runs may call one that otherwise only atomic blocks do."""

from __future__ import annotations

import threadwise
from threadwise import Verdict
from threadwise.ir.check.validate import validate


def test_the_program_is_well_formed() -> None:
    program = threadwise.load("""
        int[0..1] x;
        void f() { x = 1; }
        void unused() { f(); }
        thread t { atomic { f(); } }
    """)
    assert not list(validate(program))
    assert threadwise.check(program, in_process=True).verdict is Verdict.SAFE
