"""The tree as one-line text, so that tests can say what they expect."""

from __future__ import annotations

from threadwise.core.source import SourceFile
from threadwise.frontends.c import tree, types
from threadwise.frontends.c.options import COptions
from threadwise.frontends.c.parse import Parsed, parse_c


def parsed(*texts: str, options: COptions | None = None, suffix: str = "c") -> Parsed:
    """The program of some files, `t1.c`, `t2.c` …"""
    sources = [SourceFile(f"t{n}.{suffix}", text) for n, text in enumerate(texts, 1)]
    return parse_c(sources, options)


def program(*texts: str, options: COptions | None = None) -> tree.Program:
    """The program of some files."""
    return parsed(*texts, options=options).program


def body_of(text: str, name: str = "f") -> list[str]:
    """The statements of a function."""
    body = program(text).functions[name].body
    assert body is not None
    return [statement(each) for each in body.statements]


def expression_of(text: str, before: str = "") -> str:
    """The value of an expression statement over some variables of different types."""
    (line,) = body_of(f"{VARIABLES}{before}\nvoid f(void) {{ {text}; }}")
    return line


VARIABLES = """
char c; signed char sc; unsigned char uc; short s; int i, j; unsigned u; long l; float x; double d;
_Bool b; int *p; int a[4]; int m[2][3]; void *v; int g(int); _Atomic int at; enum e { E1 = 7 } en;
struct r { int x; struct { int y; int z; }; struct r *next; unsigned bits : 3; } r, *rp;
"""


def kind(candidate: types.CType) -> str:
    """A type."""
    match candidate:
        case types.CInteger(width, signed):
            return f"{'i' if signed else 'u'}{width}"
        case types.CFloat(width):
            return f"f{width}"
        case types.CPointer(target):
            return f"{kind(target)}*"
        case types.CArray(element, size):
            return f"{kind(element)}[{'' if size is None else size}]"
        case types.CRecord(key):
            return f"<{key}>"
        case types.CAtomic(inner):
            return f"atomic {kind(inner)}"
        case types.CFunction(result, parameters, variadic):
            listed = "?" if parameters is None else ",".join(map(kind, parameters))
            return f"{kind(result)}({listed}{',...' if variadic else ''})"
        case _:
            return type(candidate).__name__.removeprefix("C").lower()


def expr(node: tree.Expr | tree.LValue | tree.ValueMember) -> str:  # noqa: C901
    """An expression: `[x]` is a load, `(t)e` a conversion."""
    match node:
        case tree.VariableRef():
            return node.variable.name
        case tree.Deref():
            return f"*{expr(node.pointer)}"
        case tree.Member() | tree.ValueMember():
            return ".".join((expr(node.base), *node.path))
        case tree.StringLiteral():
            return f"string{node.characters}"
        case tree.CompoundLiteral():
            return f"{node.variable.name}:{kind(node.type)}{initial(node.initial)}"
        case tree.IntegerConstant() | tree.FloatConstant():
            return f"{node.value}:{kind(node.type)}"
        case tree.FunctionName():
            return node.function.name
        case tree.Load():
            return f"[{expr(node.place)}]"
        case tree.Decay():
            return f"decay {expr(node.place)}"
        case tree.AddressOf():
            return f"&{expr(node.place)}"
        case tree.Convert():
            return f"({kind(node.type)}){expr(node.operand)}"
        case tree.Unary():
            return f"({node.op.value}{expr(node.operand)}):{kind(node.type)}"
        case tree.Binary() | tree.Logical():
            inner = f"{expr(node.left)} {node.op.value} {expr(node.right)}"
            return f"({inner}):{kind(node.type)}"
        case tree.PointerArithmetic():
            sign = "-" if node.negative else "+"
            return f"({expr(node.pointer)} {sign}> {expr(node.count)})"
        case tree.PointerDifference():
            return f"({expr(node.left)} <-> {expr(node.right)}):{kind(node.type)}"
        case tree.Conditional():
            then = "" if node.then is None else expr(node.then)
            return f"({expr(node.condition)} ?{then}: {expr(node.otherwise)}):{kind(node.type)}"
        case tree.Assign():
            return f"{expr(node.place)} = {expr(node.value)}"
        case tree.CompoundAssign():
            operator = f"{node.op.value}={kind(node.computation)}"
            return f"{expr(node.place)} {operator} {expr(node.value)}"
        case tree.Step():
            sign = "--" if node.decrement else "++"
            return f"{expr(node.place)}{sign}" if node.postfix else f"{sign}{expr(node.place)}"
        case tree.Comma():
            return f"({expr(node.first)}, {expr(node.second)})"
        case tree.Call():
            arguments = ", ".join(map(expr, node.arguments))
            return f"{expr(node.callee)}({arguments}):{kind(node.type)}"
        case tree.StatementExpression():
            result = "" if node.result is None else expr(node.result)
            return f"({statement(node.body)} {result})"
        case tree.VariableSize():
            return "variable size"
        case tree.UnsupportedExpr():
            return f"unsupported<{node.what}>"


def initial(node: tree.Initialiser | None) -> str:
    """An initialiser."""
    if node is None:
        return ""
    if isinstance(node, tree.ScalarInitial):
        return expr(node.value)
    return "{" + ", ".join(f"{place}: {initial(part)}" for place, part in node.elements) + "}"


def statement(node: tree.Statement) -> str:  # noqa: C901
    """A statement."""
    match node:
        case tree.Compound():
            return "{" + " ".join(map(statement, node.statements)) + "}"
        case tree.Declare():
            length = "" if node.length is None else f"[{expr(node.length)}]"
            start = "" if node.initial is None else f" = {initial(node.initial)}"
            return f"{kind(node.variable.type)} {node.variable.name}{length}{start};"
        case tree.Evaluate():
            return f"{expr(node.value)};"
        case tree.If():
            otherwise = "" if node.otherwise is None else f" else {statement(node.otherwise)}"
            return f"if {expr(node.condition)} {statement(node.then)}{otherwise}"
        case tree.While():
            return f"while {expr(node.condition)} {statement(node.body)}"
        case tree.DoWhile():
            return f"do {statement(node.body)} while {expr(node.condition)}"
        case tree.For():
            first = "" if node.first is None else statement(node.first)
            parts = ["" if each is None else expr(each) for each in (node.condition, node.after)]
            return f"for ({first} | {' | '.join(parts)}) {statement(node.body)}"
        case tree.Switch():
            return f"switch {expr(node.value)} {statement(node.body)}"
        case tree.Case():
            return f"case {node.low}..{node.high}: {statement(node.body)}"
        case tree.Default():
            return f"default: {statement(node.body)}"
        case tree.Label():
            return f"{node.name}: {statement(node.body)}"
        case tree.Goto():
            return f"goto {node.name};"
        case tree.Break():
            return "break;"
        case tree.Continue():
            return "continue;"
        case tree.Return():
            return "return;" if node.value is None else f"return {expr(node.value)};"
        case tree.Empty():
            return ";"
        case tree.Assembly():
            written = ", ".join(map(expr, (*node.written, *node.read)))
            return f"asm({written}{' memory' if node.clobbers_memory else ''});"
        case tree.UnsupportedStatement():
            return f"unsupported<{node.what}>;"
