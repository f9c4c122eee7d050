"""The bars of `benchmarks.batches`."""

from __future__ import annotations

from pathlib import Path

from benchmarks.batches import Row, cached, gains, same, sampled, speed_up


def row(ending: str = "SAFE", wall_s: float = 1.0, *, evidence: bool = True) -> Row:
    """A task that took so long."""
    kept = {"certificate": Path("proof")} if evidence else {}
    return Row("a", ("a.c",), (), (), ending, wall_s, wall_s, kept)


def test_two_cores_against_one() -> None:
    assert speed_up(18.0, 10.0, [1.9]).holds is True
    assert speed_up(17.9, 10.0, [1.9]).holds is False


def test_other_verdicts_are_named() -> None:
    assert same("x", {"a": "SAFE"}, {"a": "SAFE", "b": "UNSAFE"}).holds is True
    bar = same("x", {"a": "SAFE", "b": "SAFE", "c": "SAFE"}, {"a": "SAFE", "b": "UNKNOWN"})
    assert bar.holds is False
    assert str(bar) == "MISSED     x: 2 of 3 differ: b SAFE/UNKNOWN; c SAFE/None"


def test_each_cached_task_counts() -> None:
    assert cached({"a": 0.1, "b": 0.2, "c": None}).holds is True
    bar = cached({"a": 0.1, "b": 0.3, "c": None})
    assert bar.holds is False
    assert bar.figure == "2 tasks, median +0.20 s, 1 over: b +0.30 s"
    assert cached({"c": None}).holds is None


def test_gains_of_long_tasks_with_evidence() -> None:
    first = {"a": row(wall_s=50.0), "b": row(wall_s=60.0, evidence=False), "c": row(wall_s=19.0)}
    again = {"a": row(wall_s=10.0), "b": row(wall_s=1.0), "c": row(wall_s=19.0)}
    assert gains(first, again).holds is True
    assert gains(first, {**again, "a": row(wall_s=11.0)}).holds is False
    assert gains({"c": first["c"]}, again).holds is None


def test_evidence_has_to_be_about_the_verdict() -> None:
    assert row().is_shown
    assert not row(evidence=False).is_shown
    assert not row("UNSAFE").is_shown
    assert not row("UNKNOWN").is_shown


def test_samples_are_always_the_same(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.yml").write_text("")
    drawn = sampled([str(tmp_path)], 5)
    assert len(set(drawn)) == 5
    assert drawn == sampled([str(tmp_path)], 5)
    assert sampled([str(tmp_path)], None) == [str(tmp_path)]
