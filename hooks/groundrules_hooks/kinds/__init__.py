"""Kinds: which concern a changed file belongs to."""
