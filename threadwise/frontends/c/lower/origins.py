"""Which functions a pointer may mean, by where its value comes from.

    static void (*table[])(int) = { on, off };    table[i](v)                         on, off
    void each(int (*f)(int)) { f(1); }            each(inc); each(dec);               inc, dec
    handler_t old = now; now = other; old(v);     what was ever assigned to `now`

Functions whose address is a value may be called wherever a pointer of their type is; here are
fewer. A variable holds what its initialiser and assignments say, a parameter what calls pass, a
call what the function returns, whenever that happens, and a record or an array whatever any part
of it holds (inclusion constraints without the order of statements, Andersen 1994, for variables
that no pointer leads to). Nothing is said about memory, about variables whose address is taken,
about unions, where numbers become pointers, and about parameters of functions that are called
through pointers or from outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from threadwise.core.identity import Same
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.inlining import callee
from threadwise.frontends.c.types import (
    CArray,
    CBool,
    CFloat,
    CFunction,
    CInteger,
    CPointer,
    CRecord,
    CType,
    CVoid,
    unqualified,
)
from threadwise.frontends.c.walking import nodes, parts

Source = tree.Variable | tree.Function
"""What values come from: what a variable holds, or what a function returns."""


class Origins:
    """Where pointers to functions come from, in a whole program."""

    def __init__(self, program: tree.Program, roots: Iterable[tree.Function]) -> None:
        self.records = program.records
        self.values: defaultdict[Source, list[tree.Expr]] = defaultdict(list)
        """What variables are assigned, and what functions return."""
        self.unknown: set[Source] = set()
        """Variables and functions whose values may come from anywhere."""
        self.converted: defaultdict[CFunction, set[CFunction | None]] = defaultdict(set)
        """What pointers to functions are converted to; None: pointers to anything, numbers."""
        self._known: dict[Same, tuple[tree.Function, ...] | None] = {}
        self._blind = False
        for variable in program.variables.values():
            self._initial(variable, variable.initial)
            if variable.external:
                self.unknown.add(variable)
        called_otherwise = set(roots)
        for function in program.functions.values():
            called_otherwise |= self._look(function, function.body)
        for variable in program.variables.values():
            called_otherwise |= self._look(None, variable.initial)
        for function in called_otherwise:
            self.unknown.update(function.parameters)

    def functions(
        self, pointer: tree.Expr, others: Iterable[tree.Function]
    ) -> Iterable[tree.Function]:
        """The functions that a pointer may mean; any of the others if nothing is known of it."""
        key = Same(pointer)
        if key not in self._known:
            self._known[key] = None if self._blind else self._followed(pointer)
        found = self._known[key]
        return others if found is None else found

    def seen_as(self, function: tree.Function) -> set[CFunction] | None:
        """The other types by which pointers may mean a function: by conversions; None: any."""
        if function.type.parameters is None:
            return None
        found: set[CFunction] = set()
        pending = [function.type]
        while pending:
            for other in self.converted.get(pending.pop(), ()):
                if other is None:
                    return None
                if other not in found:
                    found.add(other)
                    pending.append(other)
        return found

    def _followed(self, pointer: tree.Expr) -> tuple[tree.Function, ...] | None:
        found: dict[tree.Function, None] = {}
        seen: set[Source] = set()
        pending = [pointer]
        while pending:
            for part in _came_from(pending.pop()):
                match part:
                    case tree.FunctionName(function):
                        found[function] = None
                    case tree.Variable() | tree.Function():
                        if part in self.unknown or not self._is_followed(part):
                            return None
                        if part not in seen:
                            seen.add(part)
                            pending += reversed(self.values.get(part, ()))
                    case _:
                        return None
        return tuple(found)

    def _is_followed(self, source: Source) -> bool:
        if isinstance(source, tree.Function):
            return source.body is not None
        return not self._has_union(source.type)

    def _has_union(self, held: CType) -> bool:
        found = unqualified(held)
        while isinstance(found, CArray):
            found = unqualified(found.element)
        if not isinstance(found, CRecord):
            return False
        record = self.records.get(found.key)
        if record is None or record.union:
            return True
        return any(self._has_union(member.type) for member in record.fields)

    # -- what is assigned ------------------------------------------------------------------------

    def _initial(self, variable: tree.Variable, initial: tree.Initialiser | None) -> None:
        self.values[variable] += (
            node.value for node in nodes(initial) if isinstance(node, tree.ScalarInitial)
        )

    def _pass(self, function: tree.Function, arguments: Iterable[tree.Expr]) -> None:
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            self.values[parameter].append(argument)

    def _note_conversion(self, node: tree.Convert) -> None:
        called = _called(node.operand.type)
        if called is not None and node.type != node.operand.type:
            self.converted[called].add(_called(node.type))

    def _look(self, function: tree.Function | None, text: object) -> set[tree.Function]:
        """Note all assignments; the functions whose address is a value."""
        found: set[tree.Function] = set()
        pending = [text]
        while pending:
            node = pending.pop()
            match node:
                case tree.Load(place):
                    pending += _around(place)
                    continue
                case tree.Assign(place, value):
                    variable = _root(place)
                    if variable is not None:
                        self.values[variable].append(value)
                    pending += (value, *_around(place))
                    continue
                case tree.Call(_, arguments):
                    pending += arguments
                    named = callee(node)
                    if named is None:
                        pending.append(node.callee)
                        continue
                    self._pass(named, arguments)
                    continue
                case tree.FunctionName(named):
                    found.add(named)
                case tree.Convert():
                    self._note_conversion(node)
                case tree.VariableRef(variable):
                    self.unknown.add(variable)
                case tree.Step(place) if not _may_hold_functions(place.type):
                    pending += _around(place)
                    continue
                case tree.CompoundAssign(_, place, value) if not _may_hold_functions(place.type):
                    pending += (value, *_around(place))
                    continue
                case tree.Declare(variable, initial):
                    self._initial(variable, initial)
                case tree.Return(returned) if returned is not None and function is not None:
                    self.values[function].append(returned)
                case tree.UnsupportedExpr() | tree.UnsupportedStatement():
                    self._blind = True
                case _:
                    pass
            pending += parts(node)
        return found


# -- parts of the text ---------------------------------------------------------------------------


def _may_hold_functions(held: CType) -> bool:
    """Whether a value of a type may be, or contain, the address of a function."""
    found = unqualified(held)
    return not isinstance(found, CInteger | CFloat | CBool | CVoid)


def _called(held: CType) -> CFunction | None:
    """The type of what a pointer means, if that is a function."""
    pointer = unqualified(held)
    target = unqualified(pointer.target) if isinstance(pointer, CPointer) else None
    return target if isinstance(target, CFunction) else None


def _root(place: tree.LValue | tree.ValueMember) -> tree.Variable | None:
    """The variable that a place is a part of; None: it is somewhere in memory."""
    match place:
        case tree.VariableRef(variable):
            return variable
        case tree.Member(base):
            return _root(base)
        case tree.Deref(pointer):
            array = _array(pointer)
            return None if array is None else _root(array)
        case _:
            return None


def _array(pointer: tree.Expr) -> tree.LValue | tree.ValueMember | None:
    """The array that a pointer means an element of, as in `a[i]`."""
    while isinstance(pointer, tree.PointerArithmetic):
        pointer = pointer.pointer
    return pointer.place if isinstance(pointer, tree.Decay) else None


def _around(place: tree.LValue | tree.ValueMember) -> Iterator[object]:
    """The expressions in a place that is read or written: indices and pointers."""
    match place:
        case tree.VariableRef():
            return
        case tree.Member(base):
            yield from _around(base)
        case tree.Deref(pointer) if (array := _array(pointer)) is not None:
            yield from _around(array)
            while isinstance(pointer, tree.PointerArithmetic):
                yield pointer.count
                pointer = pointer.pointer
        case _:
            yield from parts(place)


def _came_from(value: tree.Expr) -> Iterator[tree.FunctionName | Source | None]:
    """What a value is, as far as it may be the address of a function; None: not known."""
    match value:
        case tree.FunctionName():
            yield value
        case tree.Convert(operand) if _may_hold_functions(operand.type):
            yield from _came_from(operand)
        case tree.Convert(tree.IntegerConstant()) | tree.IntegerConstant():
            return
        case _ if not _may_hold_functions(value.type):
            return
        case tree.AddressOf(place) | tree.Decay(place):
            if isinstance(unqualified(place.type), CFunction):
                yield None
        case tree.Load(tree.ValueMember(base)):
            yield from _came_from(base)
        case tree.Load(place):
            yield _root(place)
        case tree.Conditional(condition, then, otherwise):
            yield from _came_from(condition if then is None else then)
            yield from _came_from(otherwise)
        case tree.Comma(_, last) | tree.Assign(_, last):
            yield from _came_from(last)
        case tree.StatementExpression(_, result) if result is not None:
            yield from _came_from(result)
        case tree.Call():
            yield callee(value)
        case _:
            yield None
