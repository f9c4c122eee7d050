"""Races that slices show: real ones are carried back, others only say that the slice is small."""

from __future__ import annotations

import pytest

from tests.unit.proofs.base.audited import prove
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.engines import dividing
from threadwise.engines.api import Task
from threadwise.engines.slice_races import Seen, SliceRaces
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.divided.certificate import part_of
from threadwise.traces.replay import replay
from threadwise.transforms.forget import forget
from threadwise.transforms.merge import merge
from threadwise.transforms.presume import presume

STATE = """
mutex m; int[0..3] state; int[0..9] config; int[0..9] other;
thread opener[2] {{
    bool mine;
    acquire(m);
    mine = state == 0;
    if (mine) state = 1;
    release(m);
    if (mine) {{ config = 3; acquire(m); state = 2; release(m); }}
}}
thread reader[2] {{
    acquire(m);
    if ({allowed}) config = config;
    release(m);
}}
"""


def look(program: Program, variable: str, lost: tuple[str, ...]) -> Seen:
    (checked,) = (p for p in program.properties if isinstance(p, RaceProperty))
    races = SliceRaces(Task(program, (checked,)), checked)
    part = part_of(program, checked.name, (variable,))
    slice_ = presume(forget(part, lost)) if lost else part
    return races.look(slice_, merge(slice_))


def test_a_race_of_a_slice_is_one_of_the_program() -> None:
    program = model(STATE.format(allowed="state != 0"))
    seen = look(program, "config", ("other",))
    assert seen.trace is not None
    assert "config" in str(replay(program, seen.trace).violation)


def test_a_slice_without_races_has_none() -> None:
    program = model(STATE.format(allowed="state == 2"))
    assert look(program, "config", ("other",)) == Seen(races=False, trace=None)


def test_a_race_that_forgotten_data_exclude_is_not_carried_back() -> None:
    program = model(STATE.format(allowed="state == 2"))
    seen = look(program, "config", ("other", "state"))
    assert seen == Seen(races=True, trace=None)


def test_inputs_are_found_with_which_what_was_forgotten_allows_the_run() -> None:
    program = model("""
        int x;
        thread t[2] {
            int[0..1000] c; int[0..1000000] d;
            havoc c; d = c * c;
            if (d == 5329) x = 1;
        }
    """)
    seen = look(program, "x", ("t.c@", "t.d@"))
    assert seen.trace is not None
    replay(program, seen.trace)
    chosen = {value for move in seen.trace.moves for c in move.choices for value in c.values}
    assert chosen == {73}


def test_any_number_of_threads_are_two() -> None:
    program = model("int x; int y; thread t[*] { y = 1; x = 1; }")
    seen = look(program, "x", ("y",))
    assert seen.trace is not None
    assert seen.trace.counts == {"t": 2}
    replay(program, seen.trace)


def test_where_data_cannot_be_forgotten_the_program_is_proved_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(program: Program, names: object) -> Program:
        raise Unsupported("forgetting")

    monkeypatch.setattr(dividing, "SMALL", 0)
    monkeypatch.setattr(dividing, "forget", refuse)
    locked = model("mutex m; int[0..3] x; thread t[2] { acquire(m); x = 1; release(m); }")
    certificate = prove(locked, "tar", "races")
    assert certificate.kind != "divided"
