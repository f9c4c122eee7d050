"""The front end for models: the `.tw` language.

    text ─ lexer, parse, build ─▶ ast ─ declarations, survey ─▶ symbols ─ lower ─▶ ir.Program

`load_model` does all of it. Names and types are checked where they are translated: `expressions`
(with `operators`) for expressions, `invariants` for formulas, `statements` (with `control`,
`simple`, `calls`, `spawning`, `locals`) for statements, which build the graph of a `body`. What
the language means is in docs/user/language.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from threadwise.core.errors import InputError
from threadwise.core.processes.garbage import collector_paused
from threadwise.core.source import SourceFile
from threadwise.frontends.model.lowering.program import Lowering
from threadwise.frontends.model.lowering.survey import survey_bodies
from threadwise.frontends.model.reporter import Reporter
from threadwise.frontends.model.syntax.parse import parse_model
from threadwise.frontends.model.typing.declarations import Declarations
from threadwise.ir.program import Program

__all__ = ["load_model"]


def load_model(
    source: SourceFile,
    defines: Mapping[str, str | int] | None = None,
    threads: Mapping[str, int | None] | None = None,
    max_threads: int = 8,
) -> Program:
    """The program of a model.

    `defines` replaces the values of constants (`-D N=20`), `threads` the counts of thread
    templates (`--threads client=4`; None stands for `*`), `max_threads` bounds how many threads of
    each template `spawn` can start. Raises InputError with every mistake found.
    """
    with collector_paused():
        return _load(source, defines or {}, threads or {}, max_threads)


def _load(
    source: SourceFile,
    defines: Mapping[str, str | int],
    threads: Mapping[str, int | None],
    max_threads: int,
) -> Program:
    model = parse_model(source)
    reporter = Reporter(source)
    declarations = Declarations(model, reporter)
    symbols = declarations.collect(defines, threads, max_threads)
    if not symbols.templates:
        what = "no thread" if model.items else "empty model: no thread"
        reporter.raise_errors()
        raise InputError.of(
            what, source.span(0, 0), "a model needs at least one `thread name { … }`"
        )
    name = PurePath(source.path).stem
    lowering = Lowering(name, model, symbols, survey_bodies(symbols, source), reporter)
    return lowering.run(declarations.globals)
