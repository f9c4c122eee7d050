"""What a run tells its user: verdicts, and results per property."""
