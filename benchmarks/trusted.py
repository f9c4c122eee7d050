"""How many lines one trusts for a proof of each kind, and for each step to another program.

    python -m benchmarks.trusted

Counted are the modules that a checker imports, directly or not: whatever it may call. What is
imported for types only is left out, and so are transformations whose results are verified. The
front end, which makes the program of record, is trusted for every verdict, and counted by itself.
The figures are in docs/assumptions.md; a test compares them. `python -m benchmarks.loaded` counts
what `certify` really loads for a small proof of each kind.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from threadwise.proofs.base.registry import KINDS, kind_named

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("proofs", "backends", "analyses", "transforms", "semantics", "ir", "core")
STEPS = {
    "a pass of simplification": "threadwise.proofs.simplified.check",
    "data is projected away": "threadwise.proofs.transformed.forgotten",
    "steps to failures are left out": "threadwise.proofs.transformed.presumed",
    "who set a flag is noted": "threadwise.proofs.transformed.owned",
    "locations are split": "threadwise.proofs.transformed.split_locations",
    "one thread is followed": "threadwise.proofs.transformed.follow.check",
    "created threads are parametric": "threadwise.proofs.transformed.parametric.check",
    "threads keep tallies": "threadwise.proofs.transformed.tallied",
    "finished threads are accounted for": "threadwise.proofs.transformed.accounts.check",
}
KERNEL = "the kernel of locksets"
"""What is trusted for locations that the other rules are not needed for."""
VERIFIED = (
    "threadwise.transforms.parametric",
    "threadwise.transforms.parametric.creations",
    "threadwise.transforms.follow",
    "threadwise.transforms.forget",
    "threadwise.transforms.ghosts",
    "threadwise.transforms.pipeline",
    "threadwise.transforms.accounts.accounts",
    "threadwise.transforms.accounts.joins",
    "threadwise.transforms.accounts.zones",
    "threadwise.transforms.split",
)
"""Modules whose results no checker takes without looking at them."""


def kinds() -> dict[str, str]:
    """For each kind of proof the module that checks it; `transformed` is in STEPS."""
    found: dict[str, str] = {}
    for name in KINDS:
        kind = kind_named(name)
        module = kind.check_part.partition(":")[0]
        if name != "transformed":
            found[name] = f"{kind.package}.{module}"
    return {**found, KERNEL: "threadwise.proofs.locksets.kernel.check"}


def path_of(module: str) -> Path | None:
    """The file of a module of ours."""
    inside = ROOT.joinpath(*module.split("."))
    for path in (inside.with_suffix(".py"), inside / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def imported(module: str) -> frozenset[str]:
    """What a module of ours imports of ours when it runs."""
    path = path_of(module)
    assert path is not None, module
    found = set(_imports(ast.parse(path.read_text(encoding="utf-8")).body))
    return frozenset(each for each in found if path_of(each) and each not in VERIFIED)


def _imports(statements: Iterable[ast.AST]) -> Iterator[str]:
    for statement in statements:
        match statement:
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                continue
            case ast.Import(names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{each.name}" for each in names)
            case _:
                yield from _imports(ast.iter_child_nodes(statement))


def needed(root: str) -> set[str]:
    """A module and all that it imports, directly or not."""
    found = {root}
    pending = [root]
    while pending:
        for module in imported(pending.pop()):
            if module not in found:
                found.add(module)
                pending.append(module)
    return found


def lines(modules: Iterable[str]) -> Counter[str]:
    """How many lines some modules have, package by package."""
    total: Counter[str] = Counter()
    for module in modules:
        path = path_of(module)
        assert path is not None
        package = module.split(".")[1] if "." in module else ""
        total[package] += len(path.read_text(encoding="utf-8").splitlines())
    return total


def table() -> Iterator[tuple[str, Counter[str]]]:
    """Per kind of proof and of step the lines that are trusted."""
    for name, root in {**kinds(), **STEPS}.items():
        yield name, lines(needed(root))


def front_ends() -> tuple[int, int]:
    """The lines of the front end for models, and of that for C."""
    folders = (ROOT / "threadwise" / "frontends" / name for name in ("model", "c"))
    model, c = (
        sum(len(p.read_text(encoding="utf-8").splitlines()) for p in folder.rglob("*.py"))
        for folder in folders
    )
    return model, c


def main() -> None:
    """Print the table."""
    print("| trusted for | in all |", " | ".join(COLUMNS), "|")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for name, found in table():
        row = " | ".join(f"{found[column]:,}" for column in COLUMNS)
        print(f"| {name} | {sum(found[c] for c in COLUMNS):,} | {row} |")
    print("front ends: {:,} for models, {:,} for C".format(*front_ends()))


if __name__ == "__main__":
    main()
