"""What forgetting makes of programs is accepted; what loses behaviour is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from tests.property.test_digest import some_names
from tests.property.test_simplify import plain_program
from tests.unit.proofs.transformed.forging import (
    edge_of,
    with_command,
    with_edge,
    with_location,
    without_edge,
)
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Assignment, Call, Command, Return
from threadwise.ir.expr import FALSE, TRUE, Binary, BinaryOp, Const, Read, VariablePlace
from threadwise.ir.fold import conjunction, conjuncts, number
from threadwise.ir.program import Edge, FillValue, Program
from threadwise.ir.properties import DeadlockProperty, FailureProperty, Property, RaceProperty
from threadwise.ir.types import BOOL, INT, RangeType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transactions.digest import Digest
from threadwise.proofs.transformed.forgotten import check_forgotten
from threadwise.semantics.step import Interpreter
from threadwise.transforms.forget import forget

BEFORE = model(
    """
    int[0..9] data, x, flag;
    int[0..9] many[3];
    mutex m;
    int[0..9] f(int[0..9] p, int[0..9] q) { if (p > 2) { return p; } return q; }
    thread t[2] {
        int[0..9] r;
        int[0..2] i;
        data = 1;
        await(data > 0 && flag == 0);
        x = data;
        flag = 1;
        many[i] = data;
        r = many[i] > 1 ? x : 0;
        r = f(data > 1 ? 1 : 0, 2);
        assert(flag == 1);
    }
    """
)
NAMES = ("data", "many", "t.r@", "f.p@", "f.q@")
AFTER = forget(BEFORE, NAMES)


def claims(program: Program) -> Sequence[Property]:
    return [p for p in program.properties if isinstance(p, RaceProperty | FailureProperty)]


def accept(before: Program, after: Program) -> None:
    check_forgotten(before, after, claims(before))


def test_forgetting_is_accepted() -> None:
    accept(BEFORE, AFTER)
    accept(BEFORE, BEFORE)


@pytest.mark.parametrize("seed", range(12))
def test_forgetting_in_random_programs_is_accepted(seed: int) -> None:
    program = plain_program(seed)
    random = Random(seed)
    for _ in range(3):
        try:
            after = forget(program, some_names(program, random))
        except Unsupported:
            continue
        accept(program, after)


def _find(program: Program, text: str) -> Edge:
    return edge_of(program, text)


def _commanded(text: str, change: Callable[[Command], Command]) -> Program:
    return with_command(AFTER, _find(AFTER, text).id, change)


def _variable(name: str) -> VariablePlace:
    return VariablePlace(next(d.variable for d in AFTER.globals if d.variable.name == name))


def _declared(name: str, change: Callable[..., object]) -> Program:
    shared = tuple(change(d) if d.variable.name == name else d for d in AFTER.globals)
    return replace(AFTER, globals=shared)  # type: ignore[arg-type]  # forged


def _call() -> Edge:
    return next(edge for edge in AFTER.edges if isinstance(edge.action, Call))


def _return() -> Edge:
    return next(edge for edge in AFTER.edges if isinstance(edge.action, Return))


def _called(**changes: object) -> Program:
    call = _call()
    assert isinstance(call.action, Call)
    return with_edge(AFTER, call.id, action=replace(call.action, **changes))  # type: ignore[arg-type]


AWAIT = next(edge.text for edge in BEFORE.edges if "flag == 0" in edge.text)


def _picks() -> str:
    return next(e.text for e in AFTER.edges if e.text.startswith("r = many[i]"))


FORGERIES: dict[str, Callable[[], Program]] = {
    "a guard that nothing satisfies": lambda: _commanded(AWAIT, lambda c: replace(c, guard=FALSE)),
    "a guard on what was any value": lambda: _commanded(
        "x = data",
        lambda c: replace(c, guard=Binary(BinaryOp.EQ, Read(_variable("x")), number(0))),
    ),
    "a guard on what is forgotten": lambda: _commanded(
        AWAIT, lambda c: replace(c, guard=Binary(BinaryOp.GT, Read(_variable("data")), number(0)))
    ),
    "a guard negated": lambda: _commanded(
        AWAIT, lambda c: replace(c, guard=Binary(BinaryOp.NE, Read(_variable("flag")), number(0)))
    ),
    "data that is no longer read": lambda: _commanded(
        AWAIT,
        lambda c: replace(
            c, guard=conjunction([p for p in conjuncts(c.guard) if "data" not in repr(p)])
        ),
    ),
    "data that is no longer read when it is copied": lambda: _commanded(
        "x = data", lambda c: replace(c, guard=TRUE)
    ),
    "a branch that is no longer read": lambda: _commanded(
        _picks(),
        lambda c: replace(
            c, guard=conjunction([p for p in conjuncts(c.guard) if "'x'" not in repr(p)])
        ),
    ),
    "one value instead of any": lambda: _commanded(
        "x = data",
        lambda c: replace(c, havocs=(), assignments=(Assignment(_variable("x"), number(0)),)),
    ),
    "a write that is lost": lambda: _commanded("x = data", lambda c: replace(c, havocs=())),
    "a write to what is forgotten that is lost": lambda: _commanded(
        "data = 1", lambda c: replace(c, assignments=())
    ),
    "another value": lambda: _commanded(
        "flag = 1",
        lambda c: replace(c, assignments=(Assignment(_variable("flag"), number(2)),)),
    ),
    "another target": lambda: _commanded(
        "flag = 1", lambda c: replace(c, assignments=(Assignment(_variable("x"), number(1)),))
    ),
    "an edge that synchronises": lambda: with_edge(AFTER, _find(AFTER, "data = 1").id, sync=True),
    "an edge that is lost": lambda: without_edge(AFTER, _find(AFTER, "flag = 1").id),
    "an edge to elsewhere": lambda: with_edge(
        AFTER, _find(AFTER, "data = 1").id, target=_find(AFTER, "flag = 1").target
    ),
    "an operation that is lost": lambda: with_edge(
        AFTER, next(e.id for e in AFTER.edges if e.operation is not None), operation=None
    ),
    "a variable that synchronises": lambda: _declared(
        "data", lambda d: replace(d, variable=replace(d.variable, sync=True))
    ),
    "a variable with few values": lambda: _declared(
        "x", lambda d: replace(d, variable=replace(d.variable, type=RangeType(0, 1)))
    ),
    "a forgotten variable with two values": lambda: _declared(
        "data", lambda d: replace(d, variable=replace(d.variable, type=RangeType(0, 1)))
    ),
    "another initial value": lambda: _declared("flag", lambda d: replace(d, initial=FillValue(1))),
    "a failure that is none": lambda: with_location(
        AFTER, next(p.id for p in AFTER.locations if p.failure is not None), failure=None
    ),
    "a location that is hidden": lambda: with_location(
        AFTER, _find(AFTER, "flag = 1").source, atomic=True
    ),
    "a location that is final": lambda: with_location(
        AFTER, _find(AFTER, "flag = 1").source, final=True
    ),
    "another entry": lambda: replace(
        AFTER,
        procedures=tuple(replace(p, entry=p.locations[-1].id) for p in AFTER.procedures),
    ),
    "a call of a procedure with an argument that is none": lambda: _called(arguments=()),
    "an argument with another value": lambda: _called(
        arguments=(Const(1, INT), Const(0, RangeType(0, 0)))
    ),
    "a call that waits": lambda: _called(guard=FALSE),
    "a call that waits for what is forgotten": lambda: _called(
        guard=Binary(BinaryOp.EQ, Read(_variable("data")), number(1))
    ),
    "a return that waits": lambda: with_edge(
        AFTER,
        _return().id,
        action=replace(_return().action, guard=Const(False, BOOL)),
    ),
    "one thread fewer": lambda: replace(AFTER, templates=(replace(AFTER.templates[0], count=1),)),
    "other properties": lambda: replace(AFTER, properties=AFTER.properties[1:]),
    "a procedure that is lost": lambda: replace(AFTER, procedures=AFTER.procedures[1:]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_loses_behaviour_is_refused(name: str) -> None:
    forged = FORGERIES[name]()
    assert forged != AFTER
    with pytest.raises(Refuted):
        accept(BEFORE, forged)


@pytest.mark.parametrize("name", [name for name in FORGERIES if name != "other properties"])
def test_what_loses_behaviour_is_refused_where_nothing_is_claimed(name: str) -> None:
    """Movers are about all accesses, whatever is claimed."""
    bare, forged = (replace(each, properties=()) for each in (BEFORE, FORGERIES[name]()))
    check_forgotten(bare, replace(AFTER, properties=()), ())
    with pytest.raises(Refuted):
        check_forgotten(bare, forged, ())


def test_accesses_that_no_claim_is_about_are_lost_only_if_there_are_claims() -> None:
    about = RaceProperty("races", ("x",))
    claimed, bare = (replace(BEFORE, properties=each) for each in ((about,), ()))
    after = forget(claimed, NAMES)
    check_forgotten(claimed, after, [about])
    with pytest.raises(Refuted):
        check_forgotten(bare, replace(after, properties=()), ())


def test_movers_know_no_program_with_an_opened_region() -> None:
    with pytest.raises(Refuted, match="opens an atomic region"):
        Digest(Interpreter(model(CUT)), ["data"], alone=False)


def test_threads_alone_know_only_locks() -> None:
    digest = Digest(Interpreter(BEFORE), NAMES, alone=True)
    with pytest.raises(Refuted, match="`x`"):
        digest.check_alone({"m"})


def test_claims_that_are_not_kept_are_refused() -> None:
    (deadlocks,) = [p for p in BEFORE.properties if isinstance(p, DeadlockProperty)]
    with pytest.raises(Refuted):
        check_forgotten(BEFORE, AFTER, [deadlocks])


# -- places that may not exist -------------------------------------------------------------------

SOMETIMES = """
int[0..9] a[2];
int[0..900] y;
thread t { int[0..3] r; havoc r; y = (r < 2 ? a[r] : 700); }
thread u { y = 0; }
"""


def test_what_is_only_sometimes_looked_at_may_not_exist() -> None:
    before = model(SOMETIMES)
    after = forget(before, ["y"])
    accept(before, after)
    picks = next(e for e in after.edges if "IMPLIES" in repr(e.action) and "'a'" in repr(e.action))

    def surely(command: Command) -> Command:
        parts = [
            p.right if isinstance(p, Binary) and p.op is BinaryOp.IMPLIES else p
            for p in conjuncts(command.guard)
        ]
        return replace(command, guard=conjunction(parts))

    with pytest.raises(Refuted):
        accept(before, with_command(after, picks.id, surely))


# -- steps that are cut in two -------------------------------------------------------------------

CUT = """
int[0..90] data;
int[0..1] z, gate;
thread t { atomic { gate = 1; while (data < 9) { data = data + 1; } z = 1; } }
thread u { z = 0; }
"""


def test_a_loop_over_data_is_opened() -> None:
    before = model(CUT)
    after = forget(before, ["data"])
    assert [p.atomic for p in before.locations] != [p.atomic for p in after.locations]
    accept(before, after)


def test_what_others_wait_for_is_not_changed_before_a_step_is_cut() -> None:
    """`z = 0` where the gate is open races with the whole block, not with its second part."""
    program = model(CUT)
    gate = next(d.variable for d in program.globals if d.variable.name == "gate")
    shared = tuple(
        replace(d, variable=replace(gate, sync=True)) if d.variable == gate else d
        for d in program.globals
    )
    opens = edge_of(program, "gate = 1")
    silent = VariablePlace(replace(gate, sync=True))
    program = with_command(
        program, opens.id, lambda c: replace(c, assignments=(Assignment(silent, number(1)),))
    )
    program = with_command(
        program,
        edge_of(program, "z = 0").id,
        lambda c: replace(c, guard=Binary(BinaryOp.EQ, Read(silent), number(0))),
    )
    program = replace(program, globals=shared)
    with pytest.raises(Unsupported):
        forget(program, ["data"])
    opened = forget(model(CUT), ["data"])
    procedures = tuple(
        replace(p, locations=tuple(opened.locations[here.id] for here in p.locations))
        for p in program.procedures
    )
    with pytest.raises(Refuted, match="visible"):
        accept(program, replace(program, procedures=procedures))
