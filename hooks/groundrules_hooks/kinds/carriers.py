"""Carriers: the files that hold pins, known by their names alone."""

from __future__ import annotations

# The name of a file, and the module that reads it. Some stand for a family: see `SUFFIXES`.
MANIFESTS = {
    "pyproject.toml": "python",
    "requirements.txt": "python",
    "setup.cfg": "python",
    "Pipfile": "python",
    "package.json": "json",
    "composer.json": "json",
    "global.json": "json",
    "dotnet-tools.json": "json",
    "Cargo.toml": "toml",
    "libs.versions.toml": "toml",
    "rust-toolchain.toml": "toml",
    "mise.toml": "toml",
    "flake.nix": "",  # nothing reads it: a language of its own
    "pom.xml": "xml",
    "*.csproj": "xml",
    "go.mod": "declarations",
    "mix.exs": "declarations",
    "pubspec.yaml": "declarations",
    "pnpm-workspace.yaml": "declarations",
    "Gemfile": "ruby",
    "*.gemspec": "ruby",
    "build.gradle": "gradle",
    "gradle.properties": "gradle",
    "gradle-wrapper.properties": "gradle",
    "workflow": "steps",
    ".pre-commit-config.yaml": "steps",
    "Dockerfile": "steps",
    "compose.yaml": "steps",
    ".tool-versions": "steps",
    ".python-version": "steps",
}
LOCKS = {
    "uv.lock": "toml",
    "poetry.lock": "toml",
    "pdm.lock": "toml",
    "pylock.toml": "toml",
    "Cargo.lock": "toml",
    "Pipfile.lock": "json",
    "package-lock.json": "json",
    "composer.lock": "json",
    "packages.lock.json": "json",
    "flake.lock": "json",
    "Package.resolved": "json",
    "yarn.lock": "lines",
    "pnpm-lock.yaml": "lines",
    "bun.lock": "lines",
    "go.sum": "lines",
    "Gemfile.lock": "lines",
    "gradle.lockfile": "lines",
    ".terraform.lock.hcl": "lines",
    "mix.lock": "lines",
    "pubspec.lock": "lines",
    # Nothing reads these: binary, or of a form of their own.
    "bun.lockb": "",
    "deno.lock": "",
    "pixi.lock": "",
    "Podfile.lock": "",
    "Gopkg.lock": "",
    "glide.lock": "",
    "esy.lock": "",
    "shard.lock": "",
    "Chart.lock": "",
    "MODULE.bazel.lock": "",
    "modules.txt": "",
}
ALIASES = {
    "action.yml": "workflow",
    "action.yaml": "workflow",
    ".gitlab-ci.yml": "compose.yaml",
    "npm-shrinkwrap.json": "package-lock.json",
    "settings.gradle": "build.gradle",
    "build.gradle.kts": "build.gradle",
    "settings.gradle.kts": "build.gradle",
    "buildscript-gradle.lockfile": "gradle.lockfile",
    "maven-wrapper.properties": "gradle-wrapper.properties",
    "gems.rb": "Gemfile",
    "gems.locked": "Gemfile.lock",
    ".mise.toml": "mise.toml",
    "packages.config": "*.csproj",
    "Directory.Packages.props": "*.csproj",
    "Directory.Build.props": "*.csproj",
    "Directory.Build.targets": "*.csproj",
    "Versions.props": "*.csproj",
    ".nvmrc": ".python-version",
    ".node-version": ".python-version",
    ".ruby-version": ".python-version",
    ".java-version": ".python-version",
    ".go-version": ".python-version",
    ".terraform-version": ".python-version",
    ".bazelversion": ".python-version",
    "rust-toolchain": ".python-version",
}
# Programs and libraries of others that are kept in the repository: an upgrade replaces them.
COPIES = (
    "gradlew",
    "gradlew.bat",
    "gradle-wrapper.jar",
    "mvnw",
    "mvnw.cmd",
    "maven-wrapper.jar",
    ".pnp.cjs",
    ".pnp.loader.mjs",
)
COPY_FOLDERS = (
    "node_modules/",
    "bower_components/",
    "vendor/bundle/",
    "vendor/cache/",
    "vendor/composer/",
    "Godeps/_workspace/",
    "Pods/",
    "Carthage/Build/",
    ".yarn/releases/",
    ".yarn/plugins/",
    ".yarn/cache/",
    ".yarn/sdks/",
)
KNOWN: dict[str, bool] = {}  # whether a folder holds copies
SUFFIXES = (
    ((".csproj", ".fsproj", ".vbproj"), "*.csproj"),
    ((".gradle", ".gradle.kts"), "build.gradle"),
    ((".versions.toml",), "libs.versions.toml"),
    ((".gemspec",), "*.gemspec"),
    ((".dockerfile", ".Dockerfile", ".containerfile"), "Dockerfile"),
)
PREFIXES = (
    (("requirements", "constraints"), (".txt", ".in"), "requirements.txt"),
    (("docker-compose", "compose.", "compose-"), (".yml", ".yaml"), "compose.yaml"),
    (("pylock.",), (".toml",), "pylock.toml"),
)
IMAGES = ("Dockerfile", "Containerfile")
NO_IMAGES = (".md", ".sh", ".py", ".json", ".yml", ".yaml")
# How the names begin and end that need a closer look.
HEADS = (*IMAGES, *(head for heads, _, _ in PREFIXES for head in heads))
TAILS = (".txt", ".in", *(tail for tails, _ in SUFFIXES for tail in tails))
WORKFLOWS = (".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/")


def carrier(path: str) -> str:
    """Return the name in MANIFESTS or LOCKS that the file at `path` is read as; empty for any other file."""
    folder, _, base = path.rpartition("/")
    if base in MANIFESTS or base in LOCKS:
        return base if base != "modules.txt" or folder.endswith("vendor") else ""
    if base in ALIASES:
        return ALIASES[base]
    if path.startswith(WORKFLOWS) and base.endswith((".yml", ".yaml")):
        return "workflow"
    return _by_parts(folder, base) if base.startswith(HEADS) or base.endswith(TAILS) else ""


def _by_parts(folder: str, base: str) -> str:
    for heads, tails, name in PREFIXES:
        if base.startswith(heads) and base.endswith(tails):
            return name
    for endings, stands_for in SUFFIXES:
        if base.endswith(endings):
            return stands_for
    if base.endswith((".txt", ".in")):
        is_requirements = base.endswith(("requirements.txt", "requirements.in")) or folder.endswith("requirements")
        return "requirements.txt" if is_requirements else ""
    return "Dockerfile" if base.startswith(IMAGES) and not base.endswith(NO_IMAGES) else ""


def is_copy(path: str) -> bool:
    """Whether the file at `path` is somebody else's, kept here: an upgrade replaces it."""
    folder, _, base = path.rpartition("/")
    if folder not in KNOWN:
        KNOWN[folder] = _is_of_copies(f"/{folder}/")
    return KNOWN[folder] or base in COPIES


def _is_of_copies(folder: str) -> bool:
    # What `go mod vendor` writes lies in folders named like hosts.
    host, is_below, _ = folder.partition("/vendor/")[2].partition("/")
    return (is_below != "" and "." in host) or any(f"/{each}" in folder for each in COPY_FOLDERS)
