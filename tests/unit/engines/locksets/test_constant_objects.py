"""String literals and functions: unknown functions do not write them, programs might try to."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.ir.expr import DerefPlace, Read, VariablePlace
from threadwise.ir.types import INT
from threadwise.proofs.locksets.accesses import is_only_read
from threadwise.proofs.locksets.beyond import DATA, ESCAPED, WHOLE
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.results.result import Result

PROGRAM = """
#include <pthread.h>
#include <string.h>
int log_it(const char *format, NAME);
struct choice { char *text; int number; };
int choose(struct choice *c);
static char own[4] = "abc";
static char string$1[4] = "abc", string$2[4] = "abc", string$3[4] = "abc";
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    WORK
    return a;
}
int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, work, 0))
        return 1;
    MAIN
    pthread_join(t, 0);
    return 0;
}
"""
CALLS = {"WORK": 'log_it("%s", ARGUMENT);', "MAIN": 'log_it("%s", ARGUMENT);'}
LITERAL = {name: text.replace("ARGUMENT", '"text"') for name, text in CALLS.items()}
INSIDE = {
    "WORK": 'struct choice c = {"text", 1}; choose(&c);',
    "MAIN": 'struct choice c = {"text", 1}; choose(&c);',
}
SHARED = {
    "an array": {name: text.replace("ARGUMENT", "own") for name, text in CALLS.items()},
    "one that has the name of a literal": {
        name: text.replace("ARGUMENT", "string$1") for name, text in CALLS.items()
    },
    "another one": {name: text.replace("ARGUMENT", "string$3") for name, text in CALLS.items()},
    "a literal that the program writes": {
        "WORK": LITERAL["WORK"],
        "MAIN": 'char *p = "text"; p[0] = 1; log_it("%s", p);',
    },
    "one that two threads write": {
        "WORK": 'char *p = "text"; p[0] = 1;',
        "MAIN": 'char *p = "text"; p[0] = 1;',
    },
    "as a whole": {
        "WORK": 'char *p = "text"; for (int i = 0; i < n; i++) p[i] = 1;',
        "MAIN": 'memset("text", 0, n);',
    },
}


def undecided(case: dict[str, str]) -> list[str]:
    program = PROGRAM
    for name, part in ({"NAME": "char *text"} | case).items():
        program = program.replace(name, part)
    found = loaded(program).program
    options = CheckOptions(properties=("races",), engine="locksets")
    result: Result = check_loaded("t.c", lambda: found, options, in_process=True)
    [races] = result.properties
    assert races.part is not None
    return [each.name for each in races.part.locations if not each.is_proved]


@pytest.mark.parametrize("case", [LITERAL, INSIDE])
def test_unknown_functions_do_not_write_literals(case: dict[str, str]) -> None:
    left = undecided(case)
    assert left
    assert not [name for name in left if "string$" in name], left


def test_what_nobody_writes() -> None:
    """Functions; literals as far as unknown functions go, and nothing that is called alike."""
    pointer = Read(VariablePlace(ESCAPED))
    unknown, own = DerefPlace(pointer, DATA), DerefPlace(pointer, INT)
    filled = DerefPlace(pointer, WHOLE)
    assert is_only_read(Target("&f", 0), own)
    assert is_only_read(Target("string$12", 0), unknown)
    assert is_only_read(Target("string$12", 0), own)
    assert not is_only_read(Target("string$12", 0), filled)
    for name in ("string$12$", "string$", "string$x", "string", "mystring$1"):
        assert not is_only_read(Target(name, 0), unknown)


@pytest.mark.parametrize("case", SHARED)
def test_what_may_be_written_is_shared(case: str) -> None:
    left = undecided(SHARED[case])
    assert [name for name in left if "string$" in name or "own" in name], left
