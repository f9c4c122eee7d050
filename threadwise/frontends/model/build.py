"""The actions of the grammar: each method turns the parts of one alternative into a node.

The names are the aliases in `grammar.lark`; every method receives the list of all parts, tokens
included.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from threadwise.frontends.model.ast import (
    AnyInitialiser,
    AnyNumber,
    Assert,
    Assign,
    Assume,
    Atomic,
    Await,
    Binding,
    Block,
    Break,
    Call,
    Const,
    Continue,
    DeadlockFree,
    Declaration,
    Either,
    Enum,
    Expression,
    For,
    Goto,
    Havoc,
    If,
    Index,
    Invariant,
    Join,
    Label,
    ListInitialiser,
    Member,
    Model,
    Name,
    NoThread,
    Number,
    Parameter,
    Parenthesised,
    Perform,
    Prefix,
    Procedure,
    Quantified,
    RaceFree,
    RangeOf,
    Return,
    SelfThread,
    Skip,
    Spawn,
    Thread,
    Truth,
    While,
    WordType,
)
from threadwise.frontends.model.chains import Operator, bounded, group

Parts: TypeAlias = list[Any]
LONGEST_LITERAL = 1000


def _deeper(position: int, *parts: Any) -> int:
    return bounded(1 + max((part.depth for part in parts), default=0), position)


def _name(token: Any) -> Name:
    return Name(token.text, token.start_pos, token.end_pos)


class TreeBuilder:
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
        return Const(held, _name(name), value, first.start_pos, value.end_pos)

    def enum_item(self, parts: Parts) -> Enum:
        """`enum name { names }`."""
        members = tuple(map(_name, parts[3]))
        return Enum(_name(parts[1]), members, parts[0].start_pos, parts[-1].end_pos)

    def variable_item(self, parts: Parts) -> list[Declaration]:
        """`type declarators ;`."""
        return self._declarations(parts[0], parts[1])

    def procedure_item(self, parts: Parts) -> Procedure:
        """`type name ( parameters ) block`, or with `void`."""
        held, name, _, parameters, closing, body = parts
        result = held if isinstance(held, WordType | RangeOf) else None
        return Procedure(
            result, _name(name), tuple(parameters), body, held.start_pos, closing.end_pos
        )

    def thread_item(self, parts: Parts) -> Thread:
        """`thread name block`."""
        first, name, body = parts
        return Thread(_name(name), None, None, body, first.start_pos, name.end_pos)

    def thread_counted_item(self, parts: Parts) -> Thread:
        """`thread name [ expression ] block`."""
        first, name, _, count, closing, body = parts
        return Thread(_name(name), count, None, body, first.start_pos, closing.end_pos)

    def thread_any_item(self, parts: Parts) -> Thread:
        """`thread name [*] block`."""
        first, name, _, _, closing, body = parts
        return Thread(_name(name), AnyNumber(), None, body, first.start_pos, closing.end_pos)

    def thread_spawned_item(self, parts: Parts) -> Thread:
        """`thread name ( parameters ) block`."""
        first, name, _, parameters, closing, body = parts
        return Thread(_name(name), None, tuple(parameters), body, first.start_pos, closing.end_pos)

    def invariant_item(self, parts: Parts) -> Invariant:
        """`invariant name : expression ;`."""
        first, name, _, formula, _ = parts
        return Invariant(_name(name), formula, first.start_pos, formula.end_pos)

    def race_free_item(self, parts: Parts) -> RaceFree:
        """`race_free names ;`."""
        names = tuple(map(_name, parts[1]))
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
        depth = _deeper(start, *elements)
        return ListInitialiser(tuple(elements), start, closing.end_pos, depth)

    def _declarations(self, held: Any, declarators: Parts) -> list[Declaration]:
        declared = []
        for name, extents, initialiser in declarators:
            end = extents[-1][1] if extents else name.end_pos
            end = end if initialiser is None else initialiser.end_pos
            sizes = tuple(size for size, _ in extents)
            declared.append(
                Declaration(held, _name(name), sizes, initialiser, held.start_pos, end)
            )
        return declared

    def no_parameters(self, parts: Parts) -> list[Any]:
        """`(void)`."""
        return []

    def parameter(self, parts: Parts) -> Parameter:
        """`type name`."""
        return Parameter(parts[0], _name(parts[1]), parts[0].start_pos, parts[1].end_pos)

    # Statements.

    def block(self, parts: Parts) -> Block:
        """`{ statements }`."""
        opening, statements, closing = parts
        start = opening.start_pos
        return Block(tuple(statements), start, closing.end_pos, _deeper(start, *statements))

    def append_label(self, parts: Parts) -> list[Any]:
        """`statements name :`."""
        statements, name, colon = parts
        statements.append(Label(_name(name), name.start_pos, colon.end_pos))
        return statements  # type: ignore[no-any-return]

    def append_declarations(self, parts: Parts) -> list[Any]:
        """`statements type declarators ;`."""
        parts[0].extend(self._declarations(parts[1], parts[2]))
        return parts[0]  # type: ignore[no-any-return]

    def labelled_body(self, parts: Parts) -> Block:
        """`name : body`."""
        name, colon, body = parts
        start = name.start_pos
        label = Label(_name(name), start, colon.end_pos)
        return Block((label, body), start, body.end_pos, _deeper(start, body))

    def empty_statement(self, parts: Parts) -> Block:
        """`;`."""
        return Block((), parts[0].start_pos, parts[0].end_pos, 1)

    def if_statement(self, parts: Parts) -> If:
        """`if ( expression ) body`."""
        first, _, condition, _, then = parts
        start = first.start_pos
        return If(condition, then, None, start, then.end_pos, _deeper(start, then))

    def if_else_statement(self, parts: Parts) -> If:
        """`if ( expression ) body else body`; a chain of `else if` is no nesting."""
        first, _, condition, _, then, _, otherwise = parts
        start = first.start_pos
        if isinstance(otherwise, If):
            depth = max(_deeper(start, then), otherwise.depth)
        else:
            depth = _deeper(start, then, otherwise)
        return If(condition, then, otherwise, start, otherwise.end_pos, depth)

    def while_statement(self, parts: Parts) -> While:
        """`while ( expression ) body`."""
        first, _, condition, _, body = parts
        start = first.start_pos
        return While(condition, body, start, body.end_pos, _deeper(start, body))

    def for_statement(self, parts: Parts) -> For:
        """`for ( first ; condition ; step ) body`."""
        start, body = parts[0].start_pos, parts[8]
        first = parts[2]
        if first is None:
            first = ()
        elif not isinstance(first, list):
            first = (first,)
        depth = _deeper(start, body)
        return For(tuple(first), parts[4], parts[6], body, start, body.end_pos, depth)

    def for_declarations(self, parts: Parts) -> list[Declaration]:
        """`type declarators` at the start of a `for`."""
        return self._declarations(parts[0], parts[1])

    def either_statement(self, parts: Parts) -> Either:
        """`either block or block …`."""
        first, branch, branches = parts
        start = first.start_pos
        branches = (branch, *branches)
        return Either(branches, start, branches[-1].end_pos, _deeper(start, *branches))

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
        return Atomic(body, start, body.end_pos, _deeper(start, body))

    def await_statement(self, parts: Parts) -> Await:
        """`await ( expression ) body`."""
        first, _, condition, _, body = parts
        start = first.start_pos
        return Await(condition, body, start, body.end_pos, _deeper(start, body))

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
        return Goto(_name(parts[1]), parts[0].start_pos, parts[1].end_pos)

    def skip_statement(self, parts: Parts) -> Skip:
        """`skip`."""
        return Skip(parts[0].start_pos, parts[0].end_pos)

    def break_statement(self, parts: Parts) -> Break:
        """`break`."""
        return Break(parts[0].start_pos, parts[0].end_pos)

    def continue_statement(self, parts: Parts) -> Continue:
        """`continue`."""
        return Continue(parts[0].start_pos, parts[0].end_pos)

    # Expressions.

    def spawn(self, parts: Parts) -> Spawn:
        """`spawn name ( arguments )`."""
        first, name, _, arguments, closing = parts
        return Spawn(_name(name), tuple(arguments), first.start_pos, closing.end_pos)

    def chain(self, parts: Parts) -> Expression:
        """A finished chain of operands and operators."""
        links = parts[0]
        if len(links) == 1:
            return links[0]  # type: ignore[no-any-return]
        return group(links[::2], links[1::2])

    def extend_chain(self, parts: Parts) -> list[Any]:
        """`chain operator operand`."""
        links, operator, operand = parts
        links += (Operator(operator.text), operand)
        return links  # type: ignore[no-any-return]

    def extend_conditional(self, parts: Parts) -> list[Any]:
        """`chain ? expression : operand`."""
        links, _, then, _, operand = parts
        links += (Operator("?", then), operand)
        return links  # type: ignore[no-any-return]

    def number(self, parts: Parts) -> Number:
        """A literal; one too long to be meant is cut, and refused by the checker."""
        token = parts[0]
        hexadecimal = token.text[:2] in ("0x", "0X")
        digits = token.text[2:] if hexadecimal else token.text
        base = 16 if hexadecimal else 10
        return Number(int(digits[:LONGEST_LITERAL], base), token.start_pos, token.end_pos)

    def truth(self, parts: Parts) -> Truth:
        """`true` or `false`."""
        return Truth(parts[0].text == "true", parts[0].start_pos, parts[0].end_pos)

    def none(self, parts: Parts) -> NoThread:
        """`none`."""
        return NoThread(parts[0].start_pos, parts[0].end_pos)

    def parenthesised(self, parts: Parts) -> Parenthesised:
        """`( expression )`."""
        opening, inner, closing = parts
        start = opening.start_pos
        return Parenthesised(inner, start, closing.end_pos, _deeper(start, inner))

    def prefixed(self, parts: Parts) -> Prefix:
        """An operator and its operand."""
        operator, operand = parts
        start = operator.start_pos
        return Prefix(operator.text, operand, start, operand.end_pos, _deeper(start, operand))

    def quantified(self, parts: Parts) -> Quantified:
        """`quantifier bindings . expression`."""
        first, bindings, _, body = parts
        start = first.start_pos
        depth = _deeper(start, body)
        return Quantified(first.text, tuple(bindings), body, start, body.end_pos, depth)

    def first_binding(self, parts: Parts) -> list[Binding]:
        """`names : template`."""
        template = _name(parts[2])
        return [Binding(_name(name), template) for name in parts[0]]

    def next_binding(self, parts: Parts) -> list[Binding]:
        """`bindings , names : template`."""
        return parts[0] + self.first_binding(parts[2:])  # type: ignore[no-any-return]

    def name(self, parts: Parts) -> Name:
        """A name."""
        return _name(parts[0])

    def self_id(self, parts: Parts) -> SelfThread:
        """`self`."""
        return SelfThread(parts[0].start_pos, parts[0].end_pos)

    def call(self, parts: Parts) -> Call:
        """`name ( arguments )`."""
        name, _, arguments, closing = parts
        start = name.start_pos
        depth = _deeper(start, *arguments)
        return Call(_name(name), tuple(arguments), start, closing.end_pos, depth)

    def index(self, parts: Parts) -> Index:
        """`place [ expression ]`."""
        base, _, index, closing = parts
        start = base.start_pos
        return Index(base, index, start, closing.end_pos, _deeper(start, base, index))

    def member(self, parts: Parts) -> Member:
        """`place . name`."""
        base, _, name = parts
        start = base.start_pos
        return Member(base, _name(name), start, name.end_pos, _deeper(start, base))
