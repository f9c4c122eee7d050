"""The share of audits in a run: it is measured where something is proved."""

from __future__ import annotations

from pathlib import Path

from benchmarks.audit_cost import measured, programs

COUNTER = Path(__file__).parents[3] / "examples" / "c" / "counter_mutex.c"


def test_audits_are_a_part_of_the_run() -> None:
    row = measured(COUNTER, 120.0, "races")
    assert row["proved"] == 1
    assert 0 < row["audits"] < row["total"]


def test_a_sample_is_spread_over_all_programs(tmp_path: Path) -> None:
    for n in range(10):
        (tmp_path / f"{n}.c").touch()
    (tmp_path / "notes.md").touch()
    assert [path.name for path in programs([tmp_path], 4)] == ["0.c", "2.c", "5.c", "7.c"]
    assert len(programs([tmp_path], None)) == 10
