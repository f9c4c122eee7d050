"""Near misses: programs that hold a lock, own an object, wait or join where it does not help.

Each file of `tests/near_misses` is right; with BUG defined it has a race or an assertion that may
fail, as its first line says. `locksets` alone, without audit, proves none of those.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c_sources

FILES = sorted((Path(__file__).parent.parent / "near_misses").glob("*.c"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_proof_of_a_near_miss(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    asked = text.splitlines()[0].removeprefix("// BUG: ")
    loaded = load_c_sources([SourceFile(path.name, f"#define BUG\n{text}")], LoadOptions())
    options = CheckOptions(properties=(asked,), engine="locksets", audit=False)
    result = check_loaded(path.name, lambda: loaded, options, in_process=True)
    assert result.verdict.value != "SAFE"
    assert not result.defects
