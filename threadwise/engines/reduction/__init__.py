"""Model checking with reduction: transactions by right and left movers (QRR §4)."""
