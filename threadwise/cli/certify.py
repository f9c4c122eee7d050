"""`threadwise certify`: check a recorded proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded
from threadwise.cli.options import File, MemoryLimit, SecondSolver, TimeLimit

if TYPE_CHECKING:
    from threadwise.evidence.result import LoadOptions


@guarded
def certify(
    file: File,
    certificate: Annotated[
        str,
        typer.Argument(
            metavar="CERTIFICATE", help="What `check --certificate` wrote.", show_default=False
        ),
    ],
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    second_solver: SecondSolver = None,
) -> ExitCode:
    """Check a proof without searching for it again.

    The checker shares no code with the engine that found the proof. Constants and thread counts
    are those of the run that wrote it.

    \b
    Example:
      threadwise check counter.tw --certificate proof.json
      threadwise certify counter.tw proof.json

    Exit code: 0 the proof is valid, 1 it is refuted, 2 it is malformed or for another program,
    3 a limit was reached.
    """
    from threadwise.core.budget import Budget, parse_memory, parse_time
    from threadwise.core.memory import most_memory
    from threadwise.driver import certify_file
    from threadwise.evidence.proof import Refuted

    budget = Budget(
        None if time_limit is None else parse_time(time_limit),
        most_memory() if memory_limit is None else parse_memory(memory_limit),
    )
    try:
        certification = certify_file(file, certificate, budget, second_solver=bool(second_solver))
    except Refuted as refuted:
        terminal.out(f"refuted: {refuted}\n")
        return ExitCode.UNSAFE
    terminal.out(f"valid: {certificate} proves for {file}\n")
    for proof, load in certification.proofs:
        settings = _settings(load)
        for name in proof.properties:
            terminal.out(f"  {name}{settings}\n")
    return ExitCode.SAFE


def _settings(load: LoadOptions) -> str:
    """How the program was loaded, where it was not as it stands."""
    from threadwise.driver import DEFAULT_LOAD

    given = [f"-D {name}={value}" for name, value in load.defines.items()]
    given.extend(f"--threads {name}={count}" for name, count in load.threads.items())
    if load.max_threads != DEFAULT_LOAD.max_threads:
        given.append(f"--max-threads {load.max_threads}")
    given.extend(f"-I {folder}" for folder in load.c.include)
    given.extend(f"-U {name}" for name in load.c.undefine)
    given.extend(load.c.beside)
    return f"  (with {' '.join(given)})" if given else ""
