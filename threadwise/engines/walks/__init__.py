"""Single runs under schedules that tend to show errors.

`walks_engine` makes walks one after the other, `walk` is one of them, `orders` are the schedules,
`aims` the pairs of accesses that walks are directed to.
"""
