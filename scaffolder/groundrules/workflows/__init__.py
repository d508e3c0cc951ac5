"""Workflows: what runs when in a forge's CI, what it caches, and the traps in that."""
