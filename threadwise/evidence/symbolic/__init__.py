"""Steps, violations and numbers of threads as formulas, for checkers that ask a solver."""
