"""Behaviour that the standards allow and users doubt: proofs allow it or say where they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from threadwise.api import certify
from threadwise.core.budget import Budget
from threadwise.core.c_options import COptions
from threadwise.core.errors import InputError
from threadwise.core.load_documents import load_from_json
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file, check_loaded
from threadwise.driver.loading import load_c_sources, load_program
from threadwise.driver.rechecking import certify_file, replay_file
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines
from threadwise.report.doubts import assumed_doubts, doubts
from threadwise.report.json_report import to_json
from threadwise.report.summary import proofs
from threadwise.report.text import to_text
from threadwise.results.result import Result
from threadwise.traces.files import trace_to_json

WAITING = """
#include <pthread.h>
#include <threads.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, seen;
void *producer(void *p) {
    pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&m);
    BODY
    pthread_mutex_unlock(&m);
    return 0;
}
"""
MEMORY = """
#include <stdlib.h>
#include <assert.h>
struct node { int value; struct node *next; };
int main(void) {
    BODY
    return 0;
}
"""
ATOMIC = """
#include <stdatomic.h>
#include <threads.h>
#include <assert.h>
atomic_int x;
mtx_t m;
int main(void) {
    int old = 0;
    mtx_init(&m, mtx_plain);
    BODY
    return 0;
}
"""
NOTHING: tuple[str, ...] = ()


def waiting(body: str) -> str:
    return WAITING.replace("BODY", body)


def memory(body: str) -> str:
    return MEMORY.replace("BODY", body)


def atomic(body: str) -> str:
    return ATOMIC.replace("BODY", body)


WAKE = ("with a spurious wake-up",)
ALLOCATED = ("malloc does not return NULL (t.c:6)",)
EXCHANGED = ("with a spurious failure of a weak compare-exchange",)
TAKEN = ("with a spurious failure of mtx_trylock",)
FAILING = (WAKE, EXCHANGED, TAKEN)
"""What programs have to expect: no proof counts that is known to fail with it."""

PROGRAMS = {
    "if": (waiting("if (!ready) pthread_cond_wait(&c, &m); assert(ready);"), WAKE),
    "while": (waiting("while (!ready) pthread_cond_wait(&c, &m); assert(ready);"), NOTHING),
    "do": (waiting("do pthread_cond_wait(&c, &m); while (!ready); assert(ready);"), NOTHING),
    "not asked": (waiting("if (!ready) pthread_cond_wait(&c, &m); seen = 1;"), NOTHING),
    "asked again": (
        waiting("if (!ready) pthread_cond_wait(&c, &m); if (ready) assert(ready == 1);"),
        NOTHING,
    ),
    "two waits": (
        waiting(
            "if (!ready) pthread_cond_wait(&c, &m);\n"
            "while (!ready) pthread_cond_wait(&c, &m);\nassert(ready);"
        ),
        NOTHING,
    ),
    "copied": (
        waiting("if (!ready) pthread_cond_wait(&c, &m); seen = ready; assert(seen == 1);"),
        WAKE,
    ),
    "c11": (
        waiting("if (!ready) cnd_wait(&c, &m); assert(ready);"),
        WAKE,
    ),
    "unreachable wait": (
        waiting("if (ready > 1) pthread_cond_wait(&c, &m); assert(ready < 2);"),
        NOTHING,
    ),
    "unchecked": (memory("int *p = malloc(sizeof *p); *p = 1; assert(*p == 1);"), ALLOCATED),
    "checked": (memory("int *p = malloc(sizeof *p); if (!p) return 1; *p = 1;"), NOTHING),
    "asserted": (memory("int *p = malloc(sizeof *p); assert(p);"), ALLOCATED),
    "freed": (memory("int *p = malloc(sizeof *p); free(p); assert(1);"), NOTHING),
    "calloc": (
        memory("int *p = calloc(1, sizeof *p); assert(*p == 0);"),
        ("calloc does not return NULL (t.c:6)",),
    ),
    "realloc": (
        memory(
            "int *p = malloc(sizeof *p); if (!p) return 1;\np = realloc(p, sizeof *p); *p = 1;"
        ),
        ("realloc does not return NULL (t.c:7)",),
    ),
    "one of two": (
        memory(
            "int *p = malloc(sizeof *p);\nint *q = malloc(sizeof *q);\n"
            "if (!q) return 1;\n*p = 1; *q = 2; assert(*p == 1);"
        ),
        ALLOCATED,
    ),
    "both": (
        memory("int *p = malloc(sizeof *p);\nint *q = malloc(sizeof *q);\n*p = *q = 1;"),
        ("malloc does not return NULL (t.c:6, t.c:7)",),
    ),
    "together": (
        memory("int *p = malloc(sizeof *p);\nint *q = malloc(sizeof *q);\nassert(p || q);"),
        ("malloc does not return NULL (t.c:6, t.c:7)",),
    ),
    "in a helper": (
        memory("struct node *n = malloc(sizeof *n); if (n) { n->next = 0; n->value = 1; }"),
        NOTHING,
    ),
    "weak once": (atomic("assert(atomic_compare_exchange_weak(&x, &old, 1));"), EXCHANGED),
    "weak loop": (
        atomic("while (!atomic_compare_exchange_weak(&x, &old, 1)) old = 0; assert(x == 1);"),
        NOTHING,
    ),
    "strong": (atomic("assert(atomic_compare_exchange_strong(&x, &old, 1));"), NOTHING),
    "trylock": (atomic("assert(mtx_trylock(&m) == thrd_success);"), TAKEN),
    "trylock asked": (
        atomic("if (mtx_trylock(&m) == thrd_success) { x = 1; mtx_unlock(&m); }"),
        NOTHING,
    ),
}


def checked(text: str, engine: str = "explicit", c: COptions | None = None) -> Result:
    load = LoadOptions(c=c or COptions())
    options = CheckOptions(
        properties=("assertions",), engine=engine, load=load, budget=Budget(steps=200_000)
    )
    given = [SourceFile("t.c", text)]
    return check_loaded("t.c", lambda: load_c_sources(given, load), options, in_process=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_assumed(name: str) -> None:
    """Exactly the places that matter are named, in the verdict too."""
    text, assumed = PROGRAMS[name]
    result = checked(text)
    if assumed in FAILING:
        assert result.verdict.value == "UNKNOWN"
        (reason,) = [each.reason for each in result.properties if each.reason is not None]
        assert assumed[0] in reason
        return
    assert result.verdict.value == "SAFE", [each.reason for each in result.properties]
    assert tuple(assumed_doubts(result)) == assumed
    last = to_text(result, {}).splitlines()[-1]
    assert last == "SAFE" + (f" assuming {', '.join(assumed)}" if assumed else "")


@pytest.mark.parametrize("engine", ["auto", "persistent", "thread-modular"])
@pytest.mark.parametrize("name", ["if", "while", "weak once", "weak loop"])
def test_engines_agree(name: str, engine: str) -> None:
    """Whatever engine proves it, a proof that is known to fail does not count."""
    text, assumed = PROGRAMS[name]
    result = checked(text, engine)
    if engine != "thread-modular" or not assumed:
        assert result.verdict.value == ("UNKNOWN" if assumed else "SAFE")
    else:  # it shows no runs
        assert assumed_doubts(result)


@pytest.mark.parametrize(
    ("name", "switch"),
    [
        ("if", "spurious-wakeups"),
        ("asserted", "malloc-may-fail"),
        ("together", "malloc-may-fail"),
        ("weak once", "weak-cas-may-fail"),
        ("trylock", "trylock-may-fail"),
    ],
)
def test_a_switch_makes_it_part_of_the_meaning(name: str, switch: str) -> None:
    text, _ = PROGRAMS[name]
    result = checked(text, c=COptions(doubts=frozenset({switch})))
    assert result.verdict.value == "UNSAFE"


@pytest.mark.parametrize("name", [name for name, (_, assumed) in PROGRAMS.items() if not assumed])
def test_where_nothing_is_assumed_switches_change_nothing(name: str) -> None:
    every = frozenset(
        {"spurious-wakeups", "malloc-may-fail", "weak-cas-may-fail", "trylock-may-fail"}
    )
    result = checked(PROGRAMS[name][0], c=COptions(doubts=every))
    assert result.verdict.value == "SAFE"
    assert not doubts(result)


def test_a_thread_that_is_woken_never_stays() -> None:
    """A spurious wake-up by a thread that has just been signalled is no deadlock."""
    text = waiting("while (!ready) pthread_cond_wait(&c, &m);")
    load = LoadOptions(c=COptions(doubts=frozenset({"spurious-wakeups"})))
    options = CheckOptions(properties=("deadlocks",), engine="explicit", load=load)
    given = [SourceFile("t.c", text)]
    result = check_loaded("t.c", lambda: load_c_sources(given, load), options, in_process=True)
    assert result.verdict.value == "SAFE"


def test_threads_that_wait_for_ever_are_a_deadlock_all_the_same() -> None:
    """Nobody can rely on a spurious wake-up."""
    text = waiting("while (ready < 2) pthread_cond_wait(&c, &m);")
    load = LoadOptions(c=COptions(doubts=frozenset({"spurious-wakeups"})))
    options = CheckOptions(properties=("deadlocks",), engine="explicit", load=load)
    given = [SourceFile("t.c", text)]
    result = check_loaded("t.c", lambda: load_c_sources(given, load), options, in_process=True)
    assert result.verdict.value == "UNSAFE"


def test_the_report_tells_a_run_where_it_matters() -> None:
    result = checked(PROGRAMS["asserted"][0])
    (assumed,) = doubts(result)
    assert assumed.matters is True
    told = "with malloc returning NULL at line 6: assert:6: assertion `p` fails in main"
    assert assumed.example == told
    assert told in to_text(result, {})
    (found,) = to_json(result)["doubts"]
    assert found == {
        "kind": "malloc-may-fail",
        "text": "malloc does not return NULL",
        "file": "t.c",
        "line": 6,
        "matters": True,
        "example": told,
    }
    assert "malloc does not return NULL (t.c:6)" in to_json(result)["assumptions"]


def test_a_proof_that_is_known_to_fail_names_place_and_switch() -> None:
    result = checked(PROGRAMS["if"][0])
    told = (
        "t.c:16: with a spurious wake-up, assertion `ready` fails in main; "
        "--spurious-wakeups shows the run"
    )
    assert to_text(result, {}).splitlines()[-1] == f"UNKNOWN ({told})"
    assert result.properties[0].certificate is None


def test_only_what_fails_loses_its_proof() -> None:
    """The second of two assertions does not depend on spurious wake-ups and assumes nothing."""
    result = checked(
        waiting("if (!ready) pthread_cond_wait(&c, &m);\nassert(ready);\nassert(seen == 0);")
    )
    assert [each.verdict.value for each in result.properties] == ["UNKNOWN", "SAFE"]
    assert not doubts(result)


def test_a_run_with_other_doubtful_steps_takes_no_proof_away() -> None:
    """It fails only if memory runs out as well, which is assumed away."""
    text = waiting(
        "int *p = malloc(4); if (!ready) pthread_cond_wait(&c, &m); assert(p || ready);"
    )
    result = checked(
        text.replace("#include <assert.h>", "#include <assert.h>\n#include <stdlib.h>")
    )
    assert result.verdict.value == "SAFE"
    assert {each.doubt.kind.value for each in doubts(result)} == {
        "malloc-may-fail",
        "spurious-wakeups",
    }


def test_places_that_matter_only_together() -> None:
    result = checked(PROGRAMS["together"][0])
    assert [each.matters for each in doubts(result)] == [False, False]


def test_without_steps_left_everything_is_assumed() -> None:
    """What is proved stays proved if the budget ends before places are tried."""
    text, _ = PROGRAMS["while"]
    given = load_c_sources([SourceFile("t.c", text)], LoadOptions())
    steps, result = 10, None
    while result is None or (result.verdict.value != "SAFE" and steps < 100_000):
        steps += steps // 5  # little more each time, so that nothing is left for trying places
        options = CheckOptions(
            properties=("assertions",), engine="explicit", budget=Budget(steps=steps)
        )
        result = check_loaded("t.c", lambda: given, options, in_process=True)
    assert result.verdict.value == "SAFE"
    assert assumed_doubts(result) == ["no spurious wake-up (t.c:16)"]
    assert [each.matters for each in doubts(result)] == [None]


def test_what_has_no_switch_is_no_meaning() -> None:
    """A run with any value for a relaxed load, or with one place only, would be no verdict."""
    for doubt in ("weak-order", "main-returns", "malloc-may-fail@t.c:6"):
        with pytest.raises(InputError, match="cannot be part of the meaning"):
            checked(PROGRAMS["asserted"][0], c=COptions(doubts=frozenset({doubt})))


def test_no_trace_relies_on_what_has_no_switch(tmp_path: Path) -> None:
    """With another value of the load there would be a violation; there is no such run."""
    source = tmp_path / "t.c"
    source.write_text(atomic("x = 1; assert(atomic_load_explicit(&x, memory_order_relaxed));"))
    file = tmp_path / "trace.json"
    load = {"defines": {}, "threads": {}, "max_threads": 8, "c": {"doubts": ["weak-order"]}}
    broken = atomic("x = 0; assert(x);")
    (unsafe,) = checked(broken).properties
    assert unsafe.trace is not None
    file.write_text(json.dumps({**trace_to_json(unsafe.trace, LoadOptions()), "load": load}))
    with pytest.raises(InputError, match="cannot be part of the meaning"):
        replay_file(str(source), str(file))


def test_a_proof_as_a_value_is_checked_with_how_it_was_loaded(tmp_path: Path) -> None:
    source = tmp_path / "t.c"
    source.write_text(PROGRAMS["weak loop"][0])
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_file(str(source), options, in_process=True)
    (proved,) = result.properties
    assert proved.certificate is not None
    assert certify(source, proved.certificate, load=result.load_of(proved))
    with pytest.raises(Refuted, match="another program"):
        certify(source, proved.certificate)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("asserted", frozenset()),
        ("while", frozenset({"spurious-wakeups"})),
        ("one of two", frozenset({"malloc-may-fail@t.c:7"})),
    ],
)
def test_certificates_are_about_the_program_with_what_is_allowed(
    name: str, allowed: frozenset[str], tmp_path: Path
) -> None:
    source = tmp_path / "t.c"
    source.write_text(PROGRAMS[name][0])
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_file(str(source), options, in_process=True)
    ((certificate, load),) = proofs(result)
    assert allowed <= load.c.doubts
    assert bool(allowed) == bool(load.c.doubts)
    data = certificate_to_json(certificate, load)
    assert load_from_json(json.loads(json.dumps(data)), "proof.json") == load
    assert certificate.program_hash == program_hash(load_program(str(source), load))
    file = tmp_path / "proof.json"
    file.write_text("\n".join(certificate_lines(data)) + "\n")
    assert certify_file(str(source), str(file)).properties == certificate.properties
