"""Values to try for inputs with too many values."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.frontends.model import load_model
from threadwise.results.verdict import Verdict
from threadwise.systems.samples import sample_values


def samples(text: str, most: int) -> tuple[int, ...] | None:
    return sample_values(load_model(SourceFile("m.tw", text)), most)


def test_constants_come_before_their_neighbours() -> None:
    text = "int x; thread t { havoc x; assume(x == 48 || x == 57); assert(x != 10); }"
    found = samples(text, 12)
    assert found is not None
    assert found[:6] == (0, 1, -1, 10, 48, 57)
    assert set(found[6:]) == {9, 11, 47, 49, 56, 58}


def test_what_variables_begin_with_is_mentioned_but_no_tables() -> None:
    text = "int x = 70; int f[3] = {5, 6, 7}; int m[9] = {33, 1, 1, 1, 1, 1, 1, 1, 1};"
    found = samples(text + " thread t { havoc x; f[0] = 1; m[0] = 1; }", 24)
    assert found is not None
    assert {70, 5, 6, 7} <= set(found)
    assert 33 not in found


def test_programs_without_large_inputs_have_none() -> None:
    assert samples("int[0..3] x; thread t { havoc x; }", 12) is None


@pytest.mark.slow
def test_numbers_in_arguments_are_met(tmp_path: Path) -> None:
    """What a digit in the text of an argument leads to is found by trying."""
    path = tmp_path / "argument.c"
    path.write_text(
        "#include <assert.h>\n#include <stdlib.h>\n"
        "int main(int argc, char **argv) {\n"
        "  int n = argc > 1 ? atoi(argv[1]) : 0;\n  assert(n < 5);\n  return 0;\n}\n"
    )
    options = CheckOptions(properties=("assertions",), engine="walks")
    (checked,) = check_file(str(path), options, in_process=True).properties
    assert checked.verdict is Verdict.UNSAFE
