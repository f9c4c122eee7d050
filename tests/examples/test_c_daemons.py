"""Daemons and drivers of 100 to 200 lines, each right and with one bug: races are decided."""

from __future__ import annotations

import subprocess

import pytest

from tests.examples.annotations import FOLDER, read_annotations
from tests.tools import needs
from threadwise.core.reading import read_source
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions
from threadwise.results.verdict import Verdict

FILES = {path.stem: path for path in sorted((FOLDER / "c_daemons").glob("*.c"))}
RIGHT = [name for name in FILES if not name.endswith("_bug")]
ENTRIES = {
    "blkdev": COptions(
        entry=("blk_open", "blk_release", "blk_submit", "blk_complete", "blk_stat"),
        entry_init=("blk_init",),
    ),
    "chardev": COptions(entry=("dev_read", "dev_write", "dev_poll", "dev_ioctl", "dev_interrupt")),
    "netdrv": COptions(
        entry=("net_open", "net_xmit", "net_irq", "net_ioctl", "net_stop"),
        entry_init=("net_probe",),
    ),
}
"""Drivers have no `main`."""


def test_right_and_wrong_ones_come_in_pairs() -> None:
    assert sorted(FILES) == sorted([*RIGHT, *(f"{name}_bug" for name in RIGHT)])
    for name, path in FILES.items():
        wanted = Verdict.SAFE if name in RIGHT else Verdict.UNSAFE
        assert read_annotations(path).verdicts == {"races": wanted}


@needs("gcc")
def test_compilers_have_nothing_to_say() -> None:
    command = ["gcc", "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run(
        [*command, *map(str, FILES.values())], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_races_are_decided(name: str) -> None:
    options = ENTRIES.get(name.removesuffix("_bug"), COptions())
    program = load_c([read_source(str(FILES[name]))], options).program
    engine = "locksets" if name in RIGHT else "auto"
    chosen = CheckOptions(properties=("races",), engine=engine)
    result = check_loaded(str(FILES[name]), lambda: program, chosen)
    assert result.verdict is read_annotations(FILES[name]).verdicts["races"], result.reason
