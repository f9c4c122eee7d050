"""Operands of `asm` are evaluated, and memory that it may reach through them may change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.frontends.c.checking import checked
from threadwise import check
from threadwise.results.verdict import Verdict

PROGRAM = """
#include <pthread.h>
#include <assert.h>
#define barrier() __asm__ volatile("" ::: "memory")
int x, *p = &x;
int called(void) { x = 1; return 1; }
void *work(void *unused) { ASM; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    OTHER;
    return 0;
}
"""


def verdict(statement: str, other: str, name: str) -> str:
    text = PROGRAM.replace("ASM", statement).replace("OTHER", other)
    return checked(text, name).verdict.value


def test_what_is_read_races() -> None:
    """A wrong SAFE once: operands that are values were not looked at."""
    assert verdict('__asm__ volatile("" :: "r"(x))', "x = 3", "races") == "UNSAFE"


def test_effects_of_operands_happen() -> None:
    """A wrong SAFE once."""
    other = "pthread_join(t, 0); assert(x == 0)"
    assert verdict('__asm__ volatile("" :: "r"(called()))', other, "assertions") == "UNSAFE"


@pytest.mark.parametrize("operand", ["&x", "p", "(long)&x"])
def test_memory_behind_operands_may_change(operand: str) -> None:
    """A wrong SAFE once: only what was written directly counted."""
    statement = f'__asm__ volatile("movl $1, (%0)" :: "r"({operand}) : "memory")'
    other = "pthread_join(t, 0); assert(x == 0)"
    assert verdict(statement, other, "assertions") == "UNKNOWN"


@pytest.mark.parametrize(
    "statement",
    ["barrier()", '__asm__ volatile("mfence" ::: "memory")', '__asm__ ("" :: "r"(p) : "memory")'],
)
def test_barriers_change_nothing(statement: str) -> None:
    other = "pthread_join(t, 0); assert(x == 0)"
    assert verdict(statement, other, "assertions") == "SAFE"


@pytest.mark.parametrize(
    ("statement", "claim"),
    [
        ('int v; __asm__ ("movl $1, %0" : "=r"(v)); x = v', "x == 1"),
        ('int v = 1; __asm__ ("incl %0" : "+r"(v)); if (v != 2) x = 1', "x == 0"),
        ('int v[2]; __asm__ ("" : "=r"(v[0]), "=r"(v[1])); x = v[1]', "x == 1"),
    ],
)
def test_results_are_not_computed(tmp_path: Path, statement: str, claim: str) -> None:
    """A wrong UNSAFE once: that they may be any value is our ignorance, not the program's."""
    other = f"pthread_join(t, 0); assert({claim})"
    path = tmp_path / "t.c"
    path.write_text(PROGRAM.replace("ASM", statement).replace("OTHER", other))
    result = check(path, properties=["assertions"], engine="explicit", in_process=True)
    assert result.verdict is Verdict.UNKNOWN
    assert "a value that is not computed" in (result.properties[0].reason or "")


@pytest.mark.parametrize("text", ['"incl x"', 'PREFIX "incl x"', '"nop; incl x"', "PREFIX"])
def test_without_operands_the_text_may_name_anything(text: str) -> None:
    """A wrong SAFE once."""
    program = f'#define PREFIX "lock; "\n{PROGRAM}'
    found = program.replace("ASM", f"__asm__ volatile({text})").replace("OTHER", "x = 3")
    assert checked(found, "races").verdict.value == "UNKNOWN"


@pytest.mark.parametrize(
    "text", ["", "nop", "rep; nop", "rep\\n\\tnop", "dmb ish", "lock; addl $0,0(%%rsp)"]
)
def test_harmless_instructions_change_nothing(text: str) -> None:
    other = "pthread_join(t, 0); assert(x == 0)"
    assert verdict(f'__asm__ volatile("{text}")', other, "assertions") == "SAFE"
