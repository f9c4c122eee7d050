"""Thread-modular proofs about one representative of threads that are alike."""
