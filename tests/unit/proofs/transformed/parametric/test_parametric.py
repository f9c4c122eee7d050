"""ParametricThreads of created threads are accepted; what loses behaviour is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.trusted import ROOT
from tests.every_engine import loaded
from tests.property.mixed_programs import mixed_program_of
from tests.unit.frontends.model.loading import load
from tests.unit.proofs.transformed.forging import (
    with_command,
    with_edge,
    with_location,
    without_edge,
)
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    IndexPlace,
    Read,
    SelfIndex,
    VariablePlace,
)
from threadwise.ir.fold import number, rebuild
from threadwise.ir.program import (
    DEFAULT,
    AnyValue,
    Declaration,
    Edge,
    FailureKind,
    FillValue,
    Initial,
    ListedValues,
    Program,
)
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.ir.types import NONE, RangeType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.certificate import MOST_CREATED
from threadwise.proofs.transformed.parametric.check import check_parametric
from threadwise.transforms.parametric import parametrised_in_view

BEFORE = model(
    """
    tid handles[3];
    tid last;
    int[0..9] count;
    int[0..9] other;
    thread worker(int[0..9] mine, int[0..9] same) {
        other = mine;
        count = same;
        assert(count == 4);
    }
    thread parent {
        tid got;
        int[0..2] i;
        while (true) {
            handles[i] = spawn worker(i, 4);
            last = handles[1];
            got = handles[i];
            join got;
            other = 3;
        }
    }
    """
)
AFTER = parametrised_in_view(BEFORE)


def _claims(before: Program, after: Program) -> list[Property]:
    kept = FailureProperty | RaceProperty
    return [p for p in before.properties if isinstance(p, kept) and p in after.properties]


def accept(before: Program, after: Program) -> None:
    check_parametric(before, after, _claims(before, after), lambda: None)


def test_a_parametric_program_is_accepted() -> None:
    accept(BEFORE, AFTER)


HANDLES = (
    "tid h; thread w() { h = self; } thread main { while (true) { h = spawn w(); join h; } }",
    "tid h; thread w() { tid mine; mine = h; } thread main { while (true) { h = spawn w(); } }",
    "tid h[4]; int x; thread w() { x = 1; h[2] = none; }"
    "thread main { int[0..3] i; tid k; while (true) { h[i] = spawn w(); k = h[3]; join k; } }",
    "thread w() { skip; } thread u() { skip; }"
    "thread main { tid h[4]; int[0..3] i; while (true) { either { h[i] = spawn w(); }"
    " or { h[i] = spawn u(); } h[0] = h[i]; join h[0]; } }",
)


@pytest.mark.parametrize("text", HANDLES)
def test_handles_are_told_by_their_pools(text: str) -> None:
    program = load(text)
    accept(program, parametrised_in_view(program))


def _with_handles(initial: Initial) -> Program:
    """The program whose array of handles starts with something."""
    return replace(
        BEFORE,
        globals=tuple(
            replace(d, initial=initial) if d.variable.name == "handles" else d
            for d in BEFORE.globals
        ),
    )


def test_handles_may_be_said_to_be_of_nobody() -> None:
    before = _with_handles(ListedValues((NONE, NONE, NONE)))
    after = parametrised_in_view(before)
    accept(before, after)


@pytest.mark.parametrize("initial", [ListedValues((NONE, 1, NONE)), FillValue(0), AnyValue()])
def test_handles_of_threads_from_the_start_are_refused(initial: Initial) -> None:
    before = _with_handles(initial)
    with pytest.raises(Unsupported):
        parametrised_in_view(before)
    with pytest.raises(Refuted, match="no handle"):
        accept(before, AFTER)


def test_parametric_programs_in_random_programs_are_accepted() -> None:
    accepted = 0
    for seed in range(60):
        program = load(mixed_program_of(seed))
        try:
            after = parametrised_in_view(program)
        except Unsupported:
            continue
        accept(program, after)
        accepted += 1
    assert accepted > 8


# -- forgeries -----------------------------------------------------------------------------------


def _edges(text: str) -> list[Edge]:
    found = [edge for edge in AFTER.edges if edge.text.startswith(text)]
    assert found, text
    return found


def _commanded(text: str, change: Callable[[Command], Command], which: int = 0) -> Program:
    edge = _edges(text)[which]
    changed = with_command(AFTER, edge.id, change)
    assert changed != AFTER
    return changed


def _assigned(text: str, name: str) -> int:
    """Which edge of a statement writes a variable."""
    for number_, edge in enumerate(_edges(text)):
        assert isinstance(edge.action, Command)
        if any(name in repr(a.target) for a in edge.action.assignments):
            return number_
    raise AssertionError(name)


def _valued(text: str, name: str, value: Callable[[Expr], Expr]) -> Program:
    """The abstraction in which a statement gives a variable another value."""

    def change(command: Command) -> Command:
        return replace(
            command,
            assignments=tuple(
                replace(a, value=value(a.value)) if name in repr(a.target) else a
                for a in command.assignments
            ),
        )

    return _commanded(text, change, _assigned(text, name))


def _without(text: str, name: str) -> Program:
    def change(command: Command) -> Command:
        kept = tuple(a for a in command.assignments if name not in repr(a.target))
        return replace(command, assignments=kept)

    return _commanded(text, change, _assigned(text, name))


def _variable(name: str) -> VariablePlace:
    every = [*AFTER.globals, *(d for p in AFTER.procedures for d in p.locals)]
    return VariablePlace(next(d.variable for d in every if d.variable.name == name))


def _global(name: str, change: Callable[[Declaration], Declaration]) -> Program:
    changed = tuple(change(d) if d.variable.name == name else d for d in AFTER.globals)
    assert changed != AFTER.globals
    return replace(AFTER, globals=changed)


def _kind(number_: int) -> Const:
    return Const(number_, AFTER.enums[-1])


def _joining(name: str) -> Edge:
    """The edge of a join that is taken."""
    failing = {here.id for here in AFTER.locations if here.failure}
    return next(e for e in _edges(f"join {name}") if e.target not in failing)


def _not_a_thread(name: str) -> Edge:
    """The edge of a join that fails."""
    failing = {here.id for here in AFTER.locations if here.failure}
    return next(e for e in _edges(f"join {name}") if e.target in failing)


def _never(edge: Edge) -> Program:
    return with_command(AFTER, edge.id, lambda c: replace(c, guard=FALSE))


def _of_pool(handle: str) -> Expr:
    return Binary(BinaryOp.EQ, Read(_variable(handle)), _kind(2))


def _kept_slot() -> Program:
    """A thread reads its slot by its index: it is told apart from the others."""
    cell = next(d for d in BEFORE.globals if d.variable.name == "worker.argument.mine")
    slot = IndexPlace(VariablePlace(cell.variable), SelfIndex())
    given = Assignment(_variable("mine"), Read(slot))
    return _commanded(
        "begin", lambda c: replace(c, assignments=(*c.assignments, given), havocs=())
    )


def _templates(**changes: object) -> Program:
    templates = tuple(
        replace(t, **changes) if t.name == "worker" else t  # type: ignore[arg-type]
        for t in AFTER.templates
    )
    return replace(AFTER, templates=templates)


FORGERIES: dict[str, Callable[[], Program]] = {
    "an edge that is lost": lambda: without_edge(AFTER, AFTER.edges[-1].id),
    "an edge that is never taken": lambda: _never(_edges("count = same")[-1]),
    "an edge to elsewhere": lambda: with_edge(
        AFTER, _edges("count = same")[-1].id, target=_edges("other = mine")[0].source
    ),
    "threads that never begin": lambda: _never(_edges("begin")[0]),
    "threads that begin again and again": lambda: with_edge(
        AFTER, _edges("count = same")[-1].id, target=_edges("begin")[0].source
    ),
    "nobody is created": lambda: _without("handles[i] = spawn", "worker.created"),
    "nobody is created any more": lambda: _valued(
        "handles[i] = spawn", "worker.created", lambda _: FALSE
    ),
    "creation that is forgotten": lambda: _commanded(
        "other = 3",
        lambda c: replace(c, assignments=(*c.assignments, _made("worker.created", FALSE))),
    ),
    "no thread is created": lambda: _never(_edges("handles[i] = spawn")[-1]),
    "one thread": lambda: _templates(count=1),
    "a pool that stays one": lambda: _templates(count=3, pool=True),
    "an argument that is fixed": lambda: _argued("mine", 4),
    "an argument that is another constant": lambda: _argued("same", 5),
    "a slot that is read by index": _kept_slot,
    "a join that is relied upon": lambda: with_command(
        AFTER, _joining("got").id, lambda c: replace(c, guard=FALSE)
    ),
    "a join of threads of the pool only where that is known": lambda: with_command(
        AFTER, _joining("got").id, lambda c: replace(c, guard=_of_pool("got.pool"))
    ),
    "a join that never fails": lambda: _never(_not_a_thread("got")),
    "a handle of another pool": lambda: _valued("result of", "handles.pool", lambda _: _kind(0)),
    "a handle that nothing is known of": lambda: _valued(
        "result of", "handles.pool", lambda _: _kind(1)
    ),
    "an element that is another one": lambda: _valued(
        "result of", "handles.pool", lambda _: _kind(2)
    ),
    "a copy that is always elsewhere": lambda: _valued("got =", "got.pool", lambda _: _kind(1)),
    "a copy that is always known": lambda: _valued("got =", "got.pool", lambda _: _kind(2)),
    "a handle that is forgotten on the way": lambda: _commanded(
        "other = 3",
        lambda c: replace(c, assignments=(*c.assignments, _made("last.pool", _kind(1)))),
    ),
    "a position that is 0": lambda: _global(
        "handles.kappa", lambda d: replace(d, initial=DEFAULT)
    ),
    "a position that is never the last": lambda: _global(
        "handles.kappa",
        lambda d: replace(d, variable=replace(d.variable, type=RangeType(0, 1))),
    ),
    "a position that moves": lambda: _commanded(
        "other = 3",
        lambda c: replace(c, assignments=(*c.assignments, _made("handles.kappa", number(1)))),
    ),
    "created from the start": lambda: replace(
        AFTER, globals=tuple(d for d in AFTER.globals if d.variable.name != "worker.created")
    ),
    "a variable that starts otherwise": lambda: _global(
        "count", lambda d: replace(d, variable=replace(d.variable, type=RangeType(1, 9)))
    ),
    "a variable from nowhere": lambda: replace(
        AFTER,
        globals=(
            *AFTER.globals,
            Declaration(replace(AFTER.globals[0].variable, name="new")),
        ),
    ),
    "another value": lambda: _valued("other = 3", "other", lambda _: number(2)),
    "a write that is lost": lambda: _commanded("other = 3", lambda c: replace(c, assignments=())),
    "a plain access that synchronises": lambda: with_edge(
        AFTER, _edges("other = 3")[0].id, sync=True
    ),
    "an access that is lost": lambda: _commanded(
        "last =", lambda c: replace(c, assignments=(), havocs=(_variable("last.pool"),)), -1
    ),
    "a failure that is none": lambda: with_location(
        AFTER, next(p.id for p in AFTER.locations if p.failure), failure=None
    ),
    "a location that is hidden": lambda: with_location(
        AFTER, _edges("count = same")[0].source, atomic=True
    ),
    "other properties": lambda: replace(AFTER, properties=()),
    "fewer types": lambda: replace(AFTER, enums=AFTER.enums[:-1]),
}


def _made(name: str, value: Expr) -> Assignment:
    return Assignment(_variable(name), value)


def _argued(name: str, value: int) -> Program:
    """The abstraction in which all threads find the same in an argument."""
    parameter = _variable(name)

    def change(command: Command) -> Command:
        kept = tuple(a for a in command.assignments if a.target != parameter)
        havocs = tuple(p for p in command.havocs if p != parameter)
        return Command(command.guard, (*kept, Assignment(parameter, number(value))), havocs)

    return _commanded("begin", change)


@pytest.mark.parametrize("name", FORGERIES)
def test_what_loses_behaviour_is_refused(name: str) -> None:
    forged = FORGERIES[name]()
    assert forged != AFTER
    with pytest.raises(Refuted):
        check_parametric(BEFORE, forged, _claims(BEFORE, AFTER), lambda: None)


LIMITS = """
#include <pthread.h>
static int x;
static void *work(void *a) { (void)a; return 0; }
int main(void) { pthread_t t[70], u;
    for (int i = 0; i < 70; i++) pthread_create(&t[i], 0, work, 0);
    u = t[x]; pthread_join(u, 0); pthread_join(t[3], 0);
    return 0; }
"""


def test_limits_are_reached_for_some_position() -> None:
    before = loaded(LIMITS).worked_on
    after = parametrised_in_view(before)
    accept(before, after)
    kinds = FailureKind.LIMIT, FailureKind.UNDEFINED
    limits = {p.id for p in after.locations if p.failure and p.failure.kind in kinds}
    about = [e for e in after.edges if e.target in limits and ".pool" in repr(e.action.guard)]
    assert about
    for edge in about:
        lost = with_command(after, edge.id, lambda c: replace(c, guard=FALSE))
        with pytest.raises(Refuted, match="limit"):
            accept(before, lost)


RESET = """
#include <pthread.h>
static void *work(void *a) { (void)a; return 0; }
int main(void) {
    for (;;) {
        pthread_t t[2];
        for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    }
    return 0; }
"""


def test_elements_that_are_given_something_together() -> None:
    """A declaration writes both elements: neither assignment hides the other one."""
    before = loaded(RESET).worked_on
    accept(before, parametrised_in_view(before))


FLAG = """
#include <pthread.h>
static int flag = 0, other = 2;
static void *work(void *a) { flag = 3; other = 4; return a; }
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, work, 0); }
"""


@pytest.mark.parametrize(
    ("name", "low", "high"), [("flag", 3, 3), ("flag", 0, 2), ("other", 3, 4)]
)
def test_ranges_contain_all_values(name: str, low: int, high: int) -> None:
    """What a variable starts with, too."""
    before = loaded(FLAG).worked_on
    after = parametrised_in_view(before)
    accept(before, after)
    shared = {d.variable.name: d.variable for d in after.globals}
    held = shared[name].type
    assert isinstance(held, RangeType)
    changed = replace(shared[name], type=replace(held, low=low, high=high))

    def moved(expr: Expr) -> Expr:
        is_it = isinstance(expr, Read) and expr.place == VariablePlace(shared[name])
        return Read(VariablePlace(changed)) if is_it else rebuild(expr, moved)

    def command(old: Command) -> Command:
        given = tuple(
            Assignment(VariablePlace(changed), Const(a.value.value, changed.type))
            if a.target == VariablePlace(shared[name]) and isinstance(a.value, Const)
            else Assignment(a.target, moved(a.value))
            for a in old.assignments
        )
        return Command(moved(old.guard), given, old.havocs)

    forged = replace(
        after,
        globals=tuple(
            replace(d, variable=changed) if d.variable == shared[name] else d
            for d in after.globals
        ),
    )
    for edge in after.edges:
        if isinstance(edge.action, Command):
            forged = with_command(forged, edge.id, command)
    with pytest.raises(Refuted):
        accept(before, forged)


def test_ids_in_records() -> None:
    text = (ROOT / "examples/c_idioms/ids_copied.c").read_text(encoding="utf-8")
    before = loaded(text).worked_on
    accept(before, parametrised_in_view(before))


def test_what_adds_behaviour_is_accepted() -> None:
    """Weaker conditions are, and `elsewhere` where a limit does not need the handle."""
    begins = with_command(AFTER, _edges("begin")[0].id, lambda c: replace(c, guard=TRUE))
    accept(BEFORE, begins)
    accept(BEFORE, with_command(AFTER, _joining("got").id, lambda c: replace(c, guard=TRUE)))


# -- how many are assumed to be created ----------------------------------------------------------


def _limited(most: int, assumed: tuple[str, ...]) -> None:
    after = parametrised_in_view(BEFORE, (("worker", most),))
    claimed = [p for p in BEFORE.properties if isinstance(p, FailureProperty | RaceProperty)]
    check_parametric(BEFORE, after, claimed, lambda: None, assumed=assumed)


def test_many_may_be_assumed_not_to_be_created() -> None:
    _limited(MOST_CREATED, ("worker",))


@pytest.mark.parametrize(
    ("most", "assumed"),
    [(MOST_CREATED, ()), (1000, ("worker",)), (MOST_CREATED, ("worker", "nobody"))],
)
def test_no_other_number_may_be(most: int, assumed: tuple[str, ...]) -> None:
    with pytest.raises(Refuted):
        _limited(most, assumed)
