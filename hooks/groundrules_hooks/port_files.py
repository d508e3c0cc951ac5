"""Port files: in which files a port as a number is judged, and as what. The path alone tells."""

from __future__ import annotations

PLAIN, COMPOSE, TEST = "plain", "compose", "test"

OURS = ("groundrules.toml", ".slot.env", ".copier-answers.yml")
PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".ipynb", ".po", ".pot", ".log")
DATA = (".svg", ".csv", ".tsv", ".xml", ".css", ".scss", ".less", ".snap", ".map", ".pem", ".patch", ".diff")
MADE = (".lock", "-lock.json", "-lock.yaml", ".lockfile", "go.sum", "npm-shrinkwrap.json", ".min.js")
MADE_FOLDERS = frozenset(("node_modules", "vendor", "third_party", "dist", "generated", "__generated__"))
TOLD_FOLDERS = frozenset(
    ("docs", "doc", "man", "locale", "locales", "i18n", "fixtures", "testdata", "__fixtures__", "__snapshots__")
)
TYPES_ALONE = (".tst.ts", ".test-d.ts", ".d.ts")  # tests of types, and declarations: none of it runs
TEXTS = (*PROSE, *DATA, *MADE, *TYPES_ALONE)
# What is copied before it is used, and what is about a machine where nobody else has the port.
SAMPLES = frozenset(("example", "examples", "sample", "template", "dist", "tpl"))
COPIED = ("example-", "example_", "sample-", "sample_")
SETTINGS = frozenset(("env", "config", "configuration", "settings", "compose"))
DEPLOYED = frozenset(("prod", "production", "deployment", "ci"))
MACHINES = (".tf", ".hcl", ".service", ".tfvars", "fly.toml", "render.yaml", "app.json", "vercel.json", "caddyfile")
MACHINE_WORDS = (
    *("dockerfile", "dofigen", "containerfile", "jenkinsfile", "vagrant", "entrypoint", "healthcheck", "nginx"),
    *(".gitlab-ci", ".gitpod", "cloudbuild", ".travis", "-pipelines."),
)
MACHINE_FOLDERS = frozenset(
    ("docker", "compose", "helm", "charts", "terraform", "vagrant", "infra", "deploy", "deployment", "deployments")
)
# Hosts of code, and containers of editors: not even a compose file there is this machine's.
HOSTED_FOLDERS = frozenset((".github", ".gitlab", ".circleci", ".buildkite", ".devcontainer", ".ci"))
UNJUDGED_FOLDERS = MADE_FOLDERS | TOLD_FOLDERS | HOSTED_FOLDERS
# What starts a program, wherever it stands.
STARTERS = (".env", ".sh", ".mk", "makefile", "package.json", "procfile", ".config.js", ".config.ts", ".config.mjs")
KNOWN: dict[str, str] = {}  # the commits of a range ask for the same paths,
FOLDERS: dict[str, tuple[bool, bool, bool]] = {}  # which lie in few folders
TESTING = frozenset(
    (
        *("test", "tests", "testing", "testcontainers", "spec", "specs", "__tests__", "e2e", "conftest"),
        *("cypress", "playwright", "mock", "mocks", "stories", "storybook", "approved"),
    )
)


def may_count(path: str) -> bool:
    """Whether the file at `path` may be judged: a fast look at its folder and its ending. False is certain."""
    folder, _, name = path.lower().rpartition("/")
    return not _folder(folder)[0] and not name.endswith(TEXTS)


def kind(path: str) -> str:
    """Return what the file at `path` is to the rule; empty for one that is not judged."""
    if path not in KNOWN:
        KNOWN[path] = _kind(path) if may_count(path) else ""
    return KNOWN[path]


def _kind(path: str) -> str:
    folder, _, name = path.lower().rpartition("/")
    _, is_of_machines, is_testing = _folder(folder)
    words = _words(name)
    if _is_copied(name, words) or not DEPLOYED.isdisjoint(words):
        return ""
    if "compose" in name and name.endswith((".yml", ".yaml")):
        return COMPOSE
    if is_of_machines or name.endswith(MACHINES) or any(word in name for word in MACHINE_WORDS):
        return ""
    if name.startswith(".env") or name.endswith(STARTERS):
        return PLAIN
    return TEST if is_testing or "mocks." in name or not TESTING.isdisjoint(words) else PLAIN


def _folder(path: str) -> tuple[bool, bool, bool]:
    """Return whether nothing in the folder at `path` is judged, whether it is about machines, and about tests."""
    if path not in FOLDERS:
        names, words = path.split("/"), _words(path.replace("/", "."))
        is_unjudged = not UNJUDGED_FOLDERS.isdisjoint(names) or not DEPLOYED.isdisjoint(words)
        FOLDERS[path] = is_unjudged, not MACHINE_FOLDERS.isdisjoint(names), not TESTING.isdisjoint(words)
    return FOLDERS[path]


def _is_copied(name: str, words: frozenset[str]) -> bool:
    """Whether the file is ours, or is copied before it is used."""
    parts = name.split(".")
    is_copied = not SAMPLES.isdisjoint(words) and not SETTINGS.isdisjoint(words)
    return is_copied or name in OURS or not SAMPLES.isdisjoint(parts) or any(part.startswith(COPIED) for part in parts)


def _words(name: str) -> frozenset[str]:
    return frozenset(name.replace("-", ".").replace("_", ".").split("."))
