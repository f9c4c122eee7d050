"""Proofs by transactions: reduction and procedure summaries (QRR §4, §5)."""
