"""Bounded search for interleavings in one satisfiability query (docs/theory/bounded.md).

unrolling      what one thread does in a number of steps: slots, each with the steps it may take
order          when slots of different threads happen: clocks, and reads matched to writes
goals          what it means that the last state violates a property
query          threads, order and goal together; a model becomes a schedule
interleaving   the question other engines ask: can these paths be interleaved, and if not, why
engine         iterative deepening over the length of paths and the number of threads
"""
