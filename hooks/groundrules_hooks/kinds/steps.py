"""Pins among steps: workflows, hook configurations, images, versions of tools.

Here a line with a pin also does something, so it counts among the rest without its version.
"""

from __future__ import annotations

from groundrules_hooks.kinds.pins import FormError, Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Pair = tuple[str, "str | None"]
TELLING = ("#", "FROM ", "COPY ", "ARG ", "ENV ")  # how a line of a Dockerfile begins that is not kept as it is
STEPS: dict[str, tuple[Pair | None, str]] = {}  # what a line says: the recipes of a range say the same again and again,
MOST_STEPS = 10_000  # until this many say something else
LONGEST = 2000  # characters of a line that a person may have written


def workflow(content: bytes) -> Pins:
    """Read a workflow or an action: what steps use, by repository and reference, and images."""
    import re

    uses = re.compile(r"(\s*(?:- +)?uses: *)[\"']?([^\s\"'@#]+)@([^\s\"'#]+)[\"']?(?: +#.*)?$")
    image = re.compile(
        r"(\s*(?:- +)?(?:image|container): *|\s*(?:- +)?uses: *docker://)[\"']?([^\s\"'#]+)[\"']?(?: +#.*)?$"
    )
    tool = re.compile(r"(\s*([\w-]+[-_]version): *)[\"']?(v?\d[\w.\-]*)[\"']?(?: +#.*)?$", re.IGNORECASE)
    pairs: list[Pair] = []
    rest = []
    for line in _said(content):
        if len(line) > LONGEST:
            rest.append(line)
        elif found := uses.match(line):
            pairs.append((found[2], found[3]))
            rest.append(found[1] + found[2])
        elif found := tool.match(line):
            # What the project runs on and is built with: it moves with upgrades and with code alike.
            pairs.append((found[2], None))
            rest.append(found[1])
        elif (found := image.match(line)) and "${{" not in line:
            name, version = reference(found[2])
            pairs.append((name, version))
            rest.append(found[1] + name)
        else:
            rest.append(line)
    return Pins(gathered(pairs), {}, rest)


def pre_commit(content: bytes) -> Pins:
    """Read a configuration of hooks: revisions of their repositories, versions of what they need beside."""
    import re

    need = re.compile(r"[\"']?((?:@[\w.\-]+/)?[\w.\-]+)(\[[\w,.\-]*\])?(==|>=|~=|<=|<|>|@|:)([^\s\"',\]#]+)[\"']?")
    pairs: list[Pair] = []
    rest = []
    repository, inside = "", False
    for line in _said(content):
        key, colon, value = line.strip().removeprefix("- ").strip().partition(": ")
        inside = key.startswith("additional_dependencies") or (
            inside and line.strip().startswith(("- ", "]", "'", '"')) and not colon
        )
        if colon and key == "repo":
            repository = _scalar(value).removesuffix(".git")
            rest.append(line[: line.index("repo:")])
        elif colon and key == "rev" and repository:
            pairs.append((repository, _scalar(value)))
            rest.append(line[: line.index("rev:")])
        elif inside and len(line) < LONGEST:
            pairs += [(name, sign + version) for name, _, sign, version in need.findall(line)]
            rest.append(need.sub(r"\1", line).partition(" #")[0])
        else:
            rest.append(line)
    return Pins(gathered(pairs), {}, rest)


def dockerfile(content: bytes) -> Pins:
    """Read a recipe of an image: what it starts from and copies from, arguments named for a version."""
    pairs: list[Pair] = []
    rest = []
    for line in lines(content):
        if line not in STEPS:
            STEPS[line] = _step(line.rstrip())
        pair, kept = STEPS[line]
        if pair:
            pairs.append(pair)
        if kept:
            rest.append(kept)
    if len(STEPS) > MOST_STEPS:
        STEPS.clear()
    return Pins(gathered(pairs), {}, rest)


def _step(line: str) -> tuple[Pair | None, str]:
    """Return the pin in a line of a Dockerfile, and what else the line says."""
    import re

    plain = line.lstrip()
    if len(plain) > LONGEST or not plain[:5].upper().startswith(TELLING):
        return None, line
    if found := re.match(r"# *syntax *= *(\S+)", plain):
        return reference(found[1]), ""
    found = re.match(r"(FROM +(?:--\S+ +)*)(\S+)(.*)$", plain, re.IGNORECASE)
    found = found or re.match(r"(COPY +(?:--\S+ +)*?--from=)(\S+)(.*)$", plain, re.IGNORECASE)
    if found and "$" not in found[2]:
        name, version = reference(found[2])
        return (name, version), found[1] + name + found[3]
    if found := re.match(r"((?:ARG|ENV) +)(\w*VERSION)([= ]) *[\"']?(v?\d[^\s\"']*)[\"']?$", plain, re.IGNORECASE):
        return (found[2], found[4]), found[1] + found[2]
    return None, "" if plain.startswith("#") else line


def reference(image: str) -> tuple[str, str]:
    """Return name and version of `name:tag@digest`; of a stage of the same recipe, no version."""
    place, at, digest = image.partition("@")
    folder, slash, last = place.rpartition("/")
    name, _, tag = last.partition(":")
    return folder + slash + name, tag + at + digest


def tools(content: bytes) -> Pins:
    """Read .tool-versions: a tool a line."""
    found = [line.split("#")[0].split(maxsplit=1) for line in lines(content)]
    pairs: list[Pair] = [(words[0], " ".join(words[1].split())) for words in found if len(words) == 2]
    return Pins(gathered(pairs), {}, [words for words in found if len(words) == 1])


def single(content: bytes) -> Pins:
    """Read a file that is the version of one tool."""
    found = [line.strip() for line in lines(content) if line.strip() and not line.startswith("#")]
    if len(found) > 4:
        raise FormError("more than versions")
    return Pins(gathered([("version", version) for version in found]), {})


def _said(content: bytes) -> Iterator[str]:
    """Yield the lines that are neither blank nor a comment, with the blanks in front of them."""
    for line in lines(content):
        plain = line.strip()
        if plain and not plain.startswith("#"):
            yield line.rstrip()


def _scalar(value: str) -> str:
    return value.partition(" #")[0].strip().strip("'\"")


READERS: dict[str, Callable[[bytes], Pins]] = {
    "workflow": workflow,
    ".pre-commit-config.yaml": pre_commit,
    "Dockerfile": dockerfile,
    "compose.yaml": workflow,
    ".tool-versions": tools,
    ".python-version": single,
}
