"""C programs on which reading or an engine used to crash.

That no engine fails is seen to by `tests/conftest.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from threadwise.core.budget import Budget
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_source
from threadwise.engines.api import Finding, Task
from threadwise.engines.following import with_creation_index
from threadwise.engines.horn.resting import suggestions
from threadwise.results.verdict import Verdict

BEGIN = """
#include <assert.h>
#include <pthread.h>
static int x, y, a[3] = {4, 5, 6};
static void one(void) { x = 1; }
static void two(void) { x = 2; }
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""


def verdict(text: str, engine: str, *properties: str, steps: int = 50_000) -> Verdict:
    """What an engine says about a program as a whole."""
    program = load_source(SourceFile("x.c", BEGIN + text))
    options = CheckOptions(properties=properties, engine=engine, budget=Budget(steps=steps))
    return check_loaded("x.c", lambda: program, options, in_process=True).verdict


# -- variables of threads that start as addresses ----------------------------------------------

OWN = {
    "static __thread void (*f)(void) = &two; int main(void) { f(); assert(x == 2); }": True,
    "static __thread void (*f)(void) = one; int main(void) { f(); assert(x == 2); }": False,
    "static __thread int *p = &a[1]; int main(void) { assert(*p == 5); }": True,
    "static __thread int *p = a + 2; int main(void) { assert(*p == 5); }": False,
    "static __thread int *p[2] = {0, &y}; int main(void) { *p[1] = 3; assert(y == 3); }": True,
    "struct S { int n; void (*f)(void); }; static __thread struct S s = {3, two};"
    " int main(void) { s.f(); assert(x == 2 && s.n == 3); }": True,
    "static __thread const char *s = 0; int main(void) { assert(s == 0); }": True,
    "static __thread int *p = &x; static void *t(void *u) { p = &y; return u; }"
    " int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); pthread_join(i, 0);"
    " assert(p == &x); }": True,
    "static __thread int *p = &x; static void *t(void *u) { assert(p == &y); return u; }"
    " int main(void) { pthread_t i; pthread_create(&i, 0, t, 0); p = &y; }": False,
    "static void (*f)(void) = two; static __thread void (**g)(void) = &f;"
    " int main(void) { (*g)(); assert(x == 2); }": True,
}


@pytest.mark.parametrize("text", OWN)
def test_variables_of_threads_that_start_as_addresses(text: str) -> None:
    expected = Verdict.SAFE if OWN[text] else Verdict.UNSAFE
    assert verdict(text, "explicit", "assertions") is expected


# -- facts that are found one after the other --------------------------------------------------


def functions_that_name_the_next(length: int) -> str:
    """Each function is known to be called only once the one before it was looked at."""
    last = f"static void f{length}(void) {{ x = {length}; next = 0; }}"
    rest = [f"static void f{i}(void) {{ next = f{i + 1}; }}" for i in range(length - 1, 0, -1)]
    main = f"int main(void) {{ next = f1; while (next) next(); assert(x == {length}); }}"
    return "\n".join(["static void (*next)(void);", last, *rest, main])


def threads_that_start_the_next(length: int) -> str:
    """The same with threads; how many there are is known from the first to the last."""
    last = f"static void *t{length}(void *u) {{ x = 1; return u; }}"
    rest = [
        f"static void *t{i}(void *u) {{ pthread_t i; pthread_create(&i, 0, t{i + 1}, 0);"
        " pthread_create(&i, 0, last, 0); return u; }"
        for i in range(length - 1, 0, -1)
    ]
    main = "int main(void) { pthread_t i; pthread_create(&i, 0, t1, 0); assert(x < 2); }"
    first = "static void *last(void *u) { return u; }"
    return "\n".join([first, last, *rest, main])


@pytest.mark.parametrize("length", [3, 11, 12, 13, 30])
def test_functions_found_one_after_the_other(length: int) -> None:
    text = functions_that_name_the_next(length)
    assert verdict(text, "explicit", "assertions") is Verdict.SAFE


@pytest.mark.parametrize("length", [3, 12, 20])
def test_threads_found_one_after_the_other(length: int) -> None:
    text = threads_that_start_the_next(length)
    program = load_source(SourceFile("x.c", BEGIN + text))
    assert sum(template.count or 0 for template in program.templates) >= 2 * length


# -- shared cells that nothing was written to --------------------------------------------------

UNSET = (
    "static int *p; static void *t(void *u) { pthread_mutex_lock(&m); *p = 1;"
    " pthread_mutex_unlock(&m); return u; } int main(void) { pthread_t i; int l; p = &l;"
    " pthread_create(&i, 0, t, 0); pthread_join(i, 0); }",
    "static void *t(void *u) { *(int *)u = 1; return u; }"
    " int main(void) { pthread_t i; int l; pthread_create(&i, 0, t, &l); pthread_join(i, 0); }",
    "static void *t(void *u) { *(int **)u = &x; return u; }"
    " int main(void) { pthread_t i; int *l; pthread_create(&i, 0, t, &l); pthread_join(i, 0); }",
    "struct S { int n; int *p; }; static void *t(void *u) { ((struct S *)u)->p = 0; return u; }"
    " int main(void) { pthread_t i; struct S l; pthread_create(&i, 0, t, &l);"
    " pthread_join(i, 0); }",
    "static void *t(void *u) { ((int *)u)[1] = 3; return u; }"
    " int main(void) { pthread_t i; int l[2]; pthread_create(&i, 0, t, l); pthread_join(i, 0); }",
)


@pytest.mark.parametrize("engine", ["counting", "horn", "thread-modular", "explicit"])
@pytest.mark.parametrize("text", UNSET)
def test_cells_that_start_without_a_value(text: str, engine: str) -> None:
    assert verdict(text, engine, "races", "assertions") in (Verdict.SAFE, Verdict.UNKNOWN)


# -- formats beyond ASCII ----------------------------------------------------------------------

FORMATS = {
    r'printf("\xe2\x88\x9a %s", text)': False,
    r'printf("\xa5%d", 3)': True,
    r'printf("\xc3%%s", 3)': True,
    r'printf("\xc3\0%s", text)': True,
    r'printf("%s\0\xc3", text)': False,
}


@pytest.mark.parametrize("call", FORMATS)
def test_formats_beyond_ascii(call: str) -> None:
    """What a conversion reads before the NUL may race with a writer, and nothing else."""
    text = (
        "#include <stdio.h>\nchar text[3];\n"
        "static void *t(void *u) { text[0] = 'a'; return u; }\n"
        f"int main(void) {{ pthread_t i; pthread_create(&i, 0, t, 0); {call}; }}"
    )
    expected = Verdict.SAFE if FORMATS[call] else Verdict.UNSAFE
    assert verdict(text, "explicit", "races") is expected


# -- functions that are declared otherwise than they are -----------------------------------------

UNDECLARED = {
    'void *p = (void *) popen("ls", "r"); assert(p == 0);': Verdict.UNSAFE,
    'void *p = (void *) fdopen(0, "r"); assert(p == 0);': Verdict.UNSAFE,
    "long n = popen(0, 0); assert(n == 0);": Verdict.UNKNOWN,
    # The compiler knows these.
    "int *p = malloc(4); assert(p == 0);": Verdict.UNSAFE,
    'assert(strlen("ab") == 2);': Verdict.SAFE,
}


@pytest.mark.parametrize("text", UNDECLARED)
@pytest.mark.parametrize("engine", ["explicit", "walks", "auto"])
def test_functions_without_declaration(text: str, engine: str) -> None:
    """A pointer that is declared as a number, and stays one, is a limit; nothing crashes."""
    found = verdict(f"int main(void) {{ {text} }}", engine, "assertions")
    expected = UNDECLARED[text]
    assert found is expected or (engine == "walks" and found is Verdict.UNKNOWN)


# -- rosters of nobody ---------------------------------------------------------------------------


def test_a_roster_whose_end_is_below_zero() -> None:
    """One thread that was started is excepted: there are no others, whatever the stop."""
    text = """
        static void *t(void *u)
        { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            pthread_t i; pthread_create(&i, 0, t, 0);
            int k = __VERIFIER_nondet_int() ? -1 : 0; y = k; if (k > 0) y = 2;
            pthread_join(i, 0);
        }
    """
    assert verdict(text, "locksets", "races") is Verdict.SAFE
    mapped = """
        #include <sys/mman.h>
        static void *t(void *u)
        { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }
        int main(void) {
            pthread_t i; pthread_create(&i, 0, t, 0);
            int *p = mmap(0, 4096, 3, 0x22, -1, 0); *p = 1;
            pthread_join(i, 0);
        }
    """
    assert verdict(mapped, "locksets", "races") is Verdict.SAFE


# -- memory that an unknown function may have given ----------------------------------------------

GIVEN = {
    "what it was given": "int keep(int *); int *get(void);"
    " static void *t(void *u) { int *p = get(); *p = 1; return u; }"
    " static void *s(void *u) { x++; return u; }",
    "what leads to it": "struct B { int *p; } b = {&x}; int keep(struct B *); int use(int *);"
    " static void *t(void *u) { use(&y); return u; }"
    " static void *s(void *u)"
    " { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }",
}


@pytest.mark.parametrize("name", GIVEN)
def test_races_through_unknown_functions(name: str) -> None:
    """They are not excluded, and what may race has a name."""
    given = "&b" if "struct B" in GIVEN[name] else "&x"
    text = GIVEN[name] + (
        f" int main(void) {{ pthread_t i, j; keep({given});"
        " pthread_create(&i, 0, t, 0); pthread_create(&j, 0, s, 0);"
        " pthread_join(i, 0); pthread_join(j, 0); }"
    )
    assert verdict(text, "locksets", "races") is Verdict.UNKNOWN


# -- mutexes that are values of local variables ------------------------------------------------

FRESH = "(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER"
THREADS = """
static void *t(void *u) {{
    {inside} pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }}
int main(void) {{ pthread_t i, j; {first}
    pthread_create(&i, 0, t, 0); pthread_create(&j, 0, t, 0);
    pthread_join(i, 0); pthread_join(j, 0); assert(x == {sum}); }}
"""
VALUES = {
    "assigned before threads": {"first": f"m = {FRESH};", "inside": "", "sum": "2"},
    "assigned, another sum": {"first": f"m = {FRESH};", "inside": "", "sum": "3"},
    "copied": {"first": f"pthread_mutex_t l = {FRESH}; m = l;", "inside": "", "sum": "2"},
    "in threads": {"first": "", "inside": f"pthread_mutex_t l = {FRESH};", "sum": "2"},
    "in both": {
        "first": f"m = {FRESH};",
        "inside": f"pthread_mutex_t l = {FRESH};",
        "sum": "3",
    },
}


@pytest.mark.parametrize("name", VALUES)
def test_mutexes_in_local_variables(name: str) -> None:
    text = THREADS.format(**VALUES[name])
    expected = Verdict.SAFE if VALUES[name]["sum"] == "2" else Verdict.UNSAFE
    assert verdict(text, "explicit", "assertions") is expected
    steps = 50_000 if expected is Verdict.SAFE else 5_000  # what is not true is not proved
    assert verdict(text, "horn", "assertions", steps=steps) in (expected, Verdict.UNKNOWN)


# -- numbers without bounds beside conditions with alternatives --------------------------------

ONE_BY_ONE = """
extern int __VERIFIER_nondet_int(void);
static void *t(void *u) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }}
int main(void) {{
    int n = __VERIFIER_nondet_int(), i;
    if ({rest}) return 0;
    pthread_t h;
    for (i = 0; i < n; i++) {{
        pthread_create(&h, 0, t, 0); pthread_join(h, 0);
        {leave}
    }}
    assert(x == {sum});
}}
"""
LEAVING = "if (__VERIFIER_nondet_int()) { i++; break; }"
JOINED = {
    "left": ({"rest": "n < 1 || n > 1000", "leave": LEAVING, "sum": "i"}, True),
    "left too late": ({"rest": "n < 1 || n > 1000", "leave": LEAVING, "sum": "n"}, False),
    "not left": ({"rest": "n < 1 || n > 1000", "leave": "", "sum": "i"}, True),
    "one bound": ({"rest": "n < 1", "leave": LEAVING, "sum": "i"}, True),
    "other condition": (
        {"rest": "n < 1 || n > 9", "leave": LEAVING.replace("()", "() > 3"), "sum": "i - 1"},
        False,
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_threads_one_after_the_other(name: str) -> None:
    parts, right = JOINED[name]
    program = load_source(SourceFile("x.c", BEGIN + ONE_BY_ONE.format(**parts)))
    asked = tuple(p for p in program.properties if p.name.startswith("assert"))
    seen: list[object] = []

    def run(task: Task) -> Iterator[Finding]:
        seen.append(suggestions(task.program))
        yield from ()

    assert list(with_creation_index(Task(program, asked), run, run)) == []
    assert seen
    assert all(told is not None for told in seen)
    if not right:
        assert verdict(ONE_BY_ONE.format(**parts), "walks", "assertions") is Verdict.UNSAFE


# -- texts that are not ASCII ------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["explicit", "locksets"])
@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ('x == 0 && "größer"', True),
        ('x == 1 && "größer"', False),
        ('"é"[0] < 0 && L"é"[0] == 233', True),
        ("größe == 0 /* 日本 */", True),
    ],
)
def test_claims_with_texts_in_other_letters(claim: str, holds: bool, engine: str) -> None:
    text = f"static int größe;\nint main(void) {{ assert({claim}); return größe; }}"
    found = verdict(text, engine, "assertions")
    assert found in ((Verdict.SAFE if holds else Verdict.UNSAFE), Verdict.UNKNOWN)
    assert engine != "explicit" or found is not Verdict.UNKNOWN


# -- how far a member is from null ---------------------------------------------------------------

RECORDS = """
struct part { char c; int d; };
struct whole { int a; int b[3]; struct part p[2]; };
static struct whole *none;
"""


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("(long)&((struct whole *)0)->b == 4", True),
        ("(unsigned long)&((struct whole *)0)->b[2] == 12", True),
        ("(int)(long)&((struct whole *)0)->p[1].d == 28", True),
        ("(long)(char *)&((struct whole *)0)->p[1] != 24", False),
        ("(long)((struct whole *)0)->b + 1 == 5", True),
        ("(long)&((struct whole *)0)[1] == 32", True),
        ("(unsigned char)(long)&((struct part *)0)[32].c == 0", True),
    ],
)
def test_offsets_that_are_written_by_hand(claim: str, holds: bool) -> None:
    text = f"{RECORDS}int main(void) {{ int k = x; if (k == 0) assert({claim}); return k; }}"
    wanted = Verdict.SAFE if holds else Verdict.UNSAFE
    assert verdict(text, "explicit", "assertions") is wanted
    if holds:
        assert verdict(text, "explicit", "memory") is wanted


@pytest.mark.parametrize(
    "wrong",
    ["x = *(int *)0 + (int)(long)&y;", "if (*(int *)0 == (int)(long)&y) x = 1;"],
)
def test_what_is_surely_wrong_beside_the_address_of_an_object(wrong: str) -> None:
    text = f"int main(void) {{ {wrong} assert(x == 0); return 0; }}"
    assert verdict(text, "explicit", "assertions") is Verdict.UNKNOWN
    assert verdict(text, "explicit", "memory") is Verdict.UNSAFE
