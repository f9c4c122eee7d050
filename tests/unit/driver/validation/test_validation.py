"""Witnesses of real programs: written, read back and confirmed; wrong ones are refused."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import threadwise
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.driver.validation import Answer, Validated, validate_file
from threadwise.driver.witnesses.writing import witness_of
from threadwise.report.witnesses.model import (
    CorrectnessWitness,
    GhostUpdate,
    Invariant,
    Location,
    Segment,
    ViolationWitness,
    Waypoint,
    WaypointKind,
    Witness,
)
from threadwise.report.witnesses.writing import to_yaml

EXAMPLES = Path(__file__).parents[4] / "examples" / "c"
LOST_UPDATE = """\
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int x;
static void *work(void *unused) {
    int step = __VERIFIER_nondet_int();
    if (step == 2)
        x = x + step;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x != 2);
    return 0;
}
"""
WITHOUT_INPUT = LOST_UPDATE.replace("__VERIFIER_nondet_int();", "2;")
COUNTER = """\
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *work(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        x++;
        y++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&m);
    assert(x == y);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
"""


def witness(path: Path, asked: str) -> Witness:
    result = threadwise.check(path, properties=asked, in_process=True)
    found = witness_of(result)
    assert found is not None
    return found


def validated(path: Path, found: Witness, folder: Path) -> Validated:
    text = to_yaml(found, datetime(2026, 1, 1, tzinfo=UTC))
    (folder / "w.yml").write_text(text)
    return validate_file(str(path), str(folder / "w.yml"), LoadOptions())


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ViolationWitness]:
    path = tmp_path_factory.mktemp("lost") / "lost.c"
    path.write_text(WITHOUT_INPUT)
    found = witness(path, "assertions")
    assert isinstance(found, ViolationWitness)
    return path, found


@pytest.mark.parametrize(
    ("name", "asked"),
    [("check_then_act_bug", "assertions"), ("lost_wakeup_bug", "races")],
)
def test_violations_of_examples(tmp_path: Path, name: str, asked: str) -> None:
    path = EXAMPLES / f"{name}.c"
    found = validated(path, witness(path, asked), tmp_path)
    assert found.answer is Answer.CONFIRMED
    assert found.described is not None


@pytest.mark.slow
def test_inputs_and_threads_are_told(tmp_path: Path) -> None:
    path = tmp_path / "lost.c"
    path.write_text(LOST_UPDATE)
    found = witness(path, "assertions")
    assert isinstance(found, ViolationWitness)
    points = [point for segment in found.segments for point in segment.waypoints]
    kinds = [point.kind for point in points]
    assert kinds.count(WaypointKind.FUNCTION_ENTER) == 2
    assert {p.constraint for p in points if p.kind is WaypointKind.FUNCTION_RETURN} >= {
        "\\result == 2"
    }
    assert {point.thread for point in points} == {0, 1, 2}
    assert validated(path, found, tmp_path).answer is Answer.CONFIRMED
    # Of inputs with many values only some are tried: what is not found is not refused.
    wrong = replace(found, segments=other_end(found.segments))
    assert validated(path, wrong, tmp_path).answer is Answer.UNDECIDED


Altering = Callable[[tuple[Segment, ...]], tuple[Segment, ...]]


def other_end(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    target = Waypoint(WaypointKind.TARGET, Location("lost.c", 16, 5), thread=0)
    return (*segments[:-1], Segment((target,)))


def other_thread(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    (target,) = segments[-1].waypoints
    return (*segments[:-1], Segment((replace(target, thread=1),)))


def back_to_front(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    return (*reversed(segments[:-1]), segments[-1])


def avoided(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    never = Waypoint(
        WaypointKind.ASSUMPTION, Location("lost.c", 17, 5), follow=False, constraint="1"
    )
    return tuple(Segment((never, *each.waypoints)) for each in segments)


def wrong_value(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    at_end = Waypoint(
        WaypointKind.ASSUMPTION, Location("lost.c", 17, 5), constraint="x == 4", thread=0
    )
    return (*segments[:-1], Segment((at_end,)), segments[-1])


def nowhere(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    point = Waypoint(WaypointKind.ASSUMPTION, Location("lost.c", 4, 1), constraint="1")
    return (Segment((point,)), *segments)


@pytest.mark.parametrize(
    "alter", [other_end, other_thread, back_to_front, avoided, wrong_value, nowhere]
)
def test_wrong_violations_are_refused(
    lost: tuple[Path, ViolationWitness], tmp_path: Path, alter: Altering
) -> None:
    path, found = lost
    wrong = replace(found, segments=alter(found.segments))
    assert validated(path, wrong, tmp_path).answer is Answer.REFUSED


def test_the_target_alone_is_enough(lost: tuple[Path, ViolationWitness], tmp_path: Path) -> None:
    path, found = lost
    point = Waypoint(WaypointKind.TARGET, Location("lost.c", 17))
    short = replace(found, segments=(Segment((point,)),))
    assert validated(path, short, tmp_path).answer is Answer.CONFIRMED


def test_branches_are_followed(lost: tuple[Path, ViolationWitness], tmp_path: Path) -> None:
    path, found = lost

    def taken(value: str, times: int) -> Answer:
        point = Waypoint(WaypointKind.BRANCHING, Location("lost.c", 7, 5), constraint=value)
        segments = (*(Segment((point,)) for _ in range(times)), found.segments[-1])
        return validated(path, replace(found, segments=segments), tmp_path).answer

    assert taken("true", 2) is Answer.CONFIRMED
    assert taken("false", 1) is Answer.REFUSED


def test_a_condition_that_is_not_understood_decides_nothing(
    lost: tuple[Path, ViolationWitness], tmp_path: Path
) -> None:
    path, found = lost
    point = Waypoint(
        WaypointKind.ASSUMPTION, Location("lost.c", 17, 5), constraint="*(&x) == 9", thread=0
    )
    segments = (*found.segments[:-1], Segment((point,)), found.segments[-1])
    answer = validated(path, replace(found, segments=segments), tmp_path)
    assert answer.answer is Answer.UNDECIDED
    assert "*(&x) == 9" in answer.reason


def test_another_program_is_refused(lost: tuple[Path, ViolationWitness], tmp_path: Path) -> None:
    path = tmp_path / "lost.c"
    path.write_text(WITHOUT_INPUT.replace("x != 2", "x != 3"))
    with pytest.raises(InputError, match="another program"):
        validated(path, lost[1], tmp_path)


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CorrectnessWitness]:
    path = tmp_path_factory.mktemp("counter") / "counter.c"
    path.write_text(COUNTER)
    found = witness(path, "assertions")
    assert isinstance(found, CorrectnessWitness)
    return path, found


def test_invariants_speak_of_locks(counter: tuple[Path, CorrectnessWitness]) -> None:
    _, found = counter
    assert [ghost.name for ghost in found.ghosts] == ["m_locked"]
    assert {update.location.line for update in found.updates} == {7, 10, 17, 19}
    told = {(each.location.line, each.value, each.loop) for each in found.invariants}
    assert (8, "m_locked == 1", False) in told
    assert (6, "0 <= i && i <= 2", True) in told


def test_invariants_are_confirmed(
    counter: tuple[Path, CorrectnessWitness], tmp_path: Path
) -> None:
    path, found = counter
    answer = validated(path, found, tmp_path)
    assert answer.answer is Answer.CONFIRMED
    assert len(answer.invariants) == len(found.invariants)


@pytest.mark.parametrize(
    "wrong",
    [
        Invariant(Location("counter.c", 8, 9), "m_locked == 0"),
        Invariant(Location("counter.c", 6, 5), "i < 2", loop=True),
        Invariant(Location("counter.c", 18, 5), "x == 0"),
        Invariant(Location("counter.c", 12, 5), "x == y"),
    ],
)
def test_a_wrong_invariant_is_refused(
    counter: tuple[Path, CorrectnessWitness], tmp_path: Path, wrong: Invariant
) -> None:
    path, found = counter
    if wrong.value == "x == y":
        path.write_text(COUNTER)
        wrong = replace(wrong, location=Location("counter.c", 9, 9))
    answer = validated(path, replace(found, invariants=(wrong,)), tmp_path)
    assert answer.answer is Answer.REFUSED
    assert answer.described is not None


@pytest.mark.slow
def test_a_wrong_update_is_refused(
    counter: tuple[Path, CorrectnessWitness], tmp_path: Path
) -> None:
    path, found = counter
    wrong = (GhostUpdate(Location("counter.c", 8, 9), (("m_locked", "0"),)),)
    answer = validated(path, replace(found, updates=(*found.updates, *wrong)), tmp_path)
    assert answer.answer is Answer.REFUSED


def test_a_property_that_does_not_hold_is_refused(
    lost: tuple[Path, ViolationWitness], tmp_path: Path
) -> None:
    path, found = lost
    claimed = CorrectnessWitness(found.task, (Invariant(Location("lost.c", 17, 5), "1"),))
    answer = validated(path, claimed, tmp_path)
    assert answer.answer is Answer.REFUSED
    assert answer.reason == "the property does not hold"
