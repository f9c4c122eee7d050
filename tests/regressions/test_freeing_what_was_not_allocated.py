"""`free` of a global, or of the middle of an object, ended in the interpreter; it is a limit."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Task, Undecided
from threadwise.engines.explicit import ExplicitEngine
from threadwise.frontends.c.options import COptions


@pytest.mark.parametrize(
    "body",
    [
        "static int x; int *p = &x; free(p);",
        "int *p = malloc(8); p++; free(p);",
        "int *p = malloc(8); free(p); free(p);",
    ],
)
def test_only_the_start_of_a_live_object_is_freed(body: str) -> None:
    text = f"#include <stdlib.h>\nint main(void) {{ {body} return 0; }}"
    program = load_c([SourceFile("t.c", text)], COptions()).program
    (finding,) = ExplicitEngine().run(Task(program, program.properties[:1]))
    assert isinstance(finding, Undecided)
    assert "free of a pointer" in finding.reason
