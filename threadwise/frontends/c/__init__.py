"""The front end for C with threads.

    text ─ parse (libclang) ─▶ tree ─ lower ─▶ ir.Program

`types` and `tree` are C as the rest sees it: typed, conversions explicit, initialisers flat.
`parse` makes it from cursors of libclang, and is the only code that knows libclang. `headers` are
the system headers we ship, `library` what their functions do: C bodies over a few primitives
(`headers/threadwise.h`). `lower` gives the tree its meaning.
"""
