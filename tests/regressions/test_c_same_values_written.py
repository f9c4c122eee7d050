"""What is only ever written with its initial value is constant, unless that would hide a race."""

from __future__ import annotations

from tests.unit.frontends.c.checking import INCLUDES, lowered, verdicts
from threadwise.ir.expr import FieldPlace
from threadwise.ir.fold import action_expressions, read_places

START = "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); "


def test_the_kind_of_a_mutex_that_is_initialised_is_constant() -> None:
    text = (
        INCLUDES
        + "struct { int x; pthread_mutex_t m; } a[3];"
        + "void *f(void *p) { pthread_mutex_lock(&a[1].m); return 0; }"
        + START
        + "for (int i = 0; i < 3; i++) pthread_mutex_init(&a[i].m, 0); }"
    )
    reads = [
        place
        for edge in lowered(text).edges
        for expr in action_expressions(edge.action)
        for place in read_places(expr)
    ]
    assert reads
    assert not any(isinstance(place, FieldPlace) and place.field == "kind" for place in reads)


def test_writing_the_initial_value_races() -> None:
    text = INCLUDES + "int x; void *f(void *p) { x = 0; return 0; }" + START + "return x; }"
    assert verdicts(text, "races") == {"races": "UNSAFE"}


def test_reading_plainly_what_is_written_atomically_races() -> None:
    text = (
        INCLUDES
        + "int x; void *f(void *p) { __atomic_store_n(&x, 0, 5); return 0; }"
        + START
        + "return x; }"
    )
    assert verdicts(text, "races") == {"races": "UNSAFE"}


def test_one_element_is_another() -> None:
    text = (
        INCLUDES
        + "atomic_int x[2]; int y; void *f(void *p) { atomic_store(&x[1], 1); return 0; }"
        + START
        + "for (int i = 0; i < 2; i++) assert(x[i] == 0); }"
    )
    assert "UNSAFE" in verdicts(text, "assertions").values()


def test_a_pointer_that_was_null_points_elsewhere() -> None:
    text = (
        INCLUDES
        + "int x; int *_Atomic q; void *f(void *p) { atomic_store(&q, &x); return 0; }"
        + START
        + "assert(atomic_load(&q) == 0); }"
    )
    assert "UNSAFE" in verdicts(text, "assertions").values()
