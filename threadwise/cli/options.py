"""Options and arguments that several subcommands share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from threadwise.core.budget import Budget
    from threadwise.core.options import LoadOptions

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

File: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The program.", show_default=False)
]
ProgramFiles: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...", help="The program: a model, or C files.", show_default=False
    ),
]
Define: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "-D",
        "--define",
        metavar="NAME=VALUE",
        help="Give a constant of a model another value, or define a macro of C. Repeatable.",
        show_default=False,
    ),
]
Threads: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--threads",
        metavar="NAME=COUNT",
        help="Replace the number of threads of a template, also where it is `*`. Repeatable.",
        show_default=False,
    ),
]
MaxThreads: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-threads",
        metavar="COUNT",
        help="How many threads of a template `spawn` may start. [default: 8]",
        show_default=False,
    ),
]
TimeLimit: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--time-limit",
        metavar="TIME",
        help="Stop after this time: 60 (seconds), 500ms, 2m, 1h.",
        show_default=False,
    ),
]
MemoryLimit: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Stop when more memory than this is in use: 200MB, 8GB (else four fifths of all).",
        show_default=False,
    ),
]
CheckTimeLimit: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--time-limit",
        metavar="TIME",
        help="Stop after this time: 60 (seconds), 500ms, 2m, 1h, none. [default: 5m]",
        show_default=False,
    ),
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="COUNT",
        help="How many engines of `auto` may be at work at a time. [default: one per core]",
        show_default=False,
    ),
]
Cache: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        help="Check evidence of earlier runs again instead of searching, and keep that of this.",
        show_default=False,
    ),
]
First: TypeAlias = Annotated[
    bool | None,
    typer.Option("--first", help="Stop at the first violation.", show_default=False),
]
AnswerFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="text|json",
        help="What the answer looks like. [default: text]",
        show_default=False,
    ),
]
Full: TypeAlias = Annotated[
    bool | None,
    typer.Option("--full/--no-full", help="Shorten no trace and no list.", show_default=False),
]
Verbose: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--verbose/--no-verbose",
        help="Also show how the program was loaded, which engines were tried and what they did.",
        show_default=False,
    ),
]


def parse_defines(given: Iterable[str]) -> dict[str, str]:
    """Constants and their values from `NAME=VALUE`."""
    from threadwise.core.errors import InputError

    defines: dict[str, str] = {}
    for item in given:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not _NAME.fullmatch(name) or not equals or not value:
            raise InputError.of(
                f"-D {item}: expected a name, `=` and a value", hint="write -D N=20"
            )
        defines[name] = value
    return defines


def parse_threads(given: Iterable[str]) -> dict[str, int]:
    """Thread counts from `NAME=COUNT`."""
    from threadwise.core.errors import InputError

    threads: dict[str, int] = {}
    for item in given:
        name, equals, count = (part.strip() for part in item.partition("="))
        if not _NAME.fullmatch(name) or not equals or not re.fullmatch(r"[0-9]{1,9}", count):
            raise InputError.of(
                f"--threads {item}: expected the name of a thread, `=` and a number",
                hint="write --threads client=4",
            )
        threads[name] = int(count)
    return threads


def parse_load(
    define: list[str] | None,
    threads: list[str] | None,
    max_threads: int | None,
    c: Mapping[str, Any] | None = None,
    beside: Iterable[str] = (),
) -> LoadOptions:
    """How to load the program; `c` has the options for C, `beside` its files but the first."""
    from dataclasses import replace

    from threadwise.cli.c_options import c_options_from
    from threadwise.core.options import LoadOptions

    load = LoadOptions(parse_defines(define or ()), parse_threads(threads or ()))
    load = replace(load, c=replace(c_options_from(c or {}), beside=tuple(beside)))
    if max_threads is None:
        return load
    return replace(load, max_threads=at_least(1, max_threads, "--max-threads"))


def one_program(files: list[str]) -> tuple[str, list[str]]:
    """The first file of a program and the others, for a command that takes one program."""
    from threadwise.core.errors import InputError
    from threadwise.driver.loading import is_c

    first, *others = dict.fromkeys(files)
    for other in others:
        if not (is_c(first) and is_c(other)):
            hint = "several files are one program only in C"
            raise InputError.of(f"{first} and {other}: expected one program", hint=hint)
    return first, others


def at_least(least: int, value: int, option: str) -> int:
    """The value of a numeric option, unless it is too small."""
    from threadwise.core.errors import InputError

    if value < least:
        raise InputError.of(f"{option} {value}: expected a number of at least {least}")
    return value


def _kinds_of_properties(incomplete: str) -> list[str]:
    """What `--property` may begin with, for the shell."""
    names = ("all", "assertions", "deadlocks", "memory", "mutex", "races", "range")
    return [name for name in names if name.startswith(incomplete)]


def _engines(incomplete: str) -> list[str]:
    """What `--engine` may begin with, for the shell."""
    from threadwise.engines.registry import ENGINES

    return [name for name in ("auto", *sorted(ENGINES)) if name.startswith(incomplete)]


Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        metavar="NAME",
        help="What to check: assertions, range, mutex, races, deadlocks, the name of an "
        "invariant, all, or an SV-COMP property file (.prp). Repeatable. [default: what the "
        "file states, assertions, range and mutex; in C: assertions, mutex and races]",
        autocompletion=_kinds_of_properties,
        show_default=False,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The algorithm to use, see `threadwise engines`. [default: auto]",
        autocompletion=_engines,
        show_default=False,
    ),
]
Representatives = Annotated[
    int | None,
    typer.Option(
        "--k",
        metavar="K",
        help="How many threads at once `horn` reasons about, 1 to 3. [default: 1, then 2]",
        show_default=False,
    ),
]
MaxBddNodes = Annotated[
    int | None,
    typer.Option(
        "--max-bdd-nodes",
        metavar="COUNT",
        help="How many nodes the diagrams of symbolic engines may take. [default: 20000000]",
        show_default=False,
    ),
]
MaxSolverUnits = Annotated[
    int | None,
    typer.Option(
        "--max-solver-units",
        metavar="COUNT",
        help="What one query of a solver may cost, in units of its own counter. "
        "[default: 20000000, less for some queries]",
        show_default=False,
    ),
]
Expose = Annotated[
    bool | None,
    typer.Option(
        "--expose/--no-expose",
        help="Whether threads' own variables may be shown to others. "
        "[default: in `local-proof` and `auto`, not in `tar`]",
        show_default=False,
    ),
]
Facts = Annotated[
    bool | None,
    typer.Option(
        "--facts/--no-facts",
        help="Whether `thread-modular` and `tar` take the equations of `counting`, where they "
        "cannot go on without. [default: only in `auto`]",
        show_default=False,
    ),
]
SecondSolver = Annotated[
    bool | None,
    typer.Option(
        "--second-solver/--one-solver",
        help="Whether proofs by formulas are checked with cvc5 too. [default: one-solver]",
        show_default=False,
    ),
]
Audit = Annotated[
    bool | None,
    typer.Option(
        "--audit/--no-audit",
        help="Whether runs of the program look at what proofs claim. [default: audit]",
        show_default=False,
    ),
]
Symmetry = Annotated[
    bool | None,
    typer.Option(
        "--symmetry/--no-symmetry",
        help="Whether threads that are alike share one representative. [default: symmetry]",
        show_default=False,
    ),
]


Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH|LOCATION",
        help="Report only what concerns these files, folders, patterns or shared locations;"
        " everything is analysed all the same. Repeatable.",
        show_default=False,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Do not report what lies in these files only: 'third_party/**'. Repeatable.",
        show_default=False,
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Do not report findings that this file of --write-baseline lists.",
        show_default=False,
    ),
]
WriteBaseline = Annotated[
    str | None,
    typer.Option(
        metavar="OUT",
        help="Write what was found to a file, for --baseline.",
        show_default=False,
    ),
]
UnknownExit = Annotated[
    int | None,
    typer.Option(
        metavar="CODE",
        min=0,
        max=125,
        help="The exit code if the answer is UNKNOWN. [default: 3]",
        show_default=False,
    ),
]


def one_of(option: str, given: str, known: Sequence[str]) -> str:
    """The value of an option, if it is a known one; raises InputError."""
    from threadwise.core.diagnostics import did_you_mean
    from threadwise.core.errors import InputError

    if given not in known:
        hint = did_you_mean(given, known) or f"there are {', '.join(known)}"
        raise InputError.of(f"{option} {given}: no such value", hint=hint)
    return given


def is_json(format_: str | None) -> bool:
    """Whether an answer is wanted as JSON; raises InputError for another format."""
    from threadwise.core.errors import InputError

    if format_ not in (None, "text", "json"):
        raise InputError.of(f"--format {format_}: expected text or json")
    return format_ == "json"


def budget_from(time_limit: str | None, memory_limit: str | None) -> Budget:
    """The limits of a command; there is always one on memory."""
    from threadwise.core.budget import Budget, parse_memory, parse_time
    from threadwise.core.memory import most_memory

    return Budget(
        None if time_limit is None else parse_time(time_limit),
        most_memory() if memory_limit is None else parse_memory(memory_limit),
    )
