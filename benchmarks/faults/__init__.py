"""The fault matrix: wrong lines in what engines and checkers share, and what becomes of verdicts.

    python -m benchmarks.faults --results FOLDER

mutations   faults as changes of syntax trees, drawn from lines that are reached
programs    small programs, models and C, generated and from the examples
runs        programs by engines: verdicts, defects and the lines they reach
table       the matrix and its survivors

See docs/dev/faults.md.
"""
