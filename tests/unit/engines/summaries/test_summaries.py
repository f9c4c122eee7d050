"""Transactions with procedure summaries: what they must not lose, and recursion of any depth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.engines.summaries.saturating import saturate
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task, Undecided, Violated
from threadwise.engines.movers import footprints
from threadwise.engines.reduction.partition import Part, Partition
from threadwise.engines.summaries import summaries_engine as summaries_engine
from threadwise.engines.summaries import traces
from threadwise.engines.summaries.finish import Finish
from threadwise.engines.summaries.nodes import Instrumented, Node
from threadwise.engines.summaries.relations import OmegaState, ThreadRelations
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.engines.summaries.summaries_engine import SummariesEngine
from threadwise.ir.program import Program
from threadwise.ir.text.reader import read_program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.systems.api import Role
from threadwise.systems.python_code import Local
from threadwise.traces.replay import replay


def answers(program: Program, max_depth: int = 50) -> tuple[dict[str, str], Task]:
    """The verdict for each property, all evidence checked."""
    task = Task(program, program.properties, EngineOptions(max_depth=max_depth))
    found: dict[str, str] = {}
    for finding in SummariesEngine().run(task):
        match finding:
            case Violated(trace):
                replay(program, trace)
                found[trace.property] = "UNSAFE"
            case Proved(names, certificate):
                check_certificate(program, certificate, lambda: None)
                found |= dict.fromkeys(names, "SAFE")
            case Undecided(names, reason):
                found |= dict.fromkeys(names, reason)
    return found, task


def verdicts(text: str, max_depth: int = 50) -> dict[str, str]:
    return answers(model(text), max_depth)[0]


# The body of t is the procedure it calls: at its end, with an empty stack, a return is no step.
BODY = read_program(
    """program "body"
global x: int[0..1]
thread t[1] runs f
variable inside: bool
thread u[1] runs u
procedure f() {
  entry 0
  location 0
    edge 0: 0 -> 1: x := 1 "x = 1"
    edge 1: 0 -> 2: inside := true "inside = true"
  location 1
    edge 2: 1 -> 1: return "return"
  location 2
    edge 3: 2 -> 1: call f() "f()"
}
procedure u() {
  entry 3
  location 3
    edge 4: 3 -> 4: when (x == 0) "assert(x == 0)"
    edge 5: 3 -> 5: when (!(x == 0)) "assert(x == 0)"
  location 4 final
  location 5 failure assertion `seen` "failed"
}
property assertion seen default
"""
)

# Programs that slightly wrong rules get wrong. Each is UNSAFE.
PINNED: dict[str, tuple[str, Program]] = {
    # N must not depend on g: u holds m in the middle of f, and t, blocked, must not be inside.
    "g_dependent": (
        "assert:2",
        model(
            """mutex m; int[0..1] y; int[0..1] w;
void f() { w = 1; w = 0; assert(y == 0); }
thread t { acquire(m); y = 1; release(m); acquire(m); }
thread u { acquire(m); f(); }
thread v { w = 1; }"""
        ),
    ),
    # A step may enable one that is blocked.
    "blocked": (
        "assert:3",
        model(
            """int[0..1] x; int[0..1] y;
thread t { x = 1; y = 1; }
thread u { assume(x == 1); assert(y == 1); }"""
        ),
    ),
    # A mutex that is read is no lock.
    "mutex_read": (
        "assert:4",
        model(
            """mutex m; int[0..1] x;
void f() { x = 1; }
thread t { acquire(m); f(); release(m); }
thread u { assert(m == none); }"""
        ),
    ),
    # C3': a transaction that commits and never ends, by recursion.
    "endless": (
        "assert:4",
        model(
            """int[0..1] x;
void f() { f(); }
thread t { x = 1; f(); }
thread u { assert(x == 0); }"""
        ),
    ),
    # C3': with an empty stack a return is no step.
    "frameless": ("seen", BODY),
    # C3': a failure is no end of a transaction that others may wait for.
    "two_failures": (
        "assert:4",
        model(
            """int[0..1] x;
void f() { assert(false); }
thread t { x = 1; f(); }
thread u { assert(x == 0); }"""
        ),
    ),
    # What an invariant can see is no mover.
    "visible": (
        "alone",
        model(
            """void f() { middle: skip; skip; }
thread t[2] { skip; f(); }
invariant alone: forall i, j: t. i != j ==> !(at(i, f.middle) && at(j, f.middle));"""
        ),
    ),
}


@pytest.mark.parametrize("name", PINNED)
def test_pinned_programs_are_unsafe(name: str) -> None:
    violated, program = PINNED[name]
    assert answers(program)[0][violated] == "UNSAFE"


# -- undoing a correction ------------------------------------------------------------------------


def look_at_g(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread all of whose enabled steps move left is inside a transaction."""
    original = SummaryRules.schedulable

    def schedulable(self: SummaryRules, state: OmegaState) -> list[Role]:
        movers = self.program.partition.movers

        def inside(t: Role) -> bool:
            l = state.joint.locals[t]
            enabled = [step.choices[0].edge for step in self.system.step(t, state.joint.g, l)]
            started = l not in self.program.partition.initial[t] and bool(movers.at(t, l))
            return started and all(movers.of(t, l, edge).left for edge in enabled)

        return [
            t
            for t in original(self, state)
            if not any(inside(u) for u in self.system.roles if u != t)
        ]

    monkeypatch.setattr(SummaryRules, "schedulable", schedulable)


def ignore_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.unit.engines.reduction.test_reduction import ignore_blocked as undo

    undo(monkeypatch)


def every_mutex_is_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprints, "find_locks", lambda program: frozenset({"m"}))


def no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Finish, "_move", lambda self, t, nodes: None)


def any_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """QRR §5.2 as printed: a return is enough, whoever called."""
    original = Finish._move

    def move(self: Finish, t: Role, nodes: list[Node]) -> None:
        original(self, t, [b for b in nodes if not self.rules.program.may_return(b)])

    monkeypatch.setattr(Finish, "_move", move)


def failures_end(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Finish._next

    def next_(self: Finish, t: Role, relations: ThreadRelations, b: Node) -> Iterator[Node | None]:
        yield from original(self, t, relations, b)
        for _, c in self.rules.program.step(t, b):
            if self.rules.program.has_failed(c):
                yield None
        for _, n, _ in self.rules.program.push(t, b):
            if any(self.rules.program.has_failed(c) for c in relations.path.get(n, ())):
                yield None

    monkeypatch.setattr(Finish, "_next", next_)


def nothing_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries_engine, "Visibility", lambda program, formulas: None)


UNDONE = {
    "g_dependent": look_at_g,
    "blocked": ignore_blocked,
    "mutex_read": every_mutex_is_a_lock,
    "endless": no_repair,
    "frameless": any_frame,
    "two_failures": failures_end,
    "visible": nothing_is_visible,
}


@pytest.mark.parametrize("name", PINNED)
def test_without_its_correction_a_pinned_error_is_lost(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the checker, which shares no code with the engine, refuses the wrong proof."""
    UNDONE[name](monkeypatch)
    violated, program = PINNED[name]
    task = Task(program, tuple(p for p in program.properties if p.name == violated))
    (proof,) = (f for f in SummariesEngine().run(task) if isinstance(f, Proved))
    assert violated in proof.properties
    with pytest.raises(Refuted):
        check_certificate(program, proof.certificate, lambda: None)


# -- what it answers -----------------------------------------------------------------------------


def test_a_deadlock_is_never_safe() -> None:
    found = verdicts(
        """mutex a1; mutex a2;
thread t { acquire(a1); acquire(a2); release(a2); release(a1); }
thread u { acquire(a2); acquire(a1); release(a1); release(a2); }"""
    )
    assert found["deadlocks"] == "summaries do not preserve properties of kind deadlock"
    assert found["races"] == "summaries do not preserve properties of kind race"
    assert found["mutex"] == "SAFE"


def test_the_statement_that_breaks_a_transaction_is_named() -> None:
    found = verdicts(
        """int[0..1] x; int[0..1] y;
void down() { x = 1; y = 1; up(); }
void up() { down(); }
thread t { down(); } thread u { x = 0; y = 0; }""",
        max_depth=5,
    )
    assert "is recursive and not inside one transaction: `" in found["range"]
    assert found["range"].split()[0] in ("up", "down")
    assert "written by u at line 4 at the same time" in found["range"]


def test_deep_but_finite_calls_are_cut_without_blame() -> None:
    text = "int[0..1] x; void a() { x = 1; b(); } void b() { x = 0; c(); } void c() { x = 1; }"
    found = verdicts(f"{text} thread t[2] {{ a(); }}", max_depth=2)
    assert found["range"].startswith("no violation with at most 2 calls")
    assert verdicts(f"{text} thread t[2] {{ a(); }}")["range"] == "SAFE"


def test_what_is_not_supported() -> None:
    program = model("thread t[*] { skip; }")
    with pytest.raises(Unsupported):
        list(SummariesEngine().run(Task(program, program.properties)))


def test_limits_of_the_model_leave_everything_open() -> None:
    found = verdicts(
        """thread worker() { skip; }
thread t { spawn worker(); spawn worker(); spawn worker(); }"""
    )
    assert "SAFE" not in found.values()
    assert any("threads" in reason for reason in found.values())


# -- one thread ----------------------------------------------------------------------------------

EVEN_ODD = """
bool even(int[0..1] p) {{
    bool r;
    either {{ return p == 0; }} or {{ r = odd(1 - p); return r; }}
}}
bool odd(int[0..1] p) {{
    bool r;
    either {{ return p == 1; }} or {{ r = even(1 - p); return r; }}
}}
thread t {{ bool r; r = even({start}); assert(r); }}
"""

# A Boolean program that may only call `secret` while `trusted` is on its stack, however deep.
STACK_INSPECTION = """
bool trusted;
void work() {{
    either {{ work(); }} or {{ enter(); }} or {{ if (trusted) {{ secret(); }} }}
}}
void enter() {{ bool before = false; before = trusted; trusted = true; work(); {leave} }}
void secret() {{ assert(trusted); }}
thread t {{ work(); assert(!trusted); }}
"""


@pytest.mark.parametrize(("start", "verdict"), [(0, "SAFE"), (1, "UNSAFE")])
def test_mutual_recursion_of_any_depth(start: int, verdict: str) -> None:
    program = model(EVEN_ODD.format(start=start))
    found, task = answers(program, max_depth=1)
    (assertion,) = (name for name in found if name.startswith("assert"))
    assert found[assertion] == verdict
    assert task.statistics.get("moved_to_n") == 0


@pytest.mark.parametrize(
    ("leave", "verdict"), [("trusted = before;", "SAFE"), ("skip;", "UNSAFE")]
)
def test_stack_inspection(leave: str, verdict: str) -> None:
    found, _ = answers(model(STACK_INSPECTION.format(leave=leave)), max_depth=1)
    last = max(name for name in found if name.startswith("assert"))
    assert found[last] == verdict
    assert set(found.values()) - {"SAFE", "UNSAFE"} == {
        "summaries do not preserve properties of kind race",
        "summaries do not preserve properties of kind deadlock",
    }


def test_an_error_beyond_every_depth_bound() -> None:
    """explicit search gives up at 50 calls; here the failure comes with 100 on the stack."""
    text = """void f(int[0..100] n) { if (n < 100) { f(n + 1); } else { assert(false); } }
thread t { f(0); }"""
    found, _ = answers(model(text))
    assert found["assert:1"] == "UNSAFE"
    assert found["range"] == "SAFE"


def test_one_thread_needs_no_frames() -> None:
    for start in (0, 1):
        rules = saturate(model(EVEN_ODD.format(start=start)))
        assert not any(rules.threads[0].sum_push.values())
        assert all(not state.joint.stacks[0] for state in rules.omega.states)


def test_invariants_of_one_thread_are_seen_everywhere() -> None:
    text = """int[0..2] x; void f() { x = 1; x = 2; x = 0; }
thread t { f(); } invariant small: x < 2; invariant fits: x <= 2;"""
    found = verdicts(text)
    assert (found["small"], found["fits"]) == ("UNSAFE", "SAFE")


# -- reuse ---------------------------------------------------------------------------------------


def chain(k: int, last: str = "x = 1 - x;", threads: str = "thread t { p0(); }") -> str:
    """k procedures, each calling the next twice: 2^k call paths."""
    calls = [f"void p{i}() {{ p{i + 1}(); p{i + 1}(); }}" for i in range(k)]
    return "\n".join(["int[0..1] x; mutex m;", *calls, f"void p{k}() {{ {last} }}", threads])


def work(k: int, threads: str) -> int:
    found, task = answers(model(chain(k, threads=threads)))
    assert found["range"] == "SAFE"
    return int(task.statistics.get("path_edges"))


@pytest.mark.parametrize(
    "threads", ["thread t { p0(); }", "thread t[2] { acquire(m); p0(); release(m); }"]
)
def test_a_procedure_is_summarised_once(threads: str) -> None:
    """2^20 call paths, and the work grows linearly with the number of procedures."""
    small, large = work(10, threads), work(20, threads)
    assert large < 2.5 * small


def test_a_violation_by_too_long_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    text = chain(8, threads="thread t { p0(); assert(x == 1); }")
    assert "UNSAFE" in verdicts(text).values()
    monkeypatch.setattr(traces, "TRACE_LIMIT", 100)
    assert any(
        reason.startswith("violated, but by a run of") for reason in verdicts(text).values()
    )


def test_a_store_without_steps_is_outside_unless_alone() -> None:
    def part(threads: int) -> Part:
        program = model(f"thread t[{threads}] {{ skip; skip; }}")
        rules = saturate(program)
        partition: Partition = rules.program.partition
        end: Local = next(
            b.l
            for row in rules.threads[0].path.values()
            for b in row
            if not partition.movers.at(Role(0), b.l)
        )
        return partition.part(Role(0), end, True)

    assert isinstance(saturate(model("thread t { skip; }")).program, Instrumented)
    assert (part(1), part(2)) == ("R", "N")
