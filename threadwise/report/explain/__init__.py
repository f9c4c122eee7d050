"""Proofs for people: invariants by location and guarantees, as short formulas.

`cubes` turns sets of valuations into formulas, `proof` turns a certificate into an `Explanation`,
`text` writes it out.
"""
