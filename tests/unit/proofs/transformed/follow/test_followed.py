"""Programs that follow a thread are accepted; what loses behaviour is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.property.test_following import drawn
from tests.unit.proofs.transformed.forging import (
    with_command,
    with_edge,
    with_location,
    without_edge,
)
from tests.unit.semantics.running import model
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import FALSE, Binary, BinaryOp, Read, VariablePlace
from threadwise.ir.fold import conjunction, conjuncts, number
from threadwise.ir.program import DEFAULT, Edge, Program
from threadwise.ir.properties import DeadlockProperty, Property
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.follow.check import check_follow_all
from threadwise.transforms.follow import Followed, Following, follow_all, suggested

BEFORE = model(
    """
    bool slot[worker] = false;
    int[0..9] count;
    thread worker(int[0..9] mine) { slot[mine] = true; count = 1; assert(slot[mine]); }
    thread parent {
        tid first;
        int[0..2] n;
        first = spawn worker(n);
        n = n + 1;
        spawn worker(n);
        join first;
        assert(slot[0] && count > 0);
    }
    invariant small: count < 9;
    """
)
CLAIMED = (suggested(BEFORE, "worker", claiming=True),)
AFTER = follow_all(BEFORE, CLAIMED)


def _claims(program: Program) -> list[Property]:
    return [p for p in program.properties if not isinstance(p, DeadlockProperty)]


def accept(before: Program, followings: tuple[Following, ...], followed: Followed) -> None:
    claimed = _claims(before)
    stages, program = followed.stages, followed.program
    check_follow_all(before, followings, stages, program, claimed, lambda: None)


def test_following_is_accepted() -> None:
    assert CLAIMED[0].claims
    accept(BEFORE, CLAIMED, AFTER)
    without = (suggested(BEFORE, "worker", claiming=False),)
    accept(BEFORE, without, follow_all(BEFORE, without))


@pytest.mark.parametrize("seed", range(3))
def test_following_in_random_programs_is_accepted(seed: int) -> None:
    program = drawn(seed)
    followings = (suggested(program, "worker", claiming=seed % 2 == 0),)
    followed = follow_all(program, followings)
    kept = {checked.name for checked in followed.program.properties}
    claimed = [p for p in _claims(program) if p.name in kept]
    stages = followed.stages
    check_follow_all(program, followings, stages, followed.program, claimed, lambda: None)


# -- forgeries -----------------------------------------------------------------------------------


def _forged(change: Callable[[Program], Program]) -> Followed:
    """The program before steps are hidden is another one, and no steps are hidden."""
    ((program, origins),) = AFTER.stages
    changed = change(program)
    return replace(AFTER, program=changed, stages=((changed, origins),))


def _edges(text: str) -> list[Edge]:
    """The edges of a statement."""
    ((program, _),) = AFTER.stages
    found = [edge for edge in program.edges if edge.text.startswith(text)]
    assert found, text
    return found


def _commanded(text: str, which: int, change: Callable[[Command], Command]) -> Followed:
    edge = _edges(text)[which]
    return _forged(lambda program: with_command(program, edge.id, change))


def _never(text: str, which: int) -> Followed:
    return _commanded(text, which, lambda c: replace(c, guard=FALSE))


def _plain(edges: list[Edge]) -> int:
    return next(n for n, edge in enumerate(edges) if not edge.sync)


def _writing(text: str) -> int:
    return next(n for n, e in enumerate(_edges(text)) if getattr(e.action, "assignments", ()))


def _broken_claim() -> Edge:
    ((program, _),) = AFTER.stages
    limits = {
        p.id for p in program.locations if p.failure and "creation index" in p.failure.message
    }
    return next(edge for edge in program.edges if edge.target in limits)


def _kappa(program: Program) -> VariablePlace:
    return VariablePlace(program.globals[-1].variable)


def _begins_late(which: int) -> Followed:
    """A thread begins when another one after it was created: not `mine < next`, but before."""

    def later(command: Command) -> Command:
        parts = conjuncts(command.guard)
        (below,) = (p for p in parts if isinstance(p, Binary) and p.op is BinaryOp.LT)
        before = replace(below, right=Binary(BinaryOp.SUB, below.right, number(1)))
        return replace(command, guard=conjunction([*(p for p in parts if p != below), before]))

    return _commanded("begin worker", which, later)


def _fixed(program: Program) -> Program:
    (*shared, kappa) = program.globals
    return replace(program, globals=(*shared, replace(kappa, initial=DEFAULT)))


def _one_other(program: Program) -> Program:
    templates = tuple(
        replace(t, count=1) if t.name == "worker.others" else t for t in program.templates
    )
    return replace(program, templates=templates)


FORGERIES: dict[str, Callable[[], Followed]] = {
    "κ is never started": lambda: _never("first = spawn", 0),
    "others are never started": lambda: _never("first = spawn", 1),
    "κ never begins": lambda: _never("begin worker", 0),
    "κ never writes": lambda: _never("slot[mine] = true", _writing("slot[mine] = true")),
    "a write that is lost": lambda: _commanded(
        "count = 1", 0, lambda c: replace(c, assignments=())
    ),
    "another value": lambda: _commanded(
        "count = 1",
        0,
        lambda c: replace(c, assignments=(replace(c.assignments[0], value=number(2)),)),
    ),
    "a thread that is never joined": lambda: _forged(
        lambda program: with_command(
            program, _edges("join first")[-1].id, lambda c: replace(c, guard=FALSE)
        )
    ),
    "κ is written": lambda: _forged(
        lambda program: with_command(
            program,
            _edges("count = 1")[0].id,
            lambda c: replace(
                c, assignments=(*c.assignments, Assignment(_kappa(program), number(0)))
            ),
        )
    ),
    "a guard about κ": lambda: _forged(
        lambda program: with_command(
            program,
            _edges("count = 1")[0].id,
            lambda c: replace(
                c,
                guard=conjunction([*conjuncts(c.guard), _less(Read(_kappa(program)))]),
            ),
        )
    ),
    "the κ that was created last never begins": lambda: _begins_late(0),
    "another that was created last never begins": lambda: _begins_late(2),
    "κ is 0": lambda: _forged(_fixed),
    "one other thread": lambda: _forged(_one_other),
    "no limit for a broken claim": lambda: _forged(
        lambda program: with_command(
            program, _broken_claim().id, lambda c: replace(c, guard=FALSE)
        )
    ),
    "a failure that is none": lambda: _forged(
        lambda program: with_location(
            program, next(p.id for p in program.locations if p.failure), failure=None
        )
    ),
    "a plain access that synchronises": lambda: _forged(
        lambda program: with_edge(
            program, _edges("count = 1")[_plain(_edges("count = 1"))].id, sync=True
        )
    ),
    "a location that is hidden": lambda: _forged(
        lambda program: with_location(program, _edges("count = 1")[0].source, atomic=True)
    ),
    "an edge to elsewhere": lambda: _forged(
        lambda program: with_edge(
            program, _edges("count = 1")[0].id, target=_edges("begin worker")[0].source
        )
    ),
    "other properties": lambda: _forged(lambda program: replace(program, properties=())),
    "an edge that is lost": lambda: _forged(
        lambda program: without_edge(program, program.edges[-1].id)
    ),
    "nothing in between": lambda: replace(AFTER, stages=()),
    "something else is hidden": lambda: replace(
        AFTER,
        program=with_command(
            AFTER.program, _edges("count = 1")[0].id, lambda c: replace(c, guard=FALSE)
        ),
    ),
}


def _less(expr: Read) -> Binary:
    return Binary(BinaryOp.LT, expr, number(1))


@pytest.mark.parametrize("name", FORGERIES)
def test_what_loses_behaviour_is_refused(name: str) -> None:
    forged = FORGERIES[name]()
    with pytest.raises(Refuted):
        accept(BEFORE, CLAIMED, forged)


def test_a_claim_that_nobody_checks_is_refused() -> None:
    """The program is made without the claim, and the claim is made all the same."""
    without = (suggested(BEFORE, "worker", claiming=False),)
    with pytest.raises(Refuted):
        accept(BEFORE, CLAIMED, follow_all(BEFORE, without))
