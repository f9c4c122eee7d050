"""The options of the commands, made from the table in `threadwise.core.options`.

A command is decorated with `takes_options(name)`: it gets the options that the table has for it as
one mapping `given`, from names of `Settings` to what stands on the command line; options that were
not given are missing. Its arguments, and options of its own, are parameters as usual.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, get_type_hints

import typer

from threadwise.core.option_values import Switch
from threadwise.core.options import Option, options, options_of

if TYPE_CHECKING:
    from threadwise.core.budget import Budget

Result = TypeVar("Result")
Given: TypeAlias = Mapping[str, Any]
"""What was given of the options in the table, by name."""

File: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The program.", show_default=False)
]
ProgramFiles: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...", help="The program: a model, or C files.", show_default=False
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
AnswerFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="text|json",
        help="What the answer looks like. [default: text]",
        show_default=False,
    ),
]


def _kinds_of_properties(incomplete: str) -> list[str]:
    """What `--property` may begin with, for the shell."""
    names = ("all", "assertions", "deadlocks", "memory", "mutex", "races", "range")
    return [name for name in names if name.startswith(incomplete)]


def _engines(incomplete: str) -> list[str]:
    """What `--engine` may begin with, for the shell."""
    from threadwise.engines.registry import ENGINES

    return [name for name in ("auto", *sorted(ENGINES)) if name.startswith(incomplete)]


_COMPLETIONS = {"property": _kinds_of_properties, "engine": _engines}


def declared(name: str) -> Any:
    """An option of the table as the type of a command's parameter."""
    option = options()[name]
    names = written(option)
    if isinstance(option.value, Switch):
        names = ["/".join(names)]
    declaration = typer.Option(
        *names,
        metavar=option.metavar,
        help=help_of(option),
        autocompletion=_COMPLETIONS.get(name),
        show_default=False,
    )
    given = option.value.given_as
    return Annotated[list[str] | None if given is list else given | None, declaration]


def written(option: Option) -> list[str]:
    """How it is written on the command line; a switch that is turned off comes last."""
    if option.name == "isystem":  # the one name that compilers know
        return ["-isystem"]
    names = [f"--{option.key}"] if option.short is None else [option.short, f"--{option.key}"]
    if isinstance(option.value, Switch) and option.value.off != "":
        names.append(f"--{option.value.off or f'no-{option.key}'}")
    return names


def help_of(option: Option) -> str:
    """What `--help` tells: what it does, whether it may be repeated, its default."""
    several = " Repeatable." if option.is_repeatable else ""
    usual = f" [default: {option.usual}]" if option.usual else ""
    return f"{option.help}{several}{usual}"


def takes_options(command: str) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """A subcommand with the options that the table has for it; its body gets them as `given`."""
    return functools.partial(_taking, list(options_of(command)))


def _taking(names: Sequence[str], body: Callable[..., Result]) -> Callable[..., Result]:
    hints = get_type_hints(body, include_extras=True)
    signature = inspect.signature(body)
    own = [
        each.replace(annotation=hints[each.name])
        for each in signature.parameters.values()
        if each.name != "given"
    ]
    taken = {f"given_{name}": declared(name) for name in names}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in taken.items()
    ]

    @functools.wraps(body)
    def command(*args: Any, **kwargs: Any) -> Result:
        values = {name: kwargs.pop(f"given_{name}", None) for name in names}
        given = {name: value for name, value in values.items() if value is not None}
        return body(*args, given=given, **kwargs)

    shown = {name: kind for name, kind in hints.items() if name != "given"}
    command.__annotations__ = {**shown, **taken}
    whole = signature.replace(parameters=[*own, *added])
    command.__signature__ = whole  # type: ignore[attr-defined]
    return command


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


def one_of(option: str, given: str, known: Sequence[str]) -> str:
    """The value of an option, if it is a known one; raises InputError."""
    from threadwise.core.errors import InputError
    from threadwise.core.suggestions import did_you_mean

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


def budget_from(time_limit: str | None, memory_limit: int | None) -> Budget:
    """The limits of a command; there is always one on memory."""
    from threadwise.core.budget import Budget, parse_time
    from threadwise.core.processes.memory import most_memory

    return Budget(
        None if time_limit is None else parse_time(time_limit),
        memory_limit or most_memory(),
    )
