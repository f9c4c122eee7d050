"""Engines at work: scheduling, checking of findings, messages to the supervisor.

- `schedule`         which engines run, in which order, and how they share the time
- `work`             the worker's side: each finding is checked before it is reported
- `evidence`         whether a certificate passes its check and its runs
- `racing`, `lanes`  engines side by side, each in a process of its own
- `early`, `spare`   deadlocks: before the program is simplified, and in the time that is left
- `undecided_pairs`  undecided pairs of accesses as goals for search
- `messages`         what the worker sends
- `collector`        the supervisor's side: messages put together into a `Result`
"""
