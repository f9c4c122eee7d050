"""Claims in the text of programs: the text keeps its lines, the program its behaviour."""

import pytest

import threadwise
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.frontends.c.instrument import (
    Change,
    Claim,
    Ghost,
    NoPlaceError,
    Place,
    instrumented,
)

PROGRAM = """\
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x; /* { a comment; */
static void *work(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        if (x > 0) x = 0; else
            x = 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    while (x > 5)
        x--;
    int y = 1;
    x += y;
    return 0;
}
"""
FILE = SourceFile("p.c", PROGRAM)


def claim(line: int, text: str, column: int | None = None, *, loop: bool = False) -> Claim:
    return Claim(Place("p.c", line, column), text, loop)


def verdicts(*claims: Claim, ghosts: list[Ghost] = [], changes: list[Change] = []) -> list[str]:  # noqa: B006
    made = instrumented([FILE], claims, ghosts, changes)
    load = LoadOptions()
    result = check_loaded(
        "p.c",
        lambda: load_c_sources(list(made.sources), load),
        CheckOptions(properties=("assertions",)),
        in_process=True,
    )
    found = ["nothing"] * len(claims)
    for checked in result.properties:
        assert checked.location is not None
        span = checked.location
        found[made.claims[span.path, span.line, span.column]] = str(checked.verdict)
    return found


def test_lines_stay() -> None:
    made = instrumented(
        [FILE], [claim(7, "x == 0"), claim(5, "i >= 0", loop=True)], [Ghost("g", "int", "0")]
    )
    assert made.sources[0].text.count("\n") == PROGRAM.count("\n")
    assert [line for _, line, _ in made.claims] == [7, 5] or len(made.claims) == 2


def test_claims_hold_or_not() -> None:
    found = verdicts(
        claim(5, "0 <= i && i <= 2", loop=True),
        claim(8, "x == 0 || x == 1"),
        claim(16, "x <= 3", loop=True),
        claim(18, "x < 0"),
        claim(19, "y == 1"),
        claim(7, "x == 0", column=20),
    )
    assert found[:3] == ["SAFE"] * 3
    assert found[3:] == ["UNSAFE", "SAFE", "UNSAFE"]


def test_ghosts_change_with_the_statement() -> None:
    ghosts = [Ghost("m_locked", "int", "0")]
    changes = [
        Change(Place("p.c", 6), (("m_locked", "1"),)),
        Change(Place("p.c", 9), (("m_locked", "0"),)),
    ]
    found = verdicts(
        claim(7, "m_locked == 1"), claim(6, "m_locked == 0"), ghosts=ghosts, changes=changes
    )
    assert found == ["SAFE", "SAFE"]
    assert verdicts(claim(7, "m_locked == 0"), ghosts=ghosts, changes=changes) == ["UNSAFE"]


@pytest.mark.parametrize(
    ("line", "column", "loop"),
    [
        (99, None, False),
        (3, None, False),
        (7, 9999, False),
        (7, 14, False),
        (7, None, True),
        (5, 21, False),
    ],
)
def test_places_that_are_none(line: int, column: int | None, loop: bool) -> None:
    with pytest.raises(NoPlaceError):
        instrumented([FILE], [claim(line, "1", column, loop=loop)])


def test_a_claim_ends_nothing() -> None:
    text = PROGRAM.replace("x += y;", "pthread_mutex_unlock(&m);")
    made = instrumented([SourceFile("p.c", text)], [claim(18, "x == 9")])
    result = check_loaded(
        "p.c",
        lambda: load_c_sources(list(made.sources), LoadOptions()),
        CheckOptions(properties=("mutex",)),
        in_process=True,
    )
    assert result.verdict == threadwise.Verdict.UNSAFE
