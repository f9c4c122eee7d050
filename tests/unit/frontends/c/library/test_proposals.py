"""Entries for functions that nobody describes can be given to `--library` as they are."""

from __future__ import annotations

from pathlib import Path

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c import entries_for_unknown
from threadwise.frontends.c.options import COptions
from threadwise.ir.beyond import is_beyond

TEXT = """
#include <stdio.h>
struct box { int n; }; typedef struct box box; typedef unsigned long word;
box *find(const box *from, word key, int flags, ...); void note(void); _Bool is_on(double x);
_Noreturn void die(const char *why);
int main(void)
{
    struct box b = { 0 };
    note();
    if (is_on(1.5))
        die("why");
    return find(&b, 1, 2) == 0 && printf("x");
}
"""


def test_entries_are_complete_and_can_be_read(tmp_path: Path) -> None:
    source = SourceFile("main.c", TEXT)
    text = entries_for_unknown([source], COptions())
    names = [line for line in text.splitlines() if line.startswith("[functions.")]
    assert names == [f"[functions.{name}]" for name in ("die", "find", "is_on", "note")]
    file = tmp_path / "mine.toml"
    file.write_text(text)
    before, after = (load_c([source], COptions(library=given)) for given in ((), (str(file),)))
    assert any(map(is_beyond, before.record.edges))
    assert not any(map(is_beyond, after.record.edges))
