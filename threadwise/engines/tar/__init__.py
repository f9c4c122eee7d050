"""Thread-modular abstraction refinement (HJMQ).

rounds      the inner loop: reach sets under assumptions, assumptions from reach sets
derivation  how an abstract error came about, as Horn clauses over concrete stores
mining      predicates from the formulas that refute a derivation
concretise  real interleavings along the paths of a derivation
engine      the outer loop of algorithms A, B, TAR and TAR with havoc
"""
