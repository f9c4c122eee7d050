from dataclasses import replace

import pytest

from tests.unit.report import samples
from threadwise.core.words import count
from threadwise.ir.program import LocId
from threadwise.proofs.base.registry import summarise
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.report.advice import next_steps
from threadwise.report.summary import certificates, check_time_s, unknown_reason
from threadwise.results.result import Result
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
