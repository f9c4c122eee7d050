"""Types and values of C: arithmetic, conversions, operators, expressions."""
