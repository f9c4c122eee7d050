"""The intermediate representation every front end produces and every engine consumes.

Read in this order: `types`, `expr` (places and expressions), `commands` (what one edge does),
`program` (locations, procedures, templates), `properties`. `layout` flattens variables into
scalar cells, `builder` constructs programs, `printer`/`reader` give the stable text form,
`validate` checks well-formedness and `fold` holds the generic traversals.
"""
