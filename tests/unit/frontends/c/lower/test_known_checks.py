"""Failures that cannot happen, since the same was checked before."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.every_engine import verdicts
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.frontends.c.lower import program as lowering
from threadwise.ir.program import Failure, FailureKind, Program
from threadwise.semantics.oracle import explore

HEAD = """#include <pthread.h>
#include <stdlib.h>
#include <stdint.h>
struct pair { int left; int right; };
struct other { long first; };
struct pair *shared; int shown; int flag;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
MAIN = """int main(int n, char **v) {
struct pair *p = malloc(sizeof *p), *q = malloc(sizeof *q);
p->left = 1; q->left = 2; p->right = 3; shared = q;
%s
return 0; }
"""
NUMBERS = "if (n > 5) shown = *(int *)(uintptr_t)8;"
"""With this pointers may hold numbers."""
INVALID, TYPE, UNWRITTEN, NUMBER, ARITHMETIC = (
    "an invalid pointer is dereferenced (null, freed, or out of bounds)",
    "memory is accessed as another type",
    "memory that was never written is read",
    "a number is used as an address",
    "arithmetic on a pointer that does not point into an array of that type",
)


def lowered(text: str) -> Program:
    """The program of record."""
    return load_c_sources([SourceFile("t.c", text)], LoadOptions()).program


def failures(body: str, head: str = HEAD) -> Counter[str]:
    """How many edges fail in the lines behind `@`, by what has failed."""
    before, _, after = body.partition("@")
    program = lowered(head + MAIN % (before + "\n" + after.replace("@", "\n")))
    line = (head + MAIN % before).count("\n", 0, (head + MAIN % before).index("return 0")) + 1
    found: Counter[str] = Counter()
    for edge in program.edges:
        failure = program.locations[edge.target].failure
        if failure is not None and edge.span is not None and edge.span.line == line:
            found[failure.message.partition(": ")[2]] += 1
    return found


def test_what_a_pointer_leads_to_is_asked_once() -> None:
    found = failures(NUMBERS + "shown = p->right; @ shown = p->left; p->left = 2;")
    assert found[INVALID] == 2
    assert found.keys() == {INVALID}


@pytest.mark.parametrize(
    ("between", "failing"),
    [
        ("p = shared;", {NUMBER, INVALID, TYPE, UNWRITTEN}),
        ("if (n > 1) p = shared;", {NUMBER, INVALID, TYPE, UNWRITTEN}),
        ("p++;", {NUMBER, INVALID, TYPE, UNWRITTEN}),
        ("q = shared;", {INVALID}),
        ("free(p);", {INVALID}),
        ("while (n--) p = p == q ? shared : q;", {NUMBER, INVALID, TYPE, UNWRITTEN}),
    ],
)
def test_up_to_the_next_write(between: str, failing: set[str]) -> None:
    assert (
        failures(NUMBERS + "shown = p->left;" + between + "@ shown = p->left;").keys() == failing
    )


def test_not_if_some_path_does_not_ask() -> None:
    text = "p = shared; if (n) shown = p->left; @ shown = p->left;"
    assert failures(text).keys() == {INVALID, TYPE, UNWRITTEN}
    text = "p = shared; if (n) shown = p->left; else shown = p->left + 1; @ shown = p->left;"
    assert failures(text).keys() == {INVALID}


def test_not_what_other_threads_may_write() -> None:
    found = failures(NUMBERS + "shown = shared->left; @ shown = shared->left;")
    assert found.keys() == {NUMBER, INVALID, TYPE, UNWRITTEN}


def test_not_other_members_or_types() -> None:
    assert failures(
        "shown = p->left; p = shared; shown = p->left; @ shown = p->right;"
    ).keys() == {
        INVALID,
        UNWRITTEN,
    }
    text = "struct other *o = (struct other *)p; @ shown = o->first;"
    assert TYPE in failures(text)


def test_arithmetic_in_what_was_an_array() -> None:
    """It stays an array of that type when it has ended; what is then accessed is invalid."""
    text = "int *a = malloc(4 * sizeof *a); a[1] = 2; a[2] = 3; %s @ shown = a[2];"
    assert failures(text % "").keys() == {INVALID}
    assert failures(text % "a = shared ? &flag : 0;").keys() >= {ARITHMETIC, INVALID}
    freed = HEAD + MAIN % (text % "free(a);").replace("@", "")
    assert set(verdicts(freed, "memory", engines=("explicit",)).values()) == {("UNSAFE",)}


def test_in_a_region_the_object_stays() -> None:
    """A lock in memory is looked at several times in one step."""
    head = HEAD + "struct locked { pthread_rwlock_t m; int n; };\n"
    text = "struct locked *l = malloc(sizeof *l); pthread_rwlock_init(&l->m, 0);"
    found = failures(text + "@ pthread_rwlock_wrlock(&l->m);", head)
    assert found[INVALID] == 2  # the second where the writer has waited


ENDS = "void *ends(void *p) { struct pair *o = p; o->left = 4; free(o); return 0; }\n"
PROGRAMS = [
    "p = n ? p : 0; shown = p->left; free(p); shown = p->right;",
    "int *a = malloc(2 * sizeof *a); a[0] = 1; int i = n; shown = a[i]; free(a); shown = a[0];",
    "struct pair *r = shared; r->right = r->left; free(shared); r->right++;",
    "pthread_t t; pthread_create(&t, 0, ends, q); q->right = 1; q->left = q->right + q->left;",
    "pthread_t t; pthread_create(&t, 0, ends, q); for (int i = 0; i < 2; i++) q->left += i;",
    "struct pair *r = n ? p : q; if (n) free(r); else r->right = 1; shown = r->right;",
    "struct pair copy = *p; pthread_t t; pthread_create(&t, 0, ends, p); *p = copy; *q = *p;",
]


def reached(text: str) -> tuple[int, set[Failure]]:
    """How many edges a program has, and the failures that some run reaches."""
    program = lowered(text)
    states = explore(program, ()).states
    here = {local.pc for state in states for local in state.locals}
    found = (program.locations[number].failure for number in here)
    return len(program.edges), {failure for failure in found if failure is not None}


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_same_failures_are_reached(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all edges, and without those that are said not to be taken."""
    choice = "_Bool n = __VERIFIER_nondet_bool();"
    head = HEAD + "extern _Bool __VERIFIER_nondet_bool(void);\n" + ENDS
    whole = head + MAIN.replace("int n, char **v", "void") % (choice + text.replace("; ", ";\n"))
    fewer, found = reached(whole)
    monkeypatch.setattr(lowering, "leave_out_known_failures", lambda _: None)
    more, wanted = reached(whole)
    assert fewer < more
    assert any(failure.kind is FailureKind.MEMORY for failure in wanted)
    assert found == wanted
