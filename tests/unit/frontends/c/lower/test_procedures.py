"""Functions as procedures: what they compute, what threads do in them, and which are chosen."""

import pytest

from tests.unit.frontends.c.checking import checked, lowered
from threadwise.frontends.c.lower import inlining
from threadwise.ir.commands import Call
from threadwise.ir.program import Program

HEADERS = "#include <assert.h>\n#include <pthread.h>\n#include <stdarg.h>\n#include <stdlib.h>\n"

HOLD = {
    "an aggregate comes back": """
        struct pair { int a; int b; };
        struct pair make(int a) { struct pair p = {a, 2}; if (a > 2) return p; p.b = a; return p; }
        struct pair twice(int a) { struct pair p = make(a); struct pair q = make(p.a + 1);
                                   p.b = q.b; return p; }
        int main(void) { struct pair p = twice(1); assert(p.a == 1 && p.b == 2); }""",
    "recursion with aggregates": """
        struct pair { int a; int b; };
        struct pair fib(int n) { struct pair p = {0, 1}; if (n == 0) return p;
                                 struct pair q = fib(n - 1); p.a = q.b; p.b = q.a + p.a;
                                 return p; }
        int main(void) { struct pair p = fib(5); assert(p.a == 5 && p.b == 8); }""",
    "an aggregate comes back from the only end": """
        struct pair { int a; int b; };
        struct pair down(int n) { struct pair p = {n, 1}; if (n > 0) p = down(n - 1); p.b += n;
                                  return p; }
        int main(void) { struct pair p = down(3); assert(p.a == 0 && p.b == 7); }""",
    "locals in memory, one for each activation": """
        void set(int *p, int n) { *p = n; }
        int sum(int n) { int mine; set(&mine, n); if (n == 0) return 0;
                         int rest = sum(n - 1); return mine + rest; }
        int main(void) { assert(sum(4) == 10); }""",
    "pointers to functions": """
        int one(int n) { return n + 1; } int two(int n) { return n + 2; }
        int apply(int (*f)(int), int n) { return f(n); }
        int main(void) { assert(apply(one, 1) == 2); assert(apply(two, 1) == 3); }""",
    "unnamed arguments": """
        int count(int n, ...) { va_list all; va_start(all, n); va_end(all); return n; }
        int main(void) { int x = 0; assert(count(2, x++, 7) == 2); assert(x == 1); }""",
    "a thread that ends inside a procedure": """
        int x; void bye(int n) { if (n) pthread_exit(0); x++; }
        void *work(void *p) { bye(0); bye(1); x = 100; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0);
                         bye(0); assert(x == 2); }""",
    "threads started in a procedure, and counted": """
        int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void *work(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        pthread_t start(void) { pthread_t t; pthread_create(&t, 0, work, 0); return t; }
        int main(void) { pthread_t a = start(), b = start(); pthread_join(a, 0);
                         pthread_join(b, 0); assert(x == 2); }""",
    "atomic functions": """
        int x; int get(void) { return x; }
        void __VERIFIER_atomic_add(int n) { x = get() + n; }
        void *work(void *p) { __VERIFIER_atomic_add(1); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); __VERIFIER_atomic_add(1);
                         pthread_join(t, 0); assert(x == 2); }""",
    "what memory is for is in the text of an argument": """
        void *grab(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }
        struct pair { int a; int b; };
        struct other { struct pair p; };
        int main(void) { struct pair *p = grab(sizeof *p); p->b = 3;
                         struct other *q = grab(sizeof *q); q->p.b = p->b;
                         assert(q->p.b == 3); }""",
    "code behind an end, and ways around it": """
        int g; int die(void) { exit(1); } int f(int n) { g++; return n; }
        int main(void) { int z = g ? die() : f(3); do { g++; } while (g < 3); assert(z == 3);
                         switch (g) { g = 9; case 3: g = 4; break; default: die(); g = 7; }
                         goto on; die(); on: assert(g == 4); }""",
}
FAIL = {
    "an aggregate of another call": """
        struct pair { int a; int b; };
        struct pair make(int a) { struct pair p = {a, a}; return p; }
        int main(void) { struct pair p = make(1), q = make(2); assert(p.a == q.a); }""",
    "after the join of a thread that ended in a procedure": """
        int x; void bye(void) { pthread_exit(0); } void *work(void *p) { bye(); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0);
                         assert(0); }""",
    "a label behind an end": """
        int g; int main(void) { if (g) goto on; g = 1; goto next; exit(0); on: assert(0);
                                next: if (g < 3) { g++; goto on; } }""",
    "a case behind a return": """
        int f(int n) { switch (n) { return 1; case 2: return 5; } return 0; }
        int main(void) { assert(f(2) == 1); }""",
    "another operand of a choice whose first does not come back": """
        int g; int die(void) { exit(1); } int f(void) { assert(0); return 1; }
        int main(void) { int z = g ? die() : f(); return z; }""",
}


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all functions be procedures that can be."""
    monkeypatch.setattr(inlining, "POLICY", inlining.EVERYTHING)


def called(program: Program) -> set[str]:
    """The procedures that are called."""
    return {edge.action.procedure for edge in program.edges if isinstance(edge.action, Call)}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("text", HOLD.values(), ids=HOLD)
def test_procedures_compute_what_inlined_functions_do(text: str) -> None:
    result = checked(HEADERS + text, "assertions")
    assert result.verdict.value == "SAFE", result


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("text", FAIL.values(), ids=FAIL)
def test_failures_are_found(text: str) -> None:
    assert checked(HEADERS + text, "assertions").verdict.value == "UNSAFE"


@pytest.mark.usefixtures("everything")
def test_what_can_be_a_procedure_is_one() -> None:
    assert called(lowered(HEADERS + HOLD["pointers to functions"])) == {"apply", "one", "two"}
    assert called(lowered(HEADERS + HOLD["atomic functions"])) == {"work"}


def test_small_programs_are_inlined() -> None:
    for name in ("an aggregate comes back", "unnamed arguments", "atomic functions"):
        assert not called(lowered(HEADERS + HOLD[name]))


def many(calls: int) -> str:
    """A program in which everybody calls everything below."""
    functions = ["int x;\nvoid f0(int n) { if (n) x = n; else x = x + 1; x--; }"]
    for level in range(1, 6):
        inner = f"f{level - 1}(n); " * calls
        functions.append(f"void f{level}(int n) {{ {inner} }}")
    return "\n".join(functions) + "\nint main(void) { f5(1); }"


@pytest.mark.slow
def test_what_would_cost_too_much_is_called() -> None:
    assert not called(lowered(many(3)))
    program = lowered(many(12))
    assert called(program)
    assert "f5" not in called(program)  # it is called at one place
    assert len(program.edges) < inlining.POLICY.budget


def test_locks_and_threads_are_inlined_where_that_is_cheap() -> None:
    text = many(10).replace(
        "int main(void) {",
        """pthread_mutex_t m; void take(void) { pthread_mutex_lock(&m); }
        void *work(void *p) { take(); x = 1; return 0; }
        void start(void) { pthread_t t; pthread_create(&t, 0, work, 0); }
        int main(void) { take(); start(); start();""",
    )
    assert not {"take", "start"} & called(lowered(HEADERS + text))
