"""The results of a run: verdicts, and results per property."""
