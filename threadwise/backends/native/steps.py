"""The steps of threads as functions, one per template.

    step_k(row, state, thread, depth)

finds every successor of a state by one thread and hands it to `emit`. An edge into an atomic
region is followed by a call for the state inside, one deeper, until the region is left: a path
through a region is one step. Paths that are longer than the room for them are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from llvmlite import ir

from threadwise.backends.native.control import ControlCode, Slot, Status
from threadwise.backends.native.expressions import ExpressionCode
from threadwise.backends.native.jit import BYTE, LONG, POINTER, VOID
from threadwise.backends.native.packing import Packing
from threadwise.backends.native.table import TableCode
from threadwise.backends.native.values import Seen, Spot
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Command
from threadwise.ir.encoding import GREATEST, UNWRITTEN
from threadwise.ir.expr import Expr, Place, Read
from threadwise.ir.program import Edge, LocId, Template
from threadwise.ir.types import ScalarType, Type, Value

DEPTH = 1_000
"""How long a path through an atomic region may be."""


class Inputs(Protocol):
    """Which values a havoc tries; the reference interpreter says so."""

    def domain(self, scalar: ScalarType, /) -> Iterable[Value]:
        """All values of a type that are tried; Unsupported if they are too many."""
        ...

    def is_narrowed(self, held: Type, /) -> bool:
        """Whether those are only some of its values."""
        ...


class StepCode:
    """Writes the step functions of a program into a module."""

    def __init__(
        self, module: ir.Module, packing: Packing, inputs: Inputs, table: TableCode
    ) -> None:
        self.module = module
        self.packing = packing
        self.program = packing.program
        self.inputs = inputs
        self.table = table
        running = [template for template in self.program.templates if template.count]
        self.functions = {
            template.name: self._declare(number) for number, template in enumerate(running)
        }
        for template in running:
            _TemplateCode(self, template).write()

    def _declare(self, number: int) -> ir.Function:
        kind = ir.FunctionType(VOID, [POINTER, POINTER, LONG, LONG])
        function = ir.Function(self.module, kind, f"step_{number}")
        function.linkage = "internal"
        return function


class _TemplateCode:
    """The step function of one template."""

    def __init__(self, code: StepCode, template: Template) -> None:
        self.code = code
        self.packing = code.packing
        self.program = code.program
        self.template = template
        self.function = code.functions[template.name]
        self.row, self.state, self.thread, self.depth = self.function.args
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.control = ControlCode(self.builder, self.row)
        self.refuse = self.function.append_basic_block()
        self.done = self.function.append_basic_block()

    def write(self) -> None:
        """The whole function."""
        builder = self.builder
        deep = builder.icmp_signed(">=", self.depth, LONG(DEPTH))
        start = builder.append_basic_block()
        builder.cbranch(deep, self.refuse, start)
        builder.position_at_end(start)
        numbers = self.packing.layout.numbers.ranges[self.template.name]
        block = self.packing.own[self.template.name]
        position = builder.sub(self.thread, LONG(numbers.start))
        distance = builder.add(
            builder.mul(position, LONG(block.size)), LONG(self.packing.base[numbers.start])
        )
        own = builder.gep(self.state, [distance], source_etype=BYTE)
        self.seen = Seen(self.state, self.template.name, self.thread, own)
        self.distance = distance
        code = ExpressionCode(self.packing, builder, self.refuse)
        where = code.location(own)
        scratch = self.control.array(Slot.SCRATCH)
        room = builder.mul(self.depth, LONG(self.packing.size))
        self.after = builder.gep(scratch, [room], source_etype=BYTE)
        places = self._places()
        chosen = builder.switch(where, self.done)
        for location, edges in places.items():
            entry = builder.append_basic_block()
            chosen.add_case(LONG(location), entry)
            builder.position_at_end(entry)
            self._location(edges)
            builder.branch(self.done)
        builder.position_at_end(self.refuse)
        self.control.put(Slot.STATUS, LONG(Status.REFUSED))
        builder.branch(self.done)
        builder.position_at_end(self.done)
        builder.ret_void()

    def _places(self) -> dict[LocId, Sequence[Edge]]:
        return {
            location.id: self.program.outgoing[location.id]
            for location in self.program.procedure[self.template.body].locations
            if self.program.outgoing[location.id]
        }

    def _location(self, edges: Sequence[Edge]) -> None:
        for edge in edges:
            if not isinstance(edge.action, Command):
                raise Unsupported("calls and a heap in machine code")
            following = self.builder.append_basic_block()
            self._edge(edge, edge.action, following)
            self.builder.branch(following)
            self.builder.position_at_end(following)

    def _edge(self, edge: Edge, command: Command, following: ir.Block) -> None:
        """One edge; where its guard is false, or all its values were tried, `following` comes."""
        builder = self.builder
        code = ExpressionCode(self.packing, builder, self.refuse)
        taken = builder.append_basic_block()
        builder.cbranch(code.truth(command.guard, self.seen), taken, following)
        builder.position_at_end(taken)
        values = [self._stored(code, a.value) for a in command.assignments]
        written = [self._elsewhere(code, a.target) for a in command.assignments]
        chosen = [self._elsewhere(code, place) for place in command.havocs]
        domains = [self._domain(place) for place in command.havocs]
        if any(self.code.inputs.is_narrowed(place.type) for place in command.havocs):
            self.control.put(Slot.NARROWED, LONG(1))
        if any(domain is None for domain in domains):
            builder.branch(self.refuse)
            builder.position_at_end(builder.append_basic_block())
            return
        listed = [domain for domain in domains if domain is not None]
        combinations = 1
        for domain in listed:
            combinations *= len(domain)
        if combinations > GREATEST:
            raise Unsupported("so many values of inputs in machine code")
        case = self._loop() if listed else None
        builder.call(self.code.table.copy, [self.state, self.after])
        for spot, value in zip(written, values, strict=True):
            code.store(spot, value)
        rest: ir.Value | None = case
        for spot, domain in zip(chosen, listed, strict=True):
            assert rest is not None
            position = builder.urem(rest, LONG(len(domain)))
            rest = builder.udiv(rest, LONG(len(domain)))
            code.store(spot, self._value(domain, position))
        self._finish(edge)
        if case is not None:
            self._next(case, combinations)

    def _stored(self, code: ExpressionCode, expr: Expr) -> ir.Value:
        """A value to store; a computed one is not what stands for memory never written."""
        value = code.number(expr, self.seen)
        if value.low <= UNWRITTEN and not isinstance(expr, Read):
            code.arithmetic.require(self.builder.icmp_signed("!=", value.term, LONG(UNWRITTEN)))
        return value.term

    def _elsewhere(self, code: ExpressionCode, place: Place) -> Spot:
        """A place of the old state, in the new one."""
        builder = self.builder
        pointer, held = code.spot(place, self.seen)
        before = builder.ptrtoint(self.state, LONG)
        offset = builder.sub(builder.ptrtoint(pointer, LONG), before)
        return Spot(builder.gep(self.after, [offset], source_etype=BYTE), held)

    def _domain(self, place: Place) -> Sequence[int] | None:
        """The values of a havoc; None if they are too many."""
        try:
            values: Iterable[Value] = self.code.inputs.domain(place.type)  # type: ignore[arg-type]  # a scalar
            listed = values if isinstance(values, range) else [int(v) for v in values]  # type: ignore[arg-type]  # numbers
        except Unsupported:
            return None
        if min(listed) <= UNWRITTEN or max(listed) > GREATEST:
            raise Unsupported("inputs beyond 64 bits in machine code")
        return listed

    def _value(self, domain: Sequence[int], position: ir.Value) -> ir.Value:
        """The value at a position of a domain."""
        if isinstance(domain, range):
            return self.builder.add(position, LONG(domain.start))
        kind = ir.ArrayType(LONG, len(domain))
        module = self.code.module
        table = ir.GlobalVariable(module, kind, module.get_unique_name("values"))
        table.initializer = ir.Constant(kind, list(domain))
        table.global_constant = True
        table.linkage = "internal"
        found = self.builder.gep(table, [LONG(0), position], source_etype=kind)
        return self.builder.load(found, typ=LONG)

    def _loop(self) -> ir.Value:
        """Begin to count: 0, 1, …; what is written now is done for each."""
        builder = self.builder
        before = builder.block
        self.body = builder.append_basic_block()
        builder.branch(self.body)
        builder.position_at_end(self.body)
        case = builder.phi(LONG)
        case.add_incoming(LONG(0), before)
        return case

    def _next(self, case: ir.Value, combinations: int) -> None:
        builder = self.builder
        body = self.body
        following = builder.add(case, LONG(1))
        end = builder.append_basic_block()
        case.add_incoming(following, builder.block)
        builder.cbranch(builder.icmp_unsigned("<", following, LONG(combinations)), body, end)
        builder.position_at_end(end)

    def _finish(self, edge: Edge) -> None:
        """The new state is complete: hand it over, or follow it through the region."""
        builder = self.builder
        own = builder.gep(self.after, [self.distance], source_etype=BYTE)
        width = self.packing.location.size
        builder.store(ir.IntType(8 * width)(edge.target), own, align=1)
        if self.program.locations[edge.target].atomic:
            deeper = builder.add(self.depth, LONG(1))
            builder.call(self.function, [self.row, self.after, self.thread, deeper])
        else:
            builder.call(self.code.table.emit, [self.row, self.after, self.thread])
