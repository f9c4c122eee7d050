"""Which functions threads run: `main` again, and functions that no thread can be started with."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.checking import INCLUDES, checked, lowered

START = "int main(void) {{ pthread_t t; pthread_create(&t, 0, {0}, 0); return 0; }}"


def test_main_that_calls_itself_is_a_procedure_beside_the_thread() -> None:
    """An internal error once: the body of the thread had the name of the procedure."""
    text = INCLUDES + "int main(int n, char **v) { if (n > 3) return main(n - 1, v); return n; }"
    names = [procedure.name for procedure in lowered(text).procedures]
    assert len(names) == len(set(names)) == 2


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("", "main"),
        ("", "pthread_join"),
        ("void *f(pthread_t x) { return 0; }", "f"),
        ("struct s { int a; }; struct s f(struct s x) { return x; }", "f"),
        ("void f(int a, int b) { }", "f"),
    ],
)
def test_other_functions_end_in_unknown(function: str, name: str) -> None:
    """Internal errors once."""
    result = checked(f"{INCLUDES}{function}\n{START.format(name)}", "assertions")
    assert result.verdict.value == "UNKNOWN"
