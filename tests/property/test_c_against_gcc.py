"""Random single-threaded C: our meaning of it against a compiler's."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.property.c_constructs import CONSTRUCTS, Construct, generate_constructs, program_of
from tests.property.c_programs import generate
from tests.property.c_wide_programs import generate_wide
from tests.tools import needs
from tests.unit.frontends.c.checking import checked
from threadwise.core.budget import Budget
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources

GCC = shutil.which("gcc")
pytestmark = needs("gcc")

_PRINTING = '#include <stdio.h>\nint main(void) { printf("%lu", run()); return 0; }\n'


def compiled(
    seeds: list[int], folder: Path, make: Callable[[int], str] = generate
) -> dict[int, int]:
    """What the compiled programs print."""
    found = {}
    for seed in seeds:
        source, binary = folder / f"p{seed}.c", folder / f"p{seed}"
        source.write_text(make(seed) + _PRINTING)
        command = [str(GCC), "-w", "-fwrapv", "-O0", "-o", str(binary), str(source)]
        subprocess.run(command, check=True)
        shown = subprocess.run([binary], check=True, capture_output=True, text=True)
        found[seed] = int(shown.stdout)
    return found


def claiming(text: str, expected: int) -> str:
    """A program that claims that its checksum is this one, and that it is not."""
    claims = f"assert(sum == {expected}ul);\n assert(sum != {expected}ul);"
    return f"#include <assert.h>\n{text}\nint main(void) {{ unsigned long sum = run(); {claims} }}"


def agrees(seed: int, expected: int, make: Callable[[int], str] = generate) -> None:
    """The compiler's checksum is the only one: claiming it is right, denying it is wrong."""
    result = checked(claiming(make(seed), expected), "assertions")
    found = [each.verdict.value for each in result.properties]
    assert found == ["SAFE", "UNSAFE"], (seed, [each.reason for each in result.properties])


def test_a_few(tmp_path: Path) -> None:
    for seed, expected in compiled(list(range(4)), tmp_path).items():
        agrees(seed, expected)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many(block: int, tmp_path: Path) -> None:
    seeds = list(range(1000 + block * 20, 1000 + block * 20 + 20))
    for seed, expected in compiled(seeds, tmp_path).items():
        agrees(seed, expected)


def test_all_constructs(tmp_path: Path) -> None:
    for seed, expected in compiled([0], tmp_path, generate_constructs).items():
        agrees(seed, expected, generate_constructs)


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda construct: construct.__name__)
def test_constructs(construct: Construct, tmp_path: Path) -> None:
    def make(seed: int) -> str:
        return program_of(seed, (construct,))

    for seed, expected in compiled(list(range(1, 4)), tmp_path, make).items():
        agrees(seed, expected, make)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_constructs(block: int, tmp_path: Path) -> None:
    seeds = list(range(1000 + block * 10, 1000 + block * 10 + 10))
    for seed, expected in compiled(seeds, tmp_path, generate_constructs).items():
        agrees(seed, expected, generate_constructs)


def opaque(seed: int) -> str:
    return generate_wide(seed, opaque=True)


def is_not_contradicted(seed: int, expected: int) -> None:
    """What is not computed may leave both claims open; the wrong one must not be believed."""
    source = SourceFile("t.c", claiming(opaque(seed), expected))
    chosen = CheckOptions(properties=("assertions",), engine="explicit", budget=Budget(steps=500))
    load = partial(load_c_sources, [source], LoadOptions())
    result = check_loaded("t.c", load, chosen, in_process=True)
    right, wrong = (each.verdict.value for each in result.properties)
    told = (seed, [each.reason for each in result.properties])
    assert right != "UNSAFE", told
    assert wrong != "SAFE", told


def test_a_few_with_recursion_and_unions(tmp_path: Path) -> None:
    for seed, expected in compiled(list(range(3)), tmp_path, generate_wide).items():
        agrees(seed, expected, generate_wide)


def test_a_few_with_floating_point(tmp_path: Path) -> None:
    for seed, expected in compiled(list(range(2)), tmp_path, opaque).items():
        is_not_contradicted(seed, expected)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many_with_recursion_and_unions(block: int, tmp_path: Path) -> None:
    seeds = list(range(1000 + block * 20, 1000 + block * 20 + 20))
    for seed, expected in compiled(seeds, tmp_path, generate_wide).items():
        agrees(seed, expected, generate_wide)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_with_floating_point(block: int, tmp_path: Path) -> None:
    seeds = list(range(1000 + block * 10, 1000 + block * 10 + 10))
    for seed, expected in compiled(seeds, tmp_path, opaque).items():
        is_not_contradicted(seed, expected)
