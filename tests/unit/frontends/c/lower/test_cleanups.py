"""The attribute cleanup: which function is called where, and in which order."""

import pytest

from tests.unit.frontends.c.checking import checked

HEAD = """
#include <assert.h>
static int said;
static void end(int *x) { said = said * 10 + *x; }
static void end_any(void *x) { said = said * 10 + *(int *)x; }
#define V(name, value) __attribute__((cleanup(end))) int name = value
"""

HOLD = {
    "the newest first, where the block ends": """
        int main(void) { { V(a, 1); V(b, 2); b = 3; } assert(said == 31); }""",
    "before break and continue": """
        int main(void) {
            for (int i = 0; i < 3; i++) { V(a, 1); if (i == 0) continue; { V(b, 2); break; } }
            assert(said == 121); }""",
    "a break of a switch stays in the loop": """
        int main(void) {
            for (int i = 0; i < 2; i++) {
                V(a, 1); switch (i) { case 0: { V(b, 2); break; } default: break; } }
            assert(said == 211); }""",
    "what is returned is computed before": """
        static int f(void) { V(a, 1); V(b, 2); return said; }
        int main(void) { assert(f() == 0); assert(said == 21); }""",
    "a record is returned": """
        struct pair { int x, y; };
        static struct pair f(void) { V(a, 1); struct pair p = {said, 5}; return p; }
        int main(void) { struct pair p = f(); assert(p.x == 0 && p.y == 5 && said == 1); }""",
    "nothing is returned": """
        static void f(int k) { V(a, 1); if (k) return; V(b, 2); }
        int main(void) { f(1); assert(said == 1); f(0); assert(said == 121); }""",
    "goto out of a block, and back": """
        int main(void) {
            int n = 0;
        again:;
            { V(a, 1); if (n++ < 2) goto again; }
            assert(said == 111); }""",
    "goto inside the block": """
        int main(void) { { V(a, 1); goto on; on: a = 2; } assert(said == 2); }""",
    "a function for any pointer": """
        int main(void) { { int __attribute__((cleanup(end_any))) a = 4; } assert(said == 4); }""",
}

REFUSED = {
    "a jump out of a statement expression": """
        static int f(void) { V(a, 1); int b = ({ if (said == 0) return 1; 2; }); return b; }
        int main(void) { f(); assert(said >= 0); }""",
    "a variable of a for loop": """
        int main(void) { for (V(a, 1); a < 2; a++) { } assert(said >= 0); }""",
}


@pytest.mark.parametrize("text", HOLD.values(), ids=HOLD)
def test_calls(text: str) -> None:
    result = checked(HEAD + text, "assertions")
    assert {p.verdict.value for p in result.properties} == {"SAFE"}, result


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_not_covered(text: str) -> None:
    result = checked(HEAD + text, "assertions")
    assert {p.verdict.value for p in result.properties} == {"UNKNOWN"}
    assert any("cleanup" in (p.reason or "") for p in result.properties)
