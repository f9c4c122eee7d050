"""From the text form back to a program: the inverse of `threadwise.ir.text.printer`.

Reading checks names, not types: `threadwise.ir.check.validate` says whether the program is well
formed. See `parsing` for the grammar, and for errors.
"""

from __future__ import annotations

from functools import cache

from threadwise.core.source import SourceFile
from threadwise.ir.program import Program
from threadwise.ir.text.parsing import Parser
from threadwise.ir.text.read_program import ProgramReader
from threadwise.ir.text.read_terms import Names


def read_program(text: str, path: str = "<ir>") -> Program:
    """The program that a text describes; `path` is what errors call the text."""
    program = _parser().read(SourceFile(path, text), "program", Names(path))
    assert isinstance(program, Program)
    return program


@cache
def _parser() -> Parser:
    return Parser(ProgramReader())
