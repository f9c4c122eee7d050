"""Functions and variables that are known by several names, and parameters of several types."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import checked, holds

STATIC = "static int n; static int count(int x) { n++; return x; }"


@pytest.mark.parametrize(
    "attribute", ['alias("count")', 'weak, alias("count")', '__alias__("count")']
)
def test_another_name_of_a_static_function_is_that_function(attribute: str) -> None:
    # it was an unknown function, which changes nothing: a wrong UNSAFE, and SAFE where n stays 0
    declared = f"{STATIC} extern int other(int) __attribute__(({attribute}));"
    assert holds("assert(other(3) == 3); assert(n == 1);", declared)


def test_wrong_claim_about_another_name_fails() -> None:
    declared = f'{STATIC} extern int other(int) __attribute__((alias("count")));'
    text = f"#include <assert.h>\n{declared}\nint main(void) {{ other(3); assert(n == 0); }}"
    assert checked(text, "assertions").verdict.value == "UNSAFE"


def test_static_function_behind_the_declaration_of_its_other_name() -> None:
    declared = f'int other(int) __attribute__((alias("count"))); {STATIC}'
    assert holds("other(1); count(1); assert(n == 2);", declared)


def test_another_name_of_a_static_variable() -> None:
    declared = 'static int v = 3; extern int w __attribute__((alias("v")));'
    assert holds("w++; assert(v == 4);", declared)


ADDRESSES = """
struct sockaddr { unsigned short family; char data[14]; };
struct sockaddr_in { unsigned short family; unsigned short port; char data[12]; };
typedef union { struct sockaddr *general; struct sockaddr_in *in; } address
    __attribute__((__transparent_union__));
extern int connect(int file, address given, unsigned int size);
static int family(address given) { return given.general->family; }
"""


@pytest.mark.parametrize("given", ["&s", "(struct sockaddr *)&s", "0"])
def test_transparent_union_of_a_library_function(given: str) -> None:
    # headers of the GNU library declare functions of sockets so; this was an internal error
    text = f"struct sockaddr_in s = {{2}}; connect(3, {given}, sizeof s); assert(s.family == 2);"
    assert holds(text, ADDRESSES)


def test_transparent_union_of_an_own_function() -> None:
    assert holds("struct sockaddr s = {2}; assert(family(&s) == 2);", ADDRESSES)


def test_vector_headers_have_the_hints_of_threads() -> None:
    assert holds(
        "_mm_pause(); _mm_mfence(); _mm_prefetch(0, _MM_HINT_T0); assert(1);",
        "#include <immintrin.h>\n#include <emmintrin.h>\n",
    )
