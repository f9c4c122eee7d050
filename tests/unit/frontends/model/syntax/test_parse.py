"""The syntax: precedence, long chains, comments."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.frontends.model.syntax import ast, tables
from threadwise.frontends.model.syntax.parse import parse_model


def parse_expression(text: str) -> ast.Expression:
    item = parse_model(SourceFile("m.tw", f"invariant i: {text};")).items[0]
    assert isinstance(item, ast.Invariant)
    return item.formula


def shown(node: ast.Expression) -> str:
    """The expression with every grouping made visible."""
    match node:
        case ast.Infix(operator, left, right):
            return f"({shown(left)} {operator} {shown(right)})"
        case ast.Prefix(operator, operand):
            return f"{operator}{shown(operand)}"
        case ast.Conditional(condition, then, otherwise):
            return f"({shown(condition)} ? {shown(then)} : {shown(otherwise)})"
        case ast.Parenthesised(inner):
            return shown(inner)
        case ast.Quantified(quantifier, _, body):
            return f"({quantifier}. {shown(body)})"
        case ast.Index(base, index):
            return f"{shown(base)}[{shown(index)}]"
        case ast.Member(base, name):
            return f"{shown(base)}.{name.name}"
        case ast.Name(name):
            return name
        case ast.Number(value):
            return str(value)
        case _:
            return type(node).__name__


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b * c % d", "(((a / b) * c) % d)"),
        ("a << b + c", "(a << (b + c))"),
        ("a < b == c", "((a < b) == c)"),
        ("a & b == c", "(a & (b == c))"),
        ("a | b ^ c & d", "(a | (b ^ (c & d)))"),
        ("a || b && c", "(a || (b && c))"),
        ("a && b || c", "((a && b) || c)"),
        ("a ==> b ==> c", "(a ==> (b ==> c))"),
        ("a || b ==> c && d", "((a || b) ==> (c && d))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a == b ? c + d : e || f", "((a == b) ? (c + d) : (e || f))"),
        ("a ==> b ? c : d", "(a ==> (b ? c : d))"),
        ("a ? b : c ==> d", "((a ? b : c) ==> d)"),
        ("- - a * b", "(--a * b)"),
        ("a - -b", "(a - -b)"),
        ("!a && b", "(!a && b)"),
        ("~a & b", "(~a & b)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a[b + c][d] . e", "a[(b + c)][d].e"),
        ("0x1F + 007", "(31 + 7)"),
        ("forall i: t. a ==> b", "(forall. (a ==> b))"),
        ("a && forall i: t. b || c", "(a && (forall. (b || c)))"),
        ("(forall i: t. a) ==> b", "((forall. a) ==> b)"),
        ("!forall i: t. a && b", "!(forall. (a && b))"),
        ("a /* b */ + // c\n d", "(a + d)"),
    ],
)
def test_grouping(text: str, grouped: str) -> None:
    assert shown(parse_expression(text)) == grouped


def test_long_chain_of_an_associative_operator_is_shallow() -> None:
    node = parse_expression(" && ".join(f"a{i}" for i in range(5000)))
    assert node.depth <= 14
    assert shown(node).replace("(", "").replace(")", "").split(" && ")[4321] == "a4321"


def test_short_chain_is_left_as_written() -> None:
    assert shown(parse_expression("a + b + c + d")) == "(((a + b) + c) + d)"


def test_positions_include_parentheses() -> None:
    node = parse_expression("(a + b) * c")
    assert (node.start_pos, node.end_pos) == (13, 24)


def test_else_belongs_to_the_nearest_if() -> None:
    model = parse_model(SourceFile("m.tw", "thread t { if (a) if (b) x = 1; else x = 2; }"))
    thread = model.items[0]
    assert isinstance(thread, ast.Thread)
    outer = thread.body.statements[0]
    assert isinstance(outer, ast.If)
    assert outer.otherwise is None
    assert isinstance(outer.then, ast.If)
    assert outer.then.otherwise is not None


def test_conflicts_of_the_grammar_are_the_intended_ones(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """`else` binds to the nearest `if`; a quantifier reaches as far as it can."""
    import lark

    with caplog.at_level("DEBUG", logger=lark.logger.name):
        lark.Lark(
            tables.STORED.grammar.read_text(encoding="utf-8"),
            parser="lalr",
            lexer="basic",
            keep_all_tokens=True,
            maybe_placeholders=False,
            debug=True,
        )
    conflicts = {
        record.getMessage().split(":")[0].split()[-1]
        for record in caplog.records
        if "conflict" in record.getMessage()
    }
    assert conflicts == {"ELSE", "INFIX", "QMARK", "MINUS", "STAR"}
