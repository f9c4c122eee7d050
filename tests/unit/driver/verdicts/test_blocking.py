"""Of what engines say about what they cannot decide, the nearest to an answer is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise import check
from threadwise.core.load_options import LoadOptions
from threadwise.core.progress import silent
from threadwise.driver.running.collector import Collector
from threadwise.driver.running.messages import Blocked, Loaded
from threadwise.driver.verdicts.blocking import Blockers, blocker_of
from threadwise.driver.verdicts.next_steps import next_step
from threadwise.engines.api import Undecided
from threadwise.report.summary import unknown_reason
from threadwise.report.text import to_text
from threadwise.results.blockers import Blocker, Nearness
from threadwise.results.verdict import Verdict

ONE = ("p",)
CONSTRUCT = Undecided(ONE, "x.c:9: setjmp", nearness=Nearness.CONSTRUCT)
POSSIBLE = Undecided(ONE, "unsupported: x.c:9: setjmp", applies=False)
BOUND = Undecided(ONE, "too deep", ("max-depth", 50))
SUSPECT = Undecided(ONE, "not thread-modular")
STOPPED = Undecided(ONE, "stopped after 5 steps", applies=False, nearness=Nearness.RESOURCE)
SCOPE = Undecided(ONE, "no such properties", applies=False)
IN_ORDER = (CONSTRUCT, POSSIBLE, BOUND, SUSPECT, STOPPED, SCOPE)


def test_the_order_does_not_depend_on_who_spoke_first() -> None:
    for findings in (IN_ORDER, IN_ORDER[::-1]):
        blockers = Blockers()
        for finding in findings:
            blockers.note("engine", finding)
        found = blockers.of("p")
        assert [blocker.nearness for blocker in found] == sorted(b.nearness for b in found)
        assert blockers.finding("p", found[0]) is CONSTRUCT


def test_a_place_that_an_analysis_stumbles_over_is_told_as_such() -> None:
    assert blocker_of("locksets", POSSIBLE) == Blocker(
        Nearness.POSSIBLE, "x.c:9: setjmp", "locksets"
    )
    elsewhere = Undecided(ONE, "x.c:3:5: unsupported: procedure calls, in BDDs", applies=False)
    assert blocker_of("tmmcir", elsewhere).nearness is Nearness.SCOPE


def cut_off(*findings: Undecided) -> Collector:
    collector = Collector("x.c", LoadOptions(), silent)
    collector.take(Loaded("0", (("p", "assertion", None),)))
    for number, finding in enumerate(findings):
        collector.take(Blocked(f"engine-{number}", finding))
    return collector


@pytest.mark.parametrize(
    ("findings", "told"),
    [
        ((), "time limit of 5 s reached"),
        ((SCOPE, STOPPED), "time limit of 5 s reached"),
        ((SCOPE, SUSPECT), "not thread-modular; time limit of 5 s reached"),
        ((BOUND, SUSPECT), "too deep; time limit of 5 s reached"),
        ((SUSPECT, CONSTRUCT, SCOPE), "x.c:9: setjmp"),
    ],
)
def test_what_is_known_is_told_when_time_runs_out(
    findings: tuple[Undecided, ...], told: str
) -> None:
    result = cut_off(*findings).result("time limit of 5 s reached")
    assert unknown_reason(result) == told
    assert to_text(result, {}).endswith(f"UNKNOWN ({told})\n")


SETJMP = """
#include <pthread.h>
#include <assert.h>
#include <setjmp.h>
int x; jmp_buf b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t; pthread_create(&t, 0, f, 0);
    if (setjmp(b)) return 1;
    pthread_join(t, 0); assert(x == 1); return 0;
}
"""


def test_a_complete_search_that_ends_at_a_limit_ends_the_run(tmp_path: Path) -> None:
    """No time limit is needed: nobody could do better."""
    path = tmp_path / "x.c"
    path.write_text(SETJMP)
    result = check(path, time_limit=None)
    assert result.verdict is Verdict.UNKNOWN
    assert unknown_reason(result) == f"{path}:9: setjmp"
    assert all(checked.blockers[0].nearness is Nearness.CONSTRUCT for checked in result.properties)


UNKNOWN_FUNCTION = """
extern void reg(void (*)(void));
int x;
void cb(void) { x = 1; }
int main(void) { reg(cb); return 0; }
"""


def test_a_next_step_is_one_that_takes_the_blocker_away(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(UNKNOWN_FUNCTION)
    told = f"{path}:5: a call of reg, which nobody describes, which can get at a function to call"
    blocker = Blocker(Nearness.CONSTRUCT, told)
    assert next_step(str(path), LoadOptions(), [blocker]) == "--assume-pure reg"
    path.write_text(SETJMP)
    setjmp = Blocker(Nearness.CONSTRUCT, f"{path}:9: setjmp")
    assert next_step(str(path), LoadOptions(), [setjmp]) == "--assume-unreached x.c:9"
    elsewhere = Blocker(Nearness.CONSTRUCT, f"{path}:8: setjmp")
    assert next_step(str(path), LoadOptions(), [elsewhere]) is None
    bound = Blocker(Nearness.BOUND, "too deep", bound=("max-depth", 50))
    assert next_step(str(path), LoadOptions(), [bound]) == "--max-depth 100"


ANY = "int[0..3] x; thread t[*] { x = 1; assert(x <= 1); }"


def test_any_number_of_threads_can_be_fixed(tmp_path: Path) -> None:
    path = tmp_path / "x.tw"
    path.write_text(ANY)
    blocker = Blocker(Nearness.BOUND, "no violation with up to 4 threads per template")
    assert next_step(str(path), LoadOptions(), [blocker]) == "--threads t=2"
