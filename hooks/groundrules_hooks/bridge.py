"""Bridge: a file that a coding tool reads in place of AGENTS.md, and that leads there instead of saying it again."""

from __future__ import annotations

INDEX = "AGENTS.md"
REQUIRED = "CLAUDE.md"
# What a tool reads, and the line that makes it read the index. Claude Code and Gemini CLI import by `@`; GitHub Copilot
# follows a link.
BRIDGES = {
    REQUIRED: "@AGENTS.md",
    "GEMINI.md": "@./AGENTS.md",
    ".github/copilot-instructions.md": "Read [AGENTS.md](../AGENTS.md) first.",
}
LINKED = (b"AGENTS.md", b"./AGENTS.md", b"../AGENTS.md")  # what git stores for a link
IMPORTS = ("@AGENTS.md", "@./AGENTS.md")


def problem(path: str, content: bytes | None) -> str | None:
    """Return what is wrong with the bridge at `path`; None when it leads to the index, or need not be there.

    An import stands on a line of its own, since one in backticks is inert. A bridge may be a link in the file system.
    """
    if content is None:
        return "is missing" if path == REQUIRED else None
    if content in LINKED:
        return None
    from groundrules_hooks.markdown import links, prose

    text = content.decode("utf-8", "replace")
    if BRIDGES[path].startswith("@"):
        leads = any(line.strip() in IMPORTS for line in prose(text))
    else:
        leads = any(target == INDEX for _, target in links(path, text))
    return None if leads else f"has no line {BRIDGES[path]}"
