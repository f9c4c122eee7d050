"""Sums that several threads add to: proofs with tallies, for programs with few threads.

`transforms.tally` adds ghosts that say what each thread has contributed. Then

    equations     linear equations, as Karr's analysis computes with them
    cells         the threads one by one, the cells of their variables, expressions over these
    analysis      what holds where, thread by thread: equations, bounds, constants
    splits        cases of what the program never writes once threads are there
    candidates    the results as formulas
    induction     those of them that all steps keep
    tally_proofs  the proof, as a step and formulas about one thread at a time

Nothing of this is trusted: what is found is checked as all proofs by formulas are.
"""
