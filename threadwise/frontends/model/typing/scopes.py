"""The local variables a statement can see."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.frontends.model.syntax import ast
from threadwise.ir.expr import Variable


class Scope:
    """Nested blocks of local declarations, the innermost last."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, tuple[Variable, ast.Name]]] = [{}]

    def enter(self) -> None:
        """Open a block."""
        self._blocks.append({})

    def leave(self) -> None:
        """Close the innermost block."""
        self._blocks.pop()

    @property
    def is_outermost(self) -> bool:
        """Whether no block is open but that of the body itself."""
        return len(self._blocks) == 1

    def declare(self, name: ast.Name, variable: Variable) -> None:
        """Make a variable visible to the end of the innermost block."""
        self._blocks[-1][name.name] = variable, name

    def declared_here(self, name: str) -> ast.Name | None:
        """Where the innermost block declares a name already."""
        entry = self._blocks[-1].get(name)
        return None if entry is None else entry[1]

    def find(self, name: str) -> Variable | None:
        """The variable a name means, if it is a local one."""
        for block in reversed(self._blocks):
            entry = block.get(name)
            if entry is not None:
                return entry[0]
        return None

    def names(self) -> Iterator[str]:
        """All visible names."""
        for block in self._blocks:
            yield from block
