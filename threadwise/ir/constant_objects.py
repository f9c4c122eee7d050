"""Objects of C that nobody may write: string literals and functions.

They are known by the names of their variables, which the front end of C gives to nothing else.
"""

from __future__ import annotations

LITERAL = "string$"
"""How the names of string literals begin; a number follows."""
FUNCTION = "&"
"""How the names of functions begin, as objects that have an address."""


def is_literal(name: str) -> bool:
    """Whether the object of this name is a string literal."""
    return name.startswith(LITERAL) and name.removeprefix(LITERAL).isdecimal()


def is_function(name: str) -> bool:
    """Whether the object of this name stands for a function."""
    return name.startswith(FUNCTION)
