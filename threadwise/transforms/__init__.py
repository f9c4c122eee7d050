"""From programs to programs.

`simplify` makes them smaller, `forget` drops variables, `split` tells locations apart, `follow`
adds a creation index for one thread, `ghosts` and `expose` add variables for proofs.
"""
