"""What the machine offers."""

from __future__ import annotations

import os
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_OLD_QUOTA = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
_OLD_PERIOD = Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")


def usable_cores() -> int:
    """How many cores this process may use: what it is bound to, and what its container has."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    quota = container_quota()
    return cores if quota is None else max(1, min(cores, round(quota)))


def container_quota() -> float | None:
    """How many cores' time the container may use; None if there is no limit."""
    try:
        if _QUOTA.exists():
            allowed, period = _QUOTA.read_text(encoding="ascii").split()
        else:
            allowed = _OLD_QUOTA.read_text(encoding="ascii").strip()
            period = _OLD_PERIOD.read_text(encoding="ascii").strip()
        return int(allowed) / int(period) if allowed not in {"max", "-1"} else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
