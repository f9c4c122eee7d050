"""Variables that are the first member of a larger record, seen as that record.

The head of a list is what its links lead to in the end. Code that looks for the element around a
link, which begins there, then sees the head as an element; the members that it does not have lie
behind its end.
"""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.ir.types import INT, ArrayType, RecordType, Type
from threadwise.proofs.locksets.memory.inner import UNION, is_first_member
from threadwise.results.verdict import Verdict

LINK = RecordType("link", (("next", INT), ("back", INT)))

PROGRAM = """
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
struct link { struct link *next, *back; };
struct part { pthread_mutex_t lock; int count; struct link *seen; };
struct item { struct link list; int value; struct part *part; };
struct link head = { &head, &head };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int other;
static void add(struct link *list) {
    struct part *part = malloc(sizeof *part);
    struct item *item = malloc(sizeof *item);
    part->count = 0;
    pthread_mutex_init(&part->lock, 0);
    item->value = 0;
    item->part = part;
    item->list.next = list;
    item->list.back = list->back;
    list->back->next = &item->list;
    list->back = &item->list;
}
static void *using(void *unused) {
    struct part *part = 0;
    pthread_mutex_lock(&m);
    add(&head);
    %s
    pthread_mutex_unlock(&m);
    %s
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, using, 0);
    pthread_create(&b, 0, using, 0);
    %s
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""

LOOP = """
    for (struct link *at = head.next; at != &head; at = at->next) {
        struct item *item = (struct item *)((char *)at - offsetof(struct item, list));
        %s
    }
"""
FIRST = "struct item *item = (struct item *)head.next; %s"
COUNT = """
    pthread_mutex_lock(&part->lock);
    part->count++;
    pthread_mutex_unlock(&part->lock);
"""


def undecided(text: str) -> list[str]:
    """The locations of which `locksets` does not prove that they do not race."""
    options = CheckOptions(properties=("races",), engine="locksets", budget=Budget(steps=60_000))
    found = check_loaded("t.c", lambda: loaded(text), options, in_process=True)
    assert not found.defects
    if found.verdict is Verdict.SAFE:
        return []
    [races] = found.properties
    assert races.part is not None
    assert races.part.locations
    return [each.name.split(",")[0] for each in races.part.locations if not each.is_proved]


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ("item->value++; part = item->part;", COUNT),
        ("part = item->part; part->seen = 0;", COUNT),
        ("int *value = &item->value; *value = 1; part = item->part;", COUNT),
        ("struct part **at = &item->part; part = *at;", COUNT),
    ],
    ids=["value", "part", "pointer", "pointer-to-pointer"],
)
@pytest.mark.parametrize("around", [LOOP, FIRST], ids=["loop", "first"])
def test_members_that_the_head_does_not_have_lie_nowhere(
    around: str, inside: str, outside: str
) -> None:
    assert undecided(PROGRAM % (around % inside, outside, "")) == []


@pytest.mark.parametrize(
    ("inside", "outside", "also", "racy"),
    [
        ("item->value++;", "", "head.next = &head;", "head.next"),
        ("item->list.next = &head;", "", "head.next = &head;", "head.next"),
        ("item->list.next->next = &head;", "", "head.next = &head;", "head.next"),
        ("item->value++; other = 1;", "", "other = 2;", "other"),
        ("part = item->part;", "part->count++;", "", "struct part.count"),
        ("item->value++;", "((struct item *)head.next)->value = 2;", "", "struct item.value"),
        (
            "struct part **at = &item->part;"
            "((struct item *)((char *)at - offsetof(struct item, part)))->list.next = &head;",
            "",
            "head.next = &head;",
            "head.next",
        ),
    ],
    ids=["head", "first-member", "next", "other", "part", "no-lock", "there-and-back"],
)
def test_what_races_is_undecided(inside: str, outside: str, also: str, racy: str) -> None:
    assert racy in undecided(PROGRAM % (FIRST % inside, outside, also))


LARGER = """
#include <pthread.h>
#include <stdlib.h>
struct link { struct link *next; };
struct item { struct link list; long value; };
%s
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct link *start;
static void *using(void *unused) {
    pthread_mutex_lock(&m);
    ((struct item *)start)->value = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    %s
    pthread_create(&a, 0, using, 0);
    %s
    pthread_join(a, 0);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("declared", "before", "beside", "racy"),
    [
        (
            "struct { struct link head; long length; } queue;",
            "start = &queue.head;",
            "queue.length = 2;",
            "queue.length",
        ),
        ("struct link heads[2];", "start = &heads[0];", "heads[1].next = 0;", "heads[].next"),
        ("struct link heads[2];", "start = heads;", "heads[1].next = 0;", "heads[].next"),
        (
            "struct link *heads;",
            "heads = malloc(2 * sizeof *heads); start = heads;",
            "heads[1].next = 0;",
            "struct link.next",
        ),
        ("struct item one;", "start = &one.list;", "one.value = 2;", "one.value"),
    ],
    ids=["member", "element", "array", "allocated", "first"],
)
def test_what_lies_behind_in_the_same_object_is_written(
    declared: str, before: str, beside: str, racy: str
) -> None:
    assert racy in undecided(LARGER % (declared, before, beside))


@pytest.mark.parametrize(
    ("held", "record", "expected"),
    [
        (LINK, RecordType("item", (("list", LINK), ("value", INT))), True),
        (LINK, RecordType("a", (("b", RecordType("b", (("c", LINK),))), ("d", INT))), True),
        (LINK, RecordType("item", (("value", INT), ("list", LINK))), False),
        (LINK, RecordType("either", (("list", LINK), ("value", INT), (UNION, INT))), False),
        (LINK, RecordType("either", ((UNION, INT), ("list", LINK), ("value", INT))), False),
        (LINK, RecordType("many", (("lists", ArrayType(LINK, 2)), ("value", INT))), False),
        (LINK, LINK, False),
        (INT, RecordType("bits", (("low", INT), ("high", INT))), False),
    ],
    ids=["first", "nested", "second", "union", "tag", "array", "itself", "bits"],
)
def test_first_members(held: Type, record: Type, expected: bool) -> None:
    assert is_first_member(held, record) == expected


def test_records_without_length_may_be_longer() -> None:
    tail = RecordType("tail", (("count", INT), ("rest", ArrayType(INT, 0))))
    assert not is_first_member(tail, RecordType("outer", (("first", tail), ("value", INT))))
