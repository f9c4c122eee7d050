"""Files from loading to the result, in a process of their own and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.driver.running.scripted import (
    TEXT,
    comparable,
)
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.core.progress import Started, Stopped
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.engines import registry
from threadwise.results.verdict import Verdict

pytestmark = pytest.mark.usefixtures("defects_expected")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "x.tw"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("in_process", [True, False])
def test_a_listener_that_fails_is_no_failing_engine(file: str, in_process: bool) -> None:
    def deaf(event: object) -> None:
        raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        check_file(file, CheckOptions(engine="explicit"), deaf, in_process=in_process)


def test_auto_answers_the_same_in_processes_and_without(file: str) -> None:
    options = CheckOptions(properties=("all",))
    results = [check_file(file, options, in_process=in_process) for in_process in (True, False)]
    first, second = ([(p.name, p.verdict) for p in result.properties] for result in results)
    assert first == second


@pytest.mark.parametrize("engine", registry.ENGINES)
def test_supervised_and_in_process_give_the_same(file: str, engine: str) -> None:
    options = CheckOptions(properties=("all",), engine=engine)
    supervised = check_file(file, options)
    assert comparable(supervised) == comparable(check_file(file, options, in_process=True))
    assert "peak_memory_bytes" in supervised.statistics


def test_the_listener_hears_the_work(file: str) -> None:
    for in_process in (True, False):
        events: list[object] = []
        check_file(file, CheckOptions(engine="explicit"), events.append, in_process=in_process)
        assert isinstance(events[0], Started)
        assert isinstance(events[-1], Stopped)


def test_input_errors_pass_through(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tw"
    bad.write_text("thread t { y = 1; }", encoding="utf-8")
    for in_process in (True, False):
        with pytest.raises(InputError, match="unknown"):
            check_file(str(bad), in_process=in_process)
        with pytest.raises(InputError, match="no such file"):
            check_file(str(tmp_path / "missing.tw"), in_process=in_process)


def test_unknown_engines_and_properties(file: str) -> None:
    with pytest.raises(InputError, match="unknown engine"):
        check_file(file, CheckOptions(engine="expliciit"), in_process=True)
    with pytest.raises(InputError, match="unknown property"):
        check_file(file, CheckOptions(properties=("smal",)), in_process=True)


def test_how_a_file_was_loaded_is_part_of_the_result(tmp_path: Path) -> None:
    path = tmp_path / "n.tw"
    path.write_text("const int N = 1; int[0..9] x; thread t[N] { x = x + 1; } invariant i: x < 3;")
    load = LoadOptions(defines={"N": "3"})
    options = CheckOptions(properties=("i",), load=load)
    result = check_file(str(path), options, in_process=True)
    assert result.load == load
    assert result.verdict is Verdict.UNSAFE
    more = CheckOptions(properties=("i",), load=LoadOptions(threads={"t": 2}))
    assert check_file(str(path), more, in_process=True).verdict is Verdict.SAFE


def test_nothing_to_check_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "empty.tw"
    path.write_text("thread t[0] { skip; }")
    assert check_file(str(path), in_process=True).verdict is Verdict.SAFE


def test_unreached_statements_are_told(tmp_path: Path) -> None:
    path = tmp_path / "vacuous.tw"
    path.write_text("bool b; thread t { assume(b); assert(false); }")
    result = check_file(str(path), in_process=True)
    assert result.verdict is Verdict.SAFE
    assert [(u.text, u.is_assertion) for u in result.unreached] == [("assert(false)", True)]


def test_what_runs_have_seen_is_reached(tmp_path: Path) -> None:
    """In the simplified program only the branch that fails is left of the assertion."""
    path = tmp_path / "reached.c"
    path.write_text(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int x = __VERIFIER_nondet_int(), last = -1; if (x) last = 3;\n"
        "assert(last < 0 || last == 3); return 0; }\n"
    )
    result = check_file(str(path), CheckOptions(properties=("assertions",)), in_process=True)
    assert result.verdict is Verdict.SAFE
    assert result.unreached == ()


def test_one_engine_stops_at_the_first_violation(tmp_path: Path) -> None:
    path = tmp_path / "many.tw"
    path.write_text(
        "int[0..90] x; thread t { assert(x == 1); while (true) { x = (x + 1) % 91; } }"
        "thread u { while (true) { x = (x + 2) % 91; } }",
        encoding="utf-8",
    )
    whole, part = (
        check_file(str(path), CheckOptions(engine="explicit", first=first), in_process=True)
        for first in (False, True)
    )
    assert (whole.verdict, part.verdict) == (Verdict.UNSAFE, Verdict.UNSAFE)
    assert part.statistics["states"] < 10 < whole.statistics["states"]
