"""Transformations of programs that preserve their meaning and make them smaller.

    constants      constant propagation; branches that are never taken are removed (with `folding`)
    intervals      branches that bounds of locals exclude are removed
    pointers       dereferences with known targets become accesses to variables (with `points_to`)
    integer_pointers  pointers that hold nothing but integers become integers
    opaque_pointers  pointers that are only copied and compared become an enumeration
    records        records become one variable per field
    temporaries    globals that carry nothing from step to step become locals
    dead_writes    writes of variables that are not live, and choices made for them, are left out
    unused         variables that are never read are removed
    dead_values    dead variables are reset to their defaults (with `liveness`)
    silent_steps   steps that no other thread can observe join the step before them
    statements     hidden steps of one statement become one edge

`threadwise.transforms.pipeline` is the order in which they are applied.
"""
