"""Functions that nobody describes, and what lies behind limits."""

from __future__ import annotations

import pytest

from threadwise.core.c_options import UnknownFunctions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import SimplifiedC, load_c
from threadwise.frontends.c.options import COptions
from threadwise.ir.beyond import BEYOND, is_beyond
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import OperationKind
from threadwise.ir.program import FailureKind, Program
from threadwise.ir.text.printer import print_expr, print_place

STRICT = COptions(unknown_functions=UnknownFunctions.STRICT)
PAIR = """
#include <pthread.h>
#include <assert.h>
struct pair { int n; struct pair *next; };
"""


def load(text: str, options: COptions | None = None) -> SimplifiedC:
    loaded = load_c([SourceFile("main.c", PAIR + text)], options or COptions())
    assert validate(loaded.program) == []
    return loaded


def verdict(loaded: SimplifiedC, selector: str = "assertions") -> str:
    options = CheckOptions(properties=(selector,), engine="explicit")
    return check_loaded("main.c", lambda: loaded.program, options, in_process=True).verdict.value


def limits(program: Program) -> list[tuple[str, str]]:
    """Kind and message of the limits that are not about pointers in general."""
    return [
        (found.failure.kind.value, found.failure.message.partition(": ")[2])
        for found in program.locations
        if found.failure is not None
        and found.failure.kind in (FailureKind.LIMIT, FailureKind.OPEN)
    ]


def subjects(program: Program) -> list[str]:
    return [
        "" if edge.operation.subject is None else print_expr(edge.operation.subject)
        for edge in program.edges
        if edge.operation is not None and edge.operation.kind is OperationKind.UNKNOWN_CALL
    ]


def test_numbers_made_of_pointers_lead_to_what_is_there() -> None:
    for given in ("(long)&a", "(long)(unsigned long)&a + 1", "(long)&a & ~7"):
        text = f"void f(long n); struct pair a; int main(void) {{ f({given}); return 0; }}"
        (subject,) = subjects(load(text).program)
        assert subject.startswith("to_pointer(")
        assert "&a" in subject


def test_a_call_is_an_open_limit_with_a_step_behind_it() -> None:
    loaded = load(
        "int f(struct pair *p, int n); struct pair a; int main(void) { return f(&a, 1); }"
    )
    assert limits(loaded.program) == [("open", "unknown function f")]
    [behind] = [edge for edge in loaded.program.edges if is_beyond(edge)]
    sibling = [e.target for e in loaded.program.outgoing[behind.source] if e is not behind]
    assert [loaded.program.locations[t].failure is not None for t in sibling] == [True]
    assert any(told.startswith("f (main.c:5)") for told in loaded.assumptions)


def test_no_run_goes_on_behind_it() -> None:
    text = "int f(int *p); int main(void) { int x = 3; f(&x); assert(x == %d); }"
    for value in (3, 4):  # neither proved nor refuted
        assert verdict(load(text % value)) == "UNKNOWN"


def test_violations_before_it_are_found() -> None:
    text = "int f(int *p); int main(void) { int x = 3; assert(x == 4); f(&x); }"
    assert verdict(load(text)) == "UNSAFE"


def test_an_unreachable_call_does_no_harm() -> None:
    text = "int f(int *p); int x; int main(void) { if (x) f(&x); assert(x == 0); }"
    assert verdict(load(text)) == "SAFE"


def test_each_pointer_is_a_subject() -> None:
    text = """
    void f(const char *t, struct pair *p, struct pair q, int n);
    struct pair a, b;
    int main(void) { b.next = &a; f("text", &a, b, 2); }
    """
    found = subjects(load(text).program)
    assert len(found) == 2
    assert "a" in found[0]


def test_what_lies_behind_is_part_of_the_program() -> None:
    text = """
    struct pair *f(void); int shared;
    void *worker(void *p) { shared = 1; return p; }
    int main(void) {
        struct pair *p = f(); pthread_t t;
        if (p) p->n = 2;
        return pthread_create(&t, 0, worker, 0);
    }
    """
    program = load(text).program
    assert [template.name for template in program.templates] == ["main", "worker"]
    kinds = {edge.operation.kind for edge in program.edges if edge.operation is not None}
    assert OperationKind.SPAWN in kinds


def test_memory_that_a_function_may_change_is_not_taken_as_constant() -> None:
    text = """
    void f(int *p); int flag, shared;
    void *worker(void *p) { if (flag) shared = 1; return p; }
    int main(void) { pthread_t t; f(&flag); pthread_create(&t, 0, worker, 0); shared = 2; }
    """
    places = [
        print_place(assignment.target)
        for edge in load(text).program.edges
        if not is_beyond(edge)
        for assignment in getattr(edge.action, "assignments", ())
    ]
    assert places.count("shared") == 2


REFUSED = [
    ("void my_lock(int *p);", "my_lock(&x)", "whose name says `lock`"),
    ("void waitForIt(int *p);", "waitForIt(&x)", "whose name says `wait`"),
    ("void f(pthread_mutex_t *m);", "f(&m)", "which gets a lock or a thread"),
    ("void f(void (*g)(void));", "f(g)", "which can get at a function to call"),
    ("void f(void *p);", "f(&table)", "which can get at a function to call"),
]


@pytest.mark.parametrize(("declared", "call", "why"), REFUSED)
def test_what_is_not_bounded_stays_a_limit(declared: str, call: str, why: str) -> None:
    text = f"""
    {declared} int x; pthread_mutex_t m; void g(void) {{ }}
    struct {{ int n; struct {{ void (*g)(void); }} *in; }} table;
    int main(void) {{ {call}; x = 1; }}
    """
    [(kind, message)] = limits(load(text).program)
    assert kind == "limit"
    assert message.endswith(why)


@pytest.mark.parametrize("name", ["clock_of", "blocker", "seam", "threadbare"])
def test_words_are_whole_words(name: str) -> None:
    text = f"void {name}(int *p); int x; int main(void) {{ {name}(&x); }}"
    assert limits(load(text).program) == [("open", f"unknown function {name}")]


def test_strict_keeps_the_limit() -> None:
    loaded = load("int f(int *p); int x; int main(void) { return f(&x); }", STRICT)
    assert limits(loaded.program) == [("limit", "unknown function f")]
    assert all(d.variable != BEYOND for d in loaded.program.globals)
    assert not any(told.startswith("f ") for told in loaded.assumptions)


def test_an_unknown_function_that_does_not_return() -> None:
    text = "_Noreturn void die(char *why); char t[2]; int x; int main(void) { die(t); x = 1; }"
    program = load(text).program
    kinds = [loc.failure.kind.value for loc in program.locations if loc.failure is not None]
    assert sorted(kinds) == ["end", "open"]


WRITE, READ = OperationKind.UNKNOWN_WRITE, OperationKind.UNKNOWN_READ
FILL = OperationKind.UNKNOWN_FILL
BLOCKS = [
    ("struct pair a, b; int n;", "memcpy(&a, &b, 3);", [READ, WRITE]),
    ("struct pair a; int n;", "memset(&a, n, sizeof a);", [FILL]),
    ("struct pair a, b; int n;", "n = memcmp(&a, &b, sizeof a);", [READ, READ]),
]


@pytest.mark.parametrize(("declared", "statement", "wanted"), BLOCKS)
def test_blocks_of_memory_that_are_no_objects(
    declared: str, statement: str, wanted: list[OperationKind]
) -> None:
    text = f"""
    #include <string.h>
    {declared} int after; int main(void) {{ {statement} after = 1; return after; }}
    """
    program = load(text).program
    assert [kind for kind, _ in limits(program)] == ["open"]
    kinds = [e.operation.kind for e in program.edges if is_beyond(e) and e.operation is not None]
    assert kinds == wanted


def test_who_gets_nothing_may_use_what_others_were_given() -> None:
    text = "int ask(int *); int again(void); int rand(void); int x; int main(void) { %s }"
    alone = load(text % "again(); return rand();")
    assert limits(alone.program) == []
    together = load(text % "ask(&x); again(); return rand();")
    assert limits(together.program) == [
        ("open", "unknown function ask"),
        ("open", "unknown function again"),
    ]
    assert subjects(together.program) == ["&x", ""]
    pure = load(text % "ask(&x); again();", COptions(pure=frozenset({"ask"})))
    assert limits(pure.program) == []


OPEN = [
    ("struct open { int n; int data[]; } *p;", "p = p + 1; p->data[0] = 1;"),
    ("int *p;", '__asm__ volatile ("stosq" : : "D"(p) : "memory");'),
    ("int (*f)(int); int twice(int n) { return 2 * n; }", "f = twice; f(3);"),
]


@pytest.mark.parametrize(("declared", "statement"), OPEN)
def test_the_program_goes_on_behind_what_is_bounded(declared: str, statement: str) -> None:
    text = f"""
    {declared} int shared;
    void *worker(void *p) {{ shared = 1; return p; }}
    int main(void) {{
        pthread_t t; {statement}
        return pthread_create(&t, 0, worker, 0);
    }}
    """
    record = load(text).record
    assert [kind for kind, _ in limits(record)] == ["open"]
    assert "worker" in record.template


def test_threads_as_numbers() -> None:
    text = """
    pthread_t ids[2]; int x;
    void start(pthread_t id) { x = 3; ids[id] = id; }
    int main(void) { start((pthread_t)0); assert(x == %d); }
    """
    assert verdict(load(text % 3)) == "SAFE"
    assert verdict(load(text % 4)) == "UNSAFE"


OVERFLOWS = [
    ("int r", "!__builtin_add_overflow(1, 2, &r) && r == 3"),
    ("int r", "__builtin_add_overflow(0x7fffffff, 1, &r) && r < 0"),
    ("unsigned char r", "__builtin_add_overflow(200, 100, &r) && r == 44"),
    ("unsigned long r", "__builtin_sub_overflow(0u, 1u, &r)"),
    ("long r", "__builtin_mul_overflow(0x7fffffffffffffff, 2L, &r)"),
    ("unsigned long r", "!__builtin_mul_overflow(3UL, 4, &r) && r == 12"),
    ("double r", "(r = __builtin_inf()) > 1e300"),
]


def test_functions_of_the_compiler() -> None:
    checks = "".join(f"{{ {declared}; assert({told}); }}" for declared, told in OVERFLOWS)
    assert verdict(load(f"int main(void) {{ {checks} }}")) == "SAFE"
