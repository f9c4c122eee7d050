"""Parts that several checkers use; whatever is here is trusted."""
