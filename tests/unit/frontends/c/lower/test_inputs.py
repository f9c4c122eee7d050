"""Inputs that are only compared: a few values stand for all, and no verdict changes."""

import pytest

from tests.unit.frontends.c.checking import lowered, verdicts
from threadwise.ir.commands import Command

NONDET = "extern int __VERIFIER_nondet_int(void);\n#include <assert.h>\n"


def verdict(body: str, before: str = "") -> str:
    text = f"{NONDET}{before}\nint main(void) {{ {body} return 0; }}"
    return "/".join(verdicts(text, "assertions").values())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = __VERIFIER_nondet_int(); assert(x != 77);", "UNSAFE"),
        ("int x = __VERIFIER_nondet_int(); if (x > 5 && x < 7) assert(x == 6);", "SAFE"),
        ("int x = __VERIFIER_nondet_int(); if (x > 5 && x < 8) assert(x == 6);", "UNSAFE"),
        ("int x = __VERIFIER_nondet_int(); assert(x >= -2147483647 - 1);", "SAFE"),
        ("int x = __VERIFIER_nondet_int(); assert(x > -2147483647 - 1);", "UNSAFE"),
        ("int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = x;"
         "assert(z == x && (y == x || y != z));", "SAFE"),
        ("int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();"
         "if (x > 3 && y > 3) assert(x == y);", "UNSAFE"),
        ("int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(),"
         "z = __VERIFIER_nondet_int(); assert(x == y || y == z || x == z);", "UNSAFE"),
        ("int a[2] = {7}; a[1] = __VERIFIER_nondet_int(); assert(a[0] != a[1]);", "UNSAFE"),
        ("struct { int a, b; } s = {1, 2}; s.a = __VERIFIER_nondet_int(); s.b = s.b + 1;"
         "assert(s.b == 3); assert(s.a);", "SAFE/UNSAFE"),
        ("switch (__VERIFIER_nondet_int()) { case 4: case 9: assert(0); }", "UNSAFE"),
        ("g = __VERIFIER_nondet_int(); if (g == h) assert(g == 12);", "SAFE"),
    ],
)  # fmt: skip
def test_verdicts_are_exact(body: str, expected: str) -> None:
    assert verdict(body, "int g, h = 12;") == expected


@pytest.mark.parametrize(
    "body",
    [
        "int x = __VERIFIER_nondet_int(); assert(x + 1 != 9);",
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); assert(x <= y);",
        "int x = __VERIFIER_nondet_int(); char c = x; assert(c);",
        "int a[3] = {0}; int x = __VERIFIER_nondet_int(); if (x >= 0 && x < 3) assert(!a[x]);",
        "int x = __VERIFIER_nondet_int(); int *p = &x; int **q = &p; assert(**q);",
    ],
)
def test_other_uses_keep_all_values(body: str) -> None:
    program = lowered(f"{NONDET}int main(void) {{ {body} return 0; }}")
    assert any(isinstance(e.action, Command) and e.action.havocs for e in program.edges)


def test_threads_count_their_own_variables() -> None:
    text = f"""#include <pthread.h>
    {NONDET}
    int seen[2]; _Atomic int n;
    void *f(void *a) {{ int v = __VERIFIER_nondet_int(); seen[n++] = v; return 0; }}
    int main(void) {{
        pthread_t t[2];
        for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
        assert(seen[0] == seen[1]);
        return 0;
    }}"""
    assert set(verdicts(text, "assertions").values()) == {"UNSAFE"}


def test_samples_find_violations_and_prove_nothing() -> None:
    body = "int x = __VERIFIER_nondet_int(); int y = x * 2; assert(y != 84); assert(y % 2 == 0);"
    found = verdicts(f"{NONDET}int main(void) {{ {body} }}", "all")
    assert found == {
        "assert:3:66": "UNKNOWN",
        "assert:3:83": "UNKNOWN",
        "mutex": "UNKNOWN",
        "memory": "UNKNOWN",
        "races": "UNKNOWN",
        "deadlocks": "UNKNOWN",
    }
    small = body.replace("84", "20").replace("x * 2", "x + x * 10 / 10")
    assert "UNSAFE" in verdicts(f"{NONDET}int main(void) {{ {small} }}", "all").values()


def test_a_deadlock_is_not_claimed_for_values_that_were_not_tried() -> None:
    text = f"""{NONDET}
    extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
    extern void __VERIFIER_assume(int);
    int main(void) {{
        __VERIFIER_atomic_begin();
        int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x * 3 == 123456 * 3);
        __VERIFIER_atomic_end();
        return 0;
    }}"""
    assert verdicts(text, "deadlocks") == {"deadlocks": "UNKNOWN"}


MANY = """#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int shared, same;
void *f(void *a) {{
    int v = __VERIFIER_nondet_int();
    if (v {compared}) same = 1;
    return 0;
}}
int main(void) {{
    pthread_t t;
    {created}
    return 0;
}}
"""
ENDLESS = "for (;;) pthread_create(&t, 0, f, 0);"


@pytest.mark.parametrize(
    ("compared", "created", "listed"),
    [
        ("== shared", "pthread_create(&t, 0, f, 0);", True),
        ("== shared", "for (int i = 0; i < 3; i++) pthread_create(&t, 0, f, 0);", True),
        ("== shared", ENDLESS, False),
        ("== 7", ENDLESS, True),
    ],
)
def test_any_number_of_threads_may_hold_different_values(
    compared: str, created: str, listed: bool
) -> None:
    """Proofs for pools of any size are about more values than the slots of a search can hold."""
    program = lowered(MANY.format(compared=compared, created=created))
    chosen = [e for e in program.edges if isinstance(e.action, Command) and e.action.havocs]
    assert (not chosen) == listed
