"""Linear invariants over numbers of threads and shared cells, and proofs from them."""
