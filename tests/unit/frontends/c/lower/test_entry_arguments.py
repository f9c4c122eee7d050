"""What callers pass to the functions of `--entry`: any numbers, own memory, shared records."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import SimplifiedC, load_c
from threadwise.engines.walks import walk, walks_engine
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.validate import validate
from threadwise.ir.program import FailureKind
from threadwise.results.result import Result

HEADERS = "#include <pthread.h>\n#include <assert.h>\n#include <stddef.h>\n"
LOCK = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int total, *kept;\n"


def load(text: str, *entry: str) -> SimplifiedC:
    loaded = load_c([SourceFile("t.c", HEADERS + LOCK + text)], COptions(entry=entry))
    assert validate(loaded.program) == []
    return loaded


def result_of(loaded: SimplifiedC, selector: str, engine: str) -> Result:
    options = CheckOptions(properties=(selector,), engine=engine, budget=Budget(steps=200_000))
    return check_loaded("t.c", lambda: loaded.program, options, in_process=True)


def limits(loaded: SimplifiedC) -> list[str]:
    return [
        found.failure.message
        for found in loaded.program.locations
        if found.failure is not None and found.failure.kind is FailureKind.LIMIT
    ]


PROVED = [
    "void f(int *p, int n) { for (int i = 0; i < n; i++) p[i]++;"
    " pthread_mutex_lock(&m); total += n; pthread_mutex_unlock(&m); }",
    "struct s { int a; char b[3]; }; void f(const struct s *p) { (void)(p->a + p->b[1]); }",
    "struct s { int a, b; }; void f(struct s p) { p.a = p.b; }",
    "void f(void *p) { if (p) *(unsigned char *)p = 1; }",
    "void f(const char *p) { pthread_mutex_lock(&m); total = p[0]; pthread_mutex_unlock(&m); }",
]


@pytest.mark.parametrize("text", PROVED)
def test_what_is_passed_does_not_race(text: str) -> None:
    loaded = load(text, "f")
    assert limits(loaded) == []
    assert result_of(loaded, "races", "locksets").verdict.value == "SAFE"


RECORD = "struct s { pthread_mutex_t m; pthread_rwlock_t r; pthread_spinlock_t s; int a, b; };\n"
LOCKED = [
    "void f(struct s *p) { pthread_mutex_lock(&p->m); p->a++; pthread_mutex_unlock(&p->m); }",
    "void f(struct s *p) { pthread_rwlock_wrlock(&p->r); p->a++; pthread_rwlock_unlock(&p->r); }",
    "void f(struct s *p) { pthread_spin_lock(&p->s); p->a++; pthread_spin_unlock(&p->s); }",
    "void f(struct s *p, struct s *q) { pthread_mutex_lock(&p->m); p->a = p->b;"
    " pthread_mutex_unlock(&p->m);"
    " pthread_mutex_lock(&q->m); q->a = 0; pthread_mutex_unlock(&q->m); }",
]


@pytest.mark.parametrize("text", LOCKED)
def test_locks_of_a_record_protect_it(text: str) -> None:
    loaded = load(RECORD + text, "f")
    assert limits(loaded) == []
    assert result_of(loaded, "races", "locksets").verdict.value == "SAFE"


INNER = "struct q { int n; }; struct s { pthread_mutex_t m; struct q *q; char *text; };\n"


def test_pointers_in_a_record_lead_to_memory_of_its_own() -> None:
    text = (
        "void f(struct s *p) { if (!p) return; pthread_mutex_lock(&p->m);"
        " if (p->q) p->q->n++; if (p->text) p->text[0] = 0; pthread_mutex_unlock(&p->m); }"
    )
    loaded = load(INNER + text, "f")
    assert limits(loaded) == []
    assert result_of(loaded, "races", "locksets").verdict.value == "SAFE"
    for name in ("q in p of f", "text in p of f"):
        said = f"memory that {name} points to is reached by that pointer only"
        assert said in loaded.assumptions


SHARED = [
    INNER + "void f(struct s *p) { if (p && p->q) p->q->n++; }",
    "struct s { int a; }; void f(struct s *p) { if (p) p->a++; }",
    RECORD + "void f(struct s *p, struct s *q) { if (p && q) {"
    " pthread_mutex_lock(&q->m); p->a++; pthread_mutex_unlock(&q->m); } }",
    RECORD + "void f(struct s *p) { if (p) { pthread_mutex_lock(&m); p->a++;"
    " pthread_mutex_unlock(&m); p->b = 0; } }",
    RECORD + "void f(struct s *p) { if (p) { pthread_rwlock_rdlock(&p->r); p->a++;"
    " pthread_rwlock_unlock(&p->r); } }",
]


@pytest.mark.parametrize("text", SHARED)
def test_two_calls_may_get_the_same_record(text: str) -> None:
    loaded = load(text, "f")
    assert result_of(loaded, "races", "locksets").verdict.value == "UNKNOWN"
    assert result_of(loaded, "races", "walks").verdict.value == "UNSAFE"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("if (p && n == 1) p[n].a = 0;", "records of the callers"),
        ("if (p) (p++)->a = n;", "records of the callers"),
        ("if (p) p->a = n;", "one record of the callers"),
    ],
)
def test_there_are_several_records_where_pointers_are_moved(body: str, said: str) -> None:
    loaded = load(f"struct s {{ int a; }}; void f(struct s *p, int n) {{ {body} }}", "f")
    assert any(said in each for each in loaded.assumptions)
    assert result_of(loaded, "races", "walks").verdict.value == "UNSAFE"


@pytest.mark.slow
def test_two_parameters_do_not_get_the_same_record() -> None:
    text = "void f(struct s *p, struct s *q) { assert(!p || p != q); }"
    loaded = load(RECORD + text, "f")
    assert result_of(loaded, "assertions", "walks").verdict.value == "UNKNOWN"


@pytest.mark.slow
def test_records_go_to_any_parameter() -> None:
    """One call has two records in one order, another in the other."""
    text = (
        "void f(struct s *p, struct s *q) { if (p && q) { pthread_mutex_lock(&p->m);"
        " pthread_mutex_lock(&q->m); pthread_mutex_unlock(&q->m); pthread_mutex_unlock(&p->m); } }"
    )
    assert result_of(load(RECORD + text, "f"), "deadlocks", "walks").verdict.value == "UNSAFE"


RACY = [
    "void f(int *p) { if (p) total = *p; }",
    "void f(int *p) { kept = p; }",
    "void f(int *p) { pthread_mutex_lock(&m); kept = p; pthread_mutex_unlock(&m); if (p) *p = 1; }"
    " void g(void) { pthread_mutex_lock(&m); if (kept) *kept = 2; pthread_mutex_unlock(&m); }",
]


@pytest.mark.parametrize("text", RACY)
def test_what_the_program_does_with_it_may_race(text: str) -> None:
    entry = ("f", "g") if "void g" in text else ("f",)
    loaded = load(text, *entry)
    assert result_of(loaded, "races", "locksets").verdict.value == "UNKNOWN"


def test_a_race_beside_what_is_passed_is_found() -> None:
    loaded = load("void f(int *p) { kept = p; }", "f")
    assert result_of(loaded, "races", "walks").verdict.value == "UNSAFE"


@pytest.mark.parametrize(
    "declaration",
    [
        "struct s { struct s *q; }; void f(struct s *p)",
        "struct s { void *q; }; void f(struct s *p)",
        "struct s { int (*q)(int); }; void f(struct s *p)",
        "struct s { pthread_barrier_t q; }; void f(struct s *p)",
        "struct s { union { int a; char b; } q; }; void f(struct s *p)",
        "struct t { struct t **next; }; void f(struct t *p)",
    ],
)
def test_pointers_and_unions_behind_a_parameter_are_a_limit(declaration: str) -> None:
    found = limits(load(declaration + " { total = p != 0; }", "f"))
    assert [text.partition(": ")[2] for text in found] == ["any argument for the parameter p of f"]


LINKED = "struct s { struct s *next; int v; }; static struct s first; void g(struct s **q);\n"


def test_a_pointer_that_is_only_stored_through_leads_to_a_result() -> None:
    text = LINKED + "int f(struct s **p) { *p = &first; return 0; }"
    loaded = load(text, "f")
    assert limits(loaded) == []
    assert result_of(loaded, "races", "locksets").verdict.value == "SAFE"


@pytest.mark.parametrize(
    "body",
    ["total = (*p)->v; *p = 0;", "*p = 0; g(p);", "p[1] = 0;", "**p = first;", "kept = (int *)p;"],
)
def test_other_uses_of_such_a_pointer_are_a_limit(body: str) -> None:
    found = limits(load(f"{LINKED}void f(struct s **p) {{ {body} }}", "f"))
    assert [text.partition(": ")[2] for text in found] == ["any argument for the parameter p of f"]


def test_null_may_be_passed() -> None:
    loaded = load("void f(int *p) { assert(p); }", "f")
    assert result_of(loaded, "assertions", "walks").verdict.value == "UNSAFE"


def test_cells_hold_any_values() -> None:
    loaded = load("void f(unsigned char *p) { assert(!p || *p != 17); }", "f")
    assert result_of(loaded, "assertions", "explicit").verdict.value == "UNSAFE"


def test_whose_memory_it_is_is_listed() -> None:
    """That two parameters do not alias is assumed, too."""
    loaded = load("void f(int *p, int *q) { if (p && q) *p = *q; }", "f")
    for name in ("p of f", "q of f"):
        (said,) = (each for each in loaded.assumptions if name in each)
        assert "no other call gets it, no other parameter of the call gets the same" in said


@pytest.mark.parametrize(
    ("text", "only_followed"),
    [
        ("void f(int *p) { *p = 1; }", True),
        ("struct s { int a; }; void f(struct s *p) { p->a++; }", True),
        ("void f(int *p) { int *q = p; *q = 1; }", False),
        ("void f(int *p) { if (!p) total = *p; }", False),
        ("static int g(int *p) { return *p; } void f(int *p) { g(p); }", False),
        ("void f(int *p) { int **q = &p; **q = 1; }", False),
    ],
)
def test_null_that_is_only_followed_is_for_memory(
    text: str,
    only_followed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such calls do nothing but end runs; `memory`, which lifetimes are for, asks about them."""
    monkeypatch.setattr(walks_engine, "WALKS", 12)
    monkeypatch.setattr(walk, "LONGEST", 200)
    for lifetimes in (False, True):
        options = COptions(entry=("f",), lifetimes=lifetimes)
        loaded = load_c([SourceFile("t.c", HEADERS + LOCK + text)], options)
        found = result_of(loaded, "memory", "walks").verdict.value == "UNSAFE"
        assert found == (lifetimes or not only_followed)
