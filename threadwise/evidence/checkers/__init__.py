"""One checker per kind of certificate; `threadwise.evidence.check` is the entrance."""
