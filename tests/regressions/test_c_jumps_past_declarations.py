"""`goto` and `switch` may lead past declarations: the variables live, with any values.

They had the values that variables of a procedure start with, or those of a life before: SAFE of
assertions that fail, natively, with what happens to be on the stack.
"""

from __future__ import annotations

import pytest

from tests.every_engine import verdicts

HEAD = """
#include <assert.h>
extern int nd(void);
int y, k = 1;
static void three(int *p) { *p = 3; }
"""
UNSAFE = {
    "goto": "goto in; int x; in: assert(x == 0);",
    "goto past an initialiser": "goto in; int x = 5; in: assert(x == 5 || x == 0);",
    "goto into a block": "goto in; { int x; y = 1; in: assert(x == 0); }",
    "goto into a loop": "goto in; for (int i = 0; i < 2; i++) { in: assert(i == 0); break; }",
    "goto out and in": """int n = 0;
        again: if (n) goto in; { int x = 7; n = 1; goto again; in: assert(x == 7); }""",
    "switch": "switch (k) { int x; case 1: assert(x == 0); }",
    "switch past an initialiser": """switch (k)
        { case 0:; int x = 5; case 1: assert(x == 5 || x == 0); }""",
    "switch past an array": "switch (k) { case 0:; int x[2] = {0, 0}; case 1: assert(x[k] == 0);}",
    "switch in a loop": """for (int i = 0; i < 2; i++)
        switch (i) { int x; case 0: x = 5; break; case 1: assert(x == 5); }""",
    "switch to default": "switch (k) { case 0:; int x = 5; default: assert(x == 5 || x == 0); }",
    "switch into a loop": """switch (k)
        { case 0: for (int i = 0; i < 2; i++) { case 1: assert(i == 0); break; } }""",
    "several in one": "switch (k) { int a, b; case 0: a = 1; case 1: b = 0; assert(a == b); }",
    "a record": """struct pair { int a, b; };
        switch (k) { struct pair p = {1, 1}; case 1: p.a = 1; assert(p.b < 2); }""",
}
SAFE = {
    "written behind the label": "goto in; int x; in: x = 5; assert(x == 5);",
    "its address is taken": "switch (k) { int x; case 1: three(&x); assert(x == 3); }",
    "in a loop": """for (int i = 0; i < 3; i++) switch (i)
        { int x; case 0: x = 4; assert(x == 4); break; case 1: three(&x); assert(x == 3); }""",
    "from inside the scope": "int x = 5; goto in; y = 1; in: assert(x == 5);",
    "back, inside it": "{ int x = 0; again: if (x < 2) { x++; goto again; } assert(x == 2); }",
    "back, before it": "again: { int x = 5; if (y < 2) { y++; goto again; } assert(x == 5); }",
    "out of it": "int n = 2; { int x = 5; if (nd()) goto out; x = 6; } out: assert(n == 2);",
    "another case": "switch (k) { case 1: { int x = 5; assert(x == 5); } case 2: y = 1; }",
    "both ways": """switch (nd())
        { case 0:; int x = 5; assert(x == 5); case 1: x = 6; assert(x == 6); }""",
    "an initialiser that runs": """switch (nd())
        { case 0:; int x[2] = {0, 0}; assert(x[k] == 0); case 1: x[k] = 1; assert(x[k] == 1); }""",
}


def _text(body: str) -> str:
    return f"{HEAD}int main(void) {{ {body}\nreturn 0; }}\n"


@pytest.mark.parametrize("case", UNSAFE)
def test_values_of_skipped_declarations_are_any(case: str) -> None:
    found = verdicts(_text(UNSAFE[case]), "assertions")
    assert not any("SAFE" in said for said in found.values())
    assert any("UNSAFE" in said for said in found.values())


@pytest.mark.parametrize("case", SAFE)
def test_what_is_written_is_known(case: str) -> None:
    found = verdicts(_text(SAFE[case]), "assertions")
    assert not any("UNSAFE" in said for said in found.values())
    assert any(said == ("SAFE",) * len(said) for said in found.values())


@pytest.mark.parametrize("case", [*SAFE, *UNSAFE])
def test_memory_is_good(case: str) -> None:
    """The variables live, although their declarations are not reached."""
    found = verdicts(_text({**SAFE, **UNSAFE}[case]), "memory", engines=["explicit", "locksets"])
    assert not any("UNSAFE" in said for said in found.values())
