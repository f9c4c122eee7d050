"""The actions of the grammar: each method turns the parts of one alternative into a node.

The names are the aliases in `grammar.lark`; every method receives the list of all parts, tokens
included.
"""

from __future__ import annotations

from typing import Any

from threadwise.frontends.model.syntax.ast import (
    Annotated,
    AnyInitialiser,
    AnyNumber,
    Assert,
    Assign,
    Assume,
    Atomic,
    Await,
    Block,
    Break,
    Const,
    Continue,
    DeadlockFree,
    Declaration,
    Either,
    Enum,
    For,
    Goto,
    Havoc,
    If,
    Invariant,
    Join,
    Label,
    ListInitialiser,
    Model,
    Parameter,
    Perform,
    Procedure,
    RaceFree,
    RangeOf,
    Return,
    Skip,
    Thread,
    While,
    WordType,
)
from threadwise.frontends.model.syntax.build_expressions import (
    ExpressionBuilder,
    Parts,
    deeper,
    named,
)


class TreeBuilder(ExpressionBuilder):
    """Builds the syntax tree bottom-up; keeps no state."""

    # Lists.

    def empty(self, parts: Parts) -> list[Any]:
        """An empty list."""
        return []

    def single(self, parts: Parts) -> list[Any]:
        """A list of one."""
        return parts

    def append(self, parts: Parts) -> list[Any]:
        """One more element; the list is the parser's own, so it may grow in place."""
        parts[0].append(parts[1])
        return parts[0]  # type: ignore[no-any-return]

    def append_after_comma(self, parts: Parts) -> list[Any]:
        """One more element after a comma."""
        parts[0].append(parts[2])
        return parts[0]  # type: ignore[no-any-return]

    def unchanged(self, parts: Parts) -> Any:
        """The first part."""
        return parts[0]

    def nothing(self, parts: Parts) -> None:
        """What is left out."""

    # Items.

    def model(self, parts: Parts) -> Model:
        """The whole file."""
        items: list[Any] = []
        for item in parts[0]:
            if isinstance(item, list):
                items.extend(item)
            else:
                items.append(item)
        return Model(tuple(items))

    def const_item(self, parts: Parts) -> Const:
        """`const type name = expression ;`."""
        first, held, name, _, value, _ = parts
        return Const(held, named(name), value, first.start_pos, value.end_pos)

    def enum_item(self, parts: Parts) -> Enum:
        """`enum name { names }`."""
        members = tuple(map(named, parts[3]))
        return Enum(named(parts[1]), members, parts[0].start_pos, parts[-1].end_pos)

    def variable_item(self, parts: Parts) -> list[Declaration]:
        """`type declarators ;`."""
        return self._declarations(parts[0], parts[1])

    def procedure_item(self, parts: Parts) -> Procedure:
        """`type name ( parameters ) block`, or with `void`."""
        held, name, _, parameters, closing, body = parts
        result = held if isinstance(held, WordType | RangeOf) else None
        return Procedure(
            result, named(name), tuple(parameters), body, held.start_pos, closing.end_pos
        )

    def thread_item(self, parts: Parts) -> Thread:
        """`thread name block`."""
        first, name, body = parts
        return Thread(named(name), None, None, body, first.start_pos, name.end_pos)

    def thread_counted_item(self, parts: Parts) -> Thread:
        """`thread name [ expression ] block`."""
        first, name, _, count, closing, body = parts
        return Thread(named(name), count, None, body, first.start_pos, closing.end_pos)

    def thread_any_item(self, parts: Parts) -> Thread:
        """`thread name [*] block`."""
        first, name, _, _, closing, body = parts
        return Thread(named(name), AnyNumber(), None, body, first.start_pos, closing.end_pos)

    def thread_spawned_item(self, parts: Parts) -> Thread:
        """`thread name ( parameters ) block`."""
        first, name, _, parameters, closing, body = parts
        return Thread(named(name), None, tuple(parameters), body, first.start_pos, closing.end_pos)

    def invariant_item(self, parts: Parts) -> Invariant:
        """`invariant name : expression ;`."""
        first, name, _, formula, _ = parts
        return Invariant(named(name), formula, first.start_pos, formula.end_pos)

    def race_free_item(self, parts: Parts) -> RaceFree:
        """`race_free names ;`."""
        names = tuple(map(named, parts[1]))
        return RaceFree(names, parts[0].start_pos, names[-1].end_pos)

    def deadlock_free_item(self, parts: Parts) -> DeadlockFree:
        """`deadlock_free ;`."""
        return DeadlockFree(parts[0].start_pos, parts[0].end_pos)

    # Types and declarations.

    def bool_type(self, parts: Parts) -> WordType:
        """`bool`."""
        return WordType(parts[0].text, parts[0].start_pos, parts[0].end_pos)

    tid_type = mutex_type = int_type = named_type = bool_type

    def range_type(self, parts: Parts) -> RangeOf:
        """`int [ low .. high ]`."""
        return RangeOf(parts[2], parts[4], "", parts[0].start_pos, parts[5].end_pos)

    def wrapping_type(self, parts: Parts) -> RangeOf:
        """`int [ low .. high ] wrap`, or with `saturate`."""
        return RangeOf(parts[2], parts[4], parts[6].text, parts[0].start_pos, parts[6].end_pos)

    saturating_type = wrapping_type

    def plain_declarator(self, parts: Parts) -> Parts:
        """`name extents`; becomes a declaration once the type is known."""
        return [parts[0], parts[1], None]

    def initialised_declarator(self, parts: Parts) -> Parts:
        """`name extents = initialiser`."""
        return [parts[0], parts[1], parts[3]]

    def append_extent(self, parts: Parts) -> list[Any]:
        """`extents [ expression ]`, with where the bracket closes."""
        parts[0].append((parts[2], parts[3].end_pos))
        return parts[0]  # type: ignore[no-any-return]

    def any_initialiser(self, parts: Parts) -> AnyInitialiser:
        """`*`."""
        return AnyInitialiser(parts[0].start_pos, parts[0].end_pos)

    def list_initialiser(self, parts: Parts) -> ListInitialiser:
        """`{ initialisers }`."""
        opening, elements, closing = parts
        start = opening.start_pos
        depth = deeper(start, *elements)
        return ListInitialiser(tuple(elements), start, closing.end_pos, depth)

    def _declarations(self, held: Any, declarators: Parts) -> list[Declaration]:
        declared = []
        for name, extents, initialiser in declarators:
            end = extents[-1][1] if extents else name.end_pos
            end = end if initialiser is None else initialiser.end_pos
            sizes = tuple(size for size, _ in extents)
            declared.append(
                Declaration(held, named(name), sizes, initialiser, held.start_pos, end)
            )
        return declared

    def no_parameters(self, parts: Parts) -> list[Any]:
        """`(void)`."""
        return []

    def parameter(self, parts: Parts) -> Parameter:
        """`type name`."""
        return Parameter(parts[0], named(parts[1]), parts[0].start_pos, parts[1].end_pos)

    # Statements.

    def block(self, parts: Parts) -> Block:
        """`{ statements }`."""
        opening, statements, closing = parts
        start = opening.start_pos
        return Block(tuple(statements), start, closing.end_pos, deeper(start, *statements))

    def append_label(self, parts: Parts) -> list[Any]:
        """`statements name :`."""
        statements, name, colon = parts
        statements.append(Label(named(name), name.start_pos, colon.end_pos))
        return statements  # type: ignore[no-any-return]

    def append_declarations(self, parts: Parts) -> list[Any]:
        """`statements type declarators ;`."""
        parts[0].extend(self._declarations(parts[1], parts[2]))
        return parts[0]  # type: ignore[no-any-return]

    def labelled_body(self, parts: Parts) -> Block:
        """`name : body`."""
        name, colon, body = parts
        start = name.start_pos
        label = Label(named(name), start, colon.end_pos)
        return Block((label, body), start, body.end_pos, deeper(start, body))

    def empty_statement(self, parts: Parts) -> Block:
        """`;`."""
        return Block((), parts[0].start_pos, parts[0].end_pos, 1)

    def if_statement(self, parts: Parts) -> If:
        """`if ( expression ) body`."""
        first, _, condition, _, then = parts
        start = first.start_pos
        return If(condition, then, None, start, then.end_pos, deeper(start, then))

    def if_else_statement(self, parts: Parts) -> If:
        """`if ( expression ) body else body`; a chain of `else if` is no nesting."""
        first, _, condition, _, then, _, otherwise = parts
        start = first.start_pos
        if isinstance(otherwise, If):
            depth = max(deeper(start, then), otherwise.depth)
        else:
            depth = deeper(start, then, otherwise)
        return If(condition, then, otherwise, start, otherwise.end_pos, depth)

    def while_statement(self, parts: Parts) -> While:
        """`while ( expression ) body`."""
        first, _, condition, _, body = parts
        start = first.start_pos
        return While(condition, body, start, body.end_pos, deeper(start, body))

    def for_statement(self, parts: Parts) -> For:
        """`for ( first ; condition ; step ) body`."""
        start, body = parts[0].start_pos, parts[8]
        first = parts[2]
        if first is None:
            first = ()
        elif not isinstance(first, list):
            first = (first,)
        depth = deeper(start, body)
        return For(tuple(first), parts[4], parts[6], body, start, body.end_pos, depth)

    def for_declarations(self, parts: Parts) -> list[Declaration]:
        """`type declarators` at the start of a `for`."""
        return self._declarations(parts[0], parts[1])

    def either_statement(self, parts: Parts) -> Either:
        """`either block or block …`."""
        first, branch, branches = parts
        start = first.start_pos
        branches = (branch, *branches)
        return Either(branches, start, branches[-1].end_pos, deeper(start, *branches))

    def first_alternative(self, parts: Parts) -> list[Any]:
        """`or block`."""
        return [parts[1]]

    def next_alternative(self, parts: Parts) -> list[Any]:
        """`alternatives or block`."""
        parts[0].append(parts[2])
        return parts[0]  # type: ignore[no-any-return]

    def atomic_statement(self, parts: Parts) -> Atomic:
        """`atomic block`."""
        start, body = parts[0].start_pos, parts[1]
        return Atomic(body, start, body.end_pos, deeper(start, body))

    def await_statement(self, parts: Parts) -> Await:
        """`await ( expression ) body`."""
        first, _, condition, _, body = parts
        start = first.start_pos
        return Await(condition, body, start, body.end_pos, deeper(start, body))

    def mover_statement(self, parts: Parts) -> Annotated:
        """`mover name statement`."""
        first, direction, statement = parts
        start = first.start_pos
        depth = deeper(start, statement)
        return Annotated(named(direction), statement, start, statement.end_pos, depth)

    def assignment(self, parts: Parts) -> Assign:
        """`places = right_sides`."""
        places, _, values = parts
        return Assign(tuple(places), tuple(values), places[0].start_pos, values[-1].end_pos)

    def bare_statement(self, parts: Parts) -> Perform:
        """A call; that it is one is checked later."""
        return Perform(parts[0], parts[0].start_pos, parts[0].end_pos)

    spawn_statement = bare_statement

    def join_statement(self, parts: Parts) -> Join:
        """`join expression`."""
        return Join(parts[1], parts[0].start_pos, parts[1].end_pos)

    def havoc_statement(self, parts: Parts) -> Havoc:
        """`havoc places`."""
        return Havoc(tuple(parts[1]), parts[0].start_pos, parts[1][-1].end_pos)

    def assert_statement(self, parts: Parts) -> Assert:
        """`assert ( expression )`."""
        return Assert(parts[2], parts[0].start_pos, parts[3].end_pos)

    def assume_statement(self, parts: Parts) -> Assume:
        """`assume ( expression )`."""
        return Assume(parts[2], parts[0].start_pos, parts[3].end_pos)

    def return_statement(self, parts: Parts) -> Return:
        """`return`."""
        return Return(None, parts[0].start_pos, parts[0].end_pos)

    def return_value_statement(self, parts: Parts) -> Return:
        """`return expression`."""
        return Return(parts[1], parts[0].start_pos, parts[1].end_pos)

    def goto_statement(self, parts: Parts) -> Goto:
        """`goto name`."""
        return Goto(named(parts[1]), parts[0].start_pos, parts[1].end_pos)

    def skip_statement(self, parts: Parts) -> Skip:
        """`skip`."""
        return Skip(parts[0].start_pos, parts[0].end_pos)

    def break_statement(self, parts: Parts) -> Break:
        """`break`."""
        return Break(parts[0].start_pos, parts[0].end_pos)

    def continue_statement(self, parts: Parts) -> Continue:
        """`continue`."""
        return Continue(parts[0].start_pos, parts[0].end_pos)
