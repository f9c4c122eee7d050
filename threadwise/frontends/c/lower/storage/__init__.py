"""Memory of C: places, members, allocation, initial values."""
