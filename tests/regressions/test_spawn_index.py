"""`a[g] = spawn w()` reads the shared g outside of synchronisation."""

from __future__ import annotations

import threadwise
from threadwise import Verdict


def test_the_index_of_a_handle_races() -> None:
    model = """
        int[0..1] g;
        thread w() { skip; }
        thread t { tid handles[2]; handles[g] = spawn w(); }
        thread u { atomic { g = 1; } }
        race_free g;
    """
    result = threadwise.check(model, properties="race_free g", max_threads=1, in_process=True)
    assert result.verdict is Verdict.UNSAFE
