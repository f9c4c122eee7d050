"""Witnesses in the format of SV-COMP: written after a check; `driver.validation` reads them.

- `writing`     the witness of a result: `check --witness`
- `invariants`  invariants for correctness witnesses: guessed from runs, kept if proved
- `claims`      claims about places of a C program, checked as assertions in it
- `conditions`  conditions of waypoints, evaluated in a state
"""
