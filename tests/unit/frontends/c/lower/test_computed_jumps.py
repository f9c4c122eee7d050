"""`&&label` and `goto *p`."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, checked, holds, verdicts

MACHINE = """
enum { PUSH, ADD, DOUBLE, STOP };
static int run(const int *code) {
    static const void *const ops[] = { &&push, &&add, &&twice, &&stop };
    int stack[4], depth = 0;
    goto *ops[*code++];
push:
    stack[depth++] = *code++;
    goto *ops[*code++];
add:
    depth--;
    stack[depth - 1] += stack[depth];
    goto *ops[*code++];
twice: {
        int top = stack[depth - 1];
        stack[depth - 1] = top + top;
    }
    goto *ops[*code++];
stop:
    return stack[0];
}
"""


def test_an_interpreter_runs() -> None:
    code = "const int code[] = { PUSH, 2, PUSH, 3, ADD, DOUBLE, STOP };"
    assert holds(f"{code} assert(run(code) == 10);", MACHINE)


def test_every_thread_jumps_on_its_own() -> None:
    text = f"""{INCLUDES}{MACHINE}
static int results[2];
static void *work(void *given) {{
    const int one[] = {{ PUSH, 1, DOUBLE, STOP }}, two[] = {{ PUSH, 4, PUSH, 5, ADD, STOP }};
    int which = *(int *)given;
    results[which] = run(which ? two : one);
    return 0;
}}
int main(void) {{
    pthread_t t;
    int zero = 0, one = 1;
    pthread_create(&t, 0, work, &one);
    work(&zero);
    pthread_join(t, 0);
    assert(results[0] == 2 && results[1] == 9);
}}
"""
    assert set(verdicts(text, "assertions", "races").values()) == {"SAFE"}


def test_addresses_of_labels_differ() -> None:
    assert holds("void *p = &&a, *q = &&b; assert(p && p != q && p == &&a); a: b: return 0;")


@pytest.mark.parametrize(("start", "verdict"), [("&&a", "SAFE"), ("&&b", "UNSAFE")])
def test_the_right_label_is_reached(start: str, verdict: str) -> None:
    body = f"void *p = {start}; goto *p; a: return 0; b: assert(0); return 1;"
    text = f"{INCLUDES}int main(void) {{ {body} }}\n"
    assert checked(text, "assertions").verdict.value == verdict


def test_what_a_jump_skips_is_not_initialised() -> None:
    body = "void *p = &&in; goto *p; { int x = 5; in: assert(x == 5); } return 0;"
    text = f"{INCLUDES}int main(void) {{ {body} }}\n"
    assert checked(text, "assertions").verdict.value != "SAFE"


@pytest.mark.parametrize("start", ["0", "&other", "elsewhere()"])
def test_what_is_no_label_of_the_function_is_a_limit(start: str) -> None:
    before = "int other; void *elsewhere(void) { return &&here; here: return 0; }"
    body = f"void *p = {start}; goto *p; a: p = &&a; assert(p); return 0;"
    text = f"{INCLUDES}{before} int main(void) {{ {body} }}\n"
    result = checked(text, "assertions")
    assert result.verdict.value == "UNKNOWN"
    assert any("goto to no label" in (each.reason or "") for each in result.properties)
