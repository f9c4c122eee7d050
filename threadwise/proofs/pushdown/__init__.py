"""Thread-modular proofs of programs with procedures: P, the callers, G (FQ §3.1)."""
