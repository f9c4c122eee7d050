"""Static analyses: they compute facts about programs and never change them.

`graphs`, `components` and `worklist` are about control flow, `liveness`, `points_to` and `escape`
about data, `uses`, `touches`, `addresses`, `regions` and `conflicts` about accesses,
`loops` and `unbounded` about what may go on without end; `affine` has spaces of integers.
"""
