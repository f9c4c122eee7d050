"""How much of a procedure lies ahead of each location: walks go where most is left to do."""

from __future__ import annotations

from threadwise.ir.program import LocId, Program

COUNTED = 2_000
"""In procedures of so many locations it is counted exactly how many others can be reached."""


def outlook_of(program: Program) -> list[int]:
    """Per location how many others of its procedure can be reached from it; of many, about."""
    found = [0] * len(program.locations)
    for procedure in program.procedures:
        ids = [location.id for location in procedure.locations]
        ahead = _exactly if len(ids) <= COUNTED else _about
        for location, reached in zip(ids, ahead(program, ids), strict=True):
            found[location] = reached
    return found


def _exactly(program: Program, ids: list[LocId]) -> list[int]:
    """How many locations can be reached from each."""
    position = {location: n for n, location in enumerate(ids)}
    targets = [{position[edge.target] for edge in program.outgoing[each]} for each in ids]
    after = [sum(1 << target for target in each) for each in targets]
    """Sets of locations, as the digits of numbers."""
    changed = True
    while changed:
        changed = False
        for location in reversed(range(len(after))):
            grown = after[location]
            for target in targets[location]:
                grown |= after[target]
            changed |= grown != after[location]
            after[location] = grown
    return [reached.bit_count() for reached in after]


def _about(program: Program, ids: list[LocId]) -> list[int]:
    """How many locations a search leaves after each: no more can be reached but by loops."""
    left: dict[LocId, int] = {}
    seen: set[LocId] = set()
    for start in ids:
        if start in seen:
            continue
        seen.add(start)
        work = [(start, iter(program.outgoing[start]))]
        while work:
            location, rest = work[-1]
            edge = next((e for e in rest if e.target not in seen), None)
            if edge is None:
                left[location] = len(left)
                work.pop()
            else:
                seen.add(edge.target)
                work.append((edge.target, iter(program.outgoing[edge.target])))
    return [left[location] for location in ids]
