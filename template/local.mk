# Seeded: the repository's own make targets. The Makefile includes this file; updates leave it alone.
