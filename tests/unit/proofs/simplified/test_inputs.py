"""A few values of an input are believed to stand for all only where they do.

What the pass makes is accepted. Then each forged result - a value or a class that is not what the
pass found, or a program in which the values are used otherwise - is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.unit.proofs.simplified.test_check import lowered
from threadwise.analyses.graphs import numbered_again
from threadwise.analyses.uses import Uses
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import FALSE, TRUE, Const
from threadwise.ir.fold import number
from threadwise.ir.input_classes import InputClass, Member, member_of
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.runs import Runs
from threadwise.proofs.simplified.check import compare_programs, is_verified
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.transformed.simplified_runs import SimplifiedMonitor
from threadwise.semantics.state import Move
from threadwise.semantics.step import Interpreter
from threadwise.traces.lift import lifted
from threadwise.traces.trace import Trace
from threadwise.transforms.pipeline import Simplified, applied, simplify
from threadwise.transforms.simplify import few_inputs
from threadwise.transforms.simplify.few_inputs import COUNTED, NAME
from threadwise.transforms.simplify.input_cells import Cells

HEAD = """
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
int g, h = 12, many[8];
struct pair { int one; int two; } pair = {3, 4};
"""


def main_of(body: str, before: str = "") -> str:
    return f"{HEAD}{before}\nint main(void) {{ {body} return 0; }}\n"


INPUT = "int x = __VERIFIER_nondet_int(); "
PLAIN = main_of(INPUT + "if (x > 5) g = 1; if (x == 9) g = 2;")
EQUAL = main_of(INPUT + "int y = __VERIFIER_nondet_int(); if (x == y) g = x;")
TYPES = main_of(INPUT + "char c = __VERIFIER_nondet_char(); int y = c; if (x == y) h = 1;")
WIDER = main_of("char c = __VERIFIER_nondet_char(); int y = c; if (y > 3) h = 1;")
THREADS = """
void *run(void *argument) { int v = __VERIFIER_nondet_int(); if (v == g) h = 1; return 0; }
"""
TWICE = "pthread_create(&t, 0, run, 0); pthread_create(&t, 0, run, 0);"
THRICE = "for (int i = 0; i < 3; i++) pthread_create(&t, 0, run, 0);"


def claimed(program: Program, name: str = NAME) -> tuple[Program, Sequence[InputClass]]:
    """What the pass makes of a program, and what it claims."""
    after = applied(program, name, Uses())
    claims = program.found[name]
    assert isinstance(claims, tuple)
    return after, claims


@pytest.mark.parametrize("text", [PLAIN, EQUAL, TYPES, WIDER])
def test_what_the_pass_makes_is_verified(text: str) -> None:
    before = replace(lowered(text))
    after, claims = claimed(before)
    assert len(after.edges) > len(before.edges)
    assert not any(_havocs(edge) for edge in after.edges)
    compare_programs(NAME, before, after, claims)


@pytest.mark.parametrize("created", [TWICE, THRICE])
def test_threads_are_counted_where_they_are_created(created: str) -> None:
    before = replace(lowered(main_of("pthread_t t;" + created, THREADS)))
    assert applied(before, NAME, Uses()) is before
    after, claims = claimed(before, COUNTED)
    compare_programs(COUNTED, before, after, claims)


@pytest.mark.parametrize(
    "created",
    [
        "for (;;) pthread_create(&t, 0, run, 0);",
        "for (int i = 0; i < h; i++) pthread_create(&t, 0, run, 0);",
        "for (int i = 0; i < 3; i++) { pthread_create(&t, 0, run, 0); if (g) i = 0; }",
        "for (int i = 0; i < 3; i++) { pthread_create(&t, 0, run, 0); if (g) i--; }",
        "for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) pthread_create(&t, 0, run, 0);",
    ],
)
def test_any_number_of_threads_hold_any_number_of_values(created: str) -> None:
    """A proof may be about pools of any size: the slots of one are no bound on its threads."""
    before = replace(lowered(main_of("pthread_t t;" + created, THREADS)))
    after, claims = claimed(before, COUNTED)
    with pytest.raises(Refuted, match="any number"):
        compare_programs(COUNTED, before, after, claims)


# -- forged claims and values --------------------------------------------------------------------

Forging = Callable[[InputClass], InputClass]


def without_value(pick: Callable[[list[int]], int]) -> Forging:
    def forged(found: InputClass) -> InputClass:
        return found._replace(values=found.values - {pick(sorted(found.values))})

    return forged


def without_constant(value: int) -> Forging:
    return lambda found: found._replace(constants=found.constants - {value})


def without_member(name: str) -> Forging:
    def forged(found: InputClass) -> InputClass:
        left = frozenset(member for member in found.members if member[1].name != name)
        assert left < found.members
        return found._replace(members=left)

    return forged


def listed(before: Program, claims: Sequence[InputClass]) -> Program:
    """The program with the values of some classes, so that nothing but these can be wrong."""
    by_member = {member: found for found in claims for member in found.members}
    procedures: list[Procedure] = []
    for procedure in before.procedures:
        edges: list[Edge] = []
        for edge in procedure.edges:
            member = _input(edge, procedure.name)
            found = None if member is None else by_member.get(member)
            origin = ((edge.id,),)
            if found is None:
                edges.append(replace(edge, origin=origin))
            else:
                made = map(partial(_given, edge), sorted(found.values))
                edges += [replace(each, origin=origin) for each in made]
        locations = tuple(replace(here, origin=here.id) for here in procedure.locations)
        procedures.append(replace(procedure, locations=locations, edges=tuple(edges)))
    return replace(before, procedures=numbered_again(procedures))


def _input(edge: Edge, procedure: str) -> Member | None:
    return member_of(edge.action.havocs[0], procedure) if _havocs(edge) else None  # type: ignore[union-attr]


def _given(edge: Edge, value: int) -> Edge:
    action = edge.action
    assert isinstance(action, Command)
    given = Assignment(action.havocs[0], number(value))
    return replace(edge, action=Command(action.guard, (*action.assignments, given)))


def _havocs(edge: Edge) -> bool:
    return isinstance(edge.action, Command) and bool(edge.action.havocs)


def test_the_same_values_are_the_same_program() -> None:
    before = replace(lowered(EQUAL))
    after, claims = claimed(before)
    assert listed(before, claims) == after


@pytest.mark.parametrize(
    ("text", "forge", "why"),
    [
        (PLAIN, without_value(min), "too few"),
        (PLAIN, without_value(max), "too few"),
        (PLAIN, without_value(lambda values: values[2]), "too few"),
        (PLAIN, without_value(lambda values: values[1]), "not among the values"),
        (PLAIN, without_constant(9), "no constant of its class"),
        (PLAIN, without_member("x"), "used for something else"),
        (EQUAL, without_value(min), "too few"),
        (EQUAL, without_value(max), "too few"),
        (EQUAL, without_constant(0), "begins with 0"),
        (EQUAL, without_member("g"), "used for something else"),
        (EQUAL, without_member("y"), "compared with|used for something else"),
        (EQUAL, lambda found: found._replace(equated=False), "compared with each other"),
        (TYPES, without_constant(127), "in one type"),
        (TYPES, without_constant(-2147483648), "in one type"),
        (WIDER, without_member("c"), "used for something else|nothing is claimed"),
    ],
)  # fmt: skip
def test_forged_claims_are_refused(text: str, forge: Forging, why: str) -> None:
    before = replace(lowered(text))
    _, claims = claimed(before)
    forged = [forge(found) for found in claims]
    assert forged != list(claims)
    with pytest.raises(Refuted, match=why):
        compare_programs(NAME, before, listed(before, forged), forged)


def test_one_cell_is_in_one_class() -> None:
    before = replace(lowered(PLAIN))
    after, claims = claimed(before)
    twice = (*claims, claims[0]._replace(equated=True))
    with pytest.raises(Refuted, match="two classes"):
        compare_programs(NAME, before, after, twice)


# -- forged programs -----------------------------------------------------------------------------


def changed(program: Program, change: Callable[[Edge], Iterable[Edge]]) -> Program:
    procedures = [
        replace(each, edges=tuple(e for edge in each.edges for e in change(edge)))
        for each in program.procedures
    ]
    return replace(program, procedures=numbered_again(procedures))


def _value(edge: Edge) -> int | None:
    """The value that an edge gives an input."""
    command = edge.action
    if not isinstance(command, Command) or len(command.assignments) != 1:
        return None
    value = command.assignments[0].value
    return value.value if isinstance(value, Const) and value.value in (4, 9) else None


def _lost(edge: Edge) -> Iterator[Edge]:
    if _value(edge) != 9:
        yield edge


def _another(edge: Edge) -> Iterator[Edge]:
    action = edge.action
    if _value(edge) == 9 and isinstance(action, Command):
        edge = replace(
            edge, action=Command(TRUE, (Assignment(action.assignments[0].target, number(10)),))
        )
    yield edge


def _guarded(edge: Edge) -> Iterator[Edge]:
    if _value(edge) == 9 and isinstance(edge.action, Command):
        edge = replace(edge, action=replace(edge.action, guard=FALSE))
    yield edge


def _synchronised(edge: Edge) -> Iterator[Edge]:
    yield replace(edge, sync=True) if _value(edge) == 9 else edge


def _elsewhere(edge: Edge) -> Iterator[Edge]:
    yield replace(edge, target=edge.source) if _value(edge) == 9 else edge


def _from_nowhere(edge: Edge) -> Iterator[Edge]:
    yield replace(edge, origin=()) if _value(edge) == 9 else edge


@pytest.mark.parametrize(
    "change", [_lost, _another, _guarded, _synchronised, _elsewhere, _from_nowhere]
)
def test_forged_programs_are_refused(change: Callable[[Edge], Iterable[Edge]]) -> None:
    before = replace(lowered(PLAIN))
    after, claims = claimed(before)
    forged = changed(after, change)
    with pytest.raises(Refuted):
        compare_programs(NAME, before, forged, claims)


def test_nothing_but_edges_may_change() -> None:
    before = replace(lowered(PLAIN))
    after, claims = claimed(before)
    main = after.procedures[0]
    seen = replace(main, locations=tuple(replace(h, atomic=True) for h in main.locations))
    less = replace(main, locals=main.locals[1:])
    for forged in (
        replace(after, procedures=(seen, *after.procedures[1:])),
        replace(after, procedures=(less, *after.procedures[1:])),
        replace(after, globals=after.globals[1:]),
        replace(after, properties=after.properties[1:]),
    ):
        with pytest.raises(Refuted, match=r"is different|another one"):
            compare_programs(NAME, before, forged, claims)


# -- a pass that overlooks something -------------------------------------------------------------

OVERLOOKED = {
    "arithmetic": ("other", INPUT + "if (x + 1 > 5) g = 1;", "used for something else"),
    "an order": (
        "other",
        INPUT + "int y = __VERIFIER_nondet_int(); if (x < y) h = 1;",
        "compared with each other",
    ),
    "an index": ("other", INPUT + "if (x >= 0 && x < 8) many[x] = 1;", "used for something else"),
    "another type": ("other", INPUT + "char c = x; if (c) h = 1;", "used for something else"),
    "through a pointer": (
        "other",
        INPUT + "int *p = &g; if (h) p = &h; *p = x;",
        "used for something else",
    ),
    "an argument": ("other", INPUT + "deeper(x);", "used for something else"),
    "a result": ("other", "g = given(3); if (g == 5) h = 1;", "used for something else"),
    "a switch": ("other", INPUT + "switch (x + g) { case 4: h = 1; }", "used for something else"),
    "a value from elsewhere": (
        "computed",
        INPUT + "if (x == g) h = 1; g = h + 1;",
        "something else is assigned",
    ),
    "a value through a pointer": (
        "computed",
        INPUT + "int *p = &h; if (pair.one) p = &pair.two; int y = *p; if (x == y) pair.one = 1;",
        "something else is assigned",
    ),
    "an equation": ("equated", INPUT + "if (x == g) h = 1;", "compared with each other"),
}
BEFORE = """
void deeper(int n) { if (n == 7) h = 2; if (g) deeper(n); }
int given(int n) { int v = __VERIFIER_nondet_int(); if (g) return given(n); return v; }
"""


@pytest.mark.parametrize("name", OVERLOOKED)
def test_what_is_used_otherwise_keeps_its_values(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pass leaves it alone; if it overlooks what happens to the values, it is refused."""
    overlooked, body, why = OVERLOOKED[name]
    before = replace(lowered(main_of(body, BEFORE)))
    sound = applied(replace(before), NAME, Uses())

    class Careless(few_inputs._Class):
        def __setattr__(self, attribute: str, value: object) -> None:
            super().__setattr__(attribute, False if attribute == overlooked else value)

    monkeypatch.setattr(few_inputs, "_Class", Careless)
    after, claims = claimed(before)
    assert after != sound
    with pytest.raises(Refuted, match=why):
        compare_programs(NAME, before, after, claims)


@pytest.mark.parametrize(
    ("module", "attribute", "faulty", "text", "why"),
    [
        (few_inputs, "AddressOf", type(None),
         main_of("g = __VERIFIER_nondet_int(); if (g == 3) h = 1; int *p = &g;"
                 "if (h) p = &h; *p = 4;"),
         "a pointer may lead"),
        (Cells, "count", lambda *_: 2, EQUAL, "too few"),
        (Cells, "count", lambda _, members: len(members),
         main_of("for (int i = 0; i < 8; i++) many[i] = __VERIFIER_nondet_int();"
                 "if (many[g] == many[h]) h = 1;"), "too few"),
        (Cells, "initial", lambda *_: set(), EQUAL, "begins with 0"),
    ],
)  # fmt: skip
def test_miscounted_cells_are_refused(
    module: Any,
    attribute: str,
    faulty: Any,
    text: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = replace(lowered(text))
    sound = applied(replace(before), NAME, Uses())
    monkeypatch.setattr(module, attribute, faulty)
    after = applied(before, NAME, Uses())
    assert after != sound
    with pytest.raises(Refuted, match=why):
        compare_programs(NAME, before, after, before.found[NAME])


def test_any_number_of_threads_hold_any_number_of_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    before = replace(lowered(main_of("pthread_t t;" + TWICE, THREADS)))
    after, claims = claimed(before, COUNTED)
    compare_programs(COUNTED, before, after, claims)
    many = [replace(t, count=None, pool=False) if t.pool else t for t in before.templates]
    with pytest.raises(Refuted, match="any number"):
        compare_programs(
            COUNTED,
            replace(before, templates=tuple(many)),
            replace(after, templates=tuple(many)),
            claims,
        )


def test_a_step_without_claims_changes_nothing() -> None:
    before = replace(lowered(PLAIN))
    after, _ = claimed(before)
    compare_programs(NAME, before, listed(before, ()), None)
    with pytest.raises(Refuted, match="nothing is claimed"):
        compare_programs(NAME, before, after, None)


# -- evidence ------------------------------------------------------------------------------------


def _simplified() -> tuple[Program, Simplified]:
    record = replace(lowered(EQUAL))
    simpler = simplify(record, accepts=is_verified)
    assert simpler.names[0] == NAME
    return record, simpler


def test_a_trace_is_found_again_as_an_input_of_this_value() -> None:
    record, simpler = _simplified()
    interpreter = Interpreter(simpler.program)
    state = next(iter(interpreter.initial_states()))
    moves: list[Move] = []
    first = state.g.cells
    while offered := list(interpreter.successors(state)):
        transition = offered[-1]
        moves.append(transition.move)
        state = transition.state
        if interpreter.is_stopped(state):
            break
    trace = Trace(program_hash(simpler.program), "races", first, tuple(moves))
    found = lifted(simpler, trace)
    chosen = {v for move in found.moves for choice in move.choices for v in choice.values}
    inputs = {edge.id for edge in record.edges if _havocs(edge)}
    taken = {choice.edge for move in found.moves for choice in move.choices}
    assert inputs <= taken
    assert chosen <= record.found[NAME][0].values  # type: ignore[index]


def test_runs_of_audits_take_the_values_of_the_steps() -> None:
    record, simpler = _simplified()
    monitor = SimplifiedMonitor(record, simpler, StateSetCertificate("", (), ()))
    found: InputClass = record.found[NAME][0]  # type: ignore[index]
    inputs = {edge.id for edge in record.edges if _havocs(edge)}
    assert monitor.inputs.keys() == inputs
    assert all(set(values) == found.values for values in monitor.inputs.values())
    runs = Runs(record, 0, inputs=monitor.inputs)
    taken = {
        value
        for _, run in runs
        for _, move, _ in run
        for choice in move.choices
        for value in choice.values
    }
    assert taken <= found.values
    assert len(taken) > 1
    assert runs.drew
