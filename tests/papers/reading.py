"""Programs of the papers, and stores written the way the papers write them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from threadwise.core.load_options import LoadOptions
from threadwise.driver.loading import load_program
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.systems.concrete import ConcreteSystem

EXAMPLES = Path(__file__).parents[2] / "examples"


def paper_program(name: str, **constants: int) -> Program:
    """An example, with other values for its constants."""
    load = LoadOptions(defines={key: str(value) for key, value in constants.items()})
    return load_program(str(EXAMPLES / f"{name}.tw"), load)


def place(system: ConcreteSystem, l: Any, end: str) -> str:
    """The label at which a thread is; `end` names the end of its text, which has none."""
    labels = system.program.locations[system.location(l)].labels
    return labels[0] if labels else end


def proved_one_by_one(program: Program, selectors: Iterable[str]) -> tuple[set[str], Task]:
    """What thread-modular checking proves, one role per thread, with its statistics."""
    properties = select_properties(program, tuple(selectors))
    task = Task(program, properties, EngineOptions(symmetry=False))
    proved: set[str] = set()
    for finding in ThreadModularEngine().run(task):
        if isinstance(finding, Proved):
            check_certificate(program, finding.certificate, lambda: None)
            proved |= set(finding.properties)
    return proved, task
