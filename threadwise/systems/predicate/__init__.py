"""The predicate-abstracted program as a `ThreadSystem` (HJMQ §2, §4).

symbols      one program in one logic: views as constants, steps as paths of edges
predicates   what is tracked, and where
cubes        truth values of predicates before and after, asked of a solver
system       the `ThreadSystem`
errors       how properties can be violated, as conditions over views
"""
