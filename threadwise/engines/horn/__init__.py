"""Thread-modular proofs about k threads at once, as constrained Horn clauses."""
