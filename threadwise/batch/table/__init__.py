"""Tables of results: as text, CSV, JSON or HTML, as plots, and the differences of two runs."""
