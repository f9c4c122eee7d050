"""Joining a detached thread does not wait in practice: that it does not happen is assumed."""

from __future__ import annotations

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.frontends.c.options import COptions

TEXT = """
#include <pthread.h>
int x;
void *work(void *p) {{ x = 1; return 0; }}
int main(void) {{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    {steps}
    return 0;
}}
"""
DETACH, JOIN = "pthread_detach(t);", "pthread_join(t, 0); x = 2;"


@pytest.mark.parametrize(
    ("steps", "assumed"), [(DETACH + JOIN, True), (JOIN, False), (DETACH, False)]
)
def test_the_assumption_is_listed(steps: str, assumed: bool) -> None:
    """Nothing was listed once, and the first one was SAFE."""
    loaded = load_c([SourceFile("t.c", TEXT.format(steps=steps))], COptions())
    assert ("threads that are detached are not joined" in loaded.assumptions) == assumed
