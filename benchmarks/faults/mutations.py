"""Faults: a module with one wrong place, made from its syntax tree and never written to a file.

    negated guard     `if a` becomes `if not a`; in comprehensions, conditionals and loops too
    dropped guard     a condition that is always true
    dropped branch    what a condition guards, or its `else`, is left out
    swapped branches  `then` and `else` exchanged
    off by one        a number one larger; `<` for `<=` and the like
    skipped element   a loop or comprehension leaves out the first or the last element
    early return      a function ends where it begins, or a loop after its first round
    dropped call      a statement that is a call, or an assignment to a part, is left out
    other operator    `and` for `or`, `+` for `-`, `in` for `not in`, `any` for `all`

A fault is applied to a process by replacing the code of the functions it lies in (`apply`).
"""

from __future__ import annotations

import ast
import gc
import importlib
import random
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType

ROOT = Path(__file__).resolve().parent.parent.parent

Change = tuple[str, ast.AST, object]
"""The kind of a fault, the node it is about, and what to put in its place."""


@dataclass(frozen=True)
class Fault:
    """One wrong place of a module."""

    module: str
    """Its path, below the root of the project."""
    number: int
    """Its position among all changes of the module."""
    kind: str
    line: int
    text: str
    """The line, as it is without the fault."""

    @property
    def name(self) -> str:
        """How results call it."""
        return f"{self.module}:{self.line}#{self.number}"

    def tree(self) -> ast.Module:
        """The module with the fault."""
        tree = deepcopy(_tree(self.module))
        _Changes(self.number).module(tree)
        return tree


def _not(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


_COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_QUANTIFIERS = {"any": "all", "all": "any", "min": "max", "max": "min"}


class _Changes:
    """All changes of a tree, in a fixed order; `take` stops at one of them and makes it."""

    def __init__(self, take: int | None = None) -> None:
        self.take = take
        self.made = False
        self.found: list[tuple[str, int]] = []

    def _offer(self, kind: str, node: ast.AST) -> bool:
        """Whether to make this change."""
        self.found.append((kind, node.lineno))  # type: ignore[attr-defined]
        self.made = len(self.found) - 1 == self.take
        return self.made

    def module(self, tree: ast.Module) -> None:
        """Look at everything inside of functions."""
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and not self.made:
                self._function(node)

    def _function(self, function: ast.FunctionDef) -> None:
        body = function.body
        start = 1 if _is_text(body[0]) else 0
        rest = body[start:]
        if len(rest) > 1 and not _raises_only(rest) and not any(map(_is_nested, rest)):
            for value in _early_values(function):
                if not self.made and self._offer("early return", rest[0]):
                    function.body = [*body[:start], ast.Return(value), *rest]
        for statement in rest:
            if not self.made:
                self._block(statement)

    def _block(self, node: ast.AST) -> None:
        """A statement or expression, and what is in it; nested functions come by themselves."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Assert | ast.Import):
            return
        if isinstance(node, ast.ImportFrom | ast.arguments):
            return
        self._change(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "type_comment", "returns", "pattern"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not self.made:
                    self._block(child)

    def _change(self, node: ast.AST) -> None:
        match node:
            case ast.If():
                self._if(node)
            case ast.IfExp() | ast.While():
                if self._offer("negated guard", node):
                    node.test = _not(node.test)
            case ast.For():
                self._loop(node)
            case ast.comprehension():
                self._comprehension(node)
            case ast.match_case() if node.guard is not None:
                if self._offer("dropped guard", node.guard):
                    node.guard = None
            case ast.Expr() | ast.Assign():
                self._statement(node)
            case _:
                self._operator(node)

    def _if(self, node: ast.If) -> None:
        if _raises_only(node.body):
            if self._offer("dropped guard", node):
                node.test = ast.Constant(False)
        elif self._offer("negated guard", node):
            node.test = _not(node.test)
        elif self._offer("dropped guard", node):
            node.test = ast.Constant(True)
        elif self._offer("dropped branch", node):
            node.body = [ast.Pass()]
        elif node.orelse and self._offer("dropped branch", node):
            node.orelse = []
        elif node.orelse and self._offer("swapped branches", node):
            node.body, node.orelse = node.orelse, node.body

    def _statement(self, node: ast.Expr | ast.Assign) -> None:
        match node:
            case ast.Expr(ast.Call()):
                if self._offer("dropped call", node):
                    node.value = ast.Constant(None)
            case ast.Expr(ast.Yield() | ast.YieldFrom() as given):
                if self._offer("dropped call", node):
                    node.value = ast.IfExp(ast.Constant(False), given, ast.Constant(None))
            case ast.Assign(targets=[ast.Subscript()]):
                if self._offer("dropped call", node):
                    node.targets = [ast.Name("_dropped", ast.Store())]
            case _:
                pass

    def _operator(self, node: ast.AST) -> None:
        match node:
            case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
                kind = "off by one" if isinstance(op, _ORDERS) else "other operator"
                if self._offer(kind, node):
                    node.ops = [_COMPARISONS[type(op)]()]
            case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in _OPERATORS:
                if self._offer("other operator", node):
                    node.op = _OPERATORS[type(op)]()
            case ast.Call(func=ast.Name(id=name)) if name in _QUANTIFIERS:
                if self._offer("other operator", node):
                    node.func = ast.Name(_QUANTIFIERS[name], ast.Load())
            case ast.Constant(bool() as value):
                if self._offer("other operator", node):
                    node.value = not value
            case ast.Constant(int() as number):
                if self._offer("off by one", node):
                    node.value = number + 1
            case _:
                pass

    def _loop(self, node: ast.For) -> None:
        if self._offer("skipped element", node):
            node.iter = _without(node.iter, first=True)
        elif self._offer("skipped element", node):
            node.iter = _without(node.iter, first=False)
        elif self._offer("early return", node):
            node.body = [*node.body, ast.Break()]

    def _comprehension(self, node: ast.comprehension) -> None:
        node.lineno = node.iter.lineno  # type: ignore[attr-defined]
        if self._offer("skipped element", node):
            node.iter = _without(node.iter, first=True)
        elif node.ifs:
            if self._offer("dropped guard", node):
                node.ifs = []
            elif self._offer("negated guard", node):
                node.ifs = [_not(ast.BoolOp(ast.And(), node.ifs) if node.ifs[1:] else node.ifs[0])]


_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _without(items: ast.expr, *, first: bool) -> ast.expr:
    part = ast.Slice(ast.Constant(1), None) if first else ast.Slice(None, ast.Constant(-1))
    listed = ast.Call(ast.Name("list", ast.Load()), [items], [])
    return ast.Subscript(listed, part, ast.Load())


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_nested(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef)


def _raises_only(body: list[ast.stmt]) -> bool:
    return all(isinstance(statement, ast.Raise) for statement in body)


def _early_values(function: ast.FunctionDef) -> list[ast.expr | None]:
    """What a function may return at once: nothing, a truth value, nothing listed."""
    inside = [node for node in ast.walk(function) if isinstance(node, ast.Yield | ast.YieldFrom)]
    wanted = ast.unparse(function.returns) if function.returns is not None else ""
    if inside or wanted == "None":
        return [None]
    if wanted == "bool":
        return [ast.Constant(True), ast.Constant(False)]
    if wanted.startswith("list["):
        return [ast.List([], ast.Load())]
    if wanted.endswith("| None"):
        return [ast.Constant(None)]
    return []


def _tree(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


def digest(modules: Iterable[str]) -> str:
    """What tells whether modules are the ones that results are about."""
    found = sha256()
    for module in modules:
        found.update((ROOT / module).read_bytes())
    return found.hexdigest()[:12]


def faults_of(module: str) -> list[Fault]:
    """All faults of a module, in a fixed order."""
    lines = (ROOT / module).read_text(encoding="utf-8").splitlines()
    changes = _Changes()
    changes.module(_tree(module))
    return [
        Fault(module, number, kind, line, lines[line - 1].strip())
        for number, (kind, line) in enumerate(changes.found)
    ]


def drawn(module: str, reached: set[int], count: int, seed: int) -> list[Fault]:
    """Some faults on lines that are reached, all kinds alike, in the order of the draw."""
    rng = random.Random(f"{seed} {module}")
    by_kind: dict[str, list[Fault]] = {}
    for fault in faults_of(module):
        if fault.line in reached:
            by_kind.setdefault(fault.kind, []).append(fault)
    for found in by_kind.values():
        rng.shuffle(found)
    chosen: list[Fault] = []
    while len(chosen) < count and by_kind:
        for kind in rng.sample(sorted(by_kind), len(by_kind)):
            chosen.append(by_kind[kind].pop())
            if not by_kind[kind]:
                del by_kind[kind]
    return chosen[:count]


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def apply(fault: Fault) -> int:
    """Make the fault in this process; how many functions changed."""
    importlib.import_module(
        fault.module.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
    )
    path = str(ROOT / fault.module)
    wrong = compile(ast.fix_missing_locations(fault.tree()), path, "exec")
    sound = compile(_tree(fault.module), path, "exec")
    now = {(code.co_qualname, code.co_firstlineno): code for code in _codes(wrong)}
    before = {(code.co_qualname, code.co_firstlineno): code for code in _codes(sound)}
    changed = {key for key, code in now.items() if key in before and code != before[key]}
    count = 0
    gc.unfreeze()  # what is frozen is not listed
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename == path:
            key = (found.__code__.co_qualname, found.__code__.co_firstlineno)
            if key in changed and found.__code__.co_freevars == now[key].co_freevars:
                found.__code__ = now[key]
                count += 1
    return count
