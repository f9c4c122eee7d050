"""What explanations say about calls, for every kind of proof that knows."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.proofs.base.registry import explain_proof

ADD = """int[0..2] saturate g; mutex m;
void add(int[0..2] r) {{ acquire(m); g = g + r; release(m); }}
thread t{count} {{ add(1); assert(g >= 1); }}"""


@pytest.mark.parametrize(
    ("engine", "count", "symmetry", "told"),
    [
        ("thread-modular", "[2]", False, "r == 1 && m' != self && "),
        ("thread-modular", "[2]", True, "r == 1 && m' != self && "),
        ("thread-modular", "[*]", True, "r == 1 && m' != self && "),
        ("reduction", "[2]", False, "r == 1 && m' != self && "),
        ("summaries", "[2]", False, "r == 1 && m' != self && "),
        ("summaries", "", False, "g == 0 && m == none && r == 1 && g' == 1 && m' == none"),
    ],
)
def test_each_call_is_a_formula(engine: str, count: str, symmetry: bool, told: str) -> None:
    program = model(ADD.format(count=count))
    properties = tuple(p for p in program.properties if p.name == "assert:3")
    task = Task(program, properties, EngineOptions(symmetry=symmetry))
    (proof,) = ENGINES[engine].create().run(task)
    assert isinstance(proof, Proved)
    for thread in explain_proof(program, proof.certificate):
        (call,) = thread.summaries
        assert call.procedure == "add"
        assert str(call.formula).startswith(told), call.formula
