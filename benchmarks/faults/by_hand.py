"""Faults made by hand in the separation logic of locks: what a hurried author might get wrong.

A fault replaces a piece of a module by another of as many lines.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from benchmarks.faults.mutations import ROOT, Fault

_FOLDER = "threadwise/proofs/locksets/resources/"
_PIECES: tuple[tuple[str, str, str, str], ...] = (
    (
        "units are never closed",
        "look",
        "if right is None or (right is Right.LOOK and which not in heap.shared):",
        "if right is None and which in heap.shared:",
    ),
    (
        "no state has a successor",
        "look",
        "if after is not None:",
        "if after is None:",
    ),
    (
        "what was closed is kept",
        "values",
        "if not heap.close(which):",
        "if not heap.copy().close(which):",
    ),
    (
        "any tree is there",
        "heap",
        "return links is not None and all(",
        "return True or all(",
    ),
    (
        "what is not there is given back",
        "heap",
        "                case _:\n                    return False\n\n    def take_list",
        "                case _:\n                    return True\n\n    def take_list",
    ),
    (
        "a tail may be anywhere",
        "heap",
        "return self.take_list(head, tail.name",
        "return self.copy().take_list(head, tail.name",
    ),
    (
        "any list is there",
        "heap",
        "if links is None or links.get(link) is not Known.NULL:",
        "if links is None:",
    ),
    (
        "slots are written without lock",
        "effects",
        "if which in heap.shared or self._values.right(lock, heap, at) is not Right.CHANGE:",
        "if which in heap.shared or self._values.right(lock, heap, at) is Right.LOOK:",
    ),
    (
        "links are written by anybody",
        "effects",
        'raise Spoilt(self._concerned(cells), "a slot or link is written by who has it not")',
        "return None",
    ),
    (
        "links are written by readers",
        "effects",
        "            case Pointer(name, _):\n                if name in heap.borrowed:",
        "            case Pointer(name, _):\n                if False:",
    ),
    (
        "what was freed is kept",
        "effects",
        "del heap.nodes[name]\n                    heap.marked.pop(name, None)",
        "pass\n                    heap.marked.pop(name, None)",
    ),
    (
        "anybody frees",
        "effects",
        'raise Spoilt(frozenset(sites), "an object is freed',
        'return; Spoilt(frozenset(sites), "an object is freed',
    ),
    (
        "units are opened without right",
        "values",
        "        if right is None:\n            return None",
        "        if right is None:\n            pass",
    ),
    (
        "who reads may change",
        "ground",
        "return Right.LOOK if shared else None",
        "return Right.CHANGE if shared else None",
    ),
    (
        "everybody has a right",
        "ground",
        "return Right.LOOK if shared else None",
        "return Right.CHANGE",
    ),
    (
        "slots keep what they held",
        "effects",
        "heap.opened[which][key] = value",
        "heap.opened[which][key]",
    ),
    (
        "links keep what they held",
        "effects",
        "links[number] = value",
        "links[number]",
    ),
    (
        "variables keep what they held",
        "effects",
        "if value is not None and is_definite(target):",
        "if value is not None and is_definite(target) and target not in heap.store:",
    ),
    (
        "readers own alone",
        "effects",
        "Hold(Custody.SHARED if value.name in heap.borrowed else Custody.TAKEN, receipt)",
        "Hold(Custody.TAKEN, receipt)",
    ),
    (
        "what is not had is had",
        "effects",
        "return Hold(Custody.COUNTED if counted else None, receipt)",
        "return Hold(Custody.COUNTED if counted else Custody.TAKEN, receipt)",
    ),
    (
        "what is not known is had",
        "effects",
        "        if not isinstance(value, Pointer):\n            return NOT_AT_ALL",
        "        if not isinstance(value, Pointer):\n"
        "            return Hold(Custody.TAKEN, False)",
    ),
    (
        "null is not null",
        "conditions",
        "            case (Pointer(name, cell), Known.NULL):\n"
        "                if name in heap.nodes or name in heap.some:\n"
        "                    return not equal",
        "            case (Pointer(name, cell), Known.NULL):\n"
        "                if name in heap.nodes or name in heap.some:\n"
        "                    return equal",
    ),
    (
        "trees are never empty",
        "heap",
        "        except Nowhere:\n            pass\n        else:\n            yield empty",
        "        except Nowhere:\n            pass\n        else:\n            pass",
    ),
    (
        "trees are always empty",
        "heap",
        "if chain is None or chain.link in links:",
        "if chain is not None and chain.link in links:",
    ),
    (
        "lists are always empty",
        "values",
        "            if unit.link not in links:\n                continue",
        "            if unit.link in links:\n                continue",
    ),
    (
        "lists are never empty",
        "values",
        "        yield empty\n",
        "        empty\n",
    ),
    (
        "the first thread stays alone",
        "effects",
        "            heap.alone = False",
        "            heap.alone = heap.alone",
    ),
    (
        "all locks differ",
        "ground",
        "return fixed and first != second",
        "return True",
    ),
    (
        "a freed object keeps its links",
        "effects",
        "heap.nodes[name] = dict.fromkeys(self.meaning.links[site], initial)",
        "heap.trees.add(name)",
    ),
    (
        "units are shared with callees",
        "effects",
        "        if isinstance(action, Call | Return):\n            self._let_go(heap)",
        "        if isinstance(action, Return):\n            self._let_go(heap)",
    ),
    (
        "two names stand for one object",
        "heap",
        "        if name in self.nodes and other in self.nodes:\n            raise Nowhere",
        "        if name in self.nodes and other in self.nodes:\n            pass",
    ),
    (
        "folded parts lose their middle",
        "normal",
        "return name not in held and name not in slots and inner[name] == 1",
        "return True",
    ),
)


@dataclass(frozen=True)
class HandMade(Fault):
    """A piece of a module, and what is there instead."""

    old: str = ""
    new: str = ""

    @property
    def name(self) -> str:
        """How results call it."""
        return f"{self.module}: {self.kind}"

    def tree(self) -> ast.Module:
        """The module with the fault."""
        source = (ROOT / self.module).read_text(encoding="utf-8")
        return ast.parse(source.replace(self.old, self.new, 1))


def made_by_hand() -> list[HandMade]:
    """All of them; raises ValueError if a piece is not there, or is there twice."""
    found: list[HandMade] = []
    for kind, module, old, new in _PIECES:
        path = f"{_FOLDER}{module}.py"
        source = (ROOT / path).read_text(encoding="utf-8")
        if source.count(old) != 1 or old.count("\n") != new.count("\n"):
            raise ValueError(f"{kind}: {source.count(old)} places")
        line = source[: source.index(old)].count("\n") + 1
        found.append(HandMade(path, 0, kind, line, old, old, new))
    return found
