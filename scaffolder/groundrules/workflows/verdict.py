"""Verdict: what an aggregate job makes of the results of the jobs it needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundrules.workflows.expression import Unknown, has_status, parts, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundrules.workflows.expression import Value
    from groundrules.workflows.workflow import Job, Step

RESULT = re.compile(r"needs(?:\.\*|\.([\w-]+)|\['([\w-]+)'\])\.result|toJSON\(\s*needs", re.IGNORECASE)
WORDS = re.compile(r"\b(success|failure|cancelled|canceled)\b", re.IGNORECASE)
STATUS_CALL = re.compile(r"\b(always|cancelled|failure|success)\s*\(\s*\)", re.IGNORECASE)
# What `always()` and its like are after a need has ended so; a need may be cancelled, as by its time limit, alone.
AFTER: dict[str, dict[str, Value]] = {
    "success": {"always()": True, "success()": True, "failure()": False, "cancelled()": False},
    "failure": {"always()": True, "success()": False, "failure()": True, "cancelled()": False},
    "cancelled": {"always()": True, "success()": False, "failure()": False},
}
WORD = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\$\{\w+\}")
HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?(.*)\n(?:.*\n)*?\s*\1\b")
# Commands that cannot fail a step, also those with words of the shell around them, and where their output goes.
TELLING = re.compile(
    r"((echo|printf|tee|true|:|set)(\s[^&|]*)?|cat\s*(>[^&|]*)?|exit 0|fi|done|esac|[{}]|(el)?if\b[^{]*)?"
)
AROUND = re.compile(r"^(then|else|do)\b\s*")
OUTPUT = re.compile(r"\d?>&\d|\|\s*tee\b[^|;&\n]*")


def is_skipped(job: Job, result: str) -> bool:
    """Whether the condition keeps `job` from running once a job it needs has ended with `result`."""
    known: Mapping[str, Value] = AFTER[result]

    def fact(path: str) -> Value:
        return known.get(path, Unknown(path))

    return not (has_status(job.condition) or known["success()"]) or truth(job.condition, fact) is False


def unseen(job: Job) -> list[str]:
    """Return the needs of `job` whose results it does not look at."""
    texts = "\n".join(node.text for node in job.node.texts())
    found = [match[1] or match[2] or "*" for match in RESULT.finditer(texts)]
    return [] if "*" in found else [need for need in job.needs if need not in found]


def only_tells(job: Job) -> bool:
    """Whether no step of `job` can fail: each prints, as far as can be read."""
    return bool(job.steps) and all(
        step.node.at("continue-on-error").text == "true" or _tells(step) for step in job.steps
    )


def _tells(step: Step) -> bool:
    """Whether a step runs nothing but commands that print."""
    if step.uses or step.node.at("shell").text not in ("", "bash", "sh"):
        return False
    script = HEREDOC.sub(r"\2", _script(step) + "\n")
    commands = re.split(r"[;\n]", OUTPUT.sub("", WORD.sub("x", script)))
    lone = [AROUND.sub("", command.strip()) for command in commands]
    return all(TELLING.fullmatch(text) for text in lone)


def _script(step: Step) -> str:
    """Return what `step` runs, each expression as one word, without comments and broken lines."""
    pieces = parts(step.node.at("run").text.replace("\\\n", " "))
    text = "".join("EXPRESSION" if is_expression else piece for is_expression, piece in pieces)
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def only_failures(job: Job) -> bool:
    """Whether each step of `job` that may fail looks for `failure` and no other result, as far as can be read."""
    whole = _results(STATUS_CALL.sub("", job.condition))
    looked = [whole | _looked_for(step) for step in job.steps if not _tells(step)]
    return bool(looked) and all(found == {"failure"} for found in looked)


def _looked_for(step: Step) -> set[str]:
    """Return the results that `step` names where it judges; an action may name any."""
    named = _results(" ".join([step.node.at("if").text, *step.env.values(), *_judging(step.node.at("run").text)]))
    return named | {"whatever"} if step.uses else named


def _results(text: str) -> set[str]:
    return {match[1].lower() for match in WORDS.finditer(text)}


def _judging(script: str) -> list[str]:
    """Return the commands of `script` that are no text for people."""
    commands = [command.strip() for command in re.split(r"[;\n]|&&|\|\|", script)]
    return [text for text in commands if not re.match(r"([{(]|then\b|else\b|do\b)?\s*(echo|printf|#)", text)]
