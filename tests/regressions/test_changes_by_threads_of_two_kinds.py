"""Threads of two kinds that change shared memory alike, where it holds the id of a thread.

Changes are kept in the mover's names, and `t[0]` in the names of a `u` is any `t`, the one that
looks on included, while in the names of `t[0]` it is the mover. Taken for one change, the rule ENV
was not applied to all that it disturbs, and the proof failed its check.
"""

from __future__ import annotations

import pytest

from tests.property.comparison import nothing
from tests.unit.semantics.running import model
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore

OWNERS = [
    "acquire(m); y = 0;",
    "acquire(m); y = 0; release(m);",
    "acquire(m); skip; y = 0;",
    "await(o == none) { o = self; } y = 0;",
    "await(o == none) { o = self; } y = 0; o = none;",
    "acquire(m); o = self; y = 0; release(m);",
    "acquire(m); put();",
]
"""What the threads `t` do: write y while their id can be seen."""
OTHERS = [
    "y = 0;",
    "atomic { y = 0; assert(m == none); }",
    "if (m != none) { y = 0; }",
    "while (true) { y = 0; y = 1; }",
    "assume(o != none || m != none); put(); assert(y == 0);",
]
"""What the thread `u` does, whoever's id can be seen."""


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("other", OTHERS)
def test_proofs_pass_their_check(owner: str, other: str) -> None:
    put = "void put() { y = 0; }" if "put" in owner + other else ""
    claims = "invariant held: forall i: t. at(i, here) && m == none ==> y == 1 || o == none;"
    text = (
        f"int[0..1] y = 1; mutex m; tid o; {put} thread t[*] {{ {owner} here: skip; }}"
        f" thread u {{ {other} }} {claims}"
    )
    program = model(text)
    proved: set[str] = set()
    for facts in (False, True):
        task = Task(program, program.properties, EngineOptions(facts=facts))
        for finding in ThreadModularEngine().run(task):
            if isinstance(finding, Proved):
                check_certificate(program, finding.certificate, nothing)
                proved.update(finding.properties)
    instance = program.with_counts({"t": 2})
    assert not proved & explore(instance, program.properties).violated
    assert "range" in proved
