"""Rules about the package as a whole that no linter knows."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import threadwise

PACKAGE = Path(threadwise.__file__).parent
TESTS = Path(__file__).parent
PROJECT = TESTS.parents[1] / "pyproject.toml"


def test_no_module_is_named_after_nothing_in_particular() -> None:
    vague = {"utils", "util", "helpers", "misc", "common"}
    modules = PACKAGE.rglob("*")
    assert [str(path) for path in modules if path.stem in vague] == []


def _uses_of_id(source: str) -> Iterator[int]:
    """The lines that use the built-in `id`, not parameters or attributes of that name."""
    if re.search(r"(?<![.\w])id\b(?!\s*[:=])", source) is None:
        return
    tree = ast.parse(source)
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Lambda):
            arguments = scope.args
            named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            if any(each.arg == "id" for each in named):
                for part in ast.walk(scope):
                    if isinstance(part, ast.Name) and part.id == "id":
                        part.id = "a parameter"
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and part.id == "id" and isinstance(part.ctx, ast.Load):
            yield part.lineno


def test_the_lint_sees_ids() -> None:
    assert list(_uses_of_id("known[id(step)] = 1")) == [1]
    assert list(_uses_of_id("key = tuple(map(id, steps))")) == [1]
    assert list(_uses_of_id("def f(id):\n    return id")) == []
    assert list(_uses_of_id("edge.id, LocId(3)")) == []


def test_objects_are_keys_only_if_the_key_keeps_them() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "core" / "identity.py"
        for line in _uses_of_id(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_tests_mirror_the_packages() -> None:
    """Each folder of tests is named after a package, or holds what the tests in it read."""
    beside = {Path("api"), Path("benchmarks")}
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    packages = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")}
    assert folders - beside <= packages


MOST_SHARED = 20
"""Imports of checkers by engines that are left; less if one goes."""


def test_engines_import_no_more_of_checkers_than_they_did() -> None:
    contracts = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]
    (shared,) = (each for each in contracts["contracts"] if each["id"] == "engines")
    assert len(shared["ignore_imports"]) <= MOST_SHARED
    others = [each for each in shared["ignore_imports"] if ".engines.locksets." not in each]
    assert len(others) <= 4
