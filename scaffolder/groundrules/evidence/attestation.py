"""Results as in-toto statements (predicate test-result v0.1): one a check that ended, about the tree that it ran on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundrules_hooks.config import FILE
from groundrules_hooks.evidence import MISSING, MOVED, PASSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"


def statements(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield one JSON line for each record of the handoff `found` that has a result and files that stayed."""
    for row in found["checks"]:
        if row["result"] != MISSING and row["content"] != MOVED:
            yield json.dumps(_statement(row), ensure_ascii=False)


def _statement(row: Mapping[str, Any]) -> dict[str, Any]:
    configuration = {"name": FILE, "annotations": {"check": row["name"], "command": row["command"]}}
    if row["definition"]:
        configuration["digest"] = {"gitBlob": row["definition"]}
    passed = row["result"] == PASSED
    return {
        "_type": STATEMENT,
        "subject": [{"name": "subject tree", "digest": {"gitTree": row["tree"]}}],
        "predicateType": PREDICATE,
        "predicate": {
            "result": row["result"],
            "configuration": [configuration],
            "passedTests": [row["name"]] if passed else [],
            "warnedTests": [],
            "failedTests": [] if passed else [row["name"]],
        },
    }
