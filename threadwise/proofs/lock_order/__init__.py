"""Deadlocks excluded by the order in which locks are taken and threads joined.

`certificate` says what a proof is, `facts` how locks and waits are read off a program, `check` has
the obligations and why they suffice. The argument is in docs/theory/deadlocks.md.
"""
