"""Libraries by their headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.c_options import COptions
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_input

HEADER = """
#ifndef RING_H
#define RING_H
#include <stddef.h>
#include "inner.h"
void put(int value);
size_t count(void);
void elsewhere(void);
static inline int twice(int n) { return 2 * n; }
#endif
"""
SOURCE = """
#include "ring.h"
static size_t n;
void put(int value) { n += value; }
size_t count(void) { return n; }
void internal(void) { n = 0; }
static void hidden(void) { n = 1; }
"""


def steps(folder: Path, *entry: str) -> set[str]:
    """What threads do that call these functions."""
    (folder / "ring.h").write_text(HEADER)
    (folder / "inner.h").write_text("void internal(void);\n")
    (folder / "empty.h").write_text("#define NOTHING\n")
    (folder / "ring.c").write_text(SOURCE)
    names = tuple(str(folder / name) if name.endswith(".h") else name for name in entry)
    loaded = load_input(str(folder / "ring.c"), LoadOptions(c=COptions(entry=names)))
    statements = {"n += value", "return n", "n = 0", "n = 1"}
    return statements & {edge.text for edge in loaded.program.edges}


def test_a_header_stands_for_the_functions_that_it_declares(tmp_path: Path) -> None:
    assert steps(tmp_path, "ring.h") == {"n += value", "return n"}


def test_headers_and_functions(tmp_path: Path) -> None:
    assert steps(tmp_path, "ring.h", "internal") == {"n += value", "return n", "n = 0"}
    assert steps(tmp_path, "inner.h") == {"n = 0"}


def test_a_header_without_functions(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="defines no function declared there"):
        steps(tmp_path, "empty.h")


def test_a_header_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        steps(tmp_path, "missing.h")
