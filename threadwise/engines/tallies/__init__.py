"""Sums that several threads add to: proofs with tallies, for programs with few threads.

`transforms.tally` adds ghosts that say what each thread has contributed. Then

    equations     linear equations, as Karr's analysis computes with them
    cells         the threads one by one, the cells of their variables, expressions over these
    states        equations, bounds and constants of cells, and how to compute with them
    handing       what threads hand on to each other
    thread_analysis, analysis   what holds where: in one thread, in all of them
    candidates    the results as formulas
    induction     those of them that all steps keep
    tally_proofs  the proof, as a step and formulas about one thread at a time

Nothing of this is trusted: what is found is checked as all proofs by formulas are.
"""
