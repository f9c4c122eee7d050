"""Programs that start behind what their first thread does alone: what is accepted, what is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.proofs.simplified.test_runs import watched
from threadwise.analyses.uses import Uses
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources, load_model_source
from threadwise.engines.resolving import AGAIN
from threadwise.ir.commands import Command
from threadwise.ir.program import AnyValue, Declaration, ListedValues, LocId, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.simplified.check import is_verified
from threadwise.proofs.simplified.first_steps import check_first_steps
from threadwise.proofs.transformed import simplified_runs
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter
from threadwise.traces.lift import lifted
from threadwise.traces.replay import replay
from threadwise.traces.trace import Trace
from threadwise.transforms.pipeline import Simplified, applied, simplify
from threadwise.transforms.simplify.first_steps import PASS

SOURCE = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct item { int value; struct item *next; };
struct item *list;
int limit, total;
pthread_mutex_t m;
void *work(void *argument)
{
    pthread_mutex_lock(&m);
    total += list->next->value;
    assert(total < limit);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&m, 0);
    for (int i = 0; i < 3; i++) {
        struct item *fresh = malloc(sizeof *fresh);
        fresh->value = i;
        fresh->next = list;
        list = fresh;
    }
    limit = LIMIT;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    return 0;
}
"""


def _program(text: str) -> Program:
    return load_c_sources([SourceFile("m.c", text)], LoadOptions()).worked_on


def _resolved(text: str) -> Program:
    simpler = simplify(_program(text), passes=AGAIN[: AGAIN.index(PASS)])
    return simpler.program


@pytest.fixture(scope="module")
def pair() -> tuple[Program, Program]:
    before = _resolved(SOURCE.replace("LIMIT", "3"))
    return before, applied(before, PASS, Uses())


def _initial(program: Program, name: str) -> object:
    (found,) = [d.initial for d in program.globals if d.variable.name == name]
    return found


def test_it_starts_where_the_first_thread_is_created(pair: tuple[Program, Program]) -> None:
    before, after = pair
    check_first_steps(before, after)
    assert _initial(after, "limit") == ListedValues((3,))
    body = after.procedure["main"]
    outgoing = after.outgoing[body.entry]
    assert any(e.operation is not None and e.operation.kind.value == "spawn" for e in outgoing)


def test_a_statement_in_a_loop_has_the_objects_of_its_first_steps() -> None:
    simpler = simplify(_program(SOURCE.replace("LIMIT", "3")), accepts=is_verified, passes=AGAIN)
    assert not simpler.refused
    names = [d.variable.name for d in simpler.program.globals]
    assert not any("written" in name or "state" in name for name in names)


Change = Callable[[Program], Program]


def _with_entry(program: Program, entry: LocId) -> Program:
    procedures = tuple(
        replace(p, entry=entry) if p.name == "main" else p for p in program.procedures
    )
    return replace(program, procedures=procedures)


def _with_initial(program: Program, name: str, initial: object) -> Program:
    return replace(
        program,
        globals=tuple(
            Declaration(d.variable, initial) if d.variable.name == name else d  # type: ignore[arg-type]
            for d in program.globals
        ),
    )


def _without_an_edge(program: Program) -> Program:
    procedures = tuple(replace(p, edges=p.edges[:-1]) for p in program.procedures)
    return replace(program, procedures=procedures)


def _owned(program: Program) -> Program:
    (lock,) = [d.variable.name for d in program.globals if d.variable.name.startswith("m.lock")]
    return _with_initial(program, lock, ListedValues((0,)))


def _other_guard(program: Program) -> Program:
    from threadwise.ir.expr import FALSE

    def changed(edge: object) -> object:
        action = edge.action  # type: ignore[attr-defined]
        wrong = replace(action, guard=FALSE) if isinstance(action, Command) else action
        return replace(edge, action=wrong)  # type: ignore[type-var]

    procedures = tuple(
        replace(p, edges=tuple(map(changed, p.edges))) if p.name == "work" else p  # type: ignore[arg-type]
        for p in program.procedures
    )
    return replace(program, procedures=procedures)


FORGED: dict[str, Change] = {
    "another value": lambda p: _with_initial(p, "limit", ListedValues((4,))),
    "no value of the type": lambda p: _with_initial(p, "limit", ListedValues((1 << 40,))),
    "any value": lambda p: _with_initial(p, "limit", AnyValue()),
    "another entry": lambda p: _with_entry(p, LocId(p.procedure["main"].entry + 1)),
    "an entry in another procedure": lambda p: _with_entry(p, p.procedure["work"].entry),
    "a lock is held": _owned,
    "an edge less": _without_an_edge,
    "other edges": _other_guard,
    "more threads": lambda p: replace(
        p, templates=tuple(replace(t, count=2) for t in p.templates)
    ),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_forged_programs_are_refused(pair: tuple[Program, Program], change: Change) -> None:
    before, after = pair
    with pytest.raises(Refuted):
        check_first_steps(before, change(after))


def test_only_the_state_with_its_location_is_accepted(pair: tuple[Program, Program]) -> None:
    """Every other entry, with the values that belong to this one, is refused."""
    before, after = pair
    accepted = []
    for here in after.procedure["main"].locations:
        if here.id == after.procedure["main"].entry:
            continue
        try:
            check_first_steps(before, _with_entry(after, here.id))
            accepted.append(here.id)
        except Refuted:
            pass
    assert not accepted


NOT_ALONE = {
    "an input": "limit = __VERIFIER_nondet_int();",
    "another thread": "pthread_create(&a, 0, work, 0); limit = 3;",
    "a failure": "assert(total == 1); limit = 3;",
}


@pytest.mark.parametrize("first", NOT_ALONE.values(), ids=NOT_ALONE)
def test_what_comes_behind_a_choice_is_no_first_step(first: str) -> None:
    text = SOURCE.replace("limit = LIMIT;", first)
    before = _resolved("int __VERIFIER_nondet_int(void);" + text)
    after = applied(before, PASS, Uses())
    assert _initial(after, "limit") == _initial(before, "limit")
    with pytest.raises(Refuted):
        check_first_steps(before, _with_initial(after, "limit", ListedValues((3,))))


def test_what_starts_with_any_value_is_not_looked_at(pair: tuple[Program, Program]) -> None:
    """`total` may be anything: the way is the same only if nobody looks at it."""
    before, after = (_with_initial(p, "total", AnyValue()) for p in pair)
    check_first_steps(before, after)  # only the other threads look at it, later
    wrong = [_with_initial(p, "limit", AnyValue()) for p in pair]
    with pytest.raises(Refuted):
        check_first_steps(*wrong)


FAILING = """
#include <assert.h>
#include <stdlib.h>
int g;
int main(void) { int *p = malloc(4); *p = 1; g = 2; free(p); int *q = malloc(4); assert(p != q); }
"""


def test_no_program_starts_at_a_failure() -> None:
    """Engines look at what failures can be reached from; what starts at one was forgotten."""
    before = _resolved(FAILING)
    after = applied(before, PASS, Uses())
    assert after != before
    check_first_steps(before, after)
    assert after.locations[after.procedure["main"].entry].failure is None
    steps = Interpreter(before)
    (state,) = steps.initial_states()
    while found := list(steps.successors(state)):
        ((_, state),) = found
    assert before.locations[state.locals[0].pc].failure is not None
    values = {
        cell.variable.name: ListedValues((value,))
        for cell, value in zip(steps.layout.globals.cells, state.g.cells, strict=True)
        if len([c for c in steps.layout.globals.cells if c.variable == cell.variable]) == 1
    }
    forged = _with_entry(before, state.locals[0].pc)
    for name, value in values.items():
        forged = _with_initial(forged, name, value)
    with pytest.raises(Refuted, match="look on"):
        check_first_steps(before, _as_made(forged))


def _as_made(program: Program) -> Program:
    """With the origins that a pass leaves."""
    procedures = tuple(
        replace(
            p,
            locations=tuple(replace(here, origin=here.id) for here in p.locations),
            edges=tuple(replace(edge, origin=((edge.id,),)) for edge in p.edges),
        )
        for p in program.procedures
    )
    return replace(program, procedures=procedures)


MODEL = """
int x = 0;
thread main { x = 1; x = 0; done: skip; }
invariant low: x == 0;
"""


def test_invariants_are_refused() -> None:
    """What is false on the way is true where the program after starts."""
    before = load_model_source(SourceFile("m.tw", MODEL), LoadOptions())
    assert any(isinstance(p, InvariantProperty) for p in before.properties)
    body = before.procedure["main"]
    for here in body.locations:
        forged = _as_made(_with_entry(before, here.id))
        with pytest.raises(Refuted, match="violated on the way"):
            check_first_steps(before, forged)
        assert not is_verified(PASS, before, forged)


def test_pointers_are_refused() -> None:
    before = _program(SOURCE.replace("LIMIT", "3"))
    with pytest.raises(Refuted, match="pointers"):
        check_first_steps(before, before)


# -- runs ----------------------------------------------------------------------------------------


def test_runs_have_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplified_runs, "monitor_of", lambda *_: None)
    program = _program(SOURCE.replace("LIMIT", "3"))
    simpler = simplify(program, passes=AGAIN)
    assert PASS in simpler.names
    assert watched(program, simpler) > 20


def test_runs_notice_wrong_first_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplified_runs, "monitor_of", lambda *_: None)
    program = _program(SOURCE.replace("LIMIT", "3"))
    simpler = simplify(program, passes=AGAIN[: AGAIN.index(PASS) + 1])
    last = simpler.programs[-1]
    forged = _with_initial(last, "limit", ListedValues((4,)))
    with pytest.raises(Broken):
        watched(program, replace(simpler, programs=(*simpler.programs[:-1], forged)))


def _violation(simpler: Simplified) -> Trace:
    """A run to a violated assertion, by breadth."""
    name = next(p.name for p in simpler.program.properties if "assert" in p.name)
    failures = {
        h.id for h in simpler.program.locations if h.failure and h.failure.property == name
    }
    interpreter = Interpreter(simpler.program)
    (start,) = interpreter.initial_states()
    pending: list[tuple[State, tuple[Move, ...]]] = [(start, ())]
    seen = {start}
    while pending:
        state, moves = pending.pop(0)
        for move, after in interpreter.successors(state):
            if any(own.pc in failures for own in after.locals):
                moves = (*moves, move)
                return Trace(program_hash(simpler.program), name, start.g.cells, moves)
            if after not in seen:
                seen.add(after)
                pending.append((after, (*moves, move)))
    raise AssertionError("no violation")


def test_violations_begin_with_the_first_steps() -> None:
    simpler = simplify(_program(SOURCE.replace("LIMIT", "2")), passes=AGAIN)
    assert PASS in simpler.names
    trace = lifted(simpler, _violation(simpler))
    assert replay(simpler.record, trace) is not None
