"""Numbers in texts: as the native functions read them."""

from __future__ import annotations

import ctypes
import errno

import pytest

from tests.unit.frontends.c.checking import holds

TEXTS = [
    "0",
    "42",
    "-42",
    "+7",
    " \t\n-8x",
    "",
    "x",
    "-",
    "+-1",
    "0x",
    "0x1F",
    "-0X7fg",
    "0xg",
    "017",
    "08",
    "zz",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551615",
    "-18446744073709551616",
    "99999999999999999999999z",
    "0x8000000000000000",
    "0xffffffffffffffffff",
    "1777777777777777777777",
]
BASES = [10, 16, 36, 8, 2, 1, 37, -1]
FUNCTIONS = {
    "strtol": (ctypes.c_long, "long"),
    "strtoll": (ctypes.c_longlong, "long long"),
    "strtoul": (ctypes.c_ulong, "unsigned long"),
    "strtoull": (ctypes.c_ulonglong, "unsigned long long"),
}
BEFORE = "#include <errno.h>\n#include <strings.h>\n"
NATIVE = ctypes.CDLL(None, use_errno=True)


def quoted(text: str) -> str:
    return '"' + text.replace("\t", "\\t").replace("\n", "\\n") + '"'


def literal(value: int) -> str:
    """A constant; the smallest number has none."""
    return f"({value + 1}LL - 1)" if value < 0 else f"{value}ULL"


def row(name: str, text: str, base: int) -> str:
    """What the native function answers: text, base, result, error, where it ends (-1: unset)."""
    result, written = FUNCTIONS[name]
    native = getattr(NATIVE, name)
    native.restype = result
    end = ctypes.c_char_p()
    given = ctypes.create_string_buffer(text.encode())
    ctypes.set_errno(0)
    value = native(given, ctypes.byref(end), base)
    bad_base = base < 0 or base == 1 or base > 36
    error = ctypes.get_errno() if bad_base or ctypes.get_errno() == errno.ERANGE else 0
    stop = -1 if end.value is None else len(text) - len(end.value)
    return f"{{ {quoted(text)}, {base}, ({written}){literal(value)}, {error}, {stop} }}"


def table(name: str) -> str:
    """All texts with base 0, some with others."""
    rows = [row(name, text, 0) for text in TEXTS]
    if name == "strtol":
        rows += [row(name, text, base) for text in TEXTS[9:15] for base in BASES]
    written = FUNCTIONS[name][1]
    fields = f"const char *text; int base; {written} value; int error; int stop;"
    return f"struct {{ {fields} }} rows[] = {{ {', '.join(rows)} }};\n"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_are_read_as_the_native_functions_do(name: str) -> None:
    """Wrong verdicts once: no range, no error, and a text `0x` was read to its end."""
    body = f"""
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {{
        char *end = 0;
        errno = 0;
        assert({name}(rows[i].text, &end, rows[i].base) == rows[i].value);
        assert(errno == rows[i].error);
        assert(rows[i].stop < 0 ? end == 0 : end == rows[i].text + rows[i].stop);
    }}"""
    assert holds(body, BEFORE + table(name))


@pytest.mark.parametrize("name", ["atoi", "atol", "atoll"])
def test_short_functions(name: str) -> None:
    result = {"atoi": ctypes.c_int, "atol": ctypes.c_long, "atoll": ctypes.c_longlong}[name]
    native = getattr(NATIVE, name)
    native.restype = result
    texts = TEXTS[1:8]
    body = " ".join(
        f"assert({name}({quoted(text)}) == {literal(native(text.encode()))});" for text in texts
    )
    assert holds(f"errno = 5; {body} assert(errno == 5);", BEFORE)


@pytest.mark.parametrize("name", ["ffs", "ffsl", "ffsll"])
def test_lowest_bits(name: str) -> None:
    argument = {"ffs": ctypes.c_int, "ffsl": ctypes.c_long, "ffsll": ctypes.c_longlong}[name]
    native = getattr(NATIVE, name)
    values = [0, 1, 2, 12, -1, -8, 1 << 30] + ([] if name == "ffs" else [1 << 40, -(1 << 62)])
    body = " ".join(f"assert({name}({value}LL) == {native(argument(value))});" for value in values)
    assert holds(body, BEFORE)
