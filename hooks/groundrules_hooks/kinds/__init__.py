"""Kinds: which concern a changed file belongs to."""

FUNCTIONAL = "functional"
FORMATTING = "formatting"
DEPENDENCY = "dependency"
GENERATED = "generated"
NEUTRAL = "neutral"
