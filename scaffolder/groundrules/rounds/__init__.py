"""Rounds: what reviewers report, in their own forms, as rounds of a task's review log."""
