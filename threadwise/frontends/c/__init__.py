"""The front end for C with threads.

    text ─ parse (libclang) ─▶ tree ─ lower ─▶ ir.Program

`types` and `tree` are C as the rest sees it: typed, conversions explicit, initialisers flat.
`parse` makes it from cursors of libclang, and is the only code that knows libclang. `headers` are
the system headers we ship, `library` what their functions do: C bodies over a few primitives
(`headers/threadwise.h`). `lower` gives the tree its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from threadwise.core.c_options import COptions
from threadwise.core.diagnostics import Diagnostic
from threadwise.core.errors import Unsupported
from threadwise.core.processes.garbage import collector_paused
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import SourceFile

if TYPE_CHECKING:
    from threadwise.frontends.c import tree
    from threadwise.frontends.c.lower import Lowered

LIBRARY_PATH = "<library>"


@dataclass(frozen=True)
class ReadC:
    """A C program as a tree, complete: what it calls is defined."""

    program: tree.Program
    assumptions: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    """What was read, headers included."""


@dataclass(frozen=True)
class LoadedC:
    """A C program as it was lowered, and what its user should know about how it was read."""

    lowered: Lowered
    assumptions: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    """What was read, headers included."""
    allowing: Callable[[frozenset[str]], LoadedC]
    """The same program with other doubtful behaviour, without reading it again."""


def read_c(
    sources: Sequence[SourceFile],
    options: COptions,
    own: Mapping[str, COptions] | None = None,
) -> ReadC:
    """Parse the files of one program, some with options of their own, and its library."""
    from threadwise.frontends.c.argument_lists import give_lists_a_meaning
    from threadwise.frontends.c.guards import add_claims
    from threadwise.frontends.c.library import complete, models_for, read_table
    from threadwise.frontends.c.old_declarations import use_results_of_the_library
    from threadwise.frontends.c.own_addresses import use_variables_themselves
    from threadwise.frontends.c.parse import Parser
    from threadwise.frontends.c.signal_flags import refuse_reserved, use_signal_flags
    from threadwise.frontends.c.unused_options import unused

    table = read_table(options.library)
    parser = Parser(options, table.opaque_types)
    parser.add(sources, own=own)
    for told in unused(parser.program, options):
        parser.warn(told, None)
    add_claims(parser.program, parser.external_function, parser.warn)
    refuse_reserved(parser.program)
    flags = use_signal_flags(parser.program, parser.external_function)
    models = models_for(parser.program, options, table)
    if models.text:
        parser.add_models(SourceFile(LIBRARY_PATH, models.text), models.overrides)
    lists = give_lists_a_meaning(parser.program)
    assumed = complete(parser.program, options)
    use_variables_themselves(parser.program)
    results = use_results_of_the_library(parser.program)
    assumptions = (*flags, *models.assumptions, *lists, *assumed, *results)
    files = (*parser.files, *options.library)
    return ReadC(parser.program, assumptions, parser.warnings, files)


def entries_for_unknown(sources: Sequence[SourceFile], options: COptions) -> str:
    """A file for `--library` with entries for undescribed functions; raises InputError."""
    from threadwise.frontends.c.library import read_table
    from threadwise.frontends.c.library.proposals import proposals
    from threadwise.frontends.c.parse import Parser

    table = read_table(options.library)
    parser = Parser(options, table.opaque_types)
    parser.add(sources)
    return proposals(parser.program, table)


def load_c(
    sources: Sequence[SourceFile],
    options: COptions,
    own: Mapping[str, COptions] | None = None,
) -> LoadedC:
    """Read the files of one program, some with options of their own; raises InputError."""
    with collector_paused():
        return _load(sources, options, own)


def _load(
    sources: Sequence[SourceFile], options: COptions, own: Mapping[str, COptions] | None
) -> LoadedC:
    from threadwise.frontends.c.projects.interfaces import with_declared, with_defined

    declared = with_declared(options)
    if declared is not options and own is not None:
        own = {path: replace(each, entry=declared.entry) for path, each in own.items()}
    read = read_c(sources, declared, own)
    return _lowered(read, sources, with_defined(declared, options, read.program))


def _lowered(read: ReadC, sources: Sequence[SourceFile], options: COptions) -> LoadedC:
    from threadwise.frontends.c.line_markers import shown_sources
    from threadwise.frontends.c.lower import lower

    def allowing(doubts: frozenset[str]) -> LoadedC:
        with collector_paused():
            return _lowered(read, sources, replace(options, doubts=doubts))

    name = sources[0].path if sources else "program"
    try:
        lowered = lower(read.program, options, shown_sources(sources), name)
    except RecursionError:
        raise Unsupported("C that is nested too deeply") from None
    assumptions = tuple(dict.fromkeys((*read.assumptions, *lowered.assumptions)))
    return LoadedC(lowered, assumptions, read.warnings, read.files, allowing)


def load_database(source: SourceFile, options: COptions) -> LoadedC:
    """Read the chosen program of a compilation database; raises InputError."""
    from threadwise.core.reading import read_source
    from threadwise.frontends.c.projects.commands import read_database

    own = read_database(source, options)
    return load_c([read_source(path) for path in own], options, own)
