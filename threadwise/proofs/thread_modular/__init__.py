"""Thread-modular proofs: R and G (FQ §2.2)."""
