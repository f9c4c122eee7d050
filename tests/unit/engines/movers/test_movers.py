"""Right and left movers, edge by edge."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.engines.movers.classify import Mover, classify
from threadwise.engines.movers.locks import LockEffect, find_locks, lock_effect
from threadwise.engines.movers.sources import Source
from threadwise.engines.movers.visibility import Visibility
from threadwise.engines.thread_modular.pushdown import pushdown_fixpoint
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem

BOTH, RIGHT, LEFT, NONE = (True, True), (True, False), (False, True), (False, False)


def movers(text: str, thread: int = 0, *, seen: bool = False) -> dict[str, set[tuple[bool, bool]]]:
    """Per statement of a thread the classes of its edges, over all local stores."""
    found: dict[str, set[tuple[bool, bool]]] = {}
    for statement, mover in _listed(model(text), thread, seen=seen):
        found.setdefault(statement, set()).add((mover.right, mover.left))
    return found


def reasons(text: str, thread: int = 0) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for statement, mover in _listed(model(text), thread):
        found.setdefault(statement, set()).add(mover.reason)
    return found


def _listed(program: Program, thread: int, *, seen: bool = False) -> list[tuple[str, Mover]]:
    system = ConcreteSystem(program)
    formulas = [p.formula for p in program.properties if isinstance(p, InvariantProperty)]
    visibility = Visibility(program, formulas) if seen else None
    classes = classify(Source(system, system, pushdown_fixpoint(system)), visibility)
    t = Role(thread)
    return [
        (program.edges[edge].text, mover)
        for l in classes.stores(t)
        for edge, mover in classes.at(t, l).items()
    ]


LOCKED = (
    "mutex m; int[0..2] wrap x; thread t[2] { int[0..2] r; acquire(m); x = 1; release(m); r = 1; }"
)


def test_locks_and_what_they_protect() -> None:
    found = movers(LOCKED)
    assert found["acquire(m)"] == {RIGHT}
    assert found["x = 1"] == {BOTH}
    assert found["r = 1"] == {BOTH}


def test_a_refused_release_moves_both_ways() -> None:
    """Whether a thread owns a lock is changed by that thread alone."""
    assert movers(LOCKED)["release(m)"] == {LEFT, BOTH}


def test_every_class_has_a_reason() -> None:
    found = reasons(LOCKED)
    assert found["acquire(m)"] == {"acquire of m"}
    assert found["release(m)"] == {"release of m", "refused release of m"}
    assert found["x = 1"] == {"nobody else touches these cells at the same time"}
    assert found["r = 1"] == {"a step of the thread's own"}
    contended = reasons("int[0..1] x;\nthread t { x = 1; }\nthread u[2] {\nassume(x == 0); }")
    assert contended["x = 1"] == {"x is read by u[0] at line 4 at the same time"}


def test_a_conflict_makes_no_mover() -> None:
    text = "int[0..2] x; int[0..2] y; thread t { x = 1; y = 1; } thread u { x = 2; }"
    assert movers(text) == {"x = 1": {NONE}, "y = 1": {BOTH}}


def test_two_reads_do_not_conflict() -> None:
    text = "int[0..2] x; thread t { assume(x == 1); } thread u { assert(x == 0); }"
    assert movers(text)["assume(x == 1)"] == {BOTH}


def test_a_blocked_access_counts() -> None:
    """`x = 1` enables what waits for it: being enabled together is not what matters."""
    text = "int[0..1] x; thread t { x = 1; } thread u { assume(x == 1); }"
    assert movers(text)["x = 1"] == {NONE}
    assert movers(text, 1)["assume(x == 1)"] == {NONE}


def test_both_sides_of_a_short_circuit_count() -> None:
    text = "bool b; int[0..1] x; thread t { x = 1; } thread u { assume(b && x == 1); }"
    assert movers(text)["x = 1"] == {NONE}


def test_one_thread_has_only_both_movers() -> None:
    text = "mutex m; int[0..1] x; thread t { acquire(m); x = 1; assert(m == self); release(m); }"
    assert set.union(*movers(text).values()) == {BOTH}


def test_an_uncontended_lock_is_a_both_mover() -> None:
    """The inner lock is always taken under the outer one."""
    text = """mutex m; mutex n;
    thread t[2] { acquire(m); acquire(n); release(n); release(m); }"""
    found = movers(text)
    assert found["acquire(n)"] == found["release(n)"] == {BOTH}
    assert found["acquire(m)"] == {RIGHT}


def test_a_mutex_that_is_read_is_data() -> None:
    for extra in ("assume(m == none);", "b = try_acquire(m);", "if (holds(m)) { skip; }"):
        text = f"mutex m; bool b; thread t {{ acquire(m); release(m); }} thread u {{ {extra} }}"
        program = model(text)
        assert find_locks(program) == frozenset()
        assert movers(text)["acquire(m)"] == {NONE}
        assert NONE in movers(text)["release(m)"]


def test_what_an_edge_does_is_read_off_its_command() -> None:
    program = model("mutex m[2]; int[0..1] i; thread t { acquire(m[i]); release(m[0]); }")
    effects = [effect for edge in program.edges if (effect := lock_effect(edge)) is not None]
    assert effects == [
        ("m", LockEffect.ACQUIRE),
        ("m", LockEffect.REFUSAL),
        ("m", LockEffect.RELEASE),
    ]
    assert find_locks(program) == {"m"}


def test_an_index_of_the_threads_own_tells_cells_apart() -> None:
    text = "bool a[2]; thread t[2] { a[self.index] = true; }"
    assert movers(text)["a[self.index] = true"] == {BOTH}


def test_a_shared_index_stands_for_the_whole_array() -> None:
    text = "bool a[2]; int[0..1] i; thread t { a[i] = true; } thread u { a[1] = false; }"
    assert movers(text)["a[i] = true"] == {NONE}
    assert movers(text, 1)["a[1] = false"] == {NONE}


def test_an_atomic_region_touches_what_any_of_its_paths_does() -> None:
    text = """bool b; int[0..1] x; int[0..1] y;
    thread t { atomic { if (b) { x = 1; } else { y = 1; } } }
    thread u { x = 0; } thread v { y = 0; }"""
    assert set.union(*movers(text).values()) == {NONE}
    assert movers(text, 1) == {"x = 0": {NONE}}
    assert movers(text, 2) == {"y = 0": {NONE}}


def test_an_index_that_changes_inside_a_region_means_any_cell() -> None:
    text = """bool a[2]; thread t { int[0..1] r; atomic { r = 1; a[r] = true; } }
    thread u { a[1] = false; }"""
    assert movers(text, 1) == {"a[1] = false": {NONE}}


def test_several_effects_must_all_move() -> None:
    text = """mutex m; mutex n; thread t { atomic { acquire(m); acquire(n); } release(m);
    release(n); } thread u { atomic { acquire(n); release(n); } acquire(m); release(m); }"""
    assert movers(text)["acquire(m)"] == {RIGHT}
    assert movers(text, 1)["acquire(n)"] == {NONE}


def test_an_invariant_makes_what_it_sees_no_mover() -> None:
    text = """int[0..1] x; int[0..1] y;
    thread t { int[0..1] r; x = 1; y = 1; r = 1; use: skip; skip; f(); }
    void f() { skip; }
    invariant seen: forall i: t. at(i, use) ==> x == 0 && i.r == 0;"""
    assert set.union(*movers(text).values()) == {BOTH}
    found = movers(text, seen=True)
    assert found["x = 1"] == found["r = 1"] == {NONE}
    assert found["y = 1"] == found["f()"] == {BOTH}
    assert found["skip"] == {NONE, BOTH}


def test_an_invariant_sees_returns() -> None:
    text = """void f() { skip; } thread t { skip; f(); after: skip; }
    invariant not_after: forall i: t. !at(i, after);"""
    program = model(text)
    (back,) = (edge for edge in program.edges if isinstance(edge.action, Return))
    (call,) = (edge for edge in program.edges if isinstance(edge.action, Call))
    (invariant,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    visibility = Visibility(program, [invariant.formula])
    assert visibility.sees(back, "t")
    assert not visibility.sees(call, "t")
