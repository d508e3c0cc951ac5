"""The local stack of one worktree: started in order, ready on return, known by identity. No daemon."""
