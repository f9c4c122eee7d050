"""What all kinds of proof have in common: answers, the registry, files."""
