"""Running small C programs through the front end and the explicit engine."""

from __future__ import annotations

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import SimplifiedC, load_c
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.results.result import Result

INCLUDES = """#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
"""


def loaded(text: str, options: COptions | None = None) -> SimplifiedC:
    """A program that must be well formed."""
    found = load_c([SourceFile("t.c", text)], options or COptions())
    assert validate(found.program) == []
    return found


def lowered(text: str, options: COptions | None = None) -> Program:
    return loaded(text, options).program


def checked(text: str, *properties: str, options: COptions | None = None) -> Result:
    """The result of the explicit engine."""
    program = loaded(text, options).program
    chosen = CheckOptions(properties=properties or ("all",), engine="explicit")
    return check_loaded("t.c", lambda: program, chosen, in_process=True)


def verdicts(text: str, *properties: str, options: COptions | None = None) -> dict[str, str]:
    result = checked(text, *properties, options=options)
    return {each.name: each.verdict.value for each in result.properties}


def main_verdict(body: str, before: str = "", *properties: str) -> str:
    """The overall verdict for the body of `main`."""
    text = f"{INCLUDES}{before}\nint main(void) {{ {body} }}\n"
    return checked(text, *properties or ("assertions",)).verdict.value


def holds(body: str, before: str = "") -> bool:
    """Whether no assertion in the body of `main` can fail; otherwise says why not."""
    text = f"{INCLUDES}{before}\nint main(void) {{ {body} }}\n"
    result = checked(text, "assertions")
    told = [(each.name, each.verdict.value, each.reason) for each in result.properties]
    assert result.verdict.value == "SAFE", (result.reason, told)
    return True
