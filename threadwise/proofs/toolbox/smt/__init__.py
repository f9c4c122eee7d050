"""Steps and obligations as formulas, for checkers that ask a solver."""
