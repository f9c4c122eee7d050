"""From the typed tree of C to the IR: the meaning of C with threads.

    lower        rounds until nothing new is found out (`unit.Facts`), then the program
    body         one procedure under construction: nodes, steps, activations
    places, expressions, statements, calls, intrinsics, threads
    requirements what must hold for a step to be defined; if not, a limit
    early        relaxed stores that others may see before what their thread did earlier
    liveness     undefined and dead local values

Each access to memory that other threads may see is a step of its own; what only the thread at
hand can see is part of expressions. Functions are inlined, or procedures that are called
(`inlining` chooses). Signed overflow wraps; whatever else C
leaves undefined, and whatever is not modelled, leads to a `limit` that names it.
"""

from threadwise.frontends.c.lower.program import Lowered, lower

__all__ = ["Lowered", "lower"]
