"""fixed-ports: a port of the table is read from the slot's variable, never written as a number."""

from __future__ import annotations

from groundrules_hooks.finding import Finding, relative, reword, word
from groundrules_hooks.globs import matches
from groundrules_hooks.port_files import COMPOSE, kind, may_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules_hooks.change import Change, File
    from groundrules_hooks.config import Config
    from groundrules_hooks.port_uses import Use

NAME = "fixed-ports"
BLOBS = ("100644", "100755")
LARGEST = 1_000_000  # bytes; nobody wrote more by hand


def check(change: Change, config: Config) -> Iterator[Finding]:
    """Return a finding for each line that `change` adds and that names a number of the port table as a port.

    What a merge brings was judged on the branch that it comes from.
    """
    if not config.ports or (change.commit and change.parents > 1):
        return iter(())
    return _found(change, [file for file in change.files if _is_judged(file, config)], config)


def _found(change: Change, files: list[File], config: Config) -> Iterator[Finding]:
    numbers = [str(port).encode() for port in config.ports.values()]
    contents = [content or b"" for content in change.results(files)]
    for file, new in zip(files, contents, strict=True):
        may_name = any(number in new for number in numbers) or "compose" in file.path.lower()  # which has ranges
        if may_name and len(new) <= LARGEST and b"\0" not in new and kind(file.path):
            yield from _in_file(change, config, file, new)


def _is_judged(file: File, config: Config) -> bool:
    changed = file.status != "D" and file.new_mode in BLOBS and file.old_id != file.new_id
    return changed and may_count(file.path) and not matches(file.path, config.fixed_ports.allow)


def _in_file(change: Change, config: Config, file: File, new: bytes) -> Iterator[Finding]:
    from groundrules_hooks.port_uses import uses

    text = new.decode("utf-8", "surrogateescape")
    found = list(uses(text, kind(file.path), config.ports.values()))
    if not found:
        return
    lines = text.split("\n")
    names = {port: name for name, port in config.ports.items()}
    stood = _stood(change, file)
    for number in sorted({use.line for use in found}):
        words = lines[number - 1].strip()
        if words in stood:  # as often as it did; a moved or indented line is no new one
            stood.remove(words)
            continue
        for use in found:
            if use.line == number:
                yield _finding(change, file.path, use, lines[number - 1], names[use.port])


def _stood(change: Change, file: File) -> list[str]:
    """Return the lines that the file had before."""
    ((old, _),) = change.contents([file])
    return [line.strip() for line in (old or b"").decode("utf-8", "surrogateescape").split("\n")]


def _finding(change: Change, path: str, use: Use, line: str, name: str) -> Finding:
    variable = f"{name.upper()}_PORT"
    message = f"{use.port} is {name} in slot 0 alone; {variable} holds it in each"
    fix = reword(change.commit) if change.commit else _command(change, path, use, line, variable)
    return Finding(NAME, path, message, fix, use.line, change.commit)


def _command(change: Change, path: str, use: Use, line: str, variable: str) -> str:
    """Return the command that puts the variable there, in files that expand it; else one that opens the place."""
    from groundrules_hooks.mending import edited

    expands = kind(path) == COMPOSE or (path.endswith(".sh") and "'" not in line)
    end = use.start + len(str(use.port))
    is_range = "-" in (line[use.start - 1 : use.start], line[end : end + 1])  # its other end would stay
    if expands and line.find(str(use.port)) == use.start and not is_range:
        expression = f"{use.line}s/{use.port}/${{{variable}:-{use.port}}}/"
        return edited(change, path, expression)
    return f"${{EDITOR:-vi}} +{use.line} {word(relative(path))}"
