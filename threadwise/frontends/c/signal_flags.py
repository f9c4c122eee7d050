"""Flags that handlers of signals set: `volatile sig_atomic_t`, and atomic variables.

A handler is a thread of its own for proofs (`lower.signals`), so that whatever it writes plainly
would race with every thread that reads it. C lets a handler use objects of type `volatile
sig_atomic_t`, and servers rely on it in programs with threads, where the handler may run in
another thread than the one that reads the flag. What a handler does to such a flag is not counted
as an access; what threads do to it is:

    quit          stays what threads access: they race for it as for any variable
    quit.signal   an atomic twin, which holds the value

    in a handler        quit = v     ──▶  quit.signal = v
                        quit         ──▶  quit.signal
    anywhere else       quit = v     ──▶  quit.signal = (quit = v)
                        quit         ──▶  (quit, quit.signal)

A function counts as a handler only if it is nothing else: its address goes to `signal` or into a
`struct sigaction` only, nobody calls it, and nobody calls functions of its type by pointers. So do
functions that only handlers call, if their addresses are not taken. Flags whose address is taken,
or that are updated (`n++`), are left as they are.

Runs in which no signal arrives do not show what happens behind `while (!quit)`. So where threads
read a flag or an atomic variable that a handler writes, the handler may run first, in that thread
(`__library_interrupt`): that is what happens if the signal arrives just then. Programs with the
`struct sigaction` of another system, or with handlers of other types, are left without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from threadwise.core.errors import InputError
from threadwise.core.identity import Same
from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.types import (
    CAtomic,
    CFunction,
    CInteger,
    CPointer,
    CRecord,
    CVoid,
    unqualified,
)
from threadwise.frontends.c.walking import names_of_parts, nodes
from threadwise.ir.commands import HANDLER

INTERRUPT = "__library_interrupt"
ASSUMED = (
    "what a signal handler does to `{}`, of type volatile sig_atomic_t, is no data race,"
    " in whichever thread the handler runs"
)
_INSTALLERS = frozenset({"signal", "bsd_signal", "ssignal", "sysv_signal", "__sysv_signal"})
_ACTION = "struct sigaction"
_MEMBERS = frozenset({"sa_handler", "sa_sigaction"})

Declare = Callable[[str, CFunction, Span], tree.Function]


def use_signal_flags(program: tree.Program, declare: Declare) -> tuple[str, ...]:
    """Give flags of handlers their twins, and let signals arrive; what is assumed by that."""
    own = [f for f in program.functions.values() if f.body is not None and not f.library]
    others = other_handlers(program)
    handlers = {f for f in own if is_handler(f) or f in others}
    if handlers:
        handlers &= _only_installed(program, own)
    if not handlers:
        return ()
    handlers |= _helpers(program, own, handlers)
    used = {v for f in handlers for v in _variables(f.body)}
    written = {v for f in handlers for v in _written(f.body)}
    updated = {v for f in own for v in _updated(f.body)}
    flags = [
        v
        for v in program.variables.values()
        if v in used and v.signal_flag and not v.address_taken and v not in updated
    ]
    twins = {v: _twin(v) for v in flags}
    program.variables |= {twin.name: twin for twin in twins.values()}
    awaited = frozenset(v for v in written if v in twins or isinstance(v.type, CAtomic))
    if not _actions_are_ours(program) or not handlers.isdisjoint(others):
        awaited = frozenset()
    for function in own:
        change = _Change(twins, awaited, declare, handler=function in handlers)
        function.body = change.of(function.body)
    return tuple(ASSUMED.format(v.shown) for v in flags)


def refuse_reserved(program: tree.Program) -> None:
    """Refuse programs that define the thread that stands for handlers, or start it themselves.

    Proofs know that thread by its name: it is not there in runs, and interrupts other threads.
    Names that begin like this one are not for programs, so nobody misses them.
    """
    if HANDLER not in (function.name for function in program.functions.values()):
        return
    own = [f for f in program.functions.values() if f.body is not None and not f.library]
    initial = [v.initial for v in program.variables.values()]
    called = {
        Same(node.callee)
        for function in own
        for node in nodes(function.body)
        if isinstance(node, tree.Call)
    }
    for text in (*(f.body for f in own), *initial):
        for node in nodes(text):
            if isinstance(node, tree.FunctionName) and Same(node) not in called:
                _refuse(node.function, node.span)
    for function in own:
        _refuse(function, function.span)


def _refuse(function: tree.Function, span: Span) -> None:
    if function.name == HANDLER:
        raise InputError.of(f"`{HANDLER}` is a name of the library's own", span)


def is_handler(function: tree.Function) -> bool:
    """Whether a function has the type of a handler, the longer one included."""
    return _handles(function.type)


def other_handlers(program: tree.Program) -> frozenset[tree.Function]:
    """Functions of other types that may be handlers: `void f()`, and what casts make handlers.

    The standard gives no meaning to such calls, but systems do, and programs rely on it.
    """
    own = [f for f in program.functions.values() if f.body is not None and not f.library]
    texts = (*(f.body for f in own), *(v.initial for v in program.variables.values()))
    cast: set[tree.Function] = set()
    for node in (n for text in texts for n in nodes(text)):
        cast.update(_installed(program, node))
        match node:
            case tree.Convert(_, CPointer(target)) if _handles(target):
                cast.update(_functions(node))
            case _:
                pass
    for variable in program.variables.values():
        if _is_action(program, variable.type):
            cast.update(_functions(variable.initial))
    old = {f for f in own if f.type.parameters is None and not f.parameters}
    return frozenset(f for f in cast | old if not is_handler(f))


def _handles(held: object) -> bool:
    if not isinstance(held, CFunction) or held.parameters is None:
        return False
    types = [unqualified(each) for each in held.parameters]
    return (
        isinstance(unqualified(held.result), CVoid)
        and len(types) in (1, 3)
        and isinstance(types[0], CInteger)
        and all(isinstance(each, CPointer) for each in types[1:])
    )


def _twin(flag: tree.Variable) -> tree.Variable:
    return tree.Variable(
        f"{flag.name}.signal",
        f"{flag.shown}.signal",
        CAtomic(flag.type),
        flag.storage,
        flag.span,
        flag.initial,
    )


# -- which functions, which variables -------------------------------------------------------------


def _only_installed(program: tree.Program, own: list[tree.Function]) -> set[tree.Function]:
    """The functions that are handlers of signals, and nothing else."""
    texts = [f.body for f in own]
    initial = [v.initial for v in program.variables.values()]
    named: Counter[tree.Function] = Counter()
    installed: Counter[tree.Function] = Counter()
    for node in (n for text in (*texts, *initial) for n in nodes(text)):
        if isinstance(node, tree.FunctionName):
            named[node.function] += 1
        if isinstance(node, tree.Call) and not isinstance(node.callee, tree.FunctionName):
            called = node.callee.type
            if isinstance(called, CPointer) and _may_handle(called.target):
                return set()
        installed.update(_installed(program, node))
    for variable in program.variables.values():
        if _is_action(program, variable.type):
            installed.update(_functions(variable.initial))
    return {function for function, count in named.items() if installed[function] == count}


def _helpers(
    program: tree.Program, own: list[tree.Function], handlers: set[tree.Function]
) -> set[tree.Function]:
    """The functions that only handlers call, directly or not, and nobody can call by pointers."""
    initial = (v.initial for v in program.variables.values())
    named: Counter[tree.Function] = Counter(
        node.function
        for text in (*(f.body for f in own), *initial)
        for node in nodes(text)
        if isinstance(node, tree.FunctionName)
    )
    found: set[tree.Function] = set()
    called: Counter[tree.Function] = Counter()
    pending = list(handlers)
    while pending:
        for node in nodes(pending.pop().body):
            match node:
                case tree.Call(tree.FunctionName(function)):
                    called[function] += 1
                    if function in own and called[function] == named[function]:
                        found.add(function)
                        pending.append(function)
                case _:
                    pass
    return found - handlers


def _may_handle(called: object) -> bool:
    """Whether a call by a pointer to such a function might reach a handler."""
    return isinstance(called, CFunction) and (called.parameters is None or _handles(called))


def _installed(program: tree.Program, node: object) -> Iterator[tree.Function]:
    """The functions that a node makes handlers of, as often as it names them."""
    match node:
        case tree.Call(tree.FunctionName(function), (_, handler)) if function.name in _INSTALLERS:
            yield from _functions(handler) if function.body is None else ()
        case tree.Assign(tree.Member(_, path), value) if path[-1] in _MEMBERS:
            yield from _functions(value) if isinstance(_bare(value), tree.FunctionName) else ()
        case tree.Declare(variable, initial) if _is_action(program, variable.type):
            yield from _functions(initial)
        case tree.CompoundLiteral(_, initial, held) if _is_action(program, held):
            yield from _functions(initial)
        case _:
            pass


def _is_action(program: tree.Program, held: object) -> bool:
    return isinstance(held, CRecord) and program.records[held.key].shown == _ACTION


def _actions_are_ours(program: tree.Program) -> bool:
    """Whether `struct sigaction` is that of our headers, which `sigaction` can look into.

    Preprocessed programs have that of their system.
    """
    actions = [record for record in program.records.values() if record.shown == _ACTION]
    return all({field.name for field in record.fields} >= _MEMBERS for record in actions)


def _functions(text: object) -> list[tree.Function]:
    """The functions named as values; those that are called or chosen do not count."""
    if isinstance(text, tree.AggregateInitial):
        return [f for _, part in text.elements for f in _functions(part)]
    if isinstance(text, tree.ScalarInitial):
        text = text.value
    bare = _bare(text)
    return [bare.function] if isinstance(bare, tree.FunctionName) else []


def _bare(value: object) -> object:
    while isinstance(value, tree.Convert):
        value = value.operand
    return value


def _variables(text: object) -> Iterator[tree.Variable]:
    return (node.variable for node in nodes(text) if isinstance(node, tree.VariableRef))


def _updated(text: object) -> Iterator[tree.Variable]:
    for node in nodes(text):
        match node:
            case tree.Step(tree.VariableRef(variable)):
                yield variable
            case tree.CompoundAssign(_, tree.VariableRef(variable)):
                yield variable
            case tree.Assembly(_, written, _):
                yield from _variables(written)
            case _:
                pass


def _written(text: object) -> Iterator[tree.Variable]:
    """The variables that are written, or whose address a function is given."""
    for node in nodes(text):
        match node:
            case tree.Assign(tree.VariableRef(variable)):
                yield variable
            case tree.AddressOf(tree.VariableRef(variable)):
                yield variable
            case _:
                pass
    yield from _updated(text)


# -- changing the text ----------------------------------------------------------------------------


class _Change:
    def __init__(
        self,
        twins: dict[tree.Variable, tree.Variable],
        awaited: frozenset[tree.Variable],
        declare: Declare,
        *,
        handler: bool,
    ) -> None:
        self.twins = twins
        self.awaited = awaited
        self.declare = declare
        self.handler = handler

    def of(self, node: Any) -> Any:
        """A node with the twins of flags in it, and places where signals arrive."""
        after = self._with_changed_parts(node)
        match after:
            case tree.VariableRef(variable) if self.handler and variable in self.twins:
                return self._twin(after)
            case tree.Load(tree.VariableRef(variable) as place) if not self.handler:
                if variable in self.twins:
                    load = tree.Load(self._twin(place), after.type, after.span)
                    after = tree.Comma(after, load, after.type, after.span)
                return self._interrupted(after) if variable in self.awaited else after
            case tree.Assign(tree.VariableRef(variable) as place) if not self.handler:
                if variable in self.twins:
                    return tree.Assign(self._twin(place), after, after.type, after.span)
            case tree.Call(_, arguments) if not self.handler:
                return self._interrupted(after) if self._asks(arguments) else after
        return after

    def _twin(self, place: tree.VariableRef) -> tree.VariableRef:
        twin = self.twins[place.variable]
        return tree.VariableRef(twin, twin.type, place.span)

    def _asks(self, arguments: tuple[tree.Expr, ...]) -> bool:
        """Whether a function is given an atomic variable that a handler writes."""
        for argument in arguments:
            match _bare(argument):
                case tree.AddressOf(tree.VariableRef(variable)) if variable in self.awaited:
                    return True
                case _:
                    pass
        return False

    def _interrupted(self, expr: tree.Expr) -> tree.Comma:
        """The expression, and before it a moment at which a signal may arrive."""
        function = self.declare(INTERRUPT, CFunction(CVoid(), ()), expr.span)
        callee = tree.FunctionName(function, CPointer(function.type), expr.span)
        call = tree.Call(callee, (), CVoid(), expr.span)
        return tree.Comma(call, expr, expr.type, expr.span)

    def _with_changed_parts(self, node: Any) -> Any:
        if isinstance(node, tuple):
            parts = tuple(self.of(part) for part in node)
            return parts if any(a is not b for a, b in zip(parts, node, strict=True)) else node
        changed = {}
        for name in names_of_parts(node):
            part = getattr(node, name)
            after = self.of(part)
            if after is not part:
                changed[name] = after
        return replace(node, **changed) if changed else node
