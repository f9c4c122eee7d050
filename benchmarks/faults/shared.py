"""Which modules engines and checkers share, as their imports say.

Checkers have an encoder and verifiers of their own, so this is less than one might think. A module
counts if some checker needs it (`benchmarks.trusted`) and some engine, system or transformation
does, too, other than by calling a checker. The meaning of programs (`ir`, `core`, `semantics`)
is the trusted base: there faults are what tests are for. Certificates are data.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.trusted import ROOT, STEPS, imported, kinds, needed, path_of

_ENGINES = ("engines", "systems", "transforms")
_PACKAGES = ("proofs", "backends", "analyses", "transforms")
_DATA = ("certificate", "texts", "__init__")
RUN_MAPS = (
    "threadwise/proofs/transformed/images.py",
    "threadwise/proofs/transformed/simplified_runs.py",
)
"""What maps runs from one program to another, for all kinds of proof."""
FORESIGHT = (
    "threadwise/semantics/footprints.py",
    "threadwise/semantics/foresight.py",
    "threadwise/semantics/shared_cells.py",
)
"""What `persistent` and its checker foresee at a state: more than the meaning of programs."""


def _modules(folder: str) -> set[str]:
    paths = (ROOT / "threadwise" / folder).rglob("*.py")
    parts = (path.relative_to(ROOT).with_suffix("").parts for path in paths)
    return {".".join(each).removesuffix(".__init__") for each in parts}


def _by_engines() -> set[str]:
    """What engines need, but for what checkers begin with."""
    stops = {*kinds().values(), *STEPS.values(), "threadwise.proofs.base.registry"}
    found = set[str]().union(*map(_modules, _ENGINES))
    pending = list(found)
    while pending:
        for module in imported(pending.pop()) - found - stops:
            found.add(module)
            pending.append(module)
    return found


def shared() -> list[str]:
    """The paths of modules that both sides need."""
    checkers = set[str]().union(*map(needed, (*kinds().values(), *STEPS.values())))
    both = {m for m in checkers & _by_engines() if m.split(".")[1] in _PACKAGES}
    return [*sorted(filter(_has_code, map(_path, both))), *RUN_MAPS, *FORESIGHT]


ALONE = ("proofs/locksets/kernel", "proofs/simplified/resolved", "proofs/state_set")
"""Folders of checkers that no engine uses: a fault is wrong only where an engine errs, too."""


def alone() -> list[str]:
    """The paths of modules that only such checkers need, and no engine."""
    modules = set[str]().union(*map(_modules, ALONE))
    return sorted(filter(_has_code, set(map(_path, modules)) - set(shared())))


def verified() -> list[str]:
    """The paths of transformations, whose results checkers verify."""
    return sorted(filter(_has_code, map(_path, _modules("transforms"))))


def _path(module: str) -> str:
    path = path_of(module)
    assert path is not None
    return str(path.relative_to(ROOT))


def _has_code(path: str) -> bool:
    return Path(path).stem not in _DATA or "/parametric/" in path or "/follow/" in path
