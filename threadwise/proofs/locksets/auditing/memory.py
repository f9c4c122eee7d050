"""What memory holds: every value in a store is among those claimed for its folded cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from threadwise.ir.types import INTEGER_OBJECT, UNSET, Address, Type, Value
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.memory.contents import ANY_INTEGER, NO_VALUES
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import Cells, State


class MemoryMeaning:
    """The claim about memory."""

    def __init__(
        self, world: World, claimed: Mapping[Target, Values], evaluated: Counter[str]
    ) -> None:
        self.world = world
        self.claimed = claimed
        self.evaluated = evaluated
        self._targets: dict[tuple[str, str], tuple[Target, ...]] = {}

    def everything(self, moment: Moment) -> None:
        """All of memory."""
        state = moment.state
        for slot in range(len(state.g.cells)):
            self._shared(CellRef(Region.GLOBAL, 0, slot), moment)
        for number in range(len(state.g.heap)):
            self._object(number, moment)
        for thread in range(len(state.locals)):
            self._own(moment, thread)

    def changed(self, micro: Micro) -> None:
        """What an edge wrote, and what is new."""
        after = micro.after
        for access in micro.accesses:
            if access.write:
                self._shared(access.cell, after)
        for number in range(len(micro.before.names), len(after.names)):
            self._object(number, after)
        self._own(after, micro.thread, micro.before)

    def _object(self, number: int, moment: Moment) -> None:
        for slot in range(len(moment.state.g.heap[number].cells)):
            self._shared(CellRef(Region.HEAP, number, slot), moment)

    def _shared(self, cell: CellRef, moment: Moment) -> None:
        self._expect(self.world.target(cell, moment.state), moment.content(cell), moment.state)

    def _own(self, moment: Moment, thread: int, before: Moment | None = None) -> None:
        """The variables of a thread and of its procedure, unless they are as before."""
        l = moment.state.locals[thread]
        template = self.world.templates[thread]
        procedure = self.world.program.procedure_of[l.pc].name
        old: tuple[Cells, Cells] = ((), ())
        if before is not None:
            was = before.state.locals[thread]
            same = self.world.program.procedure_of[was.pc].name == procedure
            old = was.thread, was.locals if same else ()
        self._variables(self._of_template(template), l.thread, old[0], moment.state)
        self._variables(self._of_procedure(procedure), l.locals, old[1], moment.state)

    def _of_template(self, name: str) -> tuple[Target, ...]:
        """The folded cells of the variables of a template's threads."""
        if (name, "") not in self._targets:
            declared = self.world.program.template[name].variables
            variables = [(f"{d.variable.name}@", d.variable.type) for d in declared]
            self._targets[name, ""] = self._folded(variables)
        return self._targets[name, ""]

    def _of_procedure(self, name: str) -> tuple[Target, ...]:
        """The folded cells of the variables of a procedure."""
        if ("", name) not in self._targets:
            procedure = self.world.program.procedure[name]
            declared = [*procedure.parameters, *(d.variable for d in procedure.locals)]
            variables = [(f"{name}.{v.name}@", v.type) for v in declared]
            self._targets["", name] = self._folded(variables)
        return self._targets["", name]

    def _folded(self, variables: list[tuple[str, Type]]) -> tuple[Target, ...]:
        return tuple(
            Target(name, cell)
            for name, held in variables
            for cell in self.world.shape(held).folded
        )

    def _variables(
        self, targets: tuple[Target, ...], cells: Cells, old: Cells, state: State
    ) -> None:
        for slot, (target, value) in enumerate(zip(targets, cells, strict=True)):
            if slot >= len(old) or old[slot] != value:
                self._expect(target, value, state)

    def _expect(self, target: Target, value: Value, state: State) -> None:
        self.evaluated["memory"] += 1
        if not self._covers(self.claimed.get(target, NO_VALUES), value, state):
            raise Broken(f"memory: {target.object} (cell {target.cell}) holds {value}")

    def _covers(self, claimed: Values, value: Value, state: State) -> bool:
        if claimed is None or value == UNSET:
            return True
        if not isinstance(value, Address):
            return value in claimed
        if value.number == INTEGER_OBJECT:
            return value in claimed or ANY_INTEGER in claimed
        name, cells = self._pointed(value, state)
        return any(
            isinstance(target, Target)
            and target.object == name
            and (target.cell < 0 or cells is None or target.cell in cells)
            for target in claimed
        )

    def _pointed(self, address: Address, state: State) -> tuple[str, frozenset[int] | None]:
        """The object an address is in, and the folded cells there; None: C has no such address.

        It is the beginning of a cell, or the end of what begins in another.
        """
        number = self.world.heap_number(address)
        if number is None:
            variable = self.world.program.globals[address.number].variable
            name, held = variable.name, variable.type
            length = self.world.shape(held).size
        else:
            item = state.g.heap[number]
            name, held = self.world.sites[item.site][0], self.world.held(item)
            length = len(item.cells)
        if not 0 <= address.offset <= length:
            return name, None
        shape = self.world.shape(held)
        if shape.size == 0:
            return name, None
        offset = address.offset % shape.size
        found = {shape.folded[offset]} if address.offset < length else set[int]()
        found |= shape.ends.get(offset, frozenset())
        if offset == 0:
            found |= shape.ends.get(shape.size, frozenset())
        return name, frozenset(found)
