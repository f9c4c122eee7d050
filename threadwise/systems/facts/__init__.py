"""What linear invariants over numbers of threads say about the views of a few of them.

`engines.counting` finds equations such as `readers == #(reading)`. A view of one thread, or two,
is a part of a state in which they hold: the number of threads at a location is at least the
number of threads of the view that are there, and the number of all others is not negative.

symbolic    as formulas, for predicates and Horn clauses
stores      decided for a store and some locations, by intervals
system      a filter around a `ThreadSystem`
"""
