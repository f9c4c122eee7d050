"""The SMV text that NuSMV is given: well formed, and the same program."""

from __future__ import annotations

import pytest

from benchmarks.mhwl.smv import smv_text
from tests.papers.reading import paper_program
from tests.property.comparison import load
from tests.unit.benchmarks.smv_language import Smv
from threadwise.backends.bdd.space import Space
from threadwise.ir.program import Program
from threadwise.semantics.oracle import explore

MODELS = [
    ("mux_sem", "exclusion"),
    ("mux_sem_last", "exclusion"),
    ("mux_sem_count", "exclusion"),
    ("bakery", "exclusion"),
    ("dining_philosophers", "no_shared_fork"),
]
BUGS = [
    ("mux_sem_bug", "exclusion"),
    ("mux_sem_last_bug", "last_is_inside"),
    ("mux_sem_count_bug", "exclusion"),
    ("bakery_bug", "exclusion"),
    ("dining_philosophers_bug", "no_shared_fork"),
]
MIXED = """int[0..2] wrap x = *; int[-1..1] saturate y; tid o; mutex m; bool b[t];
thread t[2] { int[0..2] r; havoc r; acquire(m); x = x + r; y = y - 1; o = self;
    b[self] = x > 1 ==> y == 0; release(m); assert(x != 2); }
invariant one: forall i: t. b[i] || o != i || x == 1;"""
"""What the paper's models do not have: any value, wrapping, saturation, ids, a failure."""


def compare(program: Program, name: str) -> None:
    """The text has the reachable states of the program, and violates what that violates."""
    smv = Smv(smv_text(program, name))
    well_formed(smv)
    places = [k for k, f in enumerate(Space(program).fields()) if f.name.endswith(".at")]
    resting = [
        state
        for state in smv.states
        if not any(program.locations[int(state[k])].atomic for k in places)
    ]
    oracle = explore(program, program.properties)
    assert len(resting) == len(oracle.states)
    assert smv.violated == (name in oracle.violated)


def well_formed(smv: Smv) -> None:
    """Each variable has one next value; what is looked at is declared, inputs in next() only."""
    declared = smv.variables.keys() | smv.inputs.keys()
    assert smv.next.keys() == smv.variables.keys()
    assert smv.init.keys() <= smv.variables.keys()
    assert not smv.defines.keys() & declared
    for expression in (*smv.next.values(), *smv.defines.values()):
        assert smv.names(expression) <= declared
    for expression in (*smv.init.values(), smv.specification):
        assert smv.names(expression) <= smv.variables.keys()


@pytest.mark.parametrize(("model", "name"), [*MODELS, *BUGS])
def test_the_models_of_the_paper(model: str, name: str) -> None:
    compare(paper_program(f"meng_he_wang_liu/{model}", N=2), name)


def test_everything_else() -> None:
    compare(load(MIXED), "one")
