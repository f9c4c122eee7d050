"""Thread-modular abstraction refinement (HJMQ).

rounds      the inner loop: reach sets under assumptions, assumptions from reach sets
derivation  how an abstract error came about, as Horn clauses over concrete stores
mining      predicates from the formulas that refute a derivation
concretise  real interleavings along the paths of a derivation
loop        the outer loop of algorithms B, TAR and TAR with havoc
product     the outer loop of algorithm A, on all threads at once
whole       the whole program as Horn clauses, where predicates diverge
exposing    ghosts, where a program is not safe in a thread-modular way
certify     reach sets as certificates, as short as `reach_formulas` makes them
log         what happened, iteration by iteration
tar_engine  the engines
"""
