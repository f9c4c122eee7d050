"""What is not reported, and that it hides nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import threadwise
from tests.unit.report.schemas import faults
from tests.unit.report.test_schema import SCHEMA
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile, Span
from threadwise.proofs.base.locations import PAST, Location, Pair, Side
from threadwise.report.baseline import read_baseline, write_baseline
from threadwise.report.json_report import to_json
from threadwise.report.lines import to_gcc, to_junit
from threadwise.report.markers import Markers
from threadwise.report.reporting import EVERYTHING, Choice, reported
from threadwise.report.sarif import to_sarif
from threadwise.report.text import to_text
from threadwise.results.result import PropertyResult, ProvedInPart, Result, Why
from threadwise.results.verdict import Verdict
from threadwise.traces.events import EndRow
from threadwise.traces.story import Story
from threadwise.traces.trace import DescribedTrace, Trace

SAFE, UNSAFE, UNKNOWN = Verdict.SAFE, Verdict.UNSAFE, Verdict.UNKNOWN
MARK = "  // threadwise: ignore races"

# -- results, made by hand -----------------------------------------------------------------------


def source(*lines: str, path: str = "a.c") -> dict[str, SourceFile]:
    """A file with these lines."""
    return {path: SourceFile(path, "".join(f"{line}\n" for line in lines))}


def at(line: int, path: str = "a.c") -> Span:
    return Span.at(path, line, 1)


def run(variable: str, first: Span, second: Span) -> DescribedTrace:
    """A run that ends in a race."""
    one = EndRow(0, first, variable, f"writes {variable}")
    rows = (one, EndRow(1, second, variable, f"reads {variable}"))
    story = Story(("t0", "t1"), (), rows)
    trace = Trace("", "races", (), ())
    told = f"data race on {variable}"
    return DescribedTrace(trace, ("t0", "t1"), (), (), told, first, (), story)


def pair(first: Span | None, second: Span | None) -> Pair:
    one, two = (Side("t", span, True, "x", ()) for span in (first, second))
    return Pair(one, two, "neither holds a lock")


def located(*locations: Location, **witnesses: DescribedTrace) -> ProvedInPart:
    """A proof of what is proved of these."""
    nothing = cast(Any, None)
    assumed = ("no lock is misused",)
    return ProvedInPart("locksets", nothing, locations, assumed, witnesses=witnesses)


GUARDED = Location("guarded", ("under m",))
HITS = Location("hits", (), (pair(at(1), at(1)),))
TOTAL = Location("total", (), (pair(at(2), at(3)),))


def races(
    trace: DescribedTrace | None, part: ProvedInPart | None, verdict: Verdict | None = None
) -> Result:
    verdict = verdict or (UNKNOWN if trace is None else UNSAFE)
    span = None if trace is None else trace.location
    checked = PropertyResult("races", "race", verdict, "explicit", location=span, trace=trace)
    return Result("a.c", (replace(checked, part=part),), files=("a.c",))


RACE = run("hits", at(1), at(1))
OTHER = run("total", at(2), at(3))
MARKED = source(f"hits++;{MARK}", "total++;", "total--;", "", "")

# -- races ---------------------------------------------------------------------------------------


def test_the_rest_is_proved() -> None:
    found = reported(races(RACE, located(GUARDED, HITS)), MARKED)
    assert found.verdict is SAFE
    assert [each.why for each in found.suppressed] == [Why.COMMENT]
    assert "no lock is misused" in found.assumptions
    (checked,) = found.properties
    assert checked.trace is None
    assert checked.part is not None
    assert checked.part.locations == (GUARDED,)


@pytest.mark.parametrize("verdict", [UNKNOWN, UNSAFE])
def test_another_pair_is_undecided(verdict: Verdict) -> None:
    trace = RACE if verdict is UNSAFE else None
    found = reported(races(trace, located(GUARDED, HITS, TOTAL)), MARKED)
    assert found.verdict is UNKNOWN
    assert len(found.suppressed) == 1


def test_another_run_is_reported() -> None:
    part = located(HITS, TOTAL, hits=RACE, total=OTHER)
    found = reported(races(RACE, part), MARKED)
    assert found.verdict is UNSAFE
    (checked,) = found.properties
    assert checked.trace is OTHER
    assert checked.location == at(2)
    assert len(found.suppressed) == 1


def test_nothing_is_proved_of_others() -> None:
    found = reported(races(RACE, None), MARKED)
    assert found.verdict is UNKNOWN
    assert "nothing is proved" in (found.properties[0].reason or "")


def test_a_run_that_is_not_marked_stays() -> None:
    found = reported(races(OTHER, located(HITS, TOTAL)), MARKED)
    assert found.verdict is UNSAFE
    assert found.properties[0].trace is OTHER


def test_undecided_pairs_are_enough() -> None:
    assert reported(races(None, located(GUARDED, HITS)), MARKED).verdict is SAFE


@pytest.mark.parametrize("other", [None, at(2)])
def test_a_pair_without_a_place_is_no_marked_one(other: Span | None) -> None:
    hidden = Location("heap", (), (pair(other, None),))
    assert reported(races(None, located(HITS, hidden)), MARKED).verdict is UNKNOWN


def test_one_marked_access_of_a_pair_is_enough() -> None:
    lines = source("hits++;", "total++;", f"total--;{MARK}")
    assert reported(races(OTHER, located(TOTAL)), lines).verdict is SAFE
    third = Location("total", (), (pair(at(2), at(3)), pair(at(2), at(2))))
    assert reported(races(OTHER, located(third)), lines).verdict is UNKNOWN


def test_other_kinds_are_not_meant() -> None:
    lines = source("hits++;  // threadwise: ignore assertions")
    assert reported(races(RACE, located(HITS)), lines).verdict is UNSAFE


def test_a_proof_of_some_runs_proves_nothing_of_the_rest() -> None:
    part = replace(located(GUARDED, HITS), assumptions=(f"{PAST}a.c:9: setjmp",))
    assert reported(races(RACE, part), MARKED).verdict is UNKNOWN
    assert reported(races(None, part), MARKED).verdict is UNKNOWN


@pytest.mark.parametrize("choice", [EVERYTHING, Choice(exclude=("other.c",))])
def test_what_nothing_is_left_out_of_stays_as_it_is(choice: Choice) -> None:
    proved = replace(located(GUARDED), assumptions=(f"{PAST}a.c:9: setjmp",))
    for part in (proved, located(GUARDED), None):
        result = races(None, part)
        found = reported(result, source("a;  // threadwise: ignore mutex"), choice)
        assert found.properties == result.properties
        assert found.verdict is UNKNOWN


# -- other properties ----------------------------------------------------------------------------


def test_an_assertion_is_a_property_of_its_own() -> None:
    first = PropertyResult("assert:1", "assertion", UNSAFE, location=at(1))
    second = PropertyResult("assert:2", "assertion", SAFE, location=at(2))
    lines = source("assert(0);  // threadwise: ignore assertions", "assert(1);")
    found = reported(Result("a.c", (first, second)), lines)
    assert found.verdict is SAFE
    assert [each.name for each in found.properties] == ["assert:2"]
    failing = replace(second, verdict=UNSAFE)
    assert reported(Result("a.c", (first, failing)), lines).verdict is UNSAFE


def test_nobody_looked_for_another_deadlock() -> None:
    trace = replace(RACE, violation="deadlock")
    checked = PropertyResult("deadlocks", "deadlock", UNSAFE, trace=trace)
    lines = source("lock();  // threadwise: ignore deadlocks")
    assert reported(Result("a.c", (checked,)), lines).verdict is UNKNOWN


# -- files and locations -------------------------------------------------------------------------

THEIRS = at(1, "third_party/x/list.c")
OURS = at(1, "src/main.c")


@pytest.mark.parametrize(
    ("places", "choice", "verdict"),
    [
        ((THEIRS, THEIRS), Choice(exclude=("third_party/**",)), SAFE),
        ((THEIRS, THEIRS), Choice(exclude=("third_party",)), SAFE),
        ((THEIRS, THEIRS), Choice(exclude=("**/list.c",)), SAFE),
        ((THEIRS, THEIRS), Choice(exclude=("*/list.c",)), UNSAFE),
        ((THEIRS, THEIRS), Choice(exclude=("third",)), UNSAFE),
        ((THEIRS, OURS), Choice(exclude=("third_party/**",)), UNSAFE),
        ((THEIRS, OURS), Choice(only=("src/**",)), UNSAFE),
        ((THEIRS, THEIRS), Choice(only=("src",)), SAFE),
        ((THEIRS, THEIRS), Choice(only=("hits",)), UNSAFE),
        ((THEIRS, THEIRS), Choice(only=("total",)), SAFE),
    ],
)
def test_what_lies_elsewhere(places: tuple[Span, Span], choice: Choice, verdict: Verdict) -> None:
    hits = Location("hits", (), (pair(*places),))
    found = reported(races(run("hits", *places), located(hits)), {}, choice)
    assert found.verdict is verdict
    assert [each.why for each in found.suppressed] == ([] if verdict is UNSAFE else [Why.EXCLUDED])


# -- the baseline --------------------------------------------------------------------------------


def known(tmp_path: Path, *traces: DescribedTrace) -> Choice:
    """A baseline with these runs."""
    path = str(tmp_path / "base.json")
    lines = source("hits++;", "total++;", "total--;")
    assert write_baseline(path, [races(trace, None) for trace in traces], lines) == len(traces)
    return Choice(known=read_baseline(path))


def test_what_is_known_is_left_out(tmp_path: Path) -> None:
    lines = source("hits++;", "total++;", "total--;")
    choice = known(tmp_path, RACE)
    assert reported(races(RACE, located(HITS)), lines, choice).verdict is SAFE
    swapped = replace(RACE.story, end=RACE.story.end[::-1]) if RACE.story else None
    again = replace(RACE, story=swapped)
    assert reported(races(again, located(HITS)), lines, choice).verdict is SAFE
    assert reported(races(OTHER, located(TOTAL)), lines, choice).verdict is UNSAFE
    assert reported(races(RACE, located(HITS, TOTAL)), lines, choice).verdict is UNKNOWN


def test_a_new_race_in_the_lines_of_a_known_one(tmp_path: Path) -> None:
    choice = known(tmp_path, RACE)
    lines = source("hits++; more++;", "total++;", "total--;")
    more = replace(HITS, name="more")
    assert reported(races(run("more", at(1), at(1)), None), lines, choice).verdict is UNSAFE
    assert reported(races(RACE, located(HITS, more)), lines, choice).verdict is UNKNOWN


def test_what_is_no_baseline(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    for text in ("", "[]", "{}", '{"format": "threadwise-baseline", "format_version": 2}'):
        path.write_text(text)
        with pytest.raises(InputError, match="no baseline"):
            read_baseline(str(path))


# -- comments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (["x++; // threadwise: ignore races"], 1, None),
        (["x++; //threadwise:ignore races -- why not"], 1, "why not"),
        (["x++; /* threadwise: ignore mutex, races */"], 1, None),
        (["x++; /* threadwise: ignore races -- old */"], 1, "old"),
        (["// threadwise: ignore races", "x++;"], 2, None),
        (["/* a long", "   threadwise: ignore races", " */", "x++;"], 4, None),
        (['puts("// threadwise: ignore races");'], None, None),
        (["x++; // ignore races"], None, None),
        (["x++; // threadwise: ignore race"], None, None),
    ],
)
def test_markers(lines: list[str], line: int | None, reason: str | None) -> None:
    markers = Markers.of(source(*lines))
    found = [n for n in range(1, 6) if markers.at("race", [at(n)]) is not None]
    assert found == ([] if line is None else [line])
    if line is not None:
        marker = markers.at("race", [at(line)])
        assert marker is not None
        assert marker.reason == reason


def test_markers_without_meaning_are_told() -> None:
    found = reported(races(RACE, None), source("x;  // threadwise: ignore race"))
    assert found.verdict is UNSAFE
    (warning,) = found.warnings
    assert "nothing is called so" in warning.message
    assert warning.hint == "did you mean `races`?"
    safe = reported(races(None, None, SAFE), MARKED)
    assert "could be ignored" in safe.warnings[0].message


# -- reports -------------------------------------------------------------------------------------


def test_all_reports_count_them() -> None:
    lines = source(f"hits++;{MARK} -- statistics")
    found = reported(races(RACE, located(GUARDED, HITS)), lines)
    assert to_text(found, lines).endswith("SAFE, 1 suppressed\n")
    assert "a.c:1: races: data race on hits (comment: statistics)" in to_text(found, lines)
    assert '<property name="suppressed.comment" value="1" />' in to_junit([found], lines)
    assert to_gcc([found], lines) == "a.c: note: SAFE (1 suppressed)\n"
    (result,) = to_sarif([found], lines)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": "statistics"}]
    nobody = replace(found, properties=tuple(replace(c, part=None) for c in found.properties))
    document = json.loads(json.dumps(to_json(nobody)))
    assert list(faults(SCHEMA, document)) == []
    (told,) = document["suppressed"]
    assert (told["why"], told["reason"], told["locations"][0]["line"]) == (
        "comment",
        "statistics",
        1,
    )


def test_excluded_ones_are_counted_only() -> None:
    hits = Location("hits", (), (pair(THEIRS, THEIRS),))
    result = races(run("hits", THEIRS, THEIRS), located(hits))
    found = reported(result, {}, Choice(exclude=("third_party",)))
    (document,) = to_sarif([found], {})["runs"]
    assert document["results"] == []
    (note,) = document["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].endswith("1 finding")
    assert to_text(found, {}).endswith("SAFE, 1 excluded\n")


def test_without_markers_and_options_nothing_changes() -> None:
    result = races(RACE, located(HITS))
    assert reported(result, source("hits++;"), EVERYTHING) is result


ENDING = """\
#include <pthread.h>
#include <setjmp.h>
static int hits, kept;
static jmp_buf buffer;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *given) {
    hits++;  // threadwise: ignore races
    pthread_mutex_lock(&m); kept++; pthread_mutex_unlock(&m);
    BEHIND
    return 0;
}
int main(int n, char **v) {
    pthread_t a;
    pthread_create(&a, 0, work, n > 1 ? &hits : 0);
    work(0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("behind", "verdict"),
    [("", SAFE), ("if (given && setjmp(buffer)) kept++;", UNKNOWN)],
)
def test_a_program_with_an_end(tmp_path: Path, behind: str, verdict: Verdict) -> None:
    path = tmp_path / "ending.c"
    path.write_text(ENDING.replace("BEHIND", behind))
    result = threadwise.check(path, properties="races", engine="locksets", in_process=True)
    assert result.verdict is UNKNOWN
    found = reported(result, {str(path): SourceFile(str(path), path.read_text())})
    assert len(found.suppressed) == 1
    assert found.verdict is verdict


def test_a_program(tmp_path: Path) -> None:
    path = tmp_path / "race.c"
    path.write_text(
        "#include <pthread.h>\nstatic int hits;\n"
        "static void *work(void *unused) {\n    hits = 1; // threadwise: ignore races\n"
        "    return 0;\n}\n"
        "int main(void) {\n    pthread_t a;\n    pthread_create(&a, 0, work, 0);\n"
        "    hits = 7;\n    return 0;\n}\n"
    )
    result = threadwise.check(path, properties="races", in_process=True)
    assert result.verdict is UNSAFE
    found = reported(result, {str(path): SourceFile(str(path), path.read_text())})
    assert found.verdict is not UNSAFE
    assert len(found.suppressed) == 1
