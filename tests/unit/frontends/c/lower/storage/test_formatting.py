"""Texts that formats make: the characters that the C library would write."""

from __future__ import annotations

from tests.unit.frontends.c.checking import INCLUDES, lowered
from threadwise.core.budget import Budget
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded

MADE = {
    r'"%d", 42': b"42",
    r'"%d", -7': b"-7",
    r'"%i|%u", 0, 7u': b"0|7",
    r'"%ld", -9000000000L': b"-9000000000",
    r'"%lu", 18446744073709551615ul': b"18446744073709551615",
    r'"%x", 48879': b"beef",
    r'"%%"': b"%",
    r'"a%%b%dc", 1': b"a%b1c",
    r'"\001\177%d\002", 3': b"\x01\x7f3\x02",
    r'"%s-%s", "ab", ""': b"ab-",
    r'"x\0y"': b"x",
    r'""': b"",
}
"""What follows the size in a call of `snprintf`, and what it writes."""


def verdict(text: str) -> str:
    """Found soon, unless the text is not computed."""
    options = CheckOptions(("assertions",), "explicit", budget=Budget(steps=5_000))
    result = check_loaded("t.c", lambda: lowered(text), options, in_process=True)
    return result.verdict.value


def program(call: str, expected: bytes) -> str:
    length = len(expected)
    claims = f"assert(n == {length}); assert(text[{length}] == 0);"
    claims += "".join(f"assert(text[{i}] == {each});" for i, each in enumerate(expected))
    return (
        f"#include <stdio.h>\n{INCLUDES}char text[40];\n"
        f"int main(void) {{ int n = snprintf(text, sizeof text, {call}); {claims} }}\n"
    )


def test_texts_are_those_of_the_library() -> None:
    for call, expected in MADE.items():
        assert verdict(program(call, expected)) == "SAFE", call


def test_what_does_not_fit_is_cut_off() -> None:
    text = (
        f'#include <stdio.h>\n{INCLUDES}char text[4] = "xyz";\nint main(void) {{'
        ' int n = snprintf(text, 3, "%d", 1234); assert(n == 4 && text[1] == 50 && !text[2]);'
        ' n = snprintf(text, 0, "%d", 5); assert(n == 1 && text[0] == 49); }'
    )
    assert verdict(text) == "SAFE"
