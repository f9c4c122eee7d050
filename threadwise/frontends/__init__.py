"""Front ends: from source text to `ir.Program`, with a map back to the source.

`model` reads the `.tw` language, `c` reads C with pthreads.
"""
