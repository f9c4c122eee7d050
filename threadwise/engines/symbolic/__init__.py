"""The symbolic engines: sets of states as BDDs (MHWL).

afr           `afr`: exact forward reachability
tmmc          `tmmc`: thread-modular model checking, Algorithm 1
tmmcir        `tmmcir`: the same with refinement, Algorithms 2 and 3
local_proof   `local-proof`: the Cartesian fixpoint, with the same refinement

reachability  R of all threads together, sweep by sweep
interchange   which threads can be exchanged, and exchanging them in a BDD
components    R̄_j, the states of one thread and the shared cells, for each thread
errors        the states that violate a property, thread tuple by thread tuple
essential     essential predicates of a set of states
refinement    Algorithms 1 to 3 as functions, on sets
states        single states in sets of states
layers        error states backwards, and a trace through them
proofs        certificates
views         certificates cut into small pieces
run           what the engines have in common: limits, statistics
"""
