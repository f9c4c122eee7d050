"""All interleavings of a program up to a length, as one formula (docs/theory/bounded.md).

unrolling   what one thread does in a number of steps: slots, each with the steps it may take
order       when slots of different threads happen, and reads matched to writes
goals       what it means that the last state violates a property
formula     threads and order together

The search (`threadwise.engines.bounded`) and the checker (`evidence.checkers.interleavings`) ask
about the same formula; the checker also compares it with runs of the reference semantics.
"""
