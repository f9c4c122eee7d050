"""What the claims of a lockset proof mean in a run, without any of the rules.

layout         where concrete cells are in folded memory, read off the types
world          the threads, which of them run, what is written where; moments of a run
replaying      the edges of a step, one after the other
memory         what cells hold
ghosts         the history of a run: starts, tokens of numbers, gifts, homes
cases          what a thread knows
thread_arrays  what the first thread knows of threads by number
always         claims for all time: frozen, spoilt, numbers, given, starts
kernel         the claims of the kernel
ordered        conflicting accesses that nothing in the run orders
lists          objects in lists, and the locks of these
containers     objects that are handed over
refinement     what the more precise pass claims
resources      resource invariants of locks
"""
