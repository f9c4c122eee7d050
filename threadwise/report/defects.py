"""Failures of the tool itself, with what a report of them needs besides the input file."""

from __future__ import annotations

import platform
import sys

from threadwise import __version__
from threadwise.results.result import Defect, Result

_REQUEST = """\
This is a defect of threadwise. What is decided above does not rest on what failed. Please report
it, with the input file, the command line and everything above.
"""


def defects_text(result: Result) -> str:
    """All defects that a run came upon."""
    return "\n".join([*(_defect(result.file, defect) for defect in result.defects), _REQUEST])


def _defect(file: str, defect: Defect) -> str:
    facts = {
        "kind": defect.kind.value,
        "engine": defect.engine,
        "file": file,
        "program": defect.program_hash,
        "properties": ", ".join(defect.properties),
        "options": ", ".join(f"{name} = {value}" for name, value in defect.options.items()),
        "steps": defect.steps,
        "version": f"{__version__}, Python {platform.python_version()} on {sys.platform}",
    }
    lines = [f"threadwise: internal error: {defect.message}"]
    lines += [f"  {name:10}  {value}" for name, value in facts.items() if value not in (None, "")]
    return defect.traceback + "\n".join(lines) + "\n"
