"""The C text of the models that a program needs.

An effect may depend on the program, line by line:

    #if uses(f)         the program calls f, or takes its address, or it is a variable that it
                        names; `f|g`: one of them
    #if ignores(f)      it does, but never uses the result
    #if shares(f)       it does, and what f is given first may be known to several threads;
                        `f|g`: one of them
    #if option(o)       --o was given: create_may_fail
    #else, #endif       as in C; `#if not …` too

Lines that do not apply become empty, so that every line of the text is known by its line in the
table (`#line`), and messages about an effect point there.
"""

from __future__ import annotations

import re
from dataclasses import replace

from threadwise.core.errors import InternalError
from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c import tree
from threadwise.frontends.c.library.entry import Entry, Table
from threadwise.frontends.c.library.read import read_table
from threadwise.frontends.c.library.uses import Uses, uses_of
from threadwise.frontends.c.options import COptions
from threadwise.frontends.c.walking import nodes

ARGUMENTS = "__library_arguments"
DESTROY = "__library_destroy_values"
"""Runs the destructors of keys where a thread ends."""
AT_END = "__library_at_end"
"""Runs the functions that were registered for the end of the program."""
_KEYS = ("pthread_key_create", "tss_create")
_NAME = re.compile(r'"(?:\\.|[^"\\\n])*"|\b(?P<name>[A-Za-z_]\w*)\b')
"""Names in C, and strings, in which there are none."""
_CONDITION = re.compile(
    r"#if (?P<negated>not )?(?P<kind>uses|ignores|shares|option)\((?P<name>[\w|]+)\)"
)


@dataclass(frozen=True)
class Models:
    """What to add to a program."""

    text: str
    """C, to be parsed like another file of the program; empty if nothing is needed."""
    functions: tuple[str, ...]
    """The entries in it."""
    overrides: frozenset[str]
    """Those of them that replace a body of the program."""
    assumptions: tuple[str, ...]


def models_for(program: tree.Program, options: COptions, table: Table | None = None) -> Models:
    """The models of all library functions that the program refers to, directly or not."""
    table = read_table(options.library) if table is None else table
    uses = _with_destructors(uses_of(program), program)
    defined = {name for name, function in program.functions.items() if function.body}
    overridden = [name for name in program.functions if name in table.overrides & defined]
    wanted = [*uses.functions, *uses.variables, *overridden, *_for_main(program)]
    wanted += [AT_END] if "atexit" in uses.functions else []
    wanted = [name for name in wanted if name in table and name not in options.pure]
    chosen: dict[str, tuple[Entry, str]] = {}
    while wanted:
        name = wanted.pop(0)
        if name in chosen or (name in defined and name not in table.overrides):
            continue
        entry = table.entries[name]
        effect = _applied(entry, uses, options)
        chosen[name] = (entry, effect)
        text = entry.text if entry.variable else effect
        wanted += [match["name"] for match in _NAME.finditer(text) if match["name"] in table]
    assumptions = [text for entry, _ in chosen.values() for text in entry.assumes]
    return Models(
        _text([chosen[name] for name in sorted(chosen)], table),
        tuple(sorted(name for name, (entry, _) in chosen.items() if not entry.variable)),
        frozenset(overridden),
        tuple(dict.fromkeys(assumptions)),
    )


def _for_main(program: tree.Program) -> list[str]:
    """What makes the texts that `main` gets, if it reads them."""
    main = program.functions.get("main")
    if main is None or main.body is None or len(main.parameters) < len(("count", "texts")):
        return []
    texts = set(main.parameters[1:])
    used = any(isinstance(n, tree.VariableRef) and n.variable in texts for n in nodes(main.body))
    return [ARGUMENTS] if used else []


def _with_destructors(uses: Uses, program: tree.Program) -> Uses:
    """The uses, with what runs the destructors of keys if some key may have one."""
    if any(map(_has_destructor, nodes(tuple(f.body for f in program.functions.values())))):
        named = next(uses.functions[name] for name in _KEYS if name in uses.functions)
        return replace(uses, functions={**uses.functions, DESTROY: named})
    return uses


def _has_destructor(node: object) -> bool:
    match node:
        case tree.Call(tree.FunctionName(function), (_, destructor)) if function.name in _KEYS:
            while isinstance(destructor, tree.Convert):
                destructor = destructor.operand
            null = isinstance(destructor, tree.IntegerConstant) and destructor.value == 0
            return function.body is None and not null
        case _:
            return False


def _applied(entry: Entry, uses: Uses, options: COptions) -> str:
    """The effect with its conditions decided."""
    lines = []
    applies = [True]
    for line in entry.effect.split("\n"):
        condition = _CONDITION.fullmatch(line.strip())
        if condition:
            holds = _holds(condition["kind"], condition["name"], uses, options)
            applies.append(applies[-1] and holds != bool(condition["negated"]))
        elif line.strip() == "#else":
            applies[-1] = applies[-2] and not applies[-1]
        elif line.strip() == "#endif":
            applies.pop()
        elif applies[-1]:
            lines.append(line)
            continue
        lines.append("")
    return "\n".join(lines)


def _holds(kind: str, name: str, uses: Uses, options: COptions) -> bool:
    match kind:
        case "uses":
            names = name.split("|")
            return any(each in uses.functions or each in uses.variables for each in names)
        case "ignores":
            return name in uses.functions and name not in uses.kept
        case "shares":
            closing = uses.functions if options.lifetimes else uses.shared
            return any(each in closing for each in name.split("|"))
        case "option" if name == "create_may_fail":
            return options.create_may_fail
        case _:
            raise InternalError(f"unknown condition {kind}({name}) in the library table")


def _text(chosen: list[tuple[Entry, str]], table: Table) -> str:
    if not chosen:
        return ""
    headers = sorted({header for entry, _ in chosen for header in entry.headers})
    lines = ["#ifndef _GNU_SOURCE", "#define _GNU_SOURCE", "#endif"]
    lines += [f"#include <{header}>" for header in headers]
    for name, replacement in table.types.items():
        if not name.startswith(("struct ", "union ")):
            lines.append(f"typedef {replacement} {name};")
    variables = [entry for entry, _ in chosen if entry.variable]
    functions = [(entry, effect) for entry, effect in chosen if not entry.variable]
    for entry in variables:
        lines += [f'#line {entry.span.line} "{entry.span.path}"', f"{entry.text};"]
    for entry, _ in functions:
        attribute = "__attribute__((noreturn)) " if entry.no_return else ""
        lines += [f'#line {entry.span.line} "{entry.span.path}"', f"{attribute}{entry.text};"]
    for entry, effect in functions:
        lines += [f'#line {entry.span.line} "{entry.span.path}"', entry.text, "{"]
        path = (entry.source or entry.span).path
        lines += [f'#line {entry.effect_line} "{path}"', effect, "}"]
    return "\n".join(lines) + "\n"
