"""From files to the program of record, which is what the front end makes of them.

C is simplified for engines; evidence is about the program of record all the same.

| file                                  | is read as                                            |
|---------------------------------------|-------------------------------------------------------|
| `.c`, `.h`, `.i`                      | C; together with `COptions.beside` one program        |
| `compile_commands.json`               | the C files it lists, one program, options of its own |
| anything else                         | a model                                               |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from threadwise.core.c_options import COptions
from threadwise.core.diagnostics import Diagnostic
from threadwise.core.doubts import SWITCHED, Doubt, DoubtKind
from threadwise.core.errors import InputError, InternalError, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.memory_orders import MemoryOrders
from threadwise.core.processes.garbage import collector_paused
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.reading import read_source
from threadwise.core.source import SourceFile, Span

if TYPE_CHECKING:
    from threadwise.ir.program import Program

C_SUFFIXES = (".c", ".h", ".i")
DATABASE = "compile_commands.json"
"""The usual name of a compilation database."""
CPLUSPLUS = (".cc", ".cpp", ".cxx", ".hpp")
NO_PROGRAMS = (".json", ".yml", ".yaml", ".md", ".toml", ".prp", ".txt", *CPLUSPLUS)
"""Endings of files that are neither models nor C, and easily given by mistake."""

DEFAULT_LOAD = LoadOptions()
MISUSE = "no lock is misused (checked by --property mutex)"


@dataclass(frozen=True)
class Input:
    """A program of record, and what its user should know about it."""

    program: Program
    simplify: Callable[[], SimplifiedC] | None = None
    """How it is simplified, for those who ask for that."""
    find_doubts: Callable[[], tuple[Doubt, ...]] = tuple
    """Where something may happen that users doubt."""
    assumptions: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    approximated: frozenset[Span] = frozenset()
    """Where any value stands for one that the source determines: runs through it prove nothing."""
    misuse: str | None = None
    """What is assumed if locks may be misused and that property was not asked for."""
    allowed: frozenset[str] = frozenset()
    """Which doubtful behaviour is part of this program."""
    allowing: Callable[[frozenset[str]], Input] | None = None
    """The same with other doubtful behaviour."""
    files: tuple[str, ...] = ()
    """What was read, headers included."""
    partly: Callable[[Sequence[str]], Simplified] | None = None
    """What some passes make of it."""
    orders: MemoryOrders = field(default_factory=MemoryOrders)
    """Those of atomic accesses."""

    @property
    def simpler(self) -> Simplified | None:
        """What engines work on instead, and the steps that lead there."""
        return None if self.simplify is None else self.simplify().simpler

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Where something may happen that users doubt."""
        return self.find_doubts()

    @property
    def worked_on(self) -> Program:
        """The program that engines work on."""
        return self.program if self.simpler is None else self.simpler.program

    @property
    def denied(self) -> tuple[Doubt, ...]:
        """Where something could happen that users doubt, and does not in this program."""
        return tuple(doubt for doubt in self.doubts if not doubt.is_allowed(self.allowed))


@dataclass(frozen=True)
class SimplifiedC:
    """A C program after the passes of the pipeline, and what its user should know about it."""

    simpler: Simplified
    """The program of record, and what the passes made of it."""
    assumptions: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]
    approximated: frozenset[Span]
    """Where any value stands for one that C determines."""
    doubts: tuple[Doubt, ...]
    """Where something may happen that users doubt, allowed or not."""
    files: tuple[str, ...]
    """What was read, headers included."""
    allowing: Callable[[frozenset[str]], SimplifiedC]
    """The same program with other doubtful behaviour, without reading it again."""

    @property
    def record(self) -> Program:
        """The program of record."""
        return self.simpler.record

    @property
    def program(self) -> Program:
        """The program after all passes."""
        return self.simpler.program


def is_c(path: str) -> bool:
    """Whether a file is read as C."""
    return PurePath(path).suffix in C_SUFFIXES or is_database(path)


def is_database(path: str) -> bool:
    """Whether a file is read as a compilation database, whatever its name."""
    return PurePath(path).suffix == ".json"


def programs_in(database: str) -> list[str]:
    """The names of the programs of a compilation database; raises InputError."""
    from threadwise.frontends.c.projects.programs import programs_of

    return [program.name for program in programs_of(read_source(database))]


def check_meaning(load: LoadOptions) -> None:
    """Raises InputError if violations would rely on what C may not allow at all.

    What has no switch is for proofs: it bounds what may happen.
    """
    if unknown := sorted(load.c.doubts - SWITCHED):
        hint = f"there are {', '.join(sorted(SWITCHED))}"
        raise InputError.of(f"`{unknown[0]}` cannot be part of the meaning", hint=hint)


def load_input(path: str, load: LoadOptions = DEFAULT_LOAD) -> Input:
    """Read a file, and those that belong to it; raises InputError."""
    if is_database(path):
        from threadwise.frontends.c import load_database

        loaded = load_database(read_source(path), c_options(load))
        read = _of_c(_assuming(loaded, load), load)
        return replace(read, files=(path, *read.files))
    if PurePath(path).suffix.lower() in NO_PROGRAMS:
        hint = "models end in .tw, C files in .c, .h or .i"
        if PurePath(path).suffix.lower() in CPLUSPLUS:
            hint = f"C++ is not understood; {hint}"
        raise InputError.of(f"{path}: not a program", hint=hint)
    source = read_source(path)
    if is_c(path):
        return load_c_sources([source, *map(read_source, load.c.beside)], load)
    return Input(load_model_source(source, load), files=(source.path,))


def load_model_source(source: SourceFile, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read the text of a model; raises InputError."""
    from threadwise.frontends.model import load_model

    return _valid(load_model(source, load.defines, load.threads, load.max_threads))


def _valid(program: Program) -> Program:
    """A program that is well formed: what the front end makes has to be, or nothing is checked."""
    from threadwise.ir.check.validate import validate

    violations = validate(program)
    if violations:
        raise InternalError(f"the front end made a program that is none: {violations[0]}")
    return program


def _nothing_left_out(lowered: Lowered) -> None:
    """Indeterminate values that the front end leaves out are read nowhere."""
    from threadwise.ir.check.indeterminate import reads_of_indeterminate

    for edge, cells in reads_of_indeterminate(lowered.program, lowered.indeterminate):
        names = ", ".join(sorted({name for name, _ in cells}))
        raise InternalError(f"the front end left out a value that is read: {names} at {edge.span}")


def undescribed(path: str, load: LoadOptions = DEFAULT_LOAD) -> str:
    """Entries for the functions of a C program without a description; raises InputError."""
    from threadwise.frontends.c import entries_for_unknown

    if not is_c(path) or is_database(path):
        raise InputError.of(f"`{path}` is no C file: only C calls functions of a library")
    sources = [read_source(path), *map(read_source, load.c.beside)]
    return entries_for_unknown(sources, c_options(load))


def load_c_sources(sources: list[SourceFile], load: LoadOptions) -> Input:
    """Read the files of one C program; raises InputError."""
    from threadwise.frontends import c

    return _of_c(_assuming(c.load_c(sources, c_options(load)), load), load)


def load_c(sources: Sequence[SourceFile], options: COptions) -> SimplifiedC:
    """Read the files of one C program, and simplify it; raises InputError."""
    from threadwise.frontends import c

    return simplify_c(c.load_c(sources, options))


def record_of(loaded: LoadedC, counts: Mapping[str, int] | None = None) -> Program:
    """The program of record, some numbers of threads being fixed."""
    with collector_paused(), _not_too_deep():
        _nothing_left_out(loaded.lowered)
        return _valid(loaded.lowered.program.with_counts(counts or {}))


def simplify_c(
    loaded: LoadedC, counts: Mapping[str, int] | None = None, record: Program | None = None
) -> SimplifiedC:
    """The program of record after all passes of the pipeline."""
    from threadwise.proofs.simplified.check import is_verified
    from threadwise.transforms.pipeline import simplify

    lowered = loaded.lowered
    start = record_of(loaded, counts) if record is None else record
    with collector_paused(), _not_too_deep():
        simpler = simplify(start, lowered.uses, is_verified)
    return SimplifiedC(
        simpler,
        loaded.assumptions,
        loaded.warnings,
        lowered.approximated,
        _left(simpler.program, lowered),
        loaded.files,
        lambda doubts: simplify_c(loaded.allowing(doubts), counts),
    )


@contextmanager
def _not_too_deep() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise Unsupported("C that is nested too deeply") from None


def _left(program: Program, lowered: Lowered) -> tuple[Doubt, ...]:
    """The doubts, except those about variables of `main` that no other thread can reach."""
    from threadwise.analyses.escape import private_variables

    if all(doubt.kind is not DoubtKind.MAIN_RETURNS for doubt in lowered.doubts):
        return lowered.doubts
    private = private_variables(program, lowered.uses)
    shared = [d.variable.name for d in program.globals if d.variable.name not in private]
    for name in lowered.main_locals:
        on_heap = name.endswith("$address")
        if on_heap or any(other == name or other.startswith(f"{name}.") for other in shared):
            return lowered.doubts
    return tuple(d for d in lowered.doubts if d.kind is not DoubtKind.MAIN_RETURNS)


def c_options(load: LoadOptions) -> COptions:
    """The options for C, with those that models have too."""
    macros = tuple(f"{name}={value}" for name, value in load.defines.items())
    return replace(load.c, define=load.c.define + macros, max_threads=load.max_threads)


def _assuming(loaded: LoadedC, load: LoadOptions) -> LoadedC:
    """The program as users assume it to be."""
    if not load.c.unreached and not load.c.any_value:
        return loaded
    from threadwise.driver.verdicts.assumed_places import under_assumptions

    return under_assumptions(loaded, load.c)


def _of_c(loaded: LoadedC, load: LoadOptions) -> Input:
    templates = loaded.lowered.program.templates
    open_names = {each.name for each in templates if each.count is None}
    if unknown := sorted(load.threads.keys() - open_names):
        raise InputError.of(
            f"--threads {unknown[0]}: no such thread",
            hint="for C it fixes how many threads call a function named by --entry",
        )
    return _input(loaded, load)


def _input(loaded: LoadedC, load: LoadOptions) -> Input:
    record = record_of(loaded, load.threads)
    simplified = cache(lambda: simplify_c(loaded, load.threads, record))
    told = any(doubt.kind is DoubtKind.MAIN_RETURNS for doubt in loaded.lowered.doubts)
    return Input(
        record,
        simplified,
        (lambda: simplified().doubts) if told else (lambda: loaded.lowered.doubts),
        loaded.assumptions,
        loaded.warnings,
        loaded.lowered.approximated,
        MISUSE,
        load.c.doubts,
        lambda doubts: _input(loaded.allowing(doubts), load.allowing(doubts)),
        loaded.files,
        lambda passes: _partly(record, loaded.lowered.uses, passes),
        loaded.lowered.orders,
    )


def _partly(record: Program, uses: Uses, passes: Sequence[str]) -> Simplified:
    from threadwise.proofs.simplified.check import is_verified
    from threadwise.transforms.pipeline import simplify

    with collector_paused(), _not_too_deep():
        return simplify(record, uses, is_verified, passes)


if TYPE_CHECKING:
    from threadwise.analyses.uses import Uses
    from threadwise.frontends.c import LoadedC
    from threadwise.frontends.c.lower import Lowered
    from threadwise.transforms.pipeline import Simplified


def load_program(path: str, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read a file into the program of record; raises InputError."""
    return load_input(path, load).program


def load_simplified(path: str, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read a file into the program that engines work on; raises InputError."""
    return load_input(path, load).worked_on


def load_source(source: SourceFile, load: LoadOptions = DEFAULT_LOAD) -> Program:
    """Read a text into the program that engines work on; raises InputError.

    It is C if its name ends as those of C files do, otherwise a model.
    """
    return (
        load_c_sources([source], load).worked_on
        if is_c(source.path)
        else load_model_source(source, load)
    )
