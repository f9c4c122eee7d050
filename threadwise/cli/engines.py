"""`threadwise engines`: which algorithms there are."""

from __future__ import annotations

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded


@guarded
def engines() -> ExitCode:
    """List the engines and the papers they come from.

    `check --engine auto`, the default, tries several of them in this order.
    """
    from threadwise.engines.auto import AUTO
    from threadwise.engines.registry import ENGINES

    tried = ", ".join(info.name for info in ENGINES.values() if info.in_auto)
    listed = [(AUTO, f"the default: {tried}, in growing slices", "", "SAFE, UNSAFE, UNKNOWN")]
    listed += [(info.name, info.summary, info.source, info.answers) for info in ENGINES.values()]
    width = max(len(name) for name, *_ in listed)
    for name, summary, source, answers in listed:
        indent = " " * (width + 2)
        terminal.out(f"{name.ljust(width)}  {summary}\n{indent}answers {answers}\n")
        if source:
            terminal.out(f"{indent}from {source}\n")
    return ExitCode.SAFE
