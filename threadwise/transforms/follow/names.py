"""What is followed, and the names of variables in a program that follows a thread."""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Scope, Variable


@dataclass(frozen=True)
class Following:
    """A template, the arrays of which the cell of κ is kept, the parameters claimed to be κ."""

    template: str
    arrays: tuple[str, ...] = ()
    """By their keys (`variable_key`); arrays with a cell per thread are followed anyway."""
    claims: tuple[str, ...] = ()
    """Names of the cells through which arguments are passed."""


def variable_key(variable: Variable, procedure: str) -> str:
    """The name of a variable in a program; locals belong to a procedure."""
    return variable.name if variable.scope is Scope.GLOBAL else f"{procedure}.{variable.name}@"


def followed_name(template: str, what: str) -> str:
    """The name of a variable, template or procedure that belongs to a followed template."""
    return f"{template}.{what}"
