"""The part of the SMV language that we write, read back and executed by brute force.

The grammar follows chapter 2 of the NuSMV 2.6 manual, operators from loose to tight: `->`,
`?:`, `|`, `&`, relations, `in`, `+ -`, `* mod`, unary `-`, `!`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from lark import Lark, Tree
from lark.lexer import Token

GRAMMAR = r"""
start: "MODULE" "main" section+
?section: ivar | var | define | assign | invarspec
ivar: "IVAR" (NAME ":" type ";")+
var: "VAR" (NAME ":" type ";")+
define: "DEFINE" (NAME ":=" expr ";")+
assign: "ASSIGN" (init | next)+
init: "init" "(" NAME ")" ":=" expr ";"
next: "next" "(" NAME ")" ":=" expr ";"
invarspec: "INVARSPEC" expr ";"

type: "boolean" -> boolean
    | INT ".." INT -> range
    | "{" INT ("," INT)* "}" -> listed

?expr: ite | ite "->" expr -> implies
?ite: or | or "?" expr ":" ite -> choice
?or: and | or "|" and -> or_
?and: relation | and "&" relation -> and_
?relation: member | relation RELATION member -> operation
?member: sum | member "in" set -> member
?sum: term | sum ADDING term -> operation
?term: unary | term MULTIPLYING unary -> operation
?unary: not | "-" unary -> minus
?not: basic | "!" not -> not_
?basic: "TRUE" -> true
    | "FALSE" -> false
    | INT -> number
    | NAME -> name
    | "(" expr ")"
    | "case" (expr ":" expr ";")+ "esac" -> cases
    | "{" expr ("," expr)* "}" -> any_of
?set: "{" INT ("," INT)* "}" -> listed
    | INT ".." INT -> range

RELATION: "=" | "!=" | "<=" | ">=" | "<" | ">"
ADDING: "+" | "-"
MULTIPLYING: "*" | "mod"
NAME: /(?!(case|esac|mod|in|init|next|TRUE|FALSE|boolean)\b)[A-Za-z_][A-Za-z0-9_$#-]*/
INT: /-?[0-9]+/
COMMENT: /--[^\n]*/
%ignore COMMENT
%import common.WS
%ignore WS
"""

Value: TypeAlias = bool | int
State: TypeAlias = tuple[Value, ...]
Node: TypeAlias = Tree[Token]
SAME = {"<=", ">=", "<", ">", "!=", "+", "-", "*"}
"""Operators that Python writes as SMV does."""


class Smv:
    """A module, checked for what a grammar does not say."""

    def __init__(self, text: str) -> None:
        tree = Lark(GRAMMAR, parser="lalr").parse(text)
        self.inputs = {n: values(held) for n, held in declared(tree, "ivar").items()}
        self.variables = {n: values(held) for n, held in declared(tree, "var").items()}
        self.defines = declared(tree, "define")
        self.init = assigned(tree, "init")
        self.next = assigned(tree, "next")
        (self.specification,) = (parts(spec)[0] for spec in tree.find_data("invarspec"))

    def names(self, tree: Node) -> set[str]:
        """The variables and inputs that an expression looks at, through definitions."""
        found: set[str] = set()
        for leaf in tree.find_data("name"):
            name = str(leaf.children[0])
            found |= self.names(self.defines[name]) if name in self.defines else {name}
        return found

    @cached_property
    def states(self) -> set[State]:
        """The reachable states."""
        starts = [
            self._function(self.init[name], several=True)((), ()) if name in self.init else held
            for name, held in self.variables.items()
        ]
        steps = [self._function(self.next[name], several=True) for name in self.variables]
        found: set[State] = set(product(*starts))
        pending = list(found)
        while pending:
            state = pending.pop()
            assert all(v in held for v, held in zip(state, self.variables.values(), strict=True))
            for chosen in product(*self.inputs.values()):
                for after in product(*(step(state, chosen) for step in steps)):
                    if after not in found:
                        found.add(after)
                        pending.append(after)
        return found

    @cached_property
    def violated(self) -> bool:
        """Whether a reachable state is outside the specification."""
        holds = self._function(self.specification)
        return not all(holds(state, ()) for state in self.states)

    def _function(self, tree: Node, *, several: bool = False) -> Callable[[State, State], Any]:
        """An expression as a function of state and inputs; with `several`, of all its values."""
        code = self._several(tree) if several else self._code(tree)
        made: Callable[[State, State], Any] = eval(f"lambda state, chosen: {code}")
        return made

    def _several(self, tree: Node) -> str:
        """All values: one, unless there is a set, perhaps behind a case."""
        match tree.data:
            case "any_of":
                return f"[{', '.join(map(self._code, parts(tree)))}]"
            case "cases":
                return self._cases(tree, self._several)
            case _:
                return f"[{self._code(tree)}]"

    def _cases(self, tree: Node, told: Callable[[Node], str]) -> str:
        *cases, (last, otherwise) = zip(parts(tree)[::2], parts(tree)[1::2], strict=True)
        assert last.data == "true", "a case expression without a last case"
        result = told(otherwise)
        for when, then in reversed(cases):
            result = f"({told(then)} if {self._code(when)} else {result})"
        return result

    def _code(self, tree: Node) -> str:
        inner = [self._code(part) for part in parts(tree)] if tree.data in PLAIN else []
        match tree.data:
            case "true" | "false":
                return str(tree.data).title()
            case "number":
                return f"({tree.children[0]})"
            case "name":
                return self._name(str(tree.children[0]))
            case "implies":
                return f"(not {inner[0]} or {inner[1]})"
            case "or_" | "and_":
                return f"({inner[0]} {str(tree.data)[:-1]} {inner[1]})"
            case "choice":
                return f"({inner[1]} if {inner[0]} else {inner[2]})"
            case "not_" | "minus":
                return f"({'not' if tree.data == 'not_' else '-'} {inner[0]})"
            case "operation":
                sign = str(tree.children[1])
                known = sign if sign in SAME else {"=": "==", "mod": "%"}[sign]
                return f"({inner[0]} {known} {inner[1]})"
            case "member":
                left, kept = parts(tree)
                return f"({self._code(left)} in {values(kept)})"
            case "cases":
                return self._cases(tree, self._code)
            case _:
                raise AssertionError(f"{tree.data} in an expression")

    def _name(self, name: str) -> str:
        if name in self.defines:
            return self._code(self.defines[name])
        if name in self.inputs:
            return f"chosen[{list(self.inputs).index(name)}]"
        return f"state[{list(self.variables).index(name)}]"


PLAIN = {"implies", "or_", "and_", "choice", "not_", "minus", "operation"}
"""Nodes whose children are expressions."""


def parts(tree: Node) -> list[Node]:
    """The children that are no tokens."""
    return [child for child in tree.children if isinstance(child, Tree)]


def declared(tree: Node, section: str) -> dict[str, Node]:
    """What each name of a section is declared as."""
    found: dict[str, Node] = {}
    for part in tree.find_data(section):
        names = [str(child) for child in part.children if isinstance(child, Token)]
        for name, held in zip(names, parts(part), strict=True):
            assert name not in found, f"{name} is declared twice"
            found[name] = held
    return found


def assigned(tree: Node, kind: str) -> dict[str, Node]:
    """The right-hand sides of `init` or `next`."""
    found: dict[str, Node] = {}
    for part in tree.find_data(kind):
        name = str(part.children[0])
        assert name not in found, f"{kind}({name}) is assigned twice"
        found[name] = parts(part)[0]
    return found


def values(tree: Node) -> tuple[Value, ...]:
    """The values of a type, or of a set of numbers."""
    numbers = [int(child) for child in tree.children if isinstance(child, Token)]
    match tree.data:
        case "boolean":
            return (False, True)
        case "range":
            low, high = numbers
            return tuple(range(low, high + 1))
        case _:
            return tuple(numbers)
