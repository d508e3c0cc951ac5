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
# What starts a program, wherever it stands.
STARTERS = (".env", ".sh", ".mk", "makefile", "package.json", "procfile", ".config.js", ".config.ts", ".config.mjs")
KNOWN: dict[str, str] = {}  # the commits of a range ask for the same paths
TESTING = frozenset(
    (
        *("test", "tests", "testing", "testcontainers", "spec", "specs", "__tests__", "e2e", "conftest"),
        *("cypress", "playwright", "mock", "mocks", "stories", "storybook", "approved"),
    )
)


def kind(path: str) -> str:
    """Return what the file at `path` is to the rule; empty for one that is not judged."""
    if path not in KNOWN:
        KNOWN[path] = _kind(path.lower())
    return KNOWN[path]


def _kind(path: str) -> str:
    *above, name = path.split("/")
    words = _words(path.replace("/", "."))
    if _is_text(name, above) or not HOSTED_FOLDERS.isdisjoint(above) or not DEPLOYED.isdisjoint(words):
        return ""
    if "compose" in name and name.endswith((".yml", ".yaml")):
        return COMPOSE
    if not MACHINE_FOLDERS.isdisjoint(above) or name.endswith(MACHINES) or any(word in name for word in MACHINE_WORDS):
        return ""
    if name.startswith(".env") or name.endswith(STARTERS):
        return PLAIN
    return TEST if "mocks." in name or not TESTING.isdisjoint(words) else PLAIN


def _is_text(name: str, above: list[str]) -> bool:
    """Whether the file tells, was made by a program, or is copied before it is used."""
    words, parts = _words(name), name.split(".")
    is_copied = not SAMPLES.isdisjoint(words) and not SETTINGS.isdisjoint(words)
    is_sample = is_copied or not SAMPLES.isdisjoint(parts) or any(part.startswith(COPIED) for part in parts)
    is_made = name.endswith((*PROSE, *DATA, *MADE, *TYPES_ALONE)) or not MADE_FOLDERS.isdisjoint(above)
    return name in OURS or is_made or is_sample or not TOLD_FOLDERS.isdisjoint(above)


def _words(name: str) -> frozenset[str]:
    return frozenset(name.replace("-", ".").replace("_", ".").split("."))
