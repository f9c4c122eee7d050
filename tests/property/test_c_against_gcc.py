"""Random single-threaded C: our meaning of it against a compiler's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.property.c_programs import generate
from tests.tools import needs
from tests.unit.frontends.c.checking import checked

GCC = shutil.which("gcc")
pytestmark = needs("gcc")

_PRINTING = '#include <stdio.h>\nint main(void) { printf("%lu", run()); return 0; }\n'


def compiled(seeds: list[int], folder: Path) -> dict[int, int]:
    """What the compiled programs print."""
    found = {}
    for seed in seeds:
        source, binary = folder / f"p{seed}.c", folder / f"p{seed}"
        source.write_text(generate(seed) + _PRINTING)
        command = [str(GCC), "-w", "-fwrapv", "-O0", "-o", str(binary), str(source)]
        subprocess.run(command, check=True)
        shown = subprocess.run([binary], check=True, capture_output=True, text=True)
        found[seed] = int(shown.stdout)
    return found


def agrees(seed: int, expected: int) -> None:
    """The compiler's checksum is the only one: claiming it is right, denying it is wrong."""
    claims = f"assert(sum == {expected}ul);\n assert(sum != {expected}ul);"
    text = f"#include <assert.h>\n{generate(seed)}\nint main(void) {{ unsigned long sum = run();"
    result = checked(f"{text} {claims} }}", "assertions")
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
