"""Orders of locks against brute force, on random programs with locks, trylock, calls and joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.property.programs import RandomChooser
from tests.unit.semantics.running import model
from threadwise.engines.api import Proved, Task, Undecided
from threadwise.engines.lock_order.lock_order_engine import LockOrderEngine
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate, monitor_of
from threadwise.proofs.lock_order.certificate import (
    Change,
    Entry,
    Group,
    Known,
    LockOrderCertificate,
)
from threadwise.semantics.oracle import explore

CI = 12
NIGHTLY = 2000
LOCKS = ("a", "b", "c")


class _Writer:
    """Writes a program in which locks are taken inside each other, mostly in one order."""

    def __init__(self, seed: int) -> None:
        self.choose = RandomChooser.of(seed)
        self.orderly = self.flip(50)

    def flip(self, percent: int) -> bool:
        return self.choose.integer(1, 100) <= percent

    def block(self, free: tuple[str, ...], depth: int, calls: tuple[str, ...]) -> str:
        text = ""
        for _ in range(self.choose.integer(1, 2)):
            text += self.statement(free, depth, calls)
        return text

    def statement(self, free: tuple[str, ...], depth: int, calls: tuple[str, ...]) -> str:
        way = self.choose.integer(0, 9)
        if depth and free and way <= 5:
            at = self.choose.integer(0, len(free) - 1)
            lock = free[at]
            left = free[at + 1 :] if self.orderly else free[:at] + free[at + 1 :]
            inner = self.block(left, depth - 1, calls)
            if way == 5 and self.flip(20):
                return f"r = try_acquire({lock}); if (r) {{ {inner} release({lock}); }} "
            return f"acquire({lock}); {inner} release({lock}); "
        if way == 6 and calls and len(free) == len(LOCKS):
            return f"{calls[self.choose.integer(0, len(calls) - 1)]}(); "
        if depth and way == 7:
            one, two = (self.block(free, depth - 1, calls) for _ in range(2))
            return f"if (r) {{ {one} }} else {{ {two} }} "
        return "skip; "

    def write(self) -> str:
        text = "".join(f"mutex {lock}; " for lock in LOCKS)
        body = self.block(LOCKS, 2, ())
        text += f"\nvoid f() {{ bool r; {body} }}\n"
        calls = ("f",)
        text += f"thread w() {{ bool r; {self.block(LOCKS, 2, calls)} }}\n"
        held = LOCKS[0] if self.flip(30) else None
        joins = "tid h; h = spawn w(); "
        joins += f"acquire({held}); join h; release({held}); " if held else "join h; "
        text += f"thread main {{ bool r; {joins}{self.block(LOCKS, 2, calls)} }}\n"
        gated = f"acquire(c); {self.block(LOCKS[:2], 2, ())} release(c); "
        text += f"thread t {{ bool r; {gated if self.flip(30) else self.block(LOCKS, 2, ())} }}"
        return text


def written(seed: int) -> str:
    """A program; in every other one a lock is an array of two."""
    text = _Writer(seed).write()
    if seed % 2:
        text = text.replace("mutex c;", "mutex c[2];").replace("bool r;", "bool r; int[0..1] k;")
        text = text.replace(" acquire(c)", " havoc k; acquire(c[k])")
        text = text.replace("(c)", "(c[k])")
    return text


def proof(program: Program) -> LockOrderCertificate | None:
    checked = tuple(p for p in program.properties if isinstance(p, DeadlockProperty))
    (found,) = LockOrderEngine().run(Task(program, checked))
    if not isinstance(found, Proved):
        return None
    assert isinstance(found.certificate, LockOrderCertificate)
    return found.certificate


def has_deadlock(program: Program) -> bool:
    return bool(explore(program, [DeadlockProperty("wanted")]).violated)


def sample(seeds: range) -> tuple[int, int]:
    """How many programs are proved, and how many have deadlocks."""
    proved = broken = 0
    for seed in seeds:
        program = model(written(seed), 1)
        certificate = proof(program)
        if certificate is not None:
            proved += 1
            check_certificate(program, certificate, lambda: None)
            assert not has_deadlock(program), written(seed)
        else:
            broken += has_deadlock(program)
    return proved, broken


def test_a_sample() -> None:
    proved, broken = sample(range(CI))
    assert proved > CI // 10
    assert broken > CI // 10


@pytest.mark.slow
def test_many() -> None:
    proved, broken = sample(range(CI, NIGHTLY))
    assert min(proved, broken) > NIGHTLY // 10


SAFE = """mutex a; mutex b;
thread t { acquire(a); acquire(b); release(b); release(a); }
thread u { acquire(a); acquire(b); release(b); release(a); }
"""
BROKEN = SAFE.replace(
    "thread u { acquire(a); acquire(b); release(b); release(a); }",
    "thread u { acquire(b); acquire(a); release(a); release(b); }",
)


def test_no_certificate_hides_a_circle() -> None:
    """The proof of the right program carried to the wrong one, with every order and gate."""
    wrong = model(BROKEN)
    right = proof(model(SAFE))
    assert right is not None
    assert proof(wrong) is None
    carried = replace(right, program_hash=program_hash(wrong))
    names = frozenset({"a", "b"})
    orders = (
        right.order,
        right.order[::-1],
        (Group(names, "a"),),
        (Group(names, "c"),),
        (Group(names),),
    )
    for order in orders:
        with pytest.raises(Refuted):
            check_certificate(wrong, replace(carried, order=order), lambda: None)
    anything = {
        name: dict.fromkeys(range(len(wrong.locations)), Change(gained=names, freed=names))
        for name in right.changes
    }
    nothing = {
        name: dict.fromkeys(range(len(wrong.locations)), Change()) for name in right.changes
    }
    mutants = [replace(carried, changes=each) for each in (anything, nothing, {})]
    mutants += [
        replace(carried, entries=()),
        replace(carried, entries=(Entry("t", names, names),)),
    ]
    for order in orders:
        for mutant in mutants:
            with pytest.raises(Refuted):
                check_certificate(wrong, replace(mutant, order=order), lambda: None)


def test_a_gate_must_surely_be_held() -> None:
    text = """mutex gate; mutex a; mutex b; bool free;
    thread t { if (free) { acquire(gate); } acquire(a); acquire(b); release(b); release(a);
               if (free) { release(gate); } }
    thread u { acquire(gate); acquire(b); acquire(a); release(a); release(b); release(gate); }
    """
    assert proof(model(text)) is None
    assert proof(model(text.replace("if (free)", "if (true)"))) is not None


@pytest.mark.parametrize(
    "text",
    [
        "bool x; thread t { assume(x); }",
        "mutex m; thread t { acquire(m); }",
        "mutex m; thread t { acquire(m); acquire(m); }",
        "mutex m[2]; thread t[2] { acquire(m[self.index]); acquire(m[1 - self.index]);"
        " release(m[1 - self.index]); release(m[self.index]); }",
        "mutex m[2]; thread t[2] { bool r; acquire(m[self.index]);"
        " r = try_acquire(m[1 - self.index]); if (r) { release(m[1 - self.index]); }"
        " acquire(m[0]); release(m[0]); release(m[self.index]); }",
        "mutex m[2]; mutex a; thread t { int[0..1] k; havoc k; acquire(m[k]); acquire(a);"
        " release(a); release(m[k]); } thread u { acquire(a); acquire(m[0]); release(m[0]);"
        " release(a); }",
    ],
)
def test_what_is_not_covered_is_not_proved(text: str) -> None:
    assert proof(model(text)) is None


def test_locks_of_an_array_are_one_class() -> None:
    text = """mutex m[3]; mutex a;
    thread t[2] { int[0..2] k; havoc k; acquire(m[k]); acquire(a); release(a); release(m[k]);
                  acquire(m[1]); release(m[1]); }"""
    certificate = proof(model(text))
    assert certificate is not None
    assert [sorted(group.nodes) for group in certificate.order] == [["m[]"], ["a"]]
    check_certificate(model(text), certificate, lambda: None)


def test_a_lock_of_a_class_is_no_gate() -> None:
    text = """mutex gate[2]; mutex a; mutex b;
    thread t { int[0..1] k; havoc k; acquire(gate[k]); acquire(a); acquire(b); release(b);
               release(a); release(gate[k]); }
    thread u { int[0..1] k; havoc k; acquire(gate[k]); acquire(b); acquire(a); release(a);
               release(b); release(gate[k]); }"""
    assert proof(model(text)) is None
    assert has_deadlock(model(text))
    assert proof(model(text.replace("gate[2]", "gate").replace("gate[k]", "gate"))) is not None


LADDER = """mutex a, b, c, d;
void last() { acquire(d); release(d); }
void third() { acquire(c); last(); release(c); last(); }
void second() { acquire(b); third(); release(b); third(); }
thread t[2] { acquire(a); second(); release(a); second(); third(); last(); }
"""


def test_what_a_caller_holds_is_not_what_another_one_gets_back() -> None:
    """A procedure that many call, with more locks each time, changes nothing for any of them."""
    program = model(LADDER)
    certificate = proof(program)
    assert certificate is not None
    check_certificate(program, certificate, lambda: None)
    assert not has_deadlock(program)
    wrong = LADDER.replace("acquire(c); last(); release(c);", "acquire(c); up(); release(c);")
    wrong = wrong.replace("void third", "void up() { acquire(a); release(a); }\nvoid third")
    assert proof(model(wrong)) is None
    assert has_deadlock(model(wrong))


def test_ways_to_enter_a_procedure_become_one_when_they_are_many() -> None:
    locks = [f"m{n}" for n in range(8)]
    calls = "".join(f"acquire({lock}); f(); release({lock}); " for lock in locks)
    text = f"mutex last, {', '.join(locks)}; void f() {{ acquire(last); release(last); }}\n"
    program = model(text + f"thread t[2] {{ {calls} }}")
    certificate = proof(program)
    assert certificate is not None
    assert [e.may for e in certificate.entries if e.procedure == "f"] == [frozenset(locks)]
    check_certificate(program, certificate, lambda: None)
    for number, entry in enumerate(certificate.entries):
        if entry.procedure == "f":
            less = replace(entry, may=entry.may - {"m3"})
            entries = (*certificate.entries[:number], less, *certificate.entries[number + 1 :])
            with pytest.raises(Refuted, match="may be entered with more"):
                check_certificate(program, replace(certificate, entries=entries), lambda: None)


def test_a_procedure_that_gives_back_the_lock_of_its_caller() -> None:
    text = """mutex a, b;
    void swap() { release(a); acquire(b); }
    thread t[2] { acquire(a); swap(); release(b); acquire(a); release(a); }
    """
    assert proof(model(text)) is not None
    inverted = text.replace("swap(); release(b); acquire(a);", "swap(); acquire(a); release(b);")
    assert proof(model(inverted)) is not None  # b, then a; never a, then b
    both = inverted.replace(
        "swap() { release(a); acquire(b); }", "swap() { acquire(b); release(a); }"
    )
    assert proof(model(both)) is None
    assert has_deadlock(model(both))


@pytest.mark.parametrize(
    ("loop", "proved"),
    [
        ("while (i < 3) { i = i + 1; }", True),
        ("while (i < 3) { i = i - 1; }", False),
        ("while (i < 3) { if (i > 1) { i = i + 1; } }", False),
        ("while (true) { skip; }", False),
    ],
)
def test_an_atomic_block_that_loops_comes_to_its_end(loop: str, proved: bool) -> None:
    text = f"mutex a; thread t {{ int[0..9] i; acquire(a); atomic {{ {loop} }} release(a); }}"
    assert (proof(model(text)) is not None) is proved


LOOP = """mutex a, b; tid h[3];
thread w() { acquire(a); acquire(b); release(b); release(a); }
thread main {
    int[0..9] i; tid t;
    i = 0;
    while (i < 3) { t = spawn w(); h[i] = t; i = i + 1; }
    i = 0;
    while (i < 3) { assume(i >= 0 && i <= 2); i = i + 1; }
}
"""


def test_guards_that_bounds_of_locals_make_true() -> None:
    program = model(LOOP, 3)
    certificate = proof(program)
    assert certificate is not None
    assert certificate.bounds
    check_certificate(program, certificate, lambda: None)
    with pytest.raises(Refuted, match="for something else"):
        check_certificate(program, replace(certificate, bounds={}), lambda: None)
    assert proof(model(LOOP.replace("i <= 2", "i <= 1"), 3)) is None


NOTHING_KNOWN: Known = {}


def test_bounds_are_verified() -> None:
    wrong = model(LOOP.replace("i <= 2", "i <= 1"), 3)
    right = proof(model(LOOP, 3))
    assert right is not None
    narrow = {
        name: {here: dict.fromkeys(known, (0, 1)) for here, known in claims.items()}
        for name, claims in right.bounds.items()
    }
    nowhere = {
        name: dict.fromkeys(list(claims)[:1], NOTHING_KNOWN)
        for name, claims in right.bounds.items()
    }
    for bounds in (right.bounds, narrow, nowhere):
        forged = replace(right, program_hash=program_hash(wrong), bounds=bounds)
        with pytest.raises(Refuted):
            check_certificate(wrong, forged, lambda: None)


@pytest.mark.parametrize("more", ["", "bool x; thread v { assume(x); }"])
def test_a_cycle_is_a_goal_for_searches(more: str) -> None:
    """Also where the program has something else, of which orders of locks say nothing."""
    program = model(BROKEN + more)
    checked = tuple(p for p in program.properties if isinstance(p, DeadlockProperty))
    (found,) = LockOrderEngine().run(Task(program, checked))
    assert isinstance(found, Undecided)
    assert ("in a cycle" in found.reason) is not bool(more)
    (goal,) = found.goals
    asked = [{program.edges[e].text for e in side} for side in goal.sides]
    assert sorted(map(sorted, asked)) == [["acquire(a)"], ["acquire(b)"]]


def test_runs_look_at_what_is_held() -> None:
    program = model(SAFE)
    certificate = proof(program)
    assert certificate is not None
    assert monitor_of(program, certificate) is not None
