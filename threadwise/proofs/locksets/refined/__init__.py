"""A more precise pass over failures (a *second look*), on top of what locksets proved.

It tracks which locks may still be held, and ranges of integers, also of those under locks.

`state` says what is known of one location, `claims` what is claimed for all time, `truth` what
follows from both for conditions and values, `effects` how steps change it, and `check` what a
proof has to show. Nothing here changes what locksets know; it only rules out more edges.
"""
