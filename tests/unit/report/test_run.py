from tests.golden.comparison import assert_golden
from tests.unit.report import samples
from threadwise.report.run import Incident, Run, run_to_text

TRACE = samples.LOST_UPDATE


def test_golden() -> None:
    incidents = (
        Incident("races", 0, "data race on x", samples.span(6)),
        Incident("assert:9", 6, "assertion fails in worker[1]", samples.span(9, 5, 15)),
    )
    run = Run("counter.tw", TRACE.threads, TRACE.initial, TRACE.steps, incidents, "it failed")
    assert_golden("run.txt", run_to_text(run, samples.SOURCES))


def test_no_steps_and_no_incidents() -> None:
    run = Run("counter.tw", TRACE.threads, TRACE.initial, (), (), "no thread can step")
    text = run_to_text(run, {})
    assert text.endswith("\n0 steps, no thread can step; 0 properties violated\n")
