"""Lock files of forms of their own, read line by line: yarn, pnpm, Bun, Go, Bundler, Gradle, Terraform, Mix, Dart."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import FormError, Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Pair = tuple[str, "str | None"]
INSIDE = ("@workspace:", "@link:", "@portal:", "@file:")
PUB_HEADS = ("packages:", "sdks:")


def yarn(content: bytes) -> Pins:
    """Read yarn.lock of either form: descriptors at the top, `version` below them."""
    pairs: list[Pair] = []
    head, version = "", ""
    for line in lines(content):
        if line[:1] not in ("", " ", "#"):
            head = line.partition(",")[0].rstrip(":").strip('"')
            if not line.endswith(":"):
                raise FormError("not a line of yarn.lock")
        elif line.startswith(("  version ", "  version:")) and head != "__metadata":
            version = line[10:].strip(' "')
            if not any(word in head for word in INSIDE):
                pairs.append((_before_at(head), version))
        elif line.startswith("  resol") and "commit=" in line and pairs:
            revision = line.rpartition("commit=")[2].strip(' "')
            pairs[-1] = (pairs[-1][0], f"{version} {revision}")
    return Pins(gathered(pairs), {})


def _before_at(descriptor: str) -> str:
    """Return the name in `name@range`, where a scope begins with an @ too."""
    return descriptor[: descriptor.find("@", 1)] if "@" in descriptor[1:] else descriptor


def pnpm(content: bytes) -> Pins:
    """Read the section `packages` of pnpm-lock.yaml, whose keys are `/name/1.0.0` to form 5 and `name@1.0.0` since."""
    found = lines(content)
    form = next((line[16:].strip(" '\"") for line in found if line.startswith("lockfileVersion:")), "")
    if not form[:1].isdigit():
        raise FormError("no lockfileVersion")
    is_old = form.split(".")[0] in ("3", "4", "5")
    pairs: list[Pair] = []
    section = ""
    for line in found:
        if line[:1] not in ("", " ", "#"):
            section = line.partition(":")[0]
        elif section == "packages" and line.startswith("  ") and line[2:3] not in (" ", "#", "") and ":" in line:
            key = line.rstrip().removesuffix(" {}").removesuffix(":").strip(" '\"").removeprefix("/")
            key = key.partition("(")[0]
            name, _, version = key.rpartition("/") if is_old else (_before_at(key), "", key[len(_before_at(key)) + 1 :])
            if not f"@{version}".startswith(INSIDE) and not key.startswith(("file:", "link:")):
                pairs.append((name, version.partition("_")[0] if is_old else version))
    return Pins(gathered(pairs), {})


def bun(content: bytes) -> Pins:
    """Read the section `packages` of bun.lock, in which a list begins with `name@version`."""
    pairs: list[Pair] = []
    section = ""
    for line in lines(content):
        if line.startswith('  "'):
            section = line.split('"')[1]
        elif section == "packages" and line.startswith('    "'):
            parts = line.split('"')
            package = parts[3] if len(parts) > 3 else ""
            if package and not any(word in package for word in INSIDE):
                name = _before_at(package)
                pairs.append((name, package[len(name) + 1 :]))
    if not section:
        raise FormError("not a bun.lock")
    return Pins(gathered(pairs), {})


def go_sum(content: bytes) -> Pins:
    """Read go.sum: modules with a hash of their content. One of a go.mod alone says nothing of what is used."""
    words = [line.split(" ") for line in lines(content) if line.strip()]
    if any(len(parts) != 3 for parts in words):
        raise FormError("not a go.sum")
    used: list[Pair] = [(name, version) for name, version, _ in words if not version.endswith("/go.mod")]
    return Pins(gathered(used), {})


def bundler(content: bytes) -> Pins:
    """Read Gemfile.lock: gems below `specs:`, those of a PATH being the project's own."""
    pairs: list[Pair] = []
    own: dict[str, str] = {}
    section, revision = "", ""
    for line in lines(content):
        if line[:1] not in ("", " "):
            section, revision = line.strip(), ""
        elif line.startswith("  revision:"):
            revision = line.partition(":")[2].strip()
        elif section == "RUBY VERSION" and line.strip():
            pairs.append(("ruby", line.strip().removeprefix("ruby ")))
        elif line.startswith("    ") and line[4:5] not in ("", " ") and line.endswith(")"):
            name, _, version = line.strip().rstrip(")").partition(" (")
            version = version.partition("-")[0]  # a platform follows
            if section == "PATH":
                own[name] = version
            elif section in ("GEM", "GIT", "PLUGIN SOURCE"):
                pairs.append((name, f"{version} {revision}".strip()))
    if not section:
        raise FormError("not a Gemfile.lock")
    return Pins(gathered(pairs), own)


def gradle(content: bytes) -> Pins:
    """Read gradle.lockfile: `group:name:version=configurations` a line."""
    pairs: list[Pair] = []
    for line in lines(content):
        place, equals, _ = line.partition("=")
        if line and not line.startswith("#") and not equals:
            raise FormError("not a gradle.lockfile")
        name, colon, version = place.rpartition(":")
        if equals and colon:
            pairs.append((name, version))
    return Pins(gathered(pairs), {})


def terraform(content: bytes) -> Pins:
    """Read .terraform.lock.hcl: a block a provider."""
    pairs: list[Pair] = []
    name = ""
    for line in lines(content):
        words = line.split()
        if words[:1] == ["provider"] and len(words) > 1:
            name = words[1].strip('"')
        elif words[:2] == ["version", "="] and len(words) > 2 and name:
            pairs.append((name, words[2].strip('"')))
        elif line[:1] not in ("", " ", "#", "}"):
            raise FormError("not a lock of Terraform")
    return Pins(gathered(pairs), {})


def mix(content: bytes) -> Pins:
    """Read mix.lock: `"name": {:hex, :name, "version", …` or `{:git, "url", "revision", …` a line."""
    pairs: list[Pair] = []
    for line in lines(content):
        parts = line.split('"', 7)
        if line.startswith('  "') and len(parts) > 5:
            pairs.append((parts[1], parts[5] if ":git" in parts[2] else parts[3]))
        elif line.strip() not in ("", "%{", "}"):
            raise FormError("not a mix.lock")
    return Pins(gathered(pairs), {})


def pub(content: bytes) -> Pins:
    """Read pubspec.lock: names two blanks in, `version` and `source` below; a path is a part of the project."""
    pairs: list[Pair] = []
    name = version = reference = ""
    for line in [*lines(content), "  :"]:
        key, _, value = (part.strip(' "') for part in line.partition(":"))
        if line.startswith("  ") and line[2:3] != " ":
            if name and version:
                pairs.append((name, f"{version} {reference}".strip()))
            name, version, reference = key, "", ""
        elif line[:1] not in ("", " ", "#") and line.strip() not in PUB_HEADS:
            raise FormError("not a pubspec.lock")
        elif line.startswith("    version:"):
            version = value
        elif key == "resolved-ref":
            reference = value
        elif line.startswith("    source:") and value in ("path", "sdk"):
            name = ""
    return Pins(gathered(pairs), {})


READERS: dict[str, Callable[[bytes], Pins]] = {
    "yarn.lock": yarn,
    "pnpm-lock.yaml": pnpm,
    "bun.lock": bun,
    "go.sum": go_sum,
    "Gemfile.lock": bundler,
    "gradle.lockfile": gradle,
    ".terraform.lock.hcl": terraform,
    "mix.lock": mix,
    "pubspec.lock": pub,
}
