"""Locations that are told apart are accepted; what loses behaviour or tells lies is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.property.comparison import load
from tests.property.programs import Features, RandomChooser, generate
from tests.unit.proofs.transformed.forging import with_command, with_edge, with_location
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import FALSE, Const, Expr, IndexPlace, Place, SelfId, VariablePlace
from threadwise.ir.fold import conjunction, conjuncts, number
from threadwise.ir.program import Edge, FillValue, LocId, Program
from threadwise.ir.types import Value
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.split_locations import Told, check_split_locations
from threadwise.transforms.split import Split, split

BEFORE = model(
    """
    int n;
    bool used[t];
    thread t[*] {
        bool mine;
        int[0..2] r;
        havoc mine;
        used[self] = n > 3;
        r = n == 2 ? 1 : 0;
        await(n < 2 || r == 1) { n = n + 1; }
        if (mine) { assert(n > 0); }
        if (used[self]) { n = n - 1; }
        if (r == 1) { n = 0; }
    }
    thread u { n = 7; }
    """
)
AFTER = split(BEFORE)


def accept(before: Program, divided: Split) -> None:
    check_split_locations(before, divided.program, divided.copies, divided.origins, lambda: None)


def test_told_locations_are_accepted() -> None:
    assert len(AFTER.program.locations) > len(BEFORE.locations)
    accept(BEFORE, AFTER)


@pytest.mark.parametrize("seed", range(30))
def test_told_locations_of_random_programs_are_accepted(seed: int) -> None:
    program = load(generate(RandomChooser.of(seed), Features(calls=False)))
    try:
        divided = split(program)
    except Unsupported:
        return
    accept(program, divided)


# -- forgeries -----------------------------------------------------------------------------------


def _local(name: str) -> VariablePlace:
    body = BEFORE.procedure["t"]
    return VariablePlace(next(d.variable for d in body.locals if d.variable.name == name))


def _used() -> IndexPlace:
    array = next(d.variable for d in BEFORE.globals if d.variable.name == "used")
    return IndexPlace(VariablePlace(array), SelfId())


def _edges(text: str) -> list[Edge]:
    return [edge for edge in AFTER.program.edges if edge.text == text]


def _commanded(text: str, change: Callable[[Command], Command], which: int = 0) -> Split:
    edge = _edges(text)[which]
    return replace(AFTER, program=with_command(AFTER.program, edge.id, change))


def _telling(here: LocId, change: Callable[[Told], Told]) -> Split:
    copies = [
        (p, change(told)) if n == here else (p, told) for n, (p, told) in enumerate(AFTER.copies)
    ]
    return replace(AFTER, copies=tuple(copies))


def _where(place: Place, value: Value) -> LocId:
    """A copy that tells a value."""
    return next(LocId(n) for n, (_, told) in enumerate(AFTER.copies) if (place, value) in told)


def _instead(place: Place, value: Value) -> Callable[[Told], Told]:
    return lambda told: tuple((p, value if p == place else v) for p, v in told)


def _diverted(text: str) -> Split:
    """Two copies of an edge, and the first goes where the second does."""
    first, second = _edges(text)[:2]
    assert first.target != second.target
    return replace(AFTER, program=with_edge(AFTER.program, first.id, target=second.target))


def _without(text: str) -> Split:
    """One copy of an edge is never taken."""
    return _commanded(text, lambda c: replace(c, guard=conjunction([c.guard, FALSE])))


def _guarded(extra: Expr) -> Callable[[Command], Command]:
    return lambda c: replace(c, guard=conjunction([*conjuncts(c.guard), extra]))


def _entry(change: Callable[..., object]) -> Split:
    procedures = tuple(
        replace(p, entry=change(p)) if p.name == "t" else p  # type: ignore[arg-type]  # forged
        for p in AFTER.program.procedures
    )
    return replace(AFTER, program=replace(AFTER.program, procedures=procedures))


def _entry_of_t() -> LocId:
    return AFTER.program.procedure["t"].entry


INPUT = "havoc mine"
CHOICE = "r = n == 2 ? 1 : 0"
CELL = "used[self] = n > 3"

FORGERIES: dict[str, Callable[[], Split]] = {
    "an input with one value only": lambda: _without(INPUT),
    "an input given the other value twice": lambda: _commanded(
        INPUT,
        lambda c: replace(
            c, assignments=(Assignment(_local("mine"), Const(True, _local("mine").type)),)
        ),
    ),
    "an input that goes where the other value is told": lambda: _diverted(INPUT),
    "a choice with one outcome only": lambda: _without(CHOICE),
    "a choice that goes where the other outcome is told": lambda: _diverted(CHOICE),
    "a cell with one outcome only": lambda: _without(CELL),
    "a cell that goes where the other outcome is told": lambda: _diverted(CELL),
    "conditions swapped away": lambda: _commanded(
        CHOICE,
        lambda c: replace(c, guard=conjunction([*conjuncts(c.guard)][:-1])),
    ),
    "a guard that is stronger": lambda: _commanded("n = 7", _guarded(FALSE)),
    "a guard that is lost": lambda: _commanded(
        next(e.text for e in AFTER.program.edges if "n > 0" in e.text),
        lambda c: replace(c, guard=Const(True, c.guard.type)),
    ),
    "another value": lambda: _commanded(
        "n = 7", lambda c: replace(c, assignments=(replace(c.assignments[0], value=number(8)),))
    ),
    "a write that is lost": lambda: _commanded("n = 7", lambda c: replace(c, assignments=())),
    "one write more": lambda: _commanded(
        "n = 7",
        lambda c: replace(
            c, assignments=(*c.assignments, replace(c.assignments[0], value=number(0)))
        ),
    ),
    "a lie about an input": lambda: _telling(
        _where(_local("mine"), True), _instead(_local("mine"), False)
    ),
    "a lie about a choice": lambda: _telling(_where(_local("r"), 1), _instead(_local("r"), 0)),
    "a lie about a cell": lambda: _telling(_where(_used(), True), _instead(_used(), False)),
    "a lie at the beginning": lambda: _telling(
        _entry_of_t(), lambda told: (*told, (_local("r"), 1))
    ),
    "a shared variable is told": lambda: _telling(
        _entry_of_t(), lambda told: ((VariablePlace(BEFORE.globals[0].variable), 0),)
    ),
    "another beginning": lambda: _entry(lambda p: p.locations[-1].id),
    "a location that is a copy of another one": lambda: replace(
        AFTER, copies=(AFTER.copies[1], *AFTER.copies[1:])
    ),
    "an edge that is a copy of another one": lambda: replace(
        AFTER, origins=(AFTER.origins[-1], *AFTER.origins[1:])
    ),
    "an edge of nothing": lambda: replace(AFTER, origins=(*AFTER.origins[:-1], 999)),  # type: ignore[arg-type]
    "an edge that synchronises": lambda: replace(
        AFTER, program=with_edge(AFTER.program, _edges("n = 7")[0].id, sync=True)
    ),
    "a failure that is none": lambda: replace(
        AFTER,
        program=with_location(
            AFTER.program,
            next(p.id for p in AFTER.program.locations if p.failure is not None),
            failure=None,
        ),
    ),
    "a location that is hidden": lambda: replace(
        AFTER, program=with_location(AFTER.program, _edges("n = 7")[0].source, atomic=True)
    ),
    "fewer copies than locations": lambda: replace(AFTER, copies=AFTER.copies[:-1]),
    "another initial value": lambda: replace(
        AFTER,
        program=replace(
            AFTER.program,
            globals=(
                replace(AFTER.program.globals[0], initial=FillValue(3)),
                *AFTER.program.globals[1:],
            ),
        ),
    ),
    "one thread fewer": lambda: replace(
        AFTER, program=replace(AFTER.program, templates=AFTER.program.templates[:1])
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_loses_behaviour_is_refused(name: str) -> None:
    forged = FORGERIES[name]()
    assert forged != AFTER
    with pytest.raises(Refuted):
        accept(BEFORE, forged)


def test_what_others_write_is_not_told() -> None:
    """`used` of this thread is written by another one, by a name that the split does not know."""
    text = """
    bool used[t];
    tid who;
    thread t[2] { who = self; used[who] = true; if (used[self]) { assert(false); } }
    """
    program = model(text)
    array = next(d.variable for d in program.globals if d.variable.name == "used")
    own = IndexPlace(VariablePlace(array), SelfId())
    copies = tuple((here.id, ((own, False),)) for here in program.locations)
    origins = tuple(edge.id for edge in program.edges)
    with pytest.raises(Refuted):
        check_split_locations(program, program, copies, origins, lambda: None)
