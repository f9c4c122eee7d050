"""The fault matrix: wrong lines in what engines and checkers share, and what becomes of verdicts.

    python -m benchmarks.faults --results FOLDER

mutations   faults as changes of syntax trees, drawn from lines that are reached
pairs       programs of a few lines, one right and one wrong; lists: about lists and their locks
programs    all of these, the examples, and random ones
runs        programs by engines: verdicts, defects and the lines they reach
table       the matrix and its survivors

See docs/dev/faults.md.
"""
