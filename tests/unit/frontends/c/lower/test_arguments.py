"""The arguments of `main`: what is assumed of them is listed."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import loaded

NAMED = "main gets at least one argument, its name"


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        ("int main(void) { return 0; }", False),
        ("int main(int argc, char **argv) { return argc; }", False),
        ("int main(int argc, char **argv) { return argv[0][0]; }", True),
        ("int main(int argc, char **argv, char **env) { return argv[0] == env[0]; }", True),
    ],
)
def test_that_main_gets_a_name_is_assumed_where_it_looks(text: str, assumed: bool) -> None:
    assert (NAMED in loaded(text).assumptions) == assumed
