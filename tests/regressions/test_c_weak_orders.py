"""Races by the memory orders of C: no interleaving shows them, and no proof may exclude them.

They were SAFE, with the weaker orders listed or named as an assumption.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import threadwise
from tests.every_engine import loaded
from threadwise.core.memory_orders import RELAXED, RELEASE, SEQ_CST, AccessOrder
from threadwise.driver.verdicts.weak_orders import unordered
from threadwise.ir.properties import RaceProperty

TEXT = """
#include <pthread.h>
#include <stdatomic.h>
int data, seen; atomic_int ready, other;
void *writer(void *arg) {{ data = 42; {publishes} return 0; }}
void *reader(void *arg) {{ int expected = {expects}; if ({looks}) {{ {then} seen = data; }} }}
int main(void) {{
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return seen;
}}
"""
STORE = "atomic_store_explicit(&ready, 1, memory_order_{});"
LOAD = "atomic_load_explicit(&ready, memory_order_{})"
ADD = "atomic_fetch_add_explicit(&ready, {}, memory_order_{})"
FENCE = "atomic_thread_fence(memory_order_{});"
EXCHANGE = "atomic_compare_exchange_strong_explicit(&ready, &expected, 2, {})"
PUBLISHED = STORE.format("release")
ACQUIRED = LOAD.format("acquire")


def program(
    publishes: str = PUBLISHED, looks: str = ACQUIRED, then: str = "", expects: int = 1
) -> str:
    """A thread writes data and says so; another one uses it if it was told."""
    return TEXT.format(publishes=publishes, looks=looks, then=then, expects=expects)


def exchange(success: str, failure: str) -> str:
    """Whether the reader replaces what the writer has stored."""
    return EXCHANGE.format(f"memory_order_{success}, memory_order_{failure}")


RACY = {
    "a relaxed store": program(STORE.format("relaxed")),
    "a relaxed load": program(looks=LOAD.format("relaxed")),
    "both relaxed": program(STORE.format("relaxed"), LOAD.format("relaxed")),
    "gcc's relaxed store": program("__atomic_store_n(&ready, 1, __ATOMIC_RELAXED);"),
    "gcc's relaxed load": program(looks="__atomic_load_n(&ready, __ATOMIC_RELAXED)"),
    "an update that acquires publishes": program(ADD.format(1, "acquire") + ";"),
    "an update that is relaxed publishes": program(ADD.format(1, "relaxed") + ";"),
    "an update that releases looks": program(looks=ADD.format(0, "release")),
    "an update that is relaxed looks": program(looks=ADD.format(0, "relaxed")),
    "an exchange that releases looks": program(looks=exchange("release", "relaxed")),
    "an exchange that fails looks": program(
        looks=f"!{exchange('acquire', 'relaxed')} && expected == 1", expects=0
    ),
    "another variable is released": program("atomic_store(&other, 1);" + STORE.format("relaxed")),
    "a fence that acquires publishes": program(FENCE.format("acquire") + STORE.format("relaxed")),
    "a fence that releases looks": program(
        looks=LOAD.format("relaxed"), then=FENCE.format("release")
    ),
    "a relaxed fence": program(
        FENCE.format("relaxed") + STORE.format("relaxed"), then=FENCE.format("relaxed")
    ),
    "a fence for signals": program(
        "atomic_signal_fence(memory_order_seq_cst);" + STORE.format("relaxed")
    ),
}
FREE = {
    "release and acquire": program(),
    "sequential": program("atomic_store(&ready, 1);", "atomic_load(&ready)"),
    "consume": program(looks=LOAD.format("consume")),
    "an update that releases": program(ADD.format(1, "release") + ";"),
    "an update that acquires": program(looks=ADD.format(0, "acquire")),
    "an exchange that acquires": program(looks=exchange("acquire", "relaxed")),
    "an exchange that fails acquires": program(
        looks=f"!{exchange('relaxed', 'acquire')} && expected == 1", expects=0
    ),
    "a fence before a store": program(FENCE.format("release") + STORE.format("relaxed")),
    "a fence behind a load": program(looks=LOAD.format("relaxed"), then=FENCE.format("acquire")),
    "gcc's fences": program(
        "__sync_synchronize();" + STORE.format("relaxed"),
        LOAD.format("relaxed"),
        "__sync_synchronize();",
    ),
    "a release sequence of updates": program(PUBLISHED + ADD.format(1, "relaxed") + ";"),
    "a release sequence of one thread": program(PUBLISHED + STORE.format("relaxed")),
    "counters beside a release": program(
        "atomic_fetch_add_explicit(&other, 1, memory_order_relaxed);" + PUBLISHED,
        then="atomic_fetch_add_explicit(&other, 1, memory_order_relaxed);",
    ),
    "not known": program(
        "memory_order o = memory_order_release; atomic_store_explicit(&ready, 1, o);"
    ),
}


def shown(text: str) -> str | None:
    """What runs show of races."""
    found = loaded(text)
    (checked,) = (p for p in found.program.properties if isinstance(p, RaceProperty))
    race = unordered(found.program, found.orders, checked, lambda: None)
    return None if race is None else str(race)


@pytest.mark.parametrize("text", RACY.values(), ids=RACY)
def test_runs_show_the_race(text: str) -> None:
    assert "t.c:6: a data race with t.c:5 by the memory orders" in str(shown(text))


@pytest.mark.parametrize("text", FREE.values(), ids=FREE)
def test_runs_show_no_race_where_there_is_none(text: str) -> None:
    assert shown(text) is None


@pytest.mark.parametrize(
    "name", ["both relaxed", "an update that is relaxed looks", "an exchange that fails looks"]
)
def test_such_programs_are_not_safe(name: str, tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text(RACY[name])
    result = threadwise.check(tmp_path / "t.c", properties="races", in_process=True)
    assert result.verdict.value == "UNKNOWN"
    assert "by the memory orders of C" in str(result.properties[0].reason)


def test_what_else_is_proved_stays_so(tmp_path: Path) -> None:
    text = RACY["both relaxed"].replace("seen = data;", "seen = data; assert(seen >= 0);")
    text = text.replace("#include <pthread.h>", "#include <pthread.h>\n#include <assert.h>")
    (tmp_path / "t.c").write_text(text)
    result = threadwise.check(tmp_path / "t.c", in_process=True)
    verdicts = {each.kind: each.verdict.value for each in result.properties}
    assert verdicts["race"] == "UNKNOWN"
    assert verdicts["assertion"] == verdicts["mutex"] == "SAFE"
    for each in result.properties:
        if each.certificate is not None:
            assert "races" not in each.certificate.properties
            assert each.name in each.certificate.properties


def test_orders_of_different_accesses_at_one_place_are_not_known() -> None:
    macro = f"#define BOTH ({LOAD.format('relaxed')} + {LOAD.format('acquire')})\n"
    found = loaded(macro + program(looks="BOTH")).orders
    assert [(span.line, order.order) for span, order in found.accesses.items()] == [(6, RELEASE)]


def test_orders_are_those_of_the_source() -> None:
    found = loaded(RACY["both relaxed"]).orders
    assert set(found.accesses.values()) == {AccessOrder(RELAXED, RELAXED)}
    assert found.are_weak
    assert not found.release_fences
    assert not found.acquire_fences
    strong = loaded(FREE["sequential"]).orders
    assert set(strong.accesses.values()) == {AccessOrder(SEQ_CST, SEQ_CST)}
    assert not strong.are_weak
