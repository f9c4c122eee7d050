"""Witnesses in the exchange format of SV-COMP, version 2.x: YAML that other tools read and write.

    model       what a witness says
    writing     to YAML
    reading     from YAML; what is malformed is refused
    violation   an interleaving as waypoints

`witness.schema.json` beside them describes what is written and read.
"""
