"""Which entries of the table a program needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.frontends.c.checking import lowered
from threadwise.driver.loading import load_input
from threadwise.ir.program import FailureKind


def test_names_in_strings_are_no_functions(tmp_path: Path) -> None:
    """The effect of pthread_cond_signal has the word signal, which is a function, too."""
    path = tmp_path / "x.c"
    path.write_text(
        """
        #include <pthread.h>
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        int main(void) { return pthread_cond_signal(&c); }
        """
    )
    assert not [text for text in load_input(str(path)).assumptions if "signal" in text]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("fcntl.h mqueue.h", 'mq_open("/queue", O_CREAT | O_RDWR, 0600, NULL);'),
        ("stdint.h", "__builtin_ia32_pause(); uint64_t now = __builtin_ia32_rdtsc();"),
    ],
)
def test_what_is_no_limit(headers: str, body: str) -> None:
    included = "".join(f"#include <{each}>\n" for each in headers.split())
    program = lowered(f"{included}#include <stddef.h>\nint main(void) {{ {body} return 0; }}")
    kinds = {each.failure.kind for each in program.locations if each.failure is not None}
    assert FailureKind.LIMIT not in kinds
