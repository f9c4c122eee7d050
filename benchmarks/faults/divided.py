"""Programs that `tar` divides: races variable by variable, some by locks and some on slices.

Only programs of more than a hundred edges are divided, so data that a lock protects is among them,
besides what a state protects. The proofs have all steps that such proofs are made of: data is
forgotten, failures are presumed not to happen, locations are merged, and ghosts say who wrote.
"""

from __future__ import annotations

LOCKED = 12
"""So many variables are protected by the lock alone."""

_DECLARED = " ".join(f"int[0..3] d{k};" for k in range(LOCKED))
_USED = " ".join(
    f"acquire(m); d{k} = {k % 3}; if (d{k} > 1) d{k} = 0; assert(d{k} <= 1); release(m);"
    for k in range(LOCKED)
)
_STATE = f"""
mutex m; int[0..3] state; int[0..9] config; {_DECLARED}
thread opener[2] {{ bool mine;
    acquire(m); mine = state == 0; if (mine) state = 1; release(m);
    if (mine) {{ config = 3; acquire(m); state = 2; release(m); }} }}
thread reader[2] {{ acquire(m); if (state == 2) config = config; release(m); {_USED} }}
"""
_BUSY = f"""
mutex m; bool busy; int[0..9] buffer; {_DECLARED}
thread user[*] {{ bool mine;
    acquire(m); mine = !busy; if (mine) busy = true; release(m);
    if (mine) {{ buffer = 1; acquire(m); busy = false; release(m); }} {_USED} }}
"""

MODELS: dict[str, tuple[str, str, str]] = {
    "divided_state": (_STATE, "if (state == 2)", "if (state != 0)"),
    "divided_late": (
        _STATE,
        "config = 3; acquire(m); state = 2; release(m);",
        "acquire(m); state = 2; release(m); config = 3;",
    ),
    "divided_busy": (_BUSY, "if (mine) busy = true;", "skip;"),
    "divided_lock": (_BUSY, "acquire(m); d5 = 2;", "d5 = 2; acquire(m);"),
}
