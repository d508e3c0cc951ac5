"""Workflows as text, put together from jobs and steps in one line each."""

from __future__ import annotations

PULL = "on: pull_request\n"
BOTH = "on:\n  pull_request:\n  push:\n    branches: [main]\n"
QUEUE = "on: [pull_request, merge_group]\n"
WARM = "on:\n  push:\n    branches: [main]\n"
HASH = "deps-${{ runner.os }}-${{ hashFiles('uv.lock') }}"
KEYS = "restore-keys: deps-${{ runner.os }}-"


def job(*steps: str, name: str = "test", head: str = "") -> str:
    """Return a job whose steps are given as the inside of a flow mapping, or as a command."""
    written = [step if step.startswith("{") else f"{{run: '{step}'}}" for step in steps]
    lines = [f"  {name}:", *(f"    {line}" for line in head.splitlines()), "    runs-on: ubuntu-24.04", "    steps:"]
    return "\n".join([*lines, *(f"      - {step}" for step in written)]) + "\n"


def workflow(on: str, *jobs: str) -> str:
    return f"{on}jobs:\n{''.join(jobs)}"


def cache(kind: str = "cache", key: str = HASH, path: str = "~/.cache/uv", more: str = KEYS, cond: str = "") -> str:
    rest = f", {more}" if more else ""
    guard = f'if: "{cond}", ' if cond else ""
    return f'{{{guard}uses: actions/{kind}@v4, with: {{path: "{path}", key: "{key}"{_flow(rest)}}}}}'


def _flow(rest: str) -> str:
    name, _, value = rest.partition(": ")
    return f'{name}: "{value}"' if value else rest


RESTORE = cache("cache/restore")
WRITER = workflow(WARM, job(cache("cache/save", more="")))
GATE = "needs: [lint, test]\nif: always()"
FAILED = "contains(needs.*.result, 'failure')"
CANCELLED = "contains(needs.*.result, 'cancelled')"
LOOKS = f'{{run: exit 1, if: "{FAILED} || {CANCELLED}"}}'
LINT = job("make lint", name="lint")
TEST = job("make test")


def gate(head: str = GATE, step: str = LOOKS, name: str = "gate") -> str:
    return job(step, name=name, head=head)
