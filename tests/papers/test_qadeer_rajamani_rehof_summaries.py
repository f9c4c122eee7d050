"""Qadeer, Rajamani & Rehof, POPL 2004, sections 2 and 5: summaries of the examples, edge by edge.

An edge is written (label, locals, shared data) → (label, locals, shared data), as in the paper;
every edge starts and ends with all mutexes free, except those of `bar` called under a lock.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.papers.reading import paper_program, place
from tests.unit.engines.summaries.saturating import saturate
from tests.unit.semantics.running import model
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.engines.summaries.summaries_engine import SummariesEngine
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transactions.certificate import SummaryCertificate
from threadwise.systems.api import Role

FOLDER = "qadeer_rajamani_rehof"
FREE = -1
"""The owner of a mutex that nobody holds."""

Point = tuple[str, tuple[Any, ...], tuple[Any, ...]]


def point(rules: SummaryRules, node: Node) -> Point:
    """Label, locals, shared store."""
    return place(rules.system, node.l, "end"), node.l[1:], node.g


def edges(rules: SummaryRules, procedure: str, t: int = 0) -> set[tuple[Point, Point]]:
    """The transactions that start in a procedure: to where they end in it, or to its return."""
    relations = rules.threads[t]
    names = rules.system.program.procedure_of

    def inside(node: Node) -> bool:
        return names[rules.system.location(node.l)].name == procedure

    found = {(a, b) for a, row in relations.sum.items() for b in row}
    found |= {(a, x.b) for (a, _), row in relations.sum_pop.items() for x in row.values()}
    return {(point(rules, a), point(rules, b)) for a, b in found if inside(a)}


COARSE = """
bool available[2] = *; mutex m;
int[0..2] getResource() {
    int[0..2] i = 0;
L0: acquire(m);
L1: while (i < 2) {
L2:     if (available[i]) {
L3:         available[i] = false;
L4:         release(m);
L5:         return i;
        }
L6:     i = i + 1;
    }
L7: release(m);
L8: return i;
}
thread client[2] { int[0..2] r; r = getResource(); }
"""

FINE = """
bool available[2] = *; mutex m[2];
int[0..2] getResource() {
    int[0..2] i = 0;
L0: while (i < 2) {
L1:     acquire(m[i]);
L2:     if (available[i]) {
L3:         available[i] = false;
L4:         release(m[i]);
L5:         return i;
        } else {
L6:         release(m[i]);
        }
L7:     i = i + 1;
    }
L8: return i;
}
void freeResource(int[0..1] i) { acquire(m[i]); available[i] = true; release(m[i]); }
thread client[2] { int[0..2] r; r = getResource(); }
thread other { freeResource(0); }
"""


def test_example_1_four_edges() -> None:
    """getResource with coarse locking is one transaction: from entry to return."""

    def edge(before: tuple[int, int], label: str, i: int, after: tuple[int, int]) -> object:
        return ("L0", (0,), (*before, FREE)), (label, (i,), (*after, FREE))

    assert edges(saturate(model(COARSE)), "getResource") == {
        edge((0, 0), "L8", 2, (0, 0)),
        edge((0, 1), "L5", 1, (0, 0)),
        edge((1, 0), "L5", 0, (0, 0)),
        edge((1, 1), "L5", 0, (0, 1)),
    }


def test_example_2_eight_edges() -> None:
    """With a lock for each entry, each round of the loop is a transaction."""

    def edge(start: str, i: int, before: tuple[int, int], *end: Any) -> object:
        label, j, after = end
        return (start, (i,), (*before, FREE, FREE)), (label, (j,), (*after, FREE, FREE))

    assert edges(saturate(model(FINE)), "getResource") == {
        edge("L0", 0, (0, 0), "L1", 1, (0, 0)),
        edge("L0", 0, (0, 1), "L1", 1, (0, 1)),
        edge("L0", 0, (1, 0), "L5", 0, (0, 0)),
        edge("L0", 0, (1, 1), "L5", 0, (0, 1)),
        edge("L1", 1, (0, 0), "L8", 2, (0, 0)),
        edge("L1", 1, (0, 1), "L5", 1, (0, 0)),
        edge("L1", 1, (1, 0), "L8", 2, (1, 0)),
        edge("L1", 1, (1, 1), "L5", 1, (1, 0)),
    }


def test_example_2_in_a_loop() -> None:
    """A caller that loops calls after its commit too: sixteen edges."""
    loop = "while (true) { r = getResource(); if (r < 2) { freeResource(r); } }"
    rules = saturate(model(FINE.replace("r = getResource();", loop)))
    found = edges(rules, "getResource")
    assert len(found) == 16
    starts = {(a[0], a[1], b[0] == "L1" and a[1] == b[1]) for a, b in found}
    assert ("L0", (0,), True) in starts  # a second transaction begins at once, at the lock


def test_example_3_terminates() -> None:
    """Two edges of foo, none with r = 0; four of main, the first two from before `choose`."""
    rules = saturate(paper_program(f"{FOLDER}/figure4_recursion"))
    assert edges(rules, "foo") == {
        (("L0", (1,), (0, FREE)), ("L5", (1,), (1, FREE))),
        (("L0", (1,), (1, FREE)), ("L5", (1,), (2, FREE))),
    }
    assert edges(rules, "main") == {
        (("end", (0,), (0, FREE)), ("M1", (1,), (1, FREE))),
        (("end", (0,), (1, FREE)), ("M1", (1,), (2, FREE))),
        (("M1", (1,), (1, FREE)), ("M4", (1,), (1, FREE))),
        (("M1", (1,), (2, FREE)), ("M4", (1,), (2, FREE))),
    }
    assert not rules.cuts
    on_stacks = {
        rules.system.program.edges[frame.call].text
        for state in rules.omega.states
        for stack in state.joint.stacks
        for frame in stack
    }
    assert on_stacks == {"main()"}  # foo is summarised: no frame of its calls is ever pushed


def test_example_4_both_phases() -> None:
    """bar before the commit of foo1's transaction, and at the start of foo2's second one."""
    rules = saturate(paper_program(f"{FOLDER}/figure5_contexts"))
    system = rules.system

    def entries(t: int) -> set[str]:
        return {a.part for a in rules.threads[t].path if place(system, a.l, "end") == "N0"}

    assert (entries(0), entries(1)) == ({"R"}, {"N"})
    assert not any(rules.threads[0].sum_push.values())
    called = {
        place(system, n.l, "end") for row in rules.threads[1].sum_push.values() for n, _ in row
    }
    assert called == {"M0", "N0"}
    foo1 = {(a[0], b[0]) for a, b in edges(rules, "foo1", 0)}
    foo2 = {(a[0], b[0]) for a, b in edges(rules, "foo2", 1)}
    assert foo1 == {("L0", "L4")}
    assert foo2 == {("M4", "M4")}  # the rest of foo2 after bar; M0 to M3 ends at bar's entry


def failures(engine: Any, name: str, max_depth: int) -> tuple[Any, Task]:
    program = paper_program(f"{FOLDER}/{name}")
    properties = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    task = Task(program, properties, EngineOptions(max_depth=max_depth))
    (finding,) = engine.run(task)
    if isinstance(finding, Proved):
        check_certificate(program, finding.certificate, lambda: None)
    return finding, task


def test_figure_4_is_safe() -> None:
    finding, _ = failures(SummariesEngine(), "figure4_recursion", 50)
    assert isinstance(finding, Proved)


def test_figure_8_does_not_terminate() -> None:
    """UNKNOWN names procedure and statement; pushdown thread-modular checking proves it."""
    finding, _ = failures(SummariesEngine(), "figure8_nontransactional", 6)
    assert isinstance(finding, Undecided)
    assert finding.bound == ("max-depth", 6)
    assert finding.reason.startswith("foo is recursive and not inside one transaction: `x = 1`")
    proof, _ = failures(ThreadModularEngine(), "figure8_nontransactional", 6)
    assert isinstance(proof, Proved)


FIGURE_8 = """
int[0..2] saturate g = 0; int[0..1] x; int[0..1] y; mutex m;
void foo(int[0..1] r) {
    if (r == 0) { x = 1; y = 1; foo(r); } else { acquire(m); g = g + 1; release(m); }
}
thread main[2] {
    int[0..1] q;
    q = choose(0, 1);
    foo(q);
    acquire(m);
    assert(g >= 1);
    release(m);
}
"""


@pytest.mark.parametrize(("depth", "states"), [(3, 112), (6, 364), (12, 1300)])
def test_figure_8_grows_with_the_depth(depth: int, states: int) -> None:
    """Quadratically: each of the two threads may be at any depth, in a few places."""
    rules = saturate(model(FIGURE_8), depth)
    assert len(rules.omega.states) == states


TWO_TRANSACTIONS = """
int[0..2] x;
void f() { x = 2; }
thread t { x = 1; f(); x = 0; }
thread u { x = 1; }
"""


def test_a_path_edge_is_one_transaction() -> None:
    """Each write of x ends a transaction, the one inside f too: no edge leads past the call."""
    rules = saturate(model(TWO_TRANSACTIONS))
    relations = rules.threads[Role(0)]
    assert any(relations.sum_push.values())
    assert any(c for row in relations.sum_pop.values() for c in row)
    names = rules.system.program.procedure_of
    start = next(a for a in relations.path if a.g == (0,))
    reached = {b.g for b in relations.path[start] if names[rules.system.location(b.l)].name != "f"}
    assert reached == {(0,), (1,)}


def chain(k: int) -> str:
    """k procedures, each calling the next twice; every call of the last is a transaction."""
    calls = [f"void p{i}() {{ p{i + 1}(); p{i + 1}(); }}" for i in range(k)]
    last = f"void p{k}() {{ acquire(m); x = 1 - x; release(m); }}"
    return "\n".join(["int[0..1] x; mutex m;", *calls, last, "thread t[2] { p0(); }"])


def merged(program: Program) -> tuple[SummaryCertificate, int]:
    """The proof of all failures by a search without stacks, and how many states Ω has in it."""
    kept = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    task = Task(program, kept, EngineOptions(max_depth=100))
    (finding,) = SummariesEngine(first=100).run(task)
    assert isinstance(finding, Proved)
    assert isinstance(finding.certificate, SummaryCertificate)
    check_certificate(program, finding.certificate, lambda: None)
    return finding.certificate, len(finding.certificate.states)


def test_transactions_that_end_inside_procedures_take_no_stacks() -> None:
    """2^k stacks, but states and Below grow with k: the difference is the same from k to k + 4."""
    certificates, sizes = zip(*(merged(model(chain(k))) for k in (8, 12, 16)), strict=True)
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]
    assert sizes[2] < 1000
    below = [sum(map(len, c.below)) for c in certificates]
    assert below[2] - below[1] == below[1] - below[0]


RETURNS = """
int[0..3] x; bool b; mutex m;
void g() { acquire(m); release(m); }
void f() { g(); }
thread t { f(); b = true; f(); assert(!b); }
thread u { acquire(m); x = 1; x = 2; release(m); }
"""


def test_a_return_finds_all_that_lies_below() -> None:
    """Without stacks the second call of f is not lost: what follows it fails."""
    program = model(RETURNS)
    kept = tuple(p for p in program.properties if isinstance(p, FailureProperty))
    found = list(SummariesEngine(first=1).run(Task(program, kept)))
    assert [f.trace.property for f in found if isinstance(f, Violated)] == ["assert:5"]


SEQUENTIAL = """
int[0..1] g;
void f(int[0..1] p) {
    if (p == 0) { g = 1 - g; h(); } else { skip; }
}
void h() { either { f(0); } or { f(1); } }
thread t { f(0); assert(g == 1 || g == 0); }
"""


def test_one_thread_is_sequential_reachability() -> None:
    """No Sum+ at all, and Sum- joins each entry with the exits that runs can reach (QRR §5.4)."""
    rules = saturate(model(SEQUENTIAL))
    assert not any(rules.threads[Role(0)].sum_push.values())
    assert len(rules.omega.states) == 1
    pairs = {(a[1], a[2], b[2]) for a, b in edges(rules, "f")}
    # f(1) leaves g alone; f(0) flips it once and then any number of times more.
    assert pairs == {
        ((1,), (0,), (0,)),
        ((1,), (1,), (1,)),
        ((0,), (0,), (0,)),
        ((0,), (0,), (1,)),
        ((0,), (1,), (0,)),
        ((0,), (1,), (1,)),
    }
