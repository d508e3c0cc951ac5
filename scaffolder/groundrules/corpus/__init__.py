"""The corpus of requirement documents: read from a source, composed, and written into the mirror as a whole."""
