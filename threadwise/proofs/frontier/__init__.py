"""Proofs by frontier search: the chain T⁰ … Tᵏ (MPR §10)."""
