"""The rules of proofs by locksets: what threads know, and why their accesses cannot race.

Two accesses that cannot race, by some rule, are called *apart*. The glossary
(docs/theory/glossary.md) has the names of this package beside those of the literature.

    translated  the program that proofs are about: webs (pointers by purpose), contexts (procedures
                by threads)
    memory/     folded cells, objects, and what every cell may hold, whatever the order of steps
                (points-to sets, constants)
    threads/    which threads create and join which, and what is known when a thread begins
    containers/ objects protected by the lock of the list they are in, and their handover
    ground      global invariants: what a proof claims for all threads and all time
    knowledge   a stable assertion of one thread: locks it holds, objects it owns, threads that do
                not run
    guards, truth, locks, assignment, calling, step
                how an edge changes that knowledge, rule by rule
    tokens      numbers that serve as locks; guarded_flags: those that are tested under a mutex
    failures    where a proof may not lead
    accesses    the accesses of an edge, and the rules by which two of them cannot race

A proof claims a `Memory` and, for every location, a set of `Knowledge`. The kernel is asked first
(`kernel_first`); for what it leaves open, `check` applies each of these rules once. See
docs/theory/locksets.md.
"""
