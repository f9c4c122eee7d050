"""All interleavings of a program up to a length, as one formula (docs/theory/bounded.md).

unrolling   what one thread does in a number of steps: slots, each with the steps it may take
order       when slots of different threads happen, and reads matched to writes
goals       what it means that the last state violates a property
formula     threads and order together

The search (`threadwise.engines.bounded`) asks about it; the checker of its proofs makes a formula
of its own (`threadwise.proofs.interleavings`).
"""
