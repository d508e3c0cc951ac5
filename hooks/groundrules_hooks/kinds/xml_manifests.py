"""Manifests in XML: pom.xml, the projects and package lists of .NET."""

from __future__ import annotations

from groundrules_hooks.kinds.pins import FormError, Pins, gathered, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from xml.etree.ElementTree import Element

MAVEN_PLUGINS = "org.apache.maven.plugins"
MAVEN_PINNED = ("dependency", "plugin", "extension", "path", "parent")
MAVEN_OWN = ("revision", "changelist", "sha1", "project.version", "project.parent.version", "version")
MAVEN_GROUPS = ("dependencies", "dependencyManagement", "properties", "annotationProcessorPaths")
NUGET_PINNED = (
    "PackageReference",
    "PackageVersion",
    "GlobalPackageReference",
    "PackageDownload",
    "DotNetCliToolReference",
    "Sdk",
    "package",
)
# Versions of the project itself, and of the language it is written in.
NUGET_OWN = (
    "Version",
    "VersionPrefix",
    "VersionSuffix",
    "AssemblyVersion",
    "FileVersion",
    "InformationalVersion",
    "PackageVersion",
    "ApplicationVersion",
    "ApplicationDisplayVersion",
    "PackageValidationBaselineVersion",
    "LangVersion",
)
NUGET_GROUPS = ("ItemGroup", "PropertyGroup")


def pom(content: bytes) -> Pins:
    """Read pom.xml. A parent with the same group is a part of the project; a property named for a version is a pin."""
    root = _root(content)
    top = _texts(root)
    pairs: list[tuple[str, str | None]] = []
    own = {"": top["version"]} if "version" in top else {}
    left: set[Element] = set()
    for element in root.iter():
        tag, held = _tag(element), _texts(element)
        if tag in MAVEN_PINNED and "artifactId" in held:
            name = f"{held.get('groupId', MAVEN_PLUGINS)}:{held['artifactId']}"
            if tag == "parent" and top.get("groupId", held.get("groupId")) == held.get("groupId"):
                own[name] = held.get("version", "")
                continue
            version = held.get("version")
            pairs.append((name, version if version and "${" not in version else None))
            left |= {element} if tag in ("dependency", "path") else {c for c in element if _tag(c) == "version"}
        elif tag == "properties":
            for child in element:
                if "version" in _tag(child).lower() and _tag(child) not in MAVEN_OWN:
                    pairs.append((_tag(child), (child.text or "").strip()))
                    left.add(child)
    return Pins(gathered(pairs), own, list(_flat(root, left, MAVEN_GROUPS)))


def nuget(content: bytes) -> Pins:
    """Read a project or a package list of .NET; a property named for a version is a pin unless it is the project's."""
    root = _root(content)
    pairs: list[tuple[str, str | None]] = []
    own: dict[str, str] = {}
    left: set[Element] = set()
    for element in root.iter():
        tag, held = _tag(element), {**element.attrib, **_texts(element)}
        name = held.get("Include") or held.get("Update") or held.get("Name") or held.get("id")
        if tag in NUGET_PINNED and name:
            version = held.get("Version") or held.get("VersionOverride") or held.get("version")
            pairs.append((name.lower(), version if version and "$(" not in version else None))
            left.add(element)
        elif tag in NUGET_OWN and len(element) == 0:
            own[tag] = (element.text or "").strip()
        elif tag.endswith("Version") and len(element) == 0 and (element.text or "").strip()[:1].isdigit():
            pairs.append((tag, (element.text or "").strip()))
            left.add(element)
    return Pins(gathered(pairs), own, list(_flat(root, left, NUGET_GROUPS)))


def _root(content: bytes) -> Element:
    """Return the root element. Raise FormError for a document that defines entities: nobody needs them here."""
    # Never what the file says of its own encoding: what is looked for must be what is parsed.
    text = "\n".join(lines(content)).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FormError("a document type")
    from xml.etree.ElementTree import fromstring

    return fromstring(text)  # noqa: S314 (no entities)


def _tag(element: Element) -> str:
    """Return the tag without its namespace; the parser leaves comments out."""
    return element.tag.rpartition("}")[2]


def _texts(element: Element) -> dict[str, str]:
    """Return the texts of the children by their tag."""
    return {_tag(child): (child.text or "").strip() for child in element if len(child) == 0}


def _flat(root: Element, left: Collection[Element], groups: Collection[str]) -> Iterator[tuple[object, ...]]:
    """Yield depth, tag, text and attributes of all elements but those in `left`; `groups` count by what they hold."""
    waiting = [(0, root)]
    while waiting:
        depth, element = waiting.pop()
        if element in left:
            continue
        tag = _tag(element)
        if tag not in groups or element.attrib:
            yield depth, tag, (element.text or "").strip(), sorted(element.attrib.items())
        waiting += [(depth + 1, child) for child in reversed(element)]


READERS: dict[str, Callable[[bytes], Pins]] = {"pom.xml": pom, "*.csproj": nuget}
