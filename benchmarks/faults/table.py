"""The matrix: what became of each fault, module by module, and the survivors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.faults.mutations import Fault
from benchmarks.faults.runs import Baseline
from benchmarks.faults.shared import alone, shared, verified

SHARED: tuple[str, ...] = tuple(shared())
"""What engines share with checkers, and maps of runs."""
VERIFIED: tuple[str, ...] = tuple(verified())
"""Transformations: checkers verify what they make."""
CHECKERS: tuple[str, ...] = tuple(alone())
"""Checkers that no engine uses: what an engine claims wrongly they must refuse."""
MODULES = (*SHARED, *VERIFIED, *CHECKERS)

OUTCOMES = ("WRONG", "audit", "checker", "replay", "crash", "changed", "unchanged", "not run")


def outcome(fault: Fault, said: list[dict[str, object]], before: Baseline) -> dict[str, object]:
    """What became of a fault: the worst that happened in any run."""
    usual = {(s.program, s.engine): s.verdicts for s in before.said}
    noticed = {by for row in said for by in row["noticed"]}  # type: ignore[attr-defined]
    wrong = [row for row in said if row["wrong"]]
    unaudited = [row for row in said if row["wrong"] or row.get("wrong_without_audit")]
    changed = any(
        row.get("verdicts", {}) != usual.get((row["program"], row["engine"]), {})  # type: ignore[arg-type]
        for row in said
    )
    kind = next((by for by in ("audit", "checker", "replay", "crash") if by in noticed), None)
    if wrong:
        kind = "WRONG"
    elif not said:
        kind = "not run"
    elif kind is None:
        kind = "changed" if changed else "unchanged"
    return {
        "fault": fault.name,
        "module": fault.module,
        "line": fault.line,
        "kind": fault.kind,
        "text": fault.text,
        "outcome": kind,
        "noticed": sorted(noticed),
        "runs": len(said),
        "wrong": [[row["program"], row["engine"], row["wrong"]] for row in wrong],
        "wrong_without_audit": [[row["program"], row["engine"]] for row in unaudited],
    }


def matrix(
    rows: list[dict[str, object]], before: Baseline, truth: dict[str, dict[str, str]]
) -> str:
    """The table in words, with all survivors."""
    head = ["module", "faults", *OUTCOMES, "WRONG without audit"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    groups: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        module = Path(str(row["module"])).relative_to("threadwise").with_suffix("")
        groups.setdefault(str(module), []).append(row)
    for name, found in [*sorted(groups.items()), ("in all", rows)]:
        counts = Counter(row["outcome"] for row in found)
        unaudited = sum(bool(row["wrong_without_audit"]) for row in found)
        cells = [name, len(found), *(counts[each] for each in OUTCOMES), unaudited]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    unsafe = sum("UNSAFE" in known.values() for known in truth.values())
    programs = len({said.program for said in before.said})
    runs = sum(int(str(row["runs"])) for row in rows)
    lines += ["", f"{programs} programs, {unsafe} of them unsafe; {runs} runs with a fault"]
    for row in rows:
        if row["outcome"] == "WRONG":
            lines.append(f"survivor: {row['fault']} ({row['kind']}): {row['text']}")
            lines += [f"    {' '.join(map(str, each))}" for each in row["wrong"]]  # type: ignore[attr-defined]
    return "\n".join(lines)
