"""Resource invariants of locks, and ownership that locks transfer: concurrent separation logic.

claims      which sites, which slots of containers, which of these are tails of lists
heap        what a thread owns: a symbolic heap
normal      heaps in a normal form
ground      what claims mean in a program: links, locks, rights
values      what pointers are, and how units are opened
conditions  which conditions may hold in a heap
lock_names  locks by other names after a step
effects     how steps change a heap, and what they must not do
look        all states of all threads, and why that is a proof
told        what threads own where, in words
read        claims from JSON
"""
