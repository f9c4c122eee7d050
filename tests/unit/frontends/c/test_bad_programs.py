"""What is not modelled is a limit that names it: the answer is UNKNOWN, never a guess."""

import pytest

from threadwise.core.errors import Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions
from threadwise.results.result import Result


def checked(text: str, engine: str = "auto") -> Result:
    program = load_c([SourceFile("t.c", text)], COptions()).program
    options = CheckOptions(properties=("assertions",), engine=engine)
    return check_loaded("t.c", lambda: program, options, in_process=True)


ASSERT = "#include <assert.h>\n"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "#include <unistd.h>\nint main(void) { if (!fork()) assert(0); }",
            "t.c:3: the child of fork",
        ),
        ("#include <setjmp.h>\njmp_buf b; int main(void) { if (setjmp(b)) assert(0); }", "setjmp"),
        (
            "int x; int main(void) { __asm__(\"incl %0\" : \"+m\"(x)); assert(!x); }",
            "t.c:2: assembly that writes shared memory",
        ),
        ("int main(void) { _Complex double z = 1; assert(z == 1); }", "complex numbers"),
        (
            "#include <stdarg.h>\nint f(int n, ...) { va_list a; va_start(a, n); "
            "return *va_arg(a, int *); } int main(void) { int x = 2; assert(f(1, x) == 2); }",
            "any pointer",
        ),
        (
            "#include <signal.h>\nint x; void h(int s) { x = 1; } "
            "int main(void) { signal(SIGINT, h); assert(!x); }",
            "signal",
        ),
    ],
)  # fmt: skip
def test_limits_are_named(text: str, named: str) -> None:
    result = checked(ASSERT + text)
    assert result.verdict.value == "UNKNOWN"
    assert all(named in (each.reason or "") for each in result.properties), result.properties


def test_old_style_functions_convert_their_arguments() -> None:
    text = (
        "int add(a, b) int a; char b; { return a + b; } int main() { assert(add(1, 258) == 3); }"
    )
    assert checked(ASSERT + text).verdict.value == "SAFE"


@pytest.mark.slow
def test_arrays_of_variable_length() -> None:
    text = (
        "int main(void) { int n = 3, a[n]; for (int i = 0; i < n; i++) a[i] = i; "
        "assert(a[2] == 2); assert(sizeof a == 3 * sizeof(int)); }"
    )
    assert checked(ASSERT + text).verdict.value in {"SAFE", "UNKNOWN"}


def test_constructors_run_before_main() -> None:
    text = (
        "int x; __attribute__((constructor)) static void init(void) { x = 1; } "
        "int main(void) { assert(x == 0); }"
    )
    assert checked(ASSERT + text).verdict.value == "UNSAFE"


def test_aliases_are_the_same_function_and_variable() -> None:
    text = (
        'int x; void g(void) { x = 1; } void f(void) __attribute__((alias("g"))); '
        'extern int y __asm__("x"); int main(void) { f(); assert(x == 1); assert(y == 0); }'
    )
    verdicts = [each.verdict.value for each in checked(ASSERT + text).properties]
    assert verdicts == ["SAFE", "UNSAFE"]


def test_functions_of_the_compiler_are_not_guessed() -> None:
    text = "int main(int n, char **v) { assert(__builtin_clrsb(n) != 40); }"
    result = checked(ASSERT + text)
    assert result.verdict.value == "UNKNOWN"
    assert "clrsb" in (result.properties[0].reason or "")


def test_openmp_is_refused() -> None:
    text = "int x;\nint main(void) {\n#pragma omp parallel\n  x++;\n}\n"
    with pytest.raises(Unsupported) as caught:
        checked(text)
    assert str(caught.value) == "t.c:3:1: unsupported: OpenMP"
