"""The rules of proofs by locksets: what threads know, and why their accesses are apart.

    memory      what every cell may hold, whatever the order of steps (points-to sets, constants)
    knowledge   what one thread knows: locks it holds, objects it owns, threads that do not run
    guards, locks, assignment, step
                how an edge changes that knowledge, rule by rule
    threads, starts
                who starts whom, and what is known when a thread begins
    tokens      numbers that serve as locks
    failures    where a proof may not lead
    accesses    the accesses of an edge, and the rules by which two of them cannot race

A proof claims a `Memory` and, for every location, a set of `Knowledge`; the checker
(`threadwise.proofs.locksets.check`) applies each rule once. See docs/theory/locksets.md.
"""
