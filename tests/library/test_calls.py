"""Every entry of the library table can be called: its effect is C that can be lowered."""

from __future__ import annotations

import re

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c.library.entry import Entry
from threadwise.frontends.c.library.read import own_table
from threadwise.frontends.c.library.signature import Parameter, parse_signature
from threadwise.frontends.c.options import COptions

INTERNAL = ("__library_", "__tw_")
FUNCTIONS = [
    entry
    for entry in own_table().entries.values()
    if not entry.variable and not entry.limit and not entry.name.startswith(INTERNAL)
]
TEXT = re.compile(r"^(const )?char \*(?!\*|const)")
POINTER = re.compile(r"(?P<target>.*?)\s*\*\s*(?:const\s+|restrict\s+)?\w+$")
ARRAY = re.compile(r"(?P<element>.*?)\s*\w+\[[^]]*\]$")


def argument(parameter: Parameter) -> tuple[str, str]:
    """A declaration and an expression: something that the parameter may be."""
    text, name = parameter.text, f"given_{parameter.name}"
    if "(*" in text:
        return "", "0"
    if "va_list" in text:
        return f"va_list {name};", name
    if TEXT.match(text) and "[" not in text:
        return f'char {name}[64] = "some text";', name
    array = ARRAY.match(text)
    if array is not None:
        element = array["element"].removeprefix("const ")
        return f"{element} {name}[8] = {{ 0 }};", name
    pointer = POINTER.match(text)
    if pointer is None:
        return "", "0"
    target = re.sub(r"\bconst\b", "", pointer["target"]).strip()
    if target in ("void", "FILE", "DIR"):
        return f"static char {name}[64];", f"(void *){name}"
    return f"static {target} {name};", f"&{name}"


def program(entry: Entry) -> str:
    """A program that calls the function once."""
    signature = parse_signature(entry.text)
    assert signature is not None
    includes = "".join(f"#include <{header}>\n" for header in ("stdarg.h", *entry.headers))
    pairs = [argument(parameter) for parameter in signature.parameters]
    declarations = "\n    ".join(declaration for declaration, _ in pairs if declaration)
    values = ", ".join(value for _, value in pairs)
    return (
        f"#define _GNU_SOURCE\n{includes}{entry.text};\n"
        f"int main(void)\n{{\n    {declarations}\n    {entry.name}({values});\n    return 0;\n}}\n"
    )


@pytest.mark.parametrize("entry", FUNCTIONS, ids=lambda entry: entry.name)
def test_calls(entry: Entry) -> None:
    if re.search(r"\b(struct|union) \w+ \w+[,)]|\bjmp_buf\b", entry.text.partition("(")[2]):
        pytest.skip("gets a structure")
    loaded = load_c([SourceFile("call.c", program(entry))], COptions()).program
    failures = [place.failure for place in loaded.locations if place.failure is not None]
    texts = [failure.message for failure in failures if failure.kind.is_limit]
    refused = ("nobody describes", "unknown function", "declared with another")
    assert not [text for text in texts if any(words in text for words in refused)]
