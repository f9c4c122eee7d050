"""Transformations of programs that keep their meaning and make them smaller.

    constants      known values are put in, branches nobody takes removed (with `folding`)
    intervals      branches that bounds of locals exclude are removed
    pointers       dereferences with known targets become accesses to variables (with `points_to`)
    integer_pointers  pointers that hold nothing but integers become integers
    opaque_pointers  pointers that are only copied and compared become an enumeration
    records        records become one variable per field
    temporaries    globals that carry nothing from step to step become locals
    dead_writes    choices and copies that matter to nobody are left out
    unused         variables that nobody looks at are removed
    escape         which variables only one thread can ever touch
    dead_values    values that nobody will read are forgotten (with `liveness`)
    silent_steps    steps that no other thread can notice join the step before them
    statements     hidden steps of one statement become one edge

`threadwise.transforms.pipeline` is the order in which they are applied.
"""
