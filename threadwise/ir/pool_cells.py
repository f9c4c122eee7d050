"""The shared cells of a pool of threads: how to recognise them.

`threadwise.ir.pool` creates these variables and gives them their meaning. All other code
recognises them with the functions here, by names that no variable of a user can have, and the
status of threads also by its type.
"""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Const, Scope, Variable
from threadwise.ir.types import ArrayType, EnumType, PerThread

STATUS = EnumType("thread_status", ("unused", "started", "finished"))
UNUSED, STARTED, FINISHED = (Const(position, STATUS) for position in range(3))


@dataclass(frozen=True)
class PoolCells:
    """The names of the shared cells of a template whose threads are created."""

    template: str

    @property
    def next(self) -> str:
        """How many threads were created."""
        return f"{self.template}.next"

    @property
    def status(self) -> str:
        """How far each thread is."""
        return f"{self.template}.status"

    @property
    def result(self) -> str:
        """What each thread returned."""
        return f"{self.template}.result"

    def argument(self, parameter: str) -> str:
        """What was passed to each thread for a parameter."""
        return f"{self.template}.argument.{parameter}"

    def is_argument(self, name: str) -> bool:
        """Whether a global holds arguments of the threads."""
        return name.startswith(self.argument(""))

    def include(self, variable: Variable) -> bool:
        """Whether a variable is one of these cells."""
        return variable.scope is Scope.GLOBAL and (
            variable.name in (self.next, self.status, self.result)
            or self.is_argument(variable.name)
        )


def template_of_status(variable: Variable) -> str | None:
    """The template whose threads have their status in a variable, if it holds any."""
    match variable.type:
        case ArrayType(element, PerThread(template)) if element == STATUS:
            return template if variable.name == PoolCells(template).status else None
        case _:
            return None
