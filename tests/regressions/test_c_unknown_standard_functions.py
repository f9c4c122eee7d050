"""Functions of the C library that nobody describes: no violation rests on what they return."""

from __future__ import annotations

import pytest

from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources
from threadwise.frontends.c.options import COptions
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict

PROGRAM = "#include <assert.h>\nDECLARATION;\nint x;\nint main(void) { BODY; return 0; }\n"


def result_of(declaration: str, body: str) -> Result:
    return result_of_text(PROGRAM.replace("DECLARATION", declaration).replace("BODY", body))


def result_of_text(text: str) -> Result:
    given = load_c_sources([SourceFile("t.c", text)], LoadOptions())
    options = CheckOptions(properties=("assertions",), engine="explicit")
    return check_loaded("t.c", lambda: given, options, in_process=True)


CALLS = [
    ("int iswdigit(unsigned)", "iswdigit(48)"),
    ("unsigned towupper(unsigned)", "towupper(97) == 65"),
    ("double j0(double)", "j0(0.0) == 1.0"),
    ("long lseek(int, long, int)", "lseek(99, 0, 0) == -1"),
    ("int close(int)", "close(-1) == -1"),
    ("int fcntl(int, int, ...)", "fcntl(1, 0, 5) >= 5"),
    ("int isatty(int)", "isatty(-1) == 0"),
    ("unsigned getuid(void)", "getuid() == getuid()"),
    ("int waitpid(int, int *, int)", "waitpid(5, 0, 0) <= 5"),
    ("unsigned alarm(unsigned)", "alarm(0) == 0"),
    ("int getdtablesize(void)", "getdtablesize() > 0"),
    ("int ilogb(double)", "ilogb(8.0) == 3"),
    ("float sinf32(float)", "sinf32(0.0f) == 0.0f"),
]


@pytest.mark.parametrize(("declaration", "truth"), CALLS)
def test_what_a_standard_function_returns_refutes_nothing(declaration: str, truth: str) -> None:
    """A wrong UNSAFE once: `ffsl` was any number."""
    result = result_of(declaration, f"assert({truth})")
    assert result.verdict.value == "UNKNOWN"
    (checked,) = result.properties
    assert truth.split("(")[0] in (checked.reason or "")


EXACT = [
    ("int isascii(int)", "isascii(65)"),
    ("int toascii(int)", "toascii(65) == 65"),
    ("unsigned htonl(unsigned)", "htonl(0x01020304) == 0x04030201"),
    ("unsigned ntohl(unsigned)", "ntohl(0xff) == 0xff000000"),
    ("unsigned short htons(unsigned short)", "htons(80) == 0x5000"),
    ("unsigned short ntohs(unsigned short)", "ntohs(0x1234) == 0x3412"),
]


@pytest.mark.parametrize(("declaration", "truth"), EXACT)
def test_orders_of_bytes_are_computed(declaration: str, truth: str) -> None:
    assert result_of(declaration, f"assert({truth})").verdict.value == "SAFE"
    assert result_of(declaration, f"assert(!({truth}))").verdict.value == "UNSAFE"


@pytest.mark.parametrize("call", ["close(3)", "x = dup(1)", "x = lseek(1, 0, 0)"])
def test_a_result_that_decides_nothing_hides_nothing(call: str) -> None:
    result = result_of(
        "int close(int); int dup(int); long lseek(int, long, int)", f"{call}; assert(0)"
    )
    assert result.verdict.value == "UNSAFE"


def test_what_does_not_depend_on_it_is_refuted() -> None:
    result = result_of("int isascii(int)", "x = isascii(3); assert(0)")
    assert result.verdict.value == "UNSAFE"


def test_functions_of_the_user_return_any_value() -> None:
    result = result_of("int is_wanted(int)", "assert(is_wanted(3))")
    assert result.verdict.value == "UNSAFE"


def test_signal_returns_the_handler_that_was_there() -> None:
    """A wrong SAFE once: only the two constants were returned."""
    declaration = "#include <signal.h>\nstatic void h(int n) { x = n; }"
    body = "signal(2, h); assert(signal(2, SIG_DFL) != h)"
    text = PROGRAM.replace("DECLARATION;\nint x;", f"int x;\n{declaration}").replace("BODY", body)
    assert result_of_text(text).verdict.value == "UNSAFE"


@pytest.mark.parametrize("name", ["getpid", "getppid", "getuid"])
def test_ids_of_processes_are_what_they_are(name: str) -> None:
    """That two calls give the same is neither proved nor refuted."""
    text = "#include <unistd.h>\n#include <assert.h>\n"
    found = result_of_text(f"{text}int main(void) {{ assert({name}() == {name}()); }}")
    assert found.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("truth", ["p == q", "(p == 0) == (q == 0)"])
def test_the_environment_stays_as_it_is(truth: str) -> None:
    """Two looks at it are not two inputs."""
    text = (
        "#include <stdlib.h>\n#include <assert.h>\n"
        'int main(void) { char *p = getenv("A"), *q = getenv("A"); '
    )
    assert result_of_text(f"{text}assert({truth}); }}").verdict is Verdict.UNKNOWN


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["explicit", "horn", "persistent", "walks", "bounded"])
@pytest.mark.parametrize("entry", [("f",), ()])
def test_one_property_may_be_in_doubt_more_than_once(engine: str, entry: tuple[str, ...]) -> None:
    """A crash once: engines that run others took a second violation for another property's."""
    text = (
        "#include <assert.h>\n#include <pthread.h>\nint iswdigit(unsigned); int x;\n"
        "void f(int n) { x = n > 3; int seen = iswdigit(x); assert(seen == 2 * (seen / 2)); }\n"
    )
    if not entry:
        text += "int main(void) { f(1); f(5); return 0; }\n"
    load = LoadOptions(c=COptions(entry=entry))
    budget = Budget(steps=20_000)
    options = CheckOptions(properties=("assertions",), engine=engine, budget=budget)
    given = load_c_sources([SourceFile("t.c", text)], load)
    result = check_loaded("t.c", lambda: given, options, in_process=True)
    assert result.verdict is Verdict.UNKNOWN
    assert not result.defects
