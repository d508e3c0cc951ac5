"""Attributes: which files the tree itself declares to be generated, in its own .gitattributes and nobody else's."""

from __future__ import annotations

import os

from groundrules_hooks.change import ATTRIBUTES, Tree
from groundrules_hooks.failure import GroundrulesError
from groundrules_hooks.git import FIXED, elsewhere, git
from groundrules_hooks.kinds.proof import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

NAME = "linguist-generated"
UNDECIDED = "unspecified"
MACRO = b"[attr]"
SPECIAL = frozenset(b'"[\\?')  # what makes a pattern more than text and stars
BLANKS = b" \t\r"  # what git takes for them
TO_SPACE = bytes.maketrans(BLANKS, b"   ")
NO = ("unset", "false")  # all other values are a yes, as linguist has it


def by_attribute(tree: Tree, paths: Iterable[str]) -> dict[str, bool]:
    """Return those of `paths` that `tree` declares to be generated, or not to be; of the others it says nothing."""
    paths = list(paths)
    return declared(Tree(tree.declaring or tree.source, tree.objects).read(*above(paths)), paths)


def above(paths: Iterable[str]) -> list[str]:
    """Return where attributes of `paths` can stand: in the root, and in each folder on the way."""
    found = {ATTRIBUTES: None}
    for nearest in dict.fromkeys(path.rpartition("/")[0] for path in paths):
        folder = nearest
        while folder and f"{folder}/{ATTRIBUTES}" not in found:
            found[f"{folder}/{ATTRIBUTES}"] = None
            folder = folder.rpartition("/")[0]
    return list(found)


def declared(files: Mapping[str, bytes], paths: Iterable[str]) -> dict[str, bool]:
    """Return what `files`, contents of .gitattributes by their path, declare of `paths`.

    git matches, in a scratch repository that holds these files alone: the checkout, info/attributes and the settings of
    the user say nothing here. Paths that no line with the name of the attribute can mean cost nothing.
    """
    wanted = list(_fragments(files.values()))
    if not wanted:
        return {}
    paths = [path for path in paths if any(all(part in os.fsencode(path) for part in parts) for parts in wanted)]
    if not paths:
        return {}
    scratch = _folder()
    try:
        for name in ("objects", "refs"):
            os.makedirs(os.path.join(scratch, ".git", name))
        _write(os.path.join(scratch, ".git", "HEAD"), b"ref: refs/heads/none\n")
        for path, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(scratch, path)), exist_ok=True)
            _write(os.path.join(scratch, path), content)
        return _asked(scratch, paths)
    finally:
        _remove(scratch)


def _fragments(contents: Collection[bytes]) -> Iterator[list[bytes]]:
    """Yield, for each line that may declare something, what every path it means holds: what no wildcard replaces."""
    naming = [content for content in contents if NAME.encode() in content]
    if naming and any(MACRO in content for content in contents):
        yield []  # any line may use another name for the attribute
    for content in naming:
        for line in content.removeprefix(BOM).split(b"\n"):
            pattern = line.lstrip(BLANKS).translate(TO_SPACE).partition(b" ")[0]
            if NAME.encode() in line and not pattern.startswith(b"#"):
                is_plain = SPECIAL.isdisjoint(pattern)
                yield pattern.removeprefix(b"/").replace(b"**/", b"*").split(b"*") if is_plain else []


def _asked(scratch: str, paths: list[str]) -> dict[str, bool]:
    """Return what git says of `paths` in the repository at `scratch`."""
    env = {name: value for name, value in elsewhere().items() if not name.startswith("GIT_")}
    env |= {**FIXED, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
    env |= {"GIT_DIR": os.path.join(scratch, ".git"), "GIT_WORK_TREE": scratch}
    stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
    # Without a setting of it, git reads attributes of the user below HOME.
    options = ("-C", scratch, "-c", f"core.attributesFile={os.devnull}", "-c", "core.ignoreCase=false")
    words = os.fsdecode(git(*options, "check-attr", "--stdin", "-z", NAME, stdin=stdin, env=env)).split("\0")
    answers = zip(words[0::3], words[2::3], strict=False)
    return {path: value not in NO for path, value in answers if value != UNDECIDED}


def _folder() -> str:
    """Make a folder that nobody else can look into, without the 10 ms that importing `tempfile` takes."""
    place = next(filter(_is_usable, (os.environ.get("TMPDIR", ""), "/tmp")), "")  # noqa: S108 (private below)
    if not place:
        raise GroundrulesError("no folder for temporary files: neither TMPDIR nor /tmp takes one", fix="ls -ld /tmp")
    attempt = 0
    while True:
        path = os.path.join(os.path.abspath(place), f"groundrules-attributes-{os.getpid()}-{attempt}")
        try:
            os.mkdir(path, 0o700)  # refuses what is there already, a link too
        except FileExistsError:
            attempt += 1
            continue
        return path


def _is_usable(place: str) -> bool:
    return bool(place) and os.access(place, os.W_OK | os.X_OK)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _remove(folder: str) -> None:
    """Remove `folder` with all that `declared` put there."""
    for place, folders, names in os.walk(folder, topdown=False):
        for name in names:
            os.unlink(os.path.join(place, name))
        for name in folders:
            os.rmdir(os.path.join(place, name))
    os.rmdir(folder)
