"""The Python code in the documentation works, and prints what the pages say.

The `python` blocks of a page run one after the other, in one namespace. A `text` block right after
one is what it prints. If a block begins with a comment that is a file name, it runs as that file.
"""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, blocks, normalised, pattern, with_blocks


@pytest.mark.parametrize("page", with_blocks("python"))
def test_python_blocks(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    names: dict[str, Any] = {}
    printed = ""
    before = ""
    for language, block in blocks(page):
        if language == "python":
            named = re.match(r"# (\w+\.py)\n", block)
            path = Path(named[1] if named else "block.py")
            path.write_text(block, encoding="utf-8")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(block, str(path), "exec"), names)
            printed = output.getvalue()
        elif language == "text" and before == "python":
            assert re.fullmatch(pattern(block), normalised(printed)), block
        before = language
