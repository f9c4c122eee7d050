"""Every entry of the library table does what it says: a program per entry, or a limit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.examples.annotations import Case, read_cases
from tests.examples.running_c import check_case
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c.library.entry import Entry
from threadwise.frontends.c.library.read import own_table
from threadwise.frontends.c.library.signature import parse_signature
from threadwise.frontends.c.options import COptions

FOLDER = Path(__file__).parent
CASES = [read_cases(path) for path in sorted(FOLDER.glob("*.c"))]
FUNCTIONS = [entry for entry in own_table().entries.values() if not entry.variable]
LIMITS = [entry for entry in FUNCTIONS if entry.limit]


BY_LOCKSETS = {"streams.c -D OWN", "users.c -D OWN"}
"""What is not searched to an end: inputs have too many values."""

HELPER = "__library_"
"""What functions are called that only effects of other entries call."""


def test_every_entry_has_a_test_that_mentions_it() -> None:
    texts = {path.name: path.read_text() for path in FOLDER.glob("*.c")}
    for entry in FUNCTIONS:
        if not entry.limit:
            assert entry.test is not None, entry.name
            beside = [texts[entry.test]]
            if entry.name.startswith(HELPER):
                beside += [other.effect for other in FUNCTIONS if other.test == entry.test]
            found = any(re.search(rf"\b{entry.name}\b", text) for text in beside)
            assert found, (entry.name, entry.test)
    assert {entry.test for entry in FUNCTIONS if entry.test} == set(texts)


@pytest.mark.parametrize("case", [cases[0] for cases in CASES], ids=str)
def test_entries(case: Case) -> None:
    assert check_case(case) == case.verdicts


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for cases in CASES for case in cases[1:]], ids=str)
def test_entries_otherwise(case: Case) -> None:
    engine = "locksets" if str(case) in BY_LOCKSETS else "explicit"
    assert check_case(case, engine) == case.verdicts


@pytest.mark.parametrize("entry", LIMITS, ids=lambda entry: entry.name)
def test_limits_are_refused_by_name(entry: Entry) -> None:
    includes = "".join(f"#include <{header}>\n" for header in entry.headers)
    signature = parse_signature(entry.text)
    assert signature is not None
    call = f"{entry.name}({', '.join('0' for _ in signature.parameters)})"
    text = f"#define _GNU_SOURCE\n{includes}int main(void) {{ {call}; return 0; }}\n"
    program = load_c([SourceFile("limit.c", text)], COptions()).program
    limits = [place.failure for place in program.locations if place.failure is not None]
    texts = [failure.message for failure in limits if failure.kind.is_limit]
    assert any(entry.name in text for text in texts), texts
