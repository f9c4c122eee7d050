"""From programs to programs.

`simplify` makes them smaller, `forget` projects variables away, `split` splits locations by values
of local variables, `follow` distinguishes one created thread by a symbolic creation index,
`parametric` makes created threads a parametric template, `ghosts` and `expose` add auxiliary
variables.
"""
