"""Any number of threads, and symmetric threads: one representative per class of threads.

`classes` says which threads are alike, `naming` renames thread ids, `system` is the
`ThreadSystem`, `errors` its error patterns.
"""
