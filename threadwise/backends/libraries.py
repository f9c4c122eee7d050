"""Which solver libraries are installed, detected without loading them."""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version


def installed() -> list[str]:
    """One line per kind of library."""
    return [f"BDDs: {_bdds()}", f"SMT: {_smt()}"]


def _bdds() -> str:
    """CUDD is an extension module of `dd` that not every platform has."""
    package = PathFinder.find_spec("dd")
    places = None if package is None else package.submodule_search_locations
    if places and PathFinder.find_spec("dd.cudd", places) is not None:
        return f"CUDD, by dd.cudd {_version('dd')}"
    return f"dd.autoref {_version('dd')}, since CUDD is not there: much slower"


def _smt() -> str:
    second = _version("cvc5")
    return f"z3 {_version('z3-solver')}" + (f", cvc5 {second}" if second else "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
