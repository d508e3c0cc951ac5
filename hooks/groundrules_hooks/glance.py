"""Glance: what the files of a capability show by themselves, without asking who uses them."""

from __future__ import annotations

from groundrules_hooks import code as codes
from groundrules_hooks import globs
from groundrules_hooks.capability import Capability, Place, Shown, shown
from groundrules_hooks.program import is_code
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.change import Tree
    from groundrules_hooks.config import Config

MOST = 50  # files of one capability that a commit is kept waiting for


class Standing(NamedTuple):
    """A capability, what is shown of it, and the checks that would have to pass and have not."""

    capability: Capability
    shown: Shown
    open: tuple[str, ...] = ()


def glance(capabilities: Iterable[Capability], tree: Tree, config: Config) -> Iterator[Standing]:
    """Yield what entry points show by themselves: who uses them is not asked, so anything up to proven may be true."""
    for each in capabilities:
        mine = _files(each.entrypoints, tree)
        if len(mine) <= MOST:
            places = [place_of(pattern, mine, tree, config)._replace(named=True) for pattern in each.entrypoints]
            yield Standing(each, shown(places))


def _files(patterns: Iterable[str], tree: Tree) -> list[str]:
    """Return what may be the files that `patterns` describe; the tree is listed for those with wildcards alone."""
    plain = [pattern for pattern in patterns if globs.is_plain(pattern)]
    others = [pattern for pattern in patterns if not globs.is_plain(pattern)]
    folders = tuple(map(globs.folder, others))
    listed = tree.files(*folders) if folders and all(folders) else tree.files() if folders else []
    found = [*(path.removeprefix("/") for path in plain), *(path for path in listed if globs.matches(path, others))]
    return list(dict.fromkeys(found))


def place_of(pattern: str, files: Iterable[str], tree: Tree, config: Config) -> Place:
    """Return what is known of those of `files` that `pattern` describes, but for who uses them.

    Documentation, tests and what is somebody else's do nothing for the product.
    """
    mine = [path for path in files if globs.matches(path, (pattern,))]
    own = [path for path in mine if is_code(path, config)]
    looked = {path: codes.look(path, content) for path, content in (tree.read(*own) if own else {}).items()}
    return Place(
        pattern,
        tuple(looked),
        _broken([path for path, look in looked.items() if not look.parses], tree),
        foreign=bool(mine) and not own and bool(tree.has(*mine)),
        works=any(look.works for look in looked.values()),
        lacks=any(look.lacks for look in looked.values()),
    )


def _broken(unread: list[str], tree: Tree) -> tuple[str, ...]:
    """Return those of `unread`, which the Python at hand does not parse, that are broken for sure."""
    if not unread:
        return ()
    from groundrules_hooks.interpreter import broken

    return tuple(sorted(broken(unread, tree)))
