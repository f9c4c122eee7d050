"""From a file to a `Result`: load, choose properties, run engines, check evidence, report.

    source ── frontends ──▶ Program ── engines ──▶ Finding ── evidence ──▶ PropertyResult

Nothing becomes SAFE before its certificate passed its checker, and nothing UNSAFE before its trace
replayed. Evidence that fails its check is a `Defect` of the engine, never a verdict.

| module                      | what it does                                                 |
|-----------------------------|--------------------------------------------------------------|
| `loading`                   | reads files into programs, and simplifies C                  |
| `check_options`             | everything a user can say about a check                      |
| `checking`                  | runs a check in a worker process, and makes a `Result` of it |
| `running/`                  | the work itself: engines, their findings, messages           |
| `verdicts/`                 | what the report says of checked evidence                     |
| `rechecking`                | `certify` and `replay`: evidence from files                  |
| `remembering`               | evidence of earlier runs                                     |
| `simulating`, `reproducing` | runs of a program, in the reference semantics and natively   |
| `witnesses/`, `validation/` | the exchange format of SV-COMP, written and read             |

This package imports none of them: `certify` loads what it needs and no more.
"""
