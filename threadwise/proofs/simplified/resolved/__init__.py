"""Whether a program without pointers has an image of every run of one with pointers.

tables      objects and the variables that stand for them, types, declarations
words       what expressions and places become, for given targets of pointers
frame       variables, threads, procedures and locations
followed    what edges follow, and which are never taken
image       what an edge has to do in a case
check       the obligations, edge by edge
"""
