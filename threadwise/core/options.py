"""THE table of options: every option of a check, defined once.

A field of `Settings` is an option. Its row has the parser of its value, the default, the help
text, the commands that take it, its name in evidence, and whether `api.check` has it. From these
rows are generated

- the options of the commands              `threadwise.cli.options`
- the settings of `threadwise.toml`        `threadwise.cli.settings`
- how a program was loaded, in evidence    `Settings.load`; `core.load_documents`
- the page docs/user/options.md            `threadwise.cli.option_page`

The parameters of `api.check` are written out, for editors and type checkers; a test compares them.
To add an option: a row here; a field of `COptions` if it is about how C is read, a parameter of
`api.check` otherwise; and its use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from threadwise.core.c_options import COptions, DataModel, UnknownFunctions
from threadwise.core.load_options import DEFAULT_MAX_THREADS, LoadOptions
from threadwise.core.option_values import (
    Choice,
    Constants,
    Counts,
    Memory,
    Names,
    Number,
    SetOfNames,
    Switch,
    Text,
    Texts,
    TimeLimit,
    Value,
)
from threadwise.core.quick_dataclass import dataclass

_DEFAULT_C = COptions()
DEFAULT_MAX_DEPTH = 50
DEFAULT_TIME_LIMIT_S = 300.0
"""The default time limit."""


class Format(Enum):
    """What a report looks like."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    GCC = "gcc"


class Group(Enum):
    """What an option is about."""

    LOADING = "How the program is read"
    C = "How C is read"
    SEARCH = "What is checked, and how"
    REPORT = "What is reported"


CHECK = ("check",)
"""The command that takes every option."""
PROVING = ("check", "explain")
RUNNING = ("check", "explain", "annotate", "validate")
LIMITED = (*RUNNING, "certify", "replay", "batch")
LOADING = ("check", "explain", "dump-ir", "simulate")
READING = (*RUNNING, "dump-ir", "simulate")
"""Every command that reads a program by the user's options."""


@dataclass(frozen=True)
class Option:
    """A row of the table."""

    value: Value
    help: str
    """For `--help`: what it does, without its default."""
    more: str = ""
    """What the page adds to that."""
    metavar: str | None = None
    short: str | None = None
    """Another name on the command line, with its dash."""
    usual: str = ""
    """The default in words, where there is something to say."""
    commands: tuple[str, ...] = CHECK
    group: Group = Group.SEARCH
    recorded: str = ""
    """What evidence calls it: a field of `LoadOptions`, or behind `c.` one of `COptions`."""
    python: str = ""
    """The parameter of `api.check`, unless it is in its `c`, or about the report."""
    name: str = ""
    """The field of `Settings`; in `threadwise.toml` and on the command line, dashes join its
    words."""

    @property
    def key(self) -> str:
        """Its name in `threadwise.toml`, and with two dashes in front on the command line."""
        return self.name.replace("_", "-")

    @property
    def is_repeatable(self) -> bool:
        """Whether each time it is given adds something, which help says."""
        return isinstance(self.value, Texts | Constants | Counts) and self.name != "isystem"


Default = TypeVar("Default")


def _option(default: Default, value: Value, help_: str, **row: Any) -> Default:
    """A field of `Settings` with its row."""
    metadata = {"option": Option(value, help_, **row)}
    made: Default
    if isinstance(default, dict):
        made = field(default_factory=dict, metadata=metadata)  # type: ignore[assignment]
    else:
        made = field(default=default, metadata=metadata)
    return made


def _read(default: Default, value: Value, help_: str, **row: Any) -> Default:
    """An option for reading C."""
    return _option(default, value, f"C: {help_}", group=Group.C, commands=READING, **row)


def _doubtful(what: str) -> bool:
    """Whether doubtful behaviour is part of the program: see `core.doubts`."""
    help_ = f"whether {what} in violations; proofs allow it or say where not."
    more = "See [what users doubt](c.md#what-users-doubt)."
    return _read(False, Switch(), help_, usual="no", recorded="c.doubts", more=more)


def _reported(default: Default, value: Value, help_: str, **row: Any) -> Default:
    """An option about the report."""
    return _option(default, value, help_, group=Group.REPORT, **row)


@dataclass(frozen=True)
class Settings:
    """What users say about a check, one field per option, in the order of `--help`."""

    property: tuple[str, ...] = _option(
        (),
        Texts(),
        "What to check: assertions, range, mutex, races, deadlocks, the name of an invariant, "
        "all, or an SV-COMP property file (.prp).",
        more="In C also `memory`; any property by the name that the report shows.",
        metavar="NAME",
        usual="what the file states, assertions, range and mutex; in C: assertions, mutex and "
        "races, and deadlocks on the time that is left",
        commands=(*PROVING, "batch"),
        python="properties",
    )
    engine: str = _option(
        "auto",
        Text(),
        "The algorithm to use, see `threadwise engines`.",
        more="`auto` tries all of them, cheapest first.",
        metavar="NAME",
        usual="auto",
        commands=(*PROVING, "batch"),
        python="engine",
    )
    define: Mapping[str, str] = _option(
        {},
        Constants(),
        "Give a constant of a model another value, or define a macro of C.",
        metavar="NAME=VALUE",
        short="-D",
        group=Group.LOADING,
        commands=READING,
        recorded="defines",
        python="defines",
    )
    threads: Mapping[str, int] = _option(
        {},
        Counts(),
        "Replace the number of threads of a template, also where it is `*`.",
        metavar="NAME=COUNT",
        group=Group.LOADING,
        commands=LOADING,
        recorded="threads",
        python="threads",
    )
    time_limit: float | None = _option(
        DEFAULT_TIME_LIMIT_S,
        TimeLimit(),
        "Stop after this time: 60 (seconds), 500ms, 2m, 1h, none.",
        metavar="TIME",
        usual="5m",
        commands=RUNNING,
        python="time_limit",
    )
    memory_limit: int | None = _option(
        None,
        Memory(),
        "Stop when more memory than this is in use: 200MB, 8GB. Default: four fifths of all.",
        more="Powers of 1000; `1GiB` is one of 1024.",
        metavar="SIZE",
        commands=LIMITED,
        python="memory_limit",
    )
    jobs: int | None = _option(
        None,
        Number(1),
        "How many engines `auto` may run at a time.",
        metavar="COUNT",
        short="-j",
        usual="one per core",
        python="jobs",
    )
    cache: str | None = _option(
        None,
        Text(),
        "Keep evidence in this folder, and re-check that of earlier runs instead of searching.",
        more="See [the cache](batch.md#the-cache).",
        metavar="FOLDER",
        python="cache",
    )
    first: bool = _option(False, Switch(off=""), "Stop at the first violation.", python="first")
    max_depth: int = _option(
        DEFAULT_MAX_DEPTH,
        Number(0),
        "How deep calls are followed, by engines that keep the call stack.",
        metavar="DEPTH",
        usual="50",
        python="max_depth",
    )
    max_threads: int = _option(
        DEFAULT_MAX_THREADS,
        Number(1),
        "How many threads of a template `spawn` may start.",
        more="In C: how many threads of one function the program may start.",
        metavar="COUNT",
        usual="8",
        group=Group.LOADING,
        commands=LOADING,
        recorded="max_threads",
        python="max_threads",
    )
    symmetry: bool = _option(
        True,
        Switch(),
        "Whether interchangeable threads share one representative.",
        usual="symmetry",
        commands=PROVING,
        python="symmetry",
    )
    k: int | None = _option(
        None,
        Number(1, 3),
        "How many threads at once `horn` reasons about, 1 to 3.",
        metavar="K",
        usual="1, then 2",
        commands=PROVING,
        python="k",
    )
    expose: bool | None = _option(
        None,
        Switch(),
        "Whether a thread's own variables may be made visible to the other threads.",
        more="`tar` then does so where a proof needs more than one thread's view.",
        usual="in `local-proof` and `auto`, not in `tar`",
        commands=PROVING,
        python="expose",
    )
    facts: bool | None = _option(
        None,
        Switch(),
        "Whether `thread-modular` and `tar` may use the equations of `counting` where they would "
        "get stuck otherwise.",
        usual="only in `auto`",
        commands=PROVING,
        python="facts",
    )
    max_bdd_nodes: int | None = _option(
        None,
        Number(1),
        "How many nodes the decision diagrams of symbolic engines may have.",
        metavar="COUNT",
        usual="20000000",
        python="max_bdd_nodes",
    )
    max_solver_units: int | None = _option(
        None,
        Number(1),
        "What a single solver query may cost, in units that the solver counts.",
        more="A query that would cost more counts as unknown.",
        metavar="COUNT",
        usual="20000000, less for some queries",
        python="max_solver_units",
    )
    second_solver: bool = _option(
        False,
        Switch(off="one-solver"),
        "Whether proofs by formulas are checked with cvc5 too.",
        more="It comes with `pip install threadwise[second-solver]`.",
        usual="one-solver",
        commands=("check", "certify"),
        python="second_solver",
    )
    audit: bool = _option(
        True,
        Switch(),
        "Whether the claims of proofs are also tested in concrete runs of the program.",
        more="A claim that is false in a run is a defect of the engine; a run that violates the "
        "property makes it UNSAFE.",
        usual="audit",
        commands=("check", "certify"),
        python="audit",
    )
    format: Format = _reported(
        Format.TEXT,
        Choice(Format),
        "The format of the report.",
        more="See [formats](command-line.md#formats-for-other-programs).",
        metavar="text|json|sarif|junit|github|gcc",
        usual="text",
    )
    sarif_all: bool = _reported(False, Switch(), "In SARIF, also list what is SAFE.")
    only: tuple[str, ...] = _reported(
        (),
        Texts(),
        "Report only what concerns these files, folders, patterns or shared locations; everything "
        "is analysed all the same.",
        more="See [findings](findings.md#files-and-locations).",
        metavar="PATH|LOCATION",
    )
    exclude: tuple[str, ...] = _reported(
        (),
        Texts(),
        "Do not report findings that concern only these files: 'third_party/**'.",
        metavar="PATTERN",
    )
    baseline: str | None = _reported(
        None,
        Text(),
        "Do not report findings that this file of --write-baseline lists.",
        more="See [a baseline](findings.md#a-baseline).",
        metavar="FILE",
    )
    write_baseline: str | None = _reported(
        None, Text(), "Write what was found to a file, for --baseline.", metavar="OUT"
    )
    unknown_exit: int | None = _reported(
        None,
        Number(0, 125),
        "The exit code if the answer is UNKNOWN.",
        metavar="CODE",
        usual="3",
    )
    certificate: str | None = _reported(
        None, Text(), "Write the proof to a file, for `threadwise certify`.", metavar="OUT"
    )
    trace: str | None = _reported(
        None,
        Text(),
        "Write the violating interleaving to a file, for `threadwise replay`.",
        metavar="OUT",
    )
    witness: str | None = _reported(
        None,
        Text(),
        "C: write a witness for other tools, in the format of SV-COMP (YAML, 2.x).",
        more="See [witnesses](witnesses.md).",
        metavar="OUT",
    )
    full: bool = _reported(
        False,
        Switch(),
        "Show traces and lists in full.",
        commands=("check", "explain", "replay", "validate", "simulate"),
    )
    verbose: bool = _reported(
        False,
        Switch(),
        "Also show how the program was loaded, which engines were tried and what they did.",
        commands=PROVING,
    )
    include: tuple[str, ...] = _read(
        (), Texts(), "look for headers here.", metavar="DIR", short="-I", recorded="c.include"
    )
    isystem: tuple[str, ...] = _read(
        (),
        Texts(),
        "look for headers here too, after -I.",
        metavar="DIR",
        short="-isystem",
        recorded="c.include",
    )
    force_include: tuple[str, ...] = _read(
        (),
        Texts(),
        "every file begins with this header.",
        metavar="FILE",
        short="-include",
        recorded="c.forced",
    )
    undefine: tuple[str, ...] = _read(
        (), Texts(), "undefine a macro.", metavar="NAME", short="-U", recorded="c.undefine"
    )
    standard: str = _read(
        "gnu17",
        Text(),
        "the language.",
        metavar="STD",
        short="-std",
        usual="gnu17",
        recorded="c.standard",
    )
    data_model: DataModel = _read(
        DataModel.LP64,
        Choice(DataModel, str.upper),
        "the sizes of long and of pointers.",
        metavar="LP64|ILP32",
        usual="LP64",
        recorded="c.data_model",
    )
    program: str = _read(
        "",
        Text(),
        "which program of a compilation database, by its name.",
        more="See [projects](c.md#projects).",
        metavar="NAME",
        recorded="c.program",
    )
    entry: tuple[str, ...] = _option(
        (),
        Names(),
        "C without main: any number of threads call these functions, in any order; a header "
        "stands for those that it declares.",
        metavar="F,G",
        group=Group.C,
        commands=READING,
        recorded="c.entry",
    )
    entry_init: tuple[str, ...] = _option(
        (),
        Names(),
        "With --entry: these functions run first, in this order.",
        more="One that returns an integer other than 0 has failed, and nothing follows.",
        metavar="F,G",
        group=Group.C,
        commands=READING,
        recorded="c.entry_init",
    )
    library: tuple[str, ...] = _read(
        (),
        Texts(),
        "a description of further library functions, as TOML.",
        more="See [the library](c-library.md).",
        metavar="FILE",
        recorded="c.library",
    )
    assume_pure: frozenset[str] = _read(
        frozenset(),
        SetOfNames(),
        "these functions have no effect, their result is any value.",
        metavar="F,G",
        recorded="c.pure",
    )
    assume_unreached: frozenset[str] = _read(
        frozenset(),
        SetOfNames(),
        "assume that no run gets past code in these lines that is not modelled.",
        more="See [places that end the model](c.md#places-that-end-the-model).",
        metavar="FILE:LINE",
        recorded="c.unreached",
    )
    assume_any_value: frozenset[str] = _read(
        frozenset(),
        SetOfNames(),
        "values in these lines that are not modelled may be any value, also in violations.",
        more="See [places that end the model](c.md#places-that-end-the-model).",
        metavar="FILE:LINE",
        recorded="c.any_value",
    )
    idle: frozenset[str] = _read(
        frozenset(),
        SetOfNames(),
        "a thread that waits forever inside these functions is no deadlock.",
        more="Or in what they call: workers that wait for work. See "
        "[deadlocks](../theory/deadlocks.md).",
        metavar="F,G",
        recorded="c.idle",
    )
    unknown_functions: UnknownFunctions = _read(
        UnknownFunctions.LOCAL,
        Choice(UnknownFunctions),
        "functions without a description use only what they are given (local), or may do "
        "anything (strict).",
        more="See [functions nobody describes](c-library.md#functions-nobody-describes).",
        metavar="local|strict",
        usual="local",
        recorded="c.unknown_functions",
    )
    create_may_fail: bool = _read(
        False,
        Switch(),
        "whether pthread_create may fail.",
        usual="no",
        recorded="c.create_may_fail",
    )
    lifetimes: bool = _read(
        False,
        Switch(),
        "whether local variables end with their blocks and files with fclose, for all properties.",
        usual="for memory",
        recorded="c.lifetimes",
    )
    spurious_wakeups: bool = _doubtful("threads may wake up without a signal")
    malloc_may_fail: bool = _doubtful("malloc and its like may return NULL")
    weak_cas_may_fail: bool = _doubtful("weak compare-exchange may fail for no reason")
    trylock_may_fail: bool = _doubtful("mtx_trylock may fail for no reason")
    indeterminate_values: bool = _doubtful("uninitialised numbers may have any value")

    def load(self, beside: Iterable[str] = ()) -> LoadOptions:
        """How to load the program; `beside` are its files but the first."""
        kept = self._recorded()
        of_c = {name: kept.pop(f"c.{name}") for name in vars(_DEFAULT_C) if f"c.{name}" in kept}
        return LoadOptions(**kept, c=COptions(**of_c, beside=tuple(beside)))

    def _recorded(self) -> dict[str, Any]:
        """What evidence records, by the names it has there; several options may share one."""
        found: dict[str, Any] = {}
        for name, option in options().items():
            value = getattr(self, name)
            if option.recorded == "c.doubts":
                value = frozenset({option.key} if value else ())
            if option.recorded in found:
                before = found[option.recorded]
                value = before | value if isinstance(value, frozenset) else (*before, *value)
            if option.recorded:
                found[option.recorded] = value
        return found


@cache
def options() -> Mapping[str, Option]:
    """All options by name, in the order of `--help`."""
    rows = {member.name: member.metadata["option"] for member in fields(Settings)}
    return {name: replace(row, name=name) for name, row in rows.items()}


def options_of(command: str) -> Mapping[str, Option]:
    """The options that a command takes."""
    return {name: option for name, option in options().items() if command in option.commands}
