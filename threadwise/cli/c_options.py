"""The options for C, the same for every subcommand that reads programs.

A subcommand is decorated with `takes_c_options` and gets what was given as one mapping `c`, by
names of `COptions` fields; options that were not given are missing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, get_type_hints

import typer

if TYPE_CHECKING:
    from threadwise.core.c_options import COptions

Result = TypeVar("Result")
COptionsGiven: TypeAlias = Mapping[str, Any]
"""What was given of the options for C, by name."""


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, **settings)


def _doubtful(name: str, what: str) -> Any:
    told = f"C: whether {what} in violations; proofs allow it or say where not. [default: no]"
    return Annotated[bool | None, _option(f"--{name}/--no-{name}", help=told)]


_OPTIONS: dict[str, Any] = {
    "include": Annotated[
        list[str] | None,
        _option("-I", "--include", metavar="DIR", help="C: look for headers here. Repeatable."),
    ],
    "isystem": Annotated[
        list[str] | None,
        _option("-isystem", metavar="DIR", help="C: look for headers here too, after -I."),
    ],
    "undefine": Annotated[
        list[str] | None,
        _option("-U", "--undefine", metavar="NAME", help="C: undefine a macro. Repeatable."),
    ],
    "standard": Annotated[
        str | None,
        _option("-std", "--standard", metavar="STD", help="C: the language. [default: gnu17]"),
    ],
    "data_model": Annotated[
        str | None,
        _option(
            "--data-model",
            metavar="LP64|ILP32",
            help="C: the sizes of long and of pointers. [default: LP64]",
        ),
    ],
    "entry": Annotated[
        list[str] | None,
        _option(
            "--entry",
            metavar="F,G",
            help="C without main: any number of threads call these functions, in any order.",
        ),
    ],
    "library": Annotated[
        list[str] | None,
        _option(
            "--library",
            metavar="FILE",
            help="C: what further functions do, as TOML. Repeatable.",
        ),
    ],
    "assume_pure": Annotated[
        list[str] | None,
        _option(
            "--assume-pure",
            metavar="F,G",
            help="C: these functions have no effect, their result is any value.",
        ),
    ],
    "idle": Annotated[
        list[str] | None,
        _option(
            "--idle",
            metavar="F,G",
            help="C: a thread that waits for ever inside these functions is no deadlock.",
        ),
    ],
    "unknown_functions": Annotated[
        str | None,
        _option(
            "--unknown-functions",
            metavar="local|strict",
            help="C: functions that nobody describes use what they are given, or may do anything. "
            "[default: local]",
        ),
    ],
    "create_may_fail": Annotated[
        bool | None,
        _option(
            "--create-may-fail/--no-create-may-fail",
            help="C: whether pthread_create may fail. [default: no]",
        ),
    ],
    "spurious_wakeups": _doubtful("spurious-wakeups", "threads may wake up without a signal"),
    "malloc_may_fail": _doubtful("malloc-may-fail", "malloc and its like may return NULL"),
    "weak_cas_may_fail": _doubtful(
        "weak-cas-may-fail", "weak compare-exchange may fail for no reason"
    ),
    "trylock_may_fail": _doubtful("trylock-may-fail", "mtx_trylock may fail for no reason"),
}


def takes_c_options(body: Callable[..., Result]) -> Callable[..., Result]:
    """A subcommand with the options for C; `body` gets those that were given as `c`."""
    hints = get_type_hints(body, include_extras=True)
    signature = inspect.signature(body)
    own = [
        each.replace(annotation=hints[each.name])
        for each in signature.parameters.values()
        if each.name != "c"
    ]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ]

    @functools.wraps(body)
    def command(*args: Any, **kwargs: Any) -> Result:
        given = {name: kwargs.pop(name, None) for name in _OPTIONS}
        return body(*args, c=_given(given), **kwargs)

    shown = {name: kind for name, kind in hints.items() if name != "c"}
    command.__annotations__ = {**shown, **_OPTIONS}
    whole = signature.replace(parameters=[*own, *added])
    command.__signature__ = whole  # type: ignore[attr-defined]
    return command


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """What was given; `-isystem` is only another kind of `-I`."""
    given = {name: value for name, value in options.items() if value is not None}
    folders = [*given.pop("include", ()), *given.pop("isystem", ())]
    return {**given, **({"include": folders} if folders else {})}


def c_options_from(given: Mapping[str, Any]) -> COptions:
    """The options as the front end wants them; raises InputError."""
    from threadwise.core.c_options import COptions

    options = COptions()
    return COptions(
        include=tuple(given.get("include", ())),
        undefine=tuple(given.get("undefine", ())),
        standard=given.get("standard", options.standard),
        data_model=data_model(given.get("data_model", options.data_model.value)),
        entry=names(given.get("entry", ())),
        library=tuple(given.get("library", ())),
        pure=frozenset(names(given.get("assume_pure", ()))),
        idle=frozenset(names(given.get("idle", ()))),
        unknown_functions=unknown_functions(
            given.get("unknown_functions", options.unknown_functions.value)
        ),
        create_may_fail=given.get("create_may_fail", False),
        doubts=allowed_doubts(lambda name: given.get(name, False)),
    )


def allowed_doubts(is_on: Callable[[str], Any]) -> frozenset[str]:
    """The doubtful behaviour that switches make part of the meaning; they go by `is_on`."""
    from threadwise.core.doubts import SWITCHES

    return frozenset(kind.value for kind in SWITCHES if is_on(kind.value.replace("-", "_")))


def names(given: Any) -> tuple[str, ...]:
    """Names from lists of names separated by commas."""
    return tuple(name.strip() for item in given for name in item.split(",") if name.strip())


def data_model(given: Any) -> Any:
    """The data model of a name."""
    from threadwise.core.c_options import DataModel

    wanted = given if isinstance(given, Enum) else str(given).upper()
    return _chosen("data-model", DataModel, wanted)


def unknown_functions(given: Any) -> Any:
    """What functions may do that nobody describes, by a name."""
    from threadwise.core.c_options import UnknownFunctions

    return _chosen("unknown-functions", UnknownFunctions, given)


def _chosen(option: str, kind: type[Enum], given: Any) -> Any:
    from threadwise.core.diagnostics import did_you_mean
    from threadwise.core.errors import InputError

    known = [choice.value for choice in kind]
    if isinstance(given, kind):
        return given
    if given not in known:
        hint = did_you_mean(str(given), known)
        raise InputError.of(f"{option}: `{given}` is not one of {', '.join(known)}", hint=hint)
    return kind(given)


def macros(define: list[str] | None, files: list[str]) -> list[str] | None:
    """`-D NAME` is `-D NAME=1` in C."""
    from threadwise.driver.loading import is_c

    if define is None or not any(is_c(path) for path in files):
        return define
    return [item if "=" in item else f"{item}=1" for item in define]
