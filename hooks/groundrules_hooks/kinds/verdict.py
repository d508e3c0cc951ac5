"""Verdicts: what the two contents of one file say about the change between them."""

from __future__ import annotations

# Certainly no change of meaning.
FORMATTING = "formatting"
# Only comments and documentation strings changed, none that a tool obeys.
COMMENTS = "comments"
# The meaning certainly changed.
FUNCTIONAL = "functional"
# Nothing is certain.
UNKNOWN = "unknown"
# What only a comparison can tell. The same letters in the same order, imports aside: it may find any of these.
SAME_LETTERS = "same letters"
# Others, or in another order: whatever it finds, it is no mere formatting to look for.
OTHER_LETTERS = "other letters"
