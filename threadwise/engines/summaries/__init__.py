"""Transactions and procedure summaries in concurrent programs (QRR §5)."""
