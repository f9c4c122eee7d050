from dataclasses import replace

import pytest

from tests.unit.report import samples
from threadwise.core.source import Span
from threadwise.core.words import count
from threadwise.ir.program import LocId
from threadwise.proofs.base.locations import Location, Pair, Side
from threadwise.proofs.base.registry import summarise
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.report.advice import next_steps
from threadwise.report.summary import certificates, check_time_s, unknown_reason
from threadwise.results.blockers import Blocker, Nearness
from threadwise.results.result import ProvedInPart, ReachedLimit, Result
from threadwise.semantics.state import LocalStore


def test_a_certificate_for_several_properties_counts_once() -> None:
    assert certificates(samples.SAFE) == [samples.certificate("mutex", "range")]
    assert check_time_s(samples.SAFE) == 0.25
    assert check_time_s(samples.UNSAFE) == pytest.approx(0.26)


def test_a_thread_modular_certificate_is_measured_by_its_tables() -> None:
    l = LocalStore(LocId(0), (), ())
    tables = ([[(0, l), (1, l)], [(0, l)]], [[(0, 1)], []])
    certificate = ThreadModularCertificate("", ("mutex",), [(0,), (1,)], *tables)
    summary = summarise(certificate)
    assert summary.size == 3
    assert summary.words == "R with 3 stores of single threads, G with 1 step"


def test_no_evidence_no_check_time() -> None:
    assert check_time_s(samples.CUT) is None


def test_a_reason_without_progress_stays_as_it_is() -> None:
    assert unknown_reason(samples.UNLOADED) == "counter.tw:6:5: unsupported: `fork`"
    stuck = replace(samples.TIMED_OUT, statistics={})
    assert unknown_reason(stuck) == "time limit of 1 s reached"


def test_no_reason_at_all() -> None:
    silent = replace(samples.unknown("a", "race", ""), reason=None)
    assert unknown_reason(Result("a.tw", (silent,))) is None
    assert unknown_reason(samples.SAFE) is None


SIDES = (
    Side("main", Span("a.c", 3, 1, 3, 2), write=False, place="x", locks=()),
    Side("t", Span("a.c", 7, 1, 7, 2), write=True, place="x", locks=("m",)),
)


def races(reason: str, nearness: Nearness, *limits: int | None) -> Result:
    """An open race property of which two of three locations are proved."""
    undecided = (Pair(*SIDES, "only one of them holds a lock"),)
    locations = (Location("x", (), undecided), Location("y", ("m",)), Location("z", ("m",)))
    part = ProvedInPart("locksets", samples.certificate("races"), locations)
    blockers = (Blocker(nearness, reason),)
    checked = replace(samples.unknown("races", "race", reason), part=part, blockers=blockers)
    found = tuple(ReachedLimit(f"a.c:{n}: atoi", None, n) for n in limits)
    return Result("a.c", (checked,), "time limit of 9 s reached", limits=found)


PAIR = (
    "a.c:3: read of x by main, and a.c:7: write of x by t may race: only one of them holds a "
    "lock; 2 of 3 shared locations proved; time limit of 9 s reached"
)


@pytest.mark.parametrize("nearness", [Nearness.SIZE, Nearness.SUSPECT, Nearness.RESOURCE])
def test_the_pair_that_is_left_is_nearer_than_what_an_engine_did_not_get_through(
    nearness: Nearness,
) -> None:
    assert unknown_reason(races("a loop", nearness)) == PAIR
    assert unknown_reason(races("a loop", nearness, 0)) == PAIR


def test_a_limit_that_hides_something_comes_first() -> None:
    for limits in ((None,), (4,), (0, 4)):
        number = limits[-1]
        told = unknown_reason(races("a loop", Nearness.SIZE, *limits))
        assert told == f"a.c:{number}: atoi (a limit that may be reached); {PAIR}"


def test_a_construct_that_a_run_reaches_comes_before_pairs() -> None:
    told = unknown_reason(races("a.c:9: setjmp", Nearness.CONSTRUCT))
    assert told == "a.c:9: setjmp"


def test_count() -> None:
    assert count(1, "state") == "1 state"
    assert count(12345, "state") == "12,345 states"
    assert count(2, "property", "properties") == "2 properties"


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("time limit of 1 s reached", "--time-limit"),
        ("memory limit of 1 GB reached", "--memory-limit"),
        ("proves any number", "--threads"),
        ("a.tw:1:1: unsupported: signals", "rewrite"),
        ("foo is recursive and not inside one transaction: `x = 1` …", "thread-modular"),
        ("summaries do not preserve properties of kind race", "--engine auto"),
        ("a.tw:1:1: unsupported: a wrong annotation: `x = 1` is …", "--movers"),
    ],
)
def test_advice_for_reasons(reason: str, advice: str) -> None:
    result = Result("a.tw", (samples.unknown("a", "race", reason),))
    assert any(advice in step for step in next_steps(result))


def test_advice_for_bounds_comes_first() -> None:
    assert next_steps(samples.CUT)[0].startswith("raise --max-depth")


@pytest.mark.parametrize(
    ("step", "told"),
    [("--assume-pure f --assume-pure g", True), ("--max-threads 8", False)],
)
def test_who_assumes_that_functions_do_nothing_is_told_how_to_describe_them(
    step: str, told: bool
) -> None:
    advice = next_steps(replace(samples.CUT, next_step=step))
    assert advice[0] == f"the same with {step}"
    assert any("dump-ir" in each for each in advice) is told
