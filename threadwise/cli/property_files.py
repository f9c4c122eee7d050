"""SV-COMP property files (`.prp`): each `CHECK` of one names a property to check."""

from __future__ import annotations

import re
from collections.abc import Iterable

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source

SUFFIX = ".prp"
_CHECK = re.compile(
    r"CHECK\s*\(\s*init\s*\(\s*\w+\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((?P<formula>.*)\)\s*\)"
)
_FORMULAS = (
    (
        re.compile(r"G\s*!\s*call\s*\(\s*(reach_error|__VERIFIER_error)\s*\(\s*\)\s*\)"),
        "assertions",
    ),
    (re.compile(r"G\s*!\s*data-race"), "races"),
)


def expand(properties: Iterable[str]) -> tuple[str, ...]:
    """The properties, with what files say in the place of the files; raises InputError."""
    found = [
        name for given in properties for name in (_read(given) if _is_file(given) else [given])
    ]
    return tuple(dict.fromkeys(found))


def _is_file(given: str) -> bool:
    return given.endswith(SUFFIX)


def _read(path: str) -> list[str]:
    source = read_source(path)
    found = []
    for number in range(1, source.line_count + 1):
        line = source.line(number)
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        start = source.text.find(line)
        span = source.span(start, start + len(line.rstrip()))
        match = _CHECK.fullmatch(line.strip())
        if match is None:
            hint = "write CHECK( init(main()), LTL(G ! call(reach_error())) )"
            raise InputError.of("not a property", span, hint)
        names = [
            name for formula, name in _FORMULAS if formula.fullmatch(match["formula"].strip())
        ]
        if not names:
            hint = "reachability of an error function and data races are"
            raise InputError.of("this property is not checked", span, hint)
        found += names
    if not found:
        raise InputError.of(f"{source.path}: states no property")
    return found
