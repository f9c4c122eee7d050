"""The same work by other tools: `python -m benchmarks.peers`."""
