"""Traps of keys: frozen ones, exact ones, and one for several kinds of runner."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows.cache import expressions, is_constant
from groundrules.workflows.repository import Hit
from groundrules.workflows.workflow import runners

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundrules.workflows.cache import Cache
    from groundrules.workflows.repository import Repository

LOCKS = re.compile(
    r"lock|\.sum|go\.mod|requirements|pyproject|package\.json|npm-shrinkwrap|pom\.xml|gradle|Gemfile|Cargo\.toml|"
    r"composer\.json|mix\.exs|rebar|Podfile|pubspec|csproj|environment\.ya?ml|libs\.versions|build\.sbt|Package\.resolved",
    re.IGNORECASE,
)
# Stores of packages and of compiled parts, of which an older state is of use. Not so one exact set of packages, as in
# node_modules, nor the program of one version.
STORE = re.compile(
    r"\.npm\b|pnpm-?store|store[-_.]?path|\.yarn/(cache|berry)|(yarn|npm|pnpm|composer|pip|poetry)[\w.-]*(dir|cache|path)\b|"
    r"\.cache(/(pip|uv|go-build|pypoetry|yarn|bazel|deno)\b.*)?/?$|go/pkg/mod|\.cargo/?(registry.*|git.*)?$|(^|/)target/?$|"
    r"\.m2\b|\.gradle\b|\.nuget|\.composer|\.pub-cache|\.ivy2|coursier|\.stack\b|\.cabal|bun/install|\.next/cache|"
    r"\.ccache|\.hex\b|DerivedData|\.sbt\b",
    re.IGNORECASE,
)
VERSION = re.compile(r"\d+\.\d+|\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b")
IMAGE = re.compile(r"runner\.|matrix\.|env\.|steps\.|needs\.|inputs\.", re.IGNORECASE)


def constant(repository: Repository) -> Iterator[Hit]:
    """Yield each saved key in which nothing changes; what a version or commit names does not change either."""
    for cache in repository.caches:
        if cache.saves and cache.key and is_constant(cache.key) and not VERSION.search(cache.key):
            yield Hit(cache.step.path, cache.line, "nothing in the key changes, so the first save is the last")


def no_restore_keys(repository: Repository) -> Iterator[Hit]:
    """Yield each key of a lock file's hash that has nothing to fall back to."""
    for cache in repository.caches:
        hashed = [text for text in expressions(cache.key) if "hashFiles(" in text and LOCKS.search(text)]
        if cache.restores and hashed and not cache.restore_keys and _is_store(cache):
            yield Hit(cache.step.path, cache.line, "no restore-keys: every change of the lock file starts from nothing")


def _is_store(cache: Cache) -> bool:
    """Whether an older state of its paths is better than none, and is not refused."""
    refused = cache.step.inputs.at("fail-on-cache-miss").text == "true"
    return not refused and any(STORE.search(path) for path in cache.paths)


def runner(repository: Repository) -> Iterator[Hit]:
    """Yield each key that jobs on several kinds of runner share."""
    # CI-06
    for cache in repository.caches:
        systems = _systems(cache)
        if cache.saves and cache.key and len(systems) > 1 and not IMAGE.search(" ".join(expressions(cache.key))):
            yield Hit(cache.step.path, cache.line, f"jobs on {', '.join(systems)} share one key")


def _systems(cache: Cache) -> list[str]:
    """Return the runners that share the cache; Windows has caches of its own, and some are shared on purpose."""
    return [] if cache.cross_os else [name for name in runners(cache.job) if "windows" not in name]
