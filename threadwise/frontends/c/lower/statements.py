"""Statements as control flow, declarations and their initialisers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from threadwise.core.identity import Same
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.beyond import go_on
from threadwise.frontends.c.lower.blocks import Blocks
from threadwise.frontends.c.lower.liveness import FOLLOWED
from threadwise.frontends.c.lower.scopes import is_list_of_declarations, labels_of, scopes
from threadwise.frontends.c.lower.storage.cell_by_cell import is_large
from threadwise.frontends.c.lower.storage.places import is_private
from threadwise.frontends.c.lower.storage.variable_lengths import VariableLengths
from threadwise.frontends.c.lower.survey import trips
from threadwise.frontends.c.lower.values.arithmetic import ZERO, both, compare
from threadwise.frontends.c.lower.values.types import (
    ACTIVE,
    Unrepresentable,
    cells,
    field_name,
    is_aggregate,
    zero,
)
from threadwise.frontends.c.types import CArray, CPointer, CRecord, CType, CVoid, unqualified
from threadwise.frontends.c.walking import parts
from threadwise.ir.commands import Assignment, Command, OperationKind
from threadwise.ir.expr import (
    TRUE,
    AddressOf,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    VariablePlace,
)
from threadwise.ir.fold import number, place_expressions, root
from threadwise.ir.layout import NO_THREADS, size_of
from threadwise.ir.program import DEFAULT
from threadwise.ir.types import ArrayType, PointerType, TidType, Type

if TYPE_CHECKING:
    from threadwise.core.source import Span
    from threadwise.frontends.c.lower.body import Body


class Statements:
    """The statements of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.lengths = VariableLengths(body)
        self._blocks = Blocks(body)

    def at(self, span: Span) -> None:
        """What follows belongs to the statement at a span, unless we are in the library."""
        body = self.body
        if body.frame is not None and body.frame.span is not None:
            body.span, body.text = body.frame.span, body.frame.text
        else:
            body.span, body.text = span, body.unit.text(span)
        if body.graph.points[body.at].span is None:
            body.graph.points[body.at].span = body.span

    def statement(self, node: tree.Statement) -> None:
        """Lower a statement from where we are; if no path leads here or into it, leave it out."""
        if self.body.is_dead and Same(node) not in self.body.here.survey.labelled:
            return
        try:
            self._statement(node)
        except Unrepresentable as refused:
            self.body.limit(str(refused))

    def _statement(self, node: tree.Statement) -> None:  # noqa: C901 - a case per node
        body = self.body
        match node:
            case tree.Compound(statements):
                self._blocks.enter(*statements)
                for each in statements:
                    self.statement(each)
                self._blocks.leave(outermost=_is_no_block(node, body.here.function))
            case tree.Declare():
                self.at(node.span)
                self._declare(node)
            case tree.Evaluate(value):
                self.at(node.span)
                body.expressions.effect(value)
            case tree.If():
                self._if(node)
            case tree.While(condition, inner):
                self._loop(node.span, condition, None, inner, first=True)
            case tree.DoWhile(inner, condition):
                self._loop(node.span, condition, None, inner, first=False)
            case tree.For():
                self._for(node)
            case tree.Switch():
                self._switch(node)
            case tree.Case(_, _, inner) | tree.Default(inner):
                here = body.here
                if here.cases and Same(node) in here.cases[-1]:
                    body.move_to(here.cases[-1][Same(node)])
                self.statement(inner)
            case tree.Label(name, inner):
                body.move_to(self._label(name))
                body.graph.points[body.at].labels.append(self._shown_label(name))
                self.statement(inner)
            case tree.Goto(name):
                self.at(node.span)
                self._enter_scopes(scopes(body.here.function).entered_by(node))
                body.goto(self._label(name))
            case tree.Break():
                self._leave(body.here.breaks)
            case tree.Continue():
                self._leave(body.here.continues)
            case tree.Return(value):
                self.at(node.span)
                self._return(value)
            case tree.Empty():
                pass
            case tree.Assembly():
                self.at(node.span)
                self._assembly(node)
            case tree.UnsupportedStatement(what):
                self.at(node.span)
                raise Unrepresentable(what)

    def _leave(self, targets: list[int]) -> None:
        if not targets:
            raise Unrepresentable("a jump out of nothing")
        self._blocks.jump(targets[-1])

    def _label(self, name: str) -> int:
        labels = self.body.here.labels
        if name not in labels:
            labels[name] = self.body.node()
            self.body.graph.points[labels[name]].reached = True
        return labels[name]

    def _shown_label(self, name: str) -> str:
        frame = self.body.here
        return name if frame.outer is None else f"{frame.function.shown}.{name}"

    # -- choices and loops -----------------------------------------------------------------------

    def _if(self, node: tree.If) -> None:
        body = self.body
        self.at(node.condition.span)
        then, otherwise, after = body.node(), body.node(), body.node()
        body.choices.branch(node.condition, then, otherwise)
        body.at = then
        self.statement(node.then)
        body.graph.jump(body.at, after)
        body.at = otherwise
        if node.otherwise is not None:
            self.statement(node.otherwise)
        body.graph.jump(body.at, after)
        body.at = after

    def _for(self, node: tree.For) -> None:
        self._blocks.enter(*(() if node.first is None else (node.first,)))
        if node.first is not None:
            self.statement(node.first)
        outer = self.body.times
        known = trips(node)
        self.body.times = None if known is None or outer is None else outer * known
        try:
            self._loop(node.span, node.condition, node.after, node.body, first=True)
        finally:
            self.body.times = outer
        self._blocks.leave()

    def _loop(
        self,
        span: Span,
        condition: tree.Expr | None,
        after: tree.Expr | None,
        inner: tree.Statement,
        *,
        first: bool,
    ) -> None:
        """`first`: the condition is tested before the body runs for the first time."""
        body, frame = self.body, self.body.here
        test, start, again, done = body.node(), body.node(), body.node(), body.node()
        body.graph.points[test].reached |= not body.is_dead or _can_be_entered(inner)
        outer = body.times
        if after is None:
            body.times = None
        body.loops += 1
        body.graph.jump(body.at, test if first else start)
        body.at = test
        if condition is None:
            body.graph.jump(test, start)
        else:
            self.at(condition.span)
            body.choices.branch(condition, start, done)
        frame.breaks.append(done)
        frame.continues.append(again)
        self._blocks.lead(done, again)
        body.at = start
        self.statement(inner)
        body.graph.jump(body.at, again)
        body.at = again
        if after is not None:
            self.at(after.span)
            body.expressions.effect(after)
        body.graph.jump(body.at, test)
        frame.breaks.pop()
        frame.continues.pop()
        body.loops -= 1
        body.times = outer
        body.at = done

    def _switch(self, node: tree.Switch) -> None:
        body, frame = self.body, self.body.here
        self.at(node.value.span)
        value = body.expressions.value(node.value)
        done = body.node()
        labels: dict[Same, int] = {}
        ways: dict[int, tree.Case | tree.Default] = {}
        default: int | None = None
        for label in labels_of(node.body):
            labels[Same(label)] = body.node()
            way = body.node()
            ways[way] = label
            if isinstance(label, tree.Default):
                default = way
                continue
            if label.low == label.high:
                chosen = compare(BinaryOp.EQ, value, number(label.low))
            else:
                chosen = both(
                    compare(BinaryOp.GE, value, number(label.low)),
                    compare(BinaryOp.LE, value, number(label.high)),
                )
            other = body.node()
            body.branch(chosen, way, other)
            body.at = other
        body.graph.jump(body.at, done if default is None else default)
        known = scopes(frame.function)
        skips = any(known.entered(node, label) for label in ways.values())
        body.loops += skips
        for way, label in ways.items():
            body.at = way
            self._enter_scopes(known.entered(node, label))
            body.graph.jump(body.at, labels[Same(label)])
        body.at = body.node()
        frame.breaks.append(done)
        self._blocks.lead(done)
        frame.cases.append(labels)
        self.statement(node.body)
        frame.cases.pop()
        frame.breaks.pop()
        body.loops -= skips
        body.graph.jump(body.at, done)
        body.at = done

    def _enter_scopes(self, variables: Iterable[tree.Variable]) -> None:
        """A jump leads past declarations: the variables live, with values that nobody knows."""
        if not self.body.is_dead:
            for variable in variables:
                self._undefined(self.bring_to_life(variable, cleared=False))

    def _is_skipped(self, variable: tree.Variable) -> bool:
        """Whether some jump leads past the declaration of a variable."""
        here = self.body.here
        return bool(here.survey.labelled) and variable in scopes(here.function).skipped

    def _return(self, value: tree.Expr | None) -> None:
        body, frame = self.body, self.body.here
        held = unqualified(frame.function.type.result)
        if value is not None and isinstance(held, CVoid):
            body.expressions.effect(value)
        elif value is not None and frame.survey.returns_last:
            self._tail(value, held)
            return
        elif value is not None and frame.result is not None:
            if is_aggregate(held):
                source = body.expressions.aggregate(value)
                body.places.copy(frame.result, source, held)
            else:
                found = body.expressions.value(value)
                body.step(Command(assignments=(Assignment(frame.result, found),)))
        if not frame.survey.returns_last:
            body.goto(frame.exit)

    def _tail(self, value: tree.Expr, held: CType) -> None:
        """The value of a `return` that ends its function stands for the call."""
        body, frame = self.body, self.body.here
        if is_aggregate(held):
            kept = VariablePlace(body.temporary(body.unit.types.of(held)))
            body.places.copy(kept, body.expressions.aggregate(value), held)
            frame.tail = kept
            return
        frame.tail = body.expressions.value(value)

    # -- declarations ----------------------------------------------------------------------------

    def _declare(self, node: tree.Declare) -> None:
        variable = node.variable
        if node.length is not None:
            self.lengths.declare(variable, node.length)
            return
        if node.initial is None:
            place = self.bring_to_life(variable, cleared=False)
            self._undefined(place)
            return
        if isinstance(node.initial, tree.ScalarInitial) and self._never_changes(variable):
            self._stand_for(variable, node.initial.value)
            return
        aggregate = isinstance(node.initial, tree.AggregateInitial)
        place = self.bring_to_life(variable, cleared=aggregate)
        self.initialise(place, node.initial, variable.type, fresh=True)

    def _never_changes(self, variable: tree.Variable) -> bool:
        """Whether a local pointer keeps the value that it begins with."""
        return (
            isinstance(unqualified(variable.type), CPointer)
            and variable.storage is tree.Storage.LOCAL
            and not variable.address_taken
            and variable not in self.body.here.survey.assigned
            and not self._is_skipped(variable)
        )

    def _stand_for(self, variable: tree.Variable, initial: tree.Expr) -> None:
        """A pointer to a fixed place stands for its address: so that need not be a value."""
        body = self.body
        value = body.expressions.value(initial)
        if isinstance(value, AddressOf) and _is_fixed(value.place):
            body.here.bindings[variable] = value
            return
        body.places.store(self.bring_to_life(variable, cleared=False), value, variable.type)

    def bring_to_life(self, variable: tree.Variable, *, cleared: bool) -> Place:
        """The place of a local variable whose life begins; on the heap it is a fresh object."""
        body = self.body
        skipped = self._is_skipped(variable)
        place = body.places.bound(variable) if skipped else body.places.bind(variable)
        heap = body.here.heap.get(variable)
        if heap is not None:
            if body.loops:
                body.free_local(heap.pointer)
            site = f"{variable.span.path}:{variable.span.line} {variable.shown}"
            body.allocate_local(heap, site, cleared=cleared)
        elif (
            cleared and not skipped and isinstance(place, VariablePlace) and not is_private(place)
        ):
            body.unit.objects[place.variable.name].initial = DEFAULT
            body.unit.unset.discard(place.variable)
        elif cleared:
            body.places.clear(place)
        return place

    def _undefined(self, place: Place) -> None:
        """A private variable holds any value; memory of the heap is unset already.

        Ids of no thread are what variables hold from the start: where a declaration happens once
        it need not be said of each of ten thousand cells. A variable that is followed as a whole
        is listed as a whole if nothing reads it, and otherwise memory in the next round.
        """
        if not is_private(place):
            return
        ids = _holds_ids(place.type)
        if is_large(place) and not self.body.loops and ids:
            return
        owned = isinstance(place, VariablePlace) and place.variable in self.body.owners
        if owned and not ids and size_of(place.type, NO_THREADS) > FOLLOWED:
            self.body.step(Command(havocs=(place,)), declares=True)
            return
        havocs: list[Place] = []
        zeros: list[Assignment] = []
        for cell in cells(place, place.type):
            tag = isinstance(cell, FieldPlace) and cell.field == ACTIVE
            if tag or isinstance(cell.type, TidType):
                zeros.append(Assignment(cell, zero(cell.type)))
            else:
                havocs.append(cell)
        self.body.step(Command(TRUE, tuple(zeros), tuple(havocs)), declares=True)

    def compound_literal(self, variable: tree.Variable, initial: tree.Initialiser) -> Place:
        """An unnamed variable that is born where it stands."""
        if variable.storage is not tree.Storage.LOCAL:
            found = self.body.places.variable(variable)
            assert isinstance(found, VariablePlace)
            return found
        aggregate = isinstance(initial, tree.AggregateInitial)
        self._blocks.live_on(variable)
        place = self.bring_to_life(variable, cleared=aggregate)
        self.initialise(place, initial, variable.type, fresh=True)
        return place

    def initialise(
        self, place: Place, initial: tree.Initialiser, held: CType, *, fresh: bool
    ) -> None:
        """Store an initial value; with `fresh`, the place is zero where nothing is said."""
        body = self.body
        match initial:
            case tree.ScalarInitial(value) if is_aggregate(unqualified(held)):
                body.places.copy(place, body.expressions.aggregate(value), held)
            case tree.ScalarInitial(value):
                found = body.places.fitted(place, body.expressions.value(value))
                nothing = isinstance(found, Const) and found.value == zero(place.type).value
                if not (fresh and nothing and self._is_cleared):
                    body.step(Command(assignments=(Assignment(place, found),)))
            case tree.AggregateInitial(elements):
                body.note_order(initial)
                outer = self._is_cleared
                self._is_cleared = True
                for position, part in elements:
                    inner, inner_type = self.element(place, held, position)
                    self.initialise(inner, part, inner_type, fresh=fresh)
                self._is_cleared = outer

    _is_cleared = False

    def element(self, place: Place, held: CType, position: int) -> tuple[Place, CType]:
        """A part of an aggregate, by its position."""
        match unqualified(held):
            case CArray(element):
                return IndexPlace(place, number(position)), element
            case CRecord(key):
                field = self.body.unit.types.records[key].fields[position]
                return FieldPlace(place, field_name(position, field)), field.type
            case other if position == 0:
                return place, other
            case _:
                raise Unrepresentable("an initialiser of this shape")

    # -- the rest --------------------------------------------------------------------------------

    def statement_expression(
        self, block: tree.Compound, result: tree.Expr | None, held: CType
    ) -> Expr:
        """GNU `({ … })` with a scalar value."""
        self._blocks.not_followed(*block.statements)
        for each in block.statements:
            self.statement(each)
        if result is None:
            return ZERO
        if isinstance(unqualified(held), CVoid):
            self.body.expressions.effect(result)
            return ZERO
        return self.body.expressions.value(result)

    def block_expression(
        self, block: tree.Compound, result: tree.Expr | None, kept: Place | None = None
    ) -> None:
        """GNU `({ … })` for its effects, or with an aggregate value that is kept."""
        self._blocks.not_followed(*block.statements)
        for each in block.statements:
            self.statement(each)
        if result is None:
            return
        if kept is None:
            self.body.expressions.effect(result)
        else:
            source = self.body.expressions.aggregate(result)
            self.body.places.copy(kept, source, result.type)

    def _assembly(self, node: tree.Assembly) -> None:
        body = self.body
        if node.clobbers_memory and (node.written or node.read):
            self._assembly_on_memory(node)
            return
        for read in node.read:
            body.expressions.effect(read)
        for written in node.written:
            place = body.places.of(written)
            if not is_private(place):
                raise Unrepresentable("assembly that writes shared memory")
            for cell in cells(place, place.type):
                if isinstance(cell.type, PointerType | TidType):
                    raise Unrepresentable("assembly that writes a pointer")
                body.step(Command(havocs=(cell,)))
        if node.written and body.span is not None:
            body.unit.approximated.add(body.span)

    def _assembly_on_memory(self, node: tree.Assembly) -> None:
        """Assembly that may write memory: what its operands lead to."""
        body = self.body
        pointers: list[Expr] = []
        results: list[Place] = []
        for read in node.read:
            if isinstance(unqualified(read.type), CPointer):
                pointers.append(body.expressions.value(read))
            else:
                body.expressions.effect(read)
        for written in node.written:
            place = body.places.of(written)
            if is_private(place):
                results.extend(cells(place, place.type))
            else:
                pointers.append(AddressOf(place))
        where = "" if body.span is None else f"{body.span.path}:{body.span.line}: "
        body.unit.assume(f"{where}assembly uses nothing but its operands, and changes no lock")
        go_on(
            body,
            "assembly that writes memory",
            OperationKind.UNKNOWN_WRITE if pointers else OperationKind.UNKNOWN_CALL,
            pointers or [None],
            results,
        )


def _is_no_block(node: tree.Compound, function: tree.Function) -> bool:
    """Whether no lives end with it: the body of a function, or declarations behind a label."""
    return node is function.body or is_list_of_declarations(node)


def _can_be_entered(body: tree.Statement) -> bool:
    """Whether a jump may lead into a statement, past its beginning."""
    pending: list[object] = [body]
    while pending:
        node = pending.pop()
        if isinstance(node, tree.Label | tree.Case | tree.Default):
            return True
        pending.extend(parts(node))
    return False


def _holds_ids(held: Type) -> bool:
    """Whether a type is an array of ids of threads."""
    while isinstance(held, ArrayType):
        held = held.element
    return isinstance(held, TidType)


def _is_fixed(place: Place) -> bool:
    """Whether a place is always the same part of the same variable."""
    fixed = all(isinstance(index, Const) for index in place_expressions(place))
    return fixed and isinstance(root(place), VariablePlace)
