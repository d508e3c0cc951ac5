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
# Told by a comparison alone, which may find any of these: both sides have the same letters.
SAME_LETTERS = "same letters"
# The same of what is no formatting, since the letters differ.
OTHER_LETTERS = "other letters"
