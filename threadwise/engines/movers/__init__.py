"""Which steps commute with the steps of other threads: right and left movers (QRR §4)."""
