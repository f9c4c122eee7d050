"""The compiled program as a thread system."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import Run, model
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Task, Violated
from threadwise.engines.explicit import ExplicitEngine, Search
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Binary, BinaryOp, Expr, Read, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import Program, Template
from threadwise.ir.types import INT
from threadwise.semantics.oracle import explore
from threadwise.systems import patterns
from threadwise.systems.api import JointState, ReachedPairs, Role
from threadwise.systems.concrete import ConcreteSystem, Joint
from threadwise.systems.python_code import Global, Local
from threadwise.systems.reference import ReferenceSystem

T = Role(0)


def pair(system: ConcreteSystem, t: Role = T) -> tuple[Global, Local]:
    return next(iter(system.initial(t)))


def test_stores_are_flat() -> None:
    system = ConcreteSystem(
        model(
            "int[0..9] x = 4; thread t { int[0..9] r = 2; x = r; } invariant i: "
            "forall k: t. k.r == 2;"
        )
    )
    g, l = pair(system)
    assert g == (4,)
    assert l[1:] == (2,)
    store = system.reference_local(T, l)
    assert (store.thread, store.locals) == ((2,), ())


def test_steps_are_remembered() -> None:
    system = ConcreteSystem(model("int[0..9] x; thread t { x = 1; }"))
    g, l = pair(system)
    assert system.step(T, g, l) is system.step(T, g, l)


def test_actions_are_pairs_of_stores_seen_by_others() -> None:
    system = ConcreteSystem(model("int[0..9] x; thread t[2] { x = 1; }"))
    (step,) = system.step(T, (0,), system.joint_initial().__next__().locals[0])
    assert step.action == ((0,), (1,))
    assert system.key(step.action) in system.keys(Role(1), (0,))
    l = (99,)
    assert list(system.interfere(Role(1), (0,), l, T, step.action)) == [((1,), l)]
    assert list(system.interfere(T, (0,), l, T, step.action)) == []
    assert list(system.interfere(Role(1), (7,), l, T, step.action)) == []


def test_calls_and_returns() -> None:
    program = model("""
        int[0..9] x;
        int[0..9] f(int[0..9] p) { int[0..9] q = 3; return p + q; }
        thread t { int[0..9] r = 1; r = f(r + 1); x = r; }
    """)
    system, reference = ConcreteSystem(program), ReferenceSystem(program)
    assert {system.reference_state(s) for s in _all(system)} == explore(program, ()).states
    g, l = pair(system)
    (push,) = system.push(T, g, l)
    assert push.l[1:] == (2, 3)
    assert push.frame.locals == (1,)
    (pop,) = system.pop(T, (0,), push.l, push.frame)
    assert pop.l[1:] == (5,)
    assert reference.roles == system.roles


def _all(system: ConcreteSystem) -> list[Joint]:
    search = Search(Task(system.program, system.program.properties), "", {})
    list(search.run())
    return search.states


def test_programs_that_python_cannot_compile_are_interpreted() -> None:
    """Deep expressions are run by the reference semantics, and give the same answer."""
    builder = ProgramBuilder("deep")
    x = VariablePlace(builder.shared("x", INT))
    deep: Expr = Read(x)
    for _ in range(300):
        deep = Binary(BinaryOp.SUB, deep, number(1))
    body = builder.procedure("t")
    body.edge(body.node(), body.node(final=True), Command(assignments=(Assignment(x, deep),)))
    builder.template(Template("t", 1, "t"))
    system = ConcreteSystem(builder.build())
    (step,) = system.step(T, *pair(system))
    assert step.g == (-300,)


def test_endless_atomic_blocks_are_unsupported() -> None:
    system = ConcreteSystem(model("bool b; thread t { atomic { while (!b) { skip; } } }"))
    with pytest.raises(Unsupported, match="loop without bound"):
        system.step(T, *pair(system))


# -- error patterns -------------------------------------------------------------------------------


def violated_at_start(program: Program) -> set[str]:
    system = ConcreteSystem(program)
    state = next(iter(system.joint_initial()))
    return {
        p.property.name
        for p in system.errors(program.properties)
        if p.violated(state.g, state.locals)
    }


@pytest.mark.parametrize(
    "text",
    [
        "int[0..9] x; thread t[2] { x = 1; } race_free x;",
        "int[0..9] x; thread t[2] { int[0..9] r; r = x; } race_free x;",
        "bool b; thread t[2] { assume(b); }",
        "bool b; thread t[2] { end: assume(b); }",
        "int[0..9] x; thread t { skip; } invariant zero: x == 1;",
        "int[0..9] x; thread t { skip; } invariant bad: 1 / x == 0;",
        "int[0..9] x = 5; int[0..9] a[2]; thread t { skip; } invariant bad: a[x] == 0;",
        "thread t[2] { L: skip; } invariant i: forall a, b: t. a != b ==> !at(a, L) || !at(b, L);",
        "thread t[2] { L: skip; } invariant i: exists a: t. !at(a, L);",
        "thread t[2] { int[0..9] r; skip; } invariant i: forall a: t. exists b: t. a.r != b.r;",
    ],
)
def test_patterns_agree_with_the_reference_on_states(text: str) -> None:
    assert violated_at_start(model(text)) == Run(text).violated()


def test_a_pattern_is_found_among_pairs_without_trying_all() -> None:
    """Thirty threads with three places each: 3^30 combinations, two of which matter."""
    program = model("""
        bool b; int[0..9] x;
        thread t[30] { await(!b) { b = true; } use: x = 1; atomic { b = false; } }
        invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
    """)
    system = ConcreteSystem(program)
    places = [
        location.id
        for location in program.locations
        if not location.atomic and location.failure is None
    ]
    (use,) = (location.id for location in program.locations if "use" in location.labels)
    pairs = [[((False, 0), (pc,)) for pc in places] for _ in system.roles]
    checked = [p for p in program.properties if p.name == "alone"]
    (pattern,) = [p for p in system.errors(checked) if p.search(ReachedPairs(pairs))]
    found = pattern.search(ReachedPairs(pairs))
    assert found is not None
    assert [witness.l for witness in found] == [(use,), (use,)]
    assert len({witness.role for witness in found}) == 2
    only_one = [pairs[0], *[[p for p in pairs[0] if p[1] != (use,)]] * 29]
    assert all(p.search(ReachedPairs(only_one)) is None for p in system.errors(checked))


def test_pairs_of_different_stores_do_not_fit() -> None:
    program = model("int[0..9] x; thread t[2] { use: x = 1; } race_free x;")
    system = ConcreteSystem(program)
    (pattern,) = system.errors([p for p in program.properties if p.name == "race_free x"])
    start = program.procedure[program.templates[0].body].entry
    together = [[((0,), (start,))], [((0,), (start,))]]
    apart = [[((0,), (start,))], [((1,), (start,))]]
    assert pattern.search(ReachedPairs(together)) is not None
    assert pattern.search(ReachedPairs(apart)) is None


def test_waiting_for_a_started_thread_is_no_deadlock() -> None:
    """A thread that was started and has not begun yet rests in a final location."""
    program = model(
        "thread w() { skip; } thread main { tid h; h = spawn w(); join h; } "
        "thread v { while (true) { skip; } }"
    )
    findings = list(ExplicitEngine().run(Task(program, program.properties)))
    assert not [f for f in findings if isinstance(f, Violated)]


def test_limits_and_failures_of_local_stores() -> None:
    program = model(
        "thread w() { skip; } thread t { spawn w(); spawn w(); spawn w(); assert(false); }"
    )
    system = ConcreteSystem(program)
    limits = {system.limit((location.id,)) for location in program.locations}
    assert len(limits - {None}) == 1
    stopped = [system.is_stopped((location.id,)) for location in program.locations]
    assert stopped == [location.failure is not None for location in program.locations]


def test_steps_with_too_many_outcomes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process once grew to 17 GB in one step, where no limit was looked at."""
    system = ConcreteSystem(model("int[0..3] x, y; thread t { atomic { havoc x; havoc y; } }"))
    g, l = pair(system)
    monkeypatch.setattr("threadwise.systems.concrete.MOST_OUTCOMES", 15)
    with pytest.raises(Unsupported, match="a step with more than 15 outcomes"):
        system.step(T, g, l)
    monkeypatch.setattr("threadwise.systems.concrete.MOST_OUTCOMES", 16)
    assert len(system.step(T, g, l)) == 16


@pytest.mark.parametrize(
    "formula",
    [
        "forall i, j: t. i != j ==> !(at(i, L) && at(j, L))",
        "forall i, j: t. i != j ==> i.r != j.r || i.r == 0",
        "forall i, j: t. i.r + j.r <= 3",
        "forall i: t. x <= 1 || i.r == 2",
    ],
)
def test_threads_that_look_the_same_are_tried_once(
    formula: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same states violate an invariant whether or not all choices of threads are tried."""
    program = model(
        "int[0..2] x; thread t[3] { int[0..2] r; x = (x + 1) % 3; L: r = x; } invariant i: "
        f"{formula};"
    )
    system = ConcreteSystem(program)
    (checked,) = (p for p in program.properties if p.name == "i")
    system_states = joint_states(system)

    def violated() -> list[bool]:
        patterns_of = list(system.errors([checked]))
        return [any(system.violates(s, p) for p in patterns_of) for s in system_states]

    monkeypatch.setattr(patterns, "MANY", 10**6)
    expected = violated()
    assert len(set(expected)) == 2
    monkeypatch.setattr(patterns, "MANY", 0)
    assert violated() == expected


def joint_states(system: ConcreteSystem) -> list[Joint]:
    """All reachable states."""
    found = dict.fromkeys(system.joint_initial())
    waiting = list(found)
    while waiting:
        state = waiting.pop()
        for t in system.roles:
            for step in system.step(t, state.g, state.locals[t]):
                locals_ = (*state.locals[:t], step.l, *state.locals[t + 1 :])
                after = JointState(step.g, locals_, state.stacks)
                if after not in found:
                    found[after] = None
                    waiting.append(after)
    return list(found)
