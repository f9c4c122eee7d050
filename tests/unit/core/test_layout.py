"""Rules about the package as a whole that no linter knows."""

from pathlib import Path

import threadwise

PACKAGE = Path(threadwise.__file__).parent


def test_no_module_is_named_after_nothing_in_particular() -> None:
    vague = {"utils", "util", "helpers", "misc", "common"}
    modules = PACKAGE.rglob("*")
    assert [str(path) for path in modules if path.stem in vague] == []
