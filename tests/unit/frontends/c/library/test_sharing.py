"""Whether pointers to files may be known to several threads, as declarations say."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.frontends.c.library.read import own_table
from threadwise.frontends.c.library.uses import uses_of
from threadwise.frontends.c.options import COptions
from threadwise.frontends.c.parse import Parser

OWN = {
    "a local variable": "int main(void) { FILE *f = fopen(NAME); return fclose(f); }",
    "compared with null": "int main(void) { FILE *f = fopen(NAME); return f && fclose(f); }",
    "set to null": "int main(void) { FILE *f = 0; if (!f) f = fopen(NAME); return fclose(f); }",
    "a parameter": "void end(FILE *f) { fclose(f); } int main(void) { end(fopen(NAME)); }",
    "other variables": "char *kept; int main(void) { kept = 0; return fclose(fopen(NAME)); }",
}
SHARED = {
    "a global variable": "FILE *f; int main(void) { f = fopen(NAME); return fclose(f); }",
    "a static variable": "int main(void) { static FILE *f; f = fopen(NAME); return fclose(f); }",
    "an array": "FILE *f[2]; int main(void) { f[0] = fopen(NAME); return fclose(f[0]); }",
    "behind a pointer": "FILE **f; int main(void) { *f = fopen(NAME); return fclose(*f); }",
    "atomic": "FILE *_Atomic f; int main(void) { f = fopen(NAME); return fclose(f); }",
    "a member": "struct s { FILE *f; }; int main(void) { struct s s = { fopen(NAME) };"
    " return fclose(s.f); }",
    "an address": "int main(void) { FILE *f = fopen(NAME), **p = &f; return fclose(*p); }",
    "a local array": "int main(void) { FILE *f[1]; f[0] = fopen(NAME); return fclose(f[0]); }",
    "a parameter that leads to it": "int end(FILE **f) { return fclose(*f); } int main(void) { }",
    "becomes something else": "int main(void) { void *f = fopen(NAME); return fclose(f); }",
    "comes from something else": "void *any(void); int main(void) { return fclose(any()); }",
}


def is_shared(text: str) -> bool:
    parser = Parser(COptions(), own_table().opaque_types)
    text = "#include <stdio.h>\n" + text.replace("NAME", '"x", "r"')
    parser.add([SourceFile("t.c", text)])
    return "fclose" in uses_of(parser.program).shared


def test_declarations_say_what_may_be_shared() -> None:
    assert {name: is_shared(text) for name, text in OWN.items()} == dict.fromkeys(OWN, False)
    assert {name: is_shared(text) for name, text in SHARED.items()} == dict.fromkeys(SHARED, True)


@pytest.mark.parametrize("closing", ["fclose", "pclose"])
def test_both_ways_to_end_a_file_count(closing: str) -> None:
    parser = Parser(COptions(), own_table().opaque_types)
    text = f"#include <stdio.h>\nFILE *f; int main(void) {{ return {closing}(f); }}"
    parser.add([SourceFile("t.c", text)])
    assert uses_of(parser.program).shared == {closing}
