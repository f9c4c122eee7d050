"""A program goes on after a lock was misused: proofs that end there say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.frontends.c.checking import lowered
from tests.unit.proofs.base.audited import prove
from threadwise.core.options import LoadOptions
from threadwise.core.writing import write_lines
from threadwise.driver import CheckOptions, check_loaded
from threadwise.driver.loading import MISUSE, Input, load_input
from threadwise.driver.rechecking import certify_file
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines

TEXT = """
#include <pthread.h>
pthread_mutex_t m;
int x;
void *one(void *p) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return 0; }
void *two(void *p) { if (!pthread_mutex_trylock(&m)) x = 2; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["explicit", "thread-modular"])
def test_the_assumption_is_listed(engine: str) -> None:
    """A race may come after the other thread's mutex was unlocked: SAFE without a word once."""
    program = lowered(TEXT)
    loaded = Input(getattr(program, "program", program), misuse=MISUSE)
    options = CheckOptions(properties=("races",), engine=engine)
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value == "SAFE"
    assert MISUSE in result.assumptions
    options = CheckOptions(properties=("races", "mutex"), engine=engine)
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value != "SAFE"
    assert MISUSE in result.assumptions


def test_no_assumption_where_it_is_proved() -> None:
    """Each unlocks what it has locked."""
    text = TEXT.replace("x = 2; pthread_mutex_unlock(&m);", "{ x = 2; pthread_mutex_unlock(&m); }")
    assert text != TEXT
    program = lowered(text)
    loaded = Input(getattr(program, "program", program), misuse=MISUSE)
    options = CheckOptions(properties=("races", "mutex"), engine="thread-modular")
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value == "SAFE"
    assert MISUSE not in result.assumptions


UNLOCKS = {
    "mutex": ("pthread_mutex_t m;", "pthread_mutex_unlock(&m);"),
    "rwlock": ("pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;", "pthread_rwlock_unlock(&m);"),
    "in a helper": (
        "pthread_mutex_t m; void leave(void) { pthread_mutex_unlock(&m); }",
        "leave();",
    ),
    "twice": (
        "pthread_mutex_t m;",
        "pthread_mutex_lock(&m); {0} {0}".format("pthread_mutex_unlock(&m);"),
    ),
}
BEHIND = """
#include <pthread.h>
{lock}
int x;
void *one(void *p) {{ {misuse} x = 1; return 0; }}
int main(void) {{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, one, 0);
    return 0;
}}
"""


@pytest.mark.parametrize("asked", [("races",), ("races", "mutex")], ids=["races", "both"])
@pytest.mark.parametrize("misused", UNLOCKS)
def test_what_is_behind_a_misused_lock_is_never_proved(
    misused: str, asked: tuple[str, ...]
) -> None:
    """Both threads write `x` without a lock: `races` was SAFE if `mutex` was asked for, too."""
    lock, misuse = UNLOCKS[misused]
    program = lowered(BEHIND.format(lock=lock, misuse=misuse))
    loaded = Input(getattr(program, "program", program), misuse=MISUSE)
    options = CheckOptions(properties=asked, engine="thread-modular")
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    verdicts = {checked.name: checked.verdict.value for checked in result.properties}
    assert verdicts["races"] == "UNKNOWN"


def test_a_proof_that_ends_at_a_misused_lock_is_refuted(tmp_path: Path) -> None:
    """`certify` called such a certificate valid."""
    lock, misuse = UNLOCKS["mutex"]
    source = tmp_path / "t.c"
    source.write_text(BEHIND.format(lock=lock, misuse=misuse))
    program = load_input(str(source)).program
    proof = prove(program, "thread-modular", "races")
    file = tmp_path / "proof.json"
    write_lines(file, certificate_lines(certificate_to_json(proof, LoadOptions())))
    with pytest.raises(Refuted, match="released that is not held, and what comes next"):
        certify_file(str(source), str(file))
