"""Standard output that is closed or full is not a defect of the tool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = f"{sys.executable} -c 'from threadwise.cli.main import main; main()' check model.tw"


@pytest.mark.parametrize(
    ("redirection", "code"), [(">&-", 0), (">&- 2>&-", 0), ("> /dev/full", 2)]
)
def test_exit_code(tmp_path: Path, redirection: str, code: int) -> None:
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    (tmp_path / "model.tw").write_text("thread t { skip; }\n")
    ran = subprocess.run(
        f"{COMMAND} {redirection}",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
