"""Many programs: which tasks there are, their runs, what is remembered, and tables of it.

    folders, globs, task definitions ─ discovery ─▶ Task
    Task ─ local | cluster (place: one `threadwise check` each) ─▶ Outcome ─ Database
    Database ─ table ─▶ text, CSV, JSON, HTML, plots, differences

Nothing here proves or searches. A task is a process of its own, which obeys its limits, and whose
report is read from its standard output: a batch never knows more than a user who runs the command.
"""
