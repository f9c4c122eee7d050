"""Memory in folded form, and what it may hold.

- `cells`        folded cells: all elements of an array are one, all objects of a site are one
- `objects`      the objects of a program: variables and allocation sites, with their types
- `contents`     points-to: what every folded cell may hold, whatever the order of steps
- `recast`       pointers that are used as ones to records
- `by_variable`  places behind constant addresses, named by their variables
- `confined`     objects that never escape the thread that allocated them
- `single`       cells that exist only once, so that a lock in one is the same lock for everyone
"""
