"""What names mean, and the types of expressions."""
