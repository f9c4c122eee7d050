"""Which entries of the table a program needs."""

from __future__ import annotations

from pathlib import Path

from threadwise.driver.loading import load_input


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
