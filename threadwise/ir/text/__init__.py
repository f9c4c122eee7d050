"""The text form of programs: `printer` writes it, `reader` reads it back, both exactly.

`terms` and `syntax` are what the two have in common, `thread_formulas` are formulas about threads
as certificates write them, `values` shows single values. `source_terms` writes places as in C.
"""
