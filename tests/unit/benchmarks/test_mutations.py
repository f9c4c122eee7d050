"""The list of faults fits the sources: each text is there, once."""

import pytest

from benchmarks.mutations import ROOT
from benchmarks.mutations_list import FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[0])
def test_the_text_occurs_once(fault: Fault) -> None:
    _, file, right, wrong, *_ = fault
    text = (ROOT / "threadwise" / "engines" / file).read_text(encoding="utf-8")
    assert text.count(right) == 1
    assert right != wrong
