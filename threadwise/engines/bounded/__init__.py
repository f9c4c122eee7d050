"""Bounded search for interleavings in one satisfiability query (docs/theory/bounded.md).

query          questions about the formula of `threadwise.backends.smt.interleavings`; a model
becomes
               a schedule
interleaving   the question other engines ask: can these paths be interleaved, and if not, why
bounded_engine iterative deepening over the length of paths and the number of threads
"""
