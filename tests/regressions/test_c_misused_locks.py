"""A program goes on after a lock was misused: proofs that end there say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.frontends.c.checking import lowered
from tests.unit.proofs.base.audited import prove
from threadwise.core.load_options import LoadOptions
from threadwise.core.writing import write_lines
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
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
def test_no_proof_where_a_run_misuses_a_lock(engine: str) -> None:
    """A race may come after the other thread's mutex was unlocked: SAFE, assuming not, once."""
    program = lowered(TEXT)
    loaded = Input(getattr(program, "program", program), misuse=MISUSE)
    options = CheckOptions(properties=("races",), engine=engine)
    result = check_loaded("t.c", lambda: loaded, options, in_process=True)
    assert result.verdict.value == "UNKNOWN"
    assert "released that is not held" in str(result.properties[0].reason)


@pytest.mark.parametrize("engine", ["explicit", "thread-modular"])
def test_the_assumption_is_listed(engine: str) -> None:
    """Runs that are tried do not come so far."""
    text = TEXT.replace("{ if", "{ static int i; for (; i < 300; i++); if")
    assert text != TEXT
    program = lowered(text)
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


MISUSES = {
    "unlocked by another": (
        "pthread_mutex_t m;",
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
        "if (pthread_mutex_trylock(&m)) ; pthread_mutex_unlock(&m);",
    ),
    "initialised again": (
        "pthread_mutex_t m;",
        "pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
        "",
    ),
    "destroyed": (
        "pthread_mutex_t m;",
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); pthread_mutex_destroy(&m);",
        "",
    ),
    "waited with": (
        "pthread_mutex_t m; pthread_cond_t c;",
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
        "if (pthread_mutex_trylock(&m)) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
    ),
    "read-write lock": (
        "pthread_rwlock_t m;",
        "pthread_rwlock_wrlock(&m); x = 1; pthread_rwlock_unlock(&m);",
        "if (pthread_rwlock_trywrlock(&m)) ; pthread_rwlock_unlock(&m);",
    ),
    "spin lock": (
        "pthread_spinlock_t m;",
        "pthread_spin_lock(&m); x = 1; pthread_spin_unlock(&m);",
        "pthread_spin_trylock(&m); pthread_spin_unlock(&m);",
    ),
}
SOMETIMES = """
#include <pthread.h>
{lock}
int x;
void *one(void *p) {{ {use} return 0; }}
void *two(void *p) {{ {misuse} return 0; }}
int main(void) {{
    pthread_t t;
    {start}
    pthread_create(&t, 0, one, 0);
    pthread_create(&t, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    return 0;
}}
"""


@pytest.mark.parametrize("misused", MISUSES)
def test_locks_that_are_misused_in_some_runs_protect_nothing(misused: str) -> None:
    """Two threads may write `x` at once where the program goes on: SAFE, assuming not, once."""
    lock, use, misuse = MISUSES[misused]
    start = "pthread_spin_init(&m, 0);" if "spin" in lock else ""
    program = lowered(SOMETIMES.format(lock=lock, use=use, misuse=misuse, start=start))
    loaded = Input(getattr(program, "program", program), misuse=MISUSE)
    for engine in ("explicit", "locksets"):
        options = CheckOptions(properties=("races",), engine=engine)
        result = check_loaded("t.c", lambda: loaded, options, in_process=True)
        assert result.verdict.value == "UNKNOWN"
