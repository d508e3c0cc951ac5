"""Mending: the command that edits lines of what is about to be committed, and leaves other work in the file alone."""

from __future__ import annotations

from groundrules_hooks.finding import edit, quote, relative, word
from groundrules_hooks.git import answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.change import Change


def edited(change: Change, path: str, *script: str) -> str:
    """Return the command that edits the file at `path` by the lines of `script`, whose line numbers are `change`'s."""
    if change.worktree is None or not _has_other_work(path):
        return f"{edit(path, *script)} && git add {word(relative(path))}"
    # On disk its lines have other numbers, and to add it would stage what the author left out.
    mode = next((file.new_mode for file in change.files if file.path == path), "100644")
    words = " ".join(f"-e {quote(line)}" for line in script)
    content = f"git show {word(f':0:{path}')} | sed {words} | git hash-object -w --stdin"
    return f'git update-index --cacheinfo {mode} "$({content})" {word(path)}'


def _has_other_work(path: str) -> bool:
    """Whether the file on disk differs from what is staged of it."""
    return answer("--literal-pathspecs", "diff", "--no-ext-diff", "--quiet", "--", path, ok=(0, 1))[0] == 1
