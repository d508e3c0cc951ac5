"""Boast: a sentence that calls available by name what is not claimed proven. What may say something else passes."""

from __future__ import annotations

import re

from groundrules_hooks.capability import PROVEN
from groundrules_hooks.capability_table import place
from groundrules_hooks.markdown import prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundrules_hooks.capability import Capability

WORD = "available"
# A sentence with one of these, or with a word that ends in n't, does not claim that something is available now.
DOUBT = (
    "not no nothing nowhere never none neither nor cannot hardly without unless until once when whether if will would"
    " soon later planned expected coming yet only before unavailable"
)
DOUBTS = frozenset(DOUBT.split())
# What is read as blanks: comments, the targets of links, addresses.
HIDDEN = re.compile(
    r"<!--.*?-->|(?<=\])(?:\([^()\s]*\)|\[[^\[\]]*\])|^ {0,3}\[[^\]\n]+\]:.*?$|\w+://[^\s)>]+", re.DOTALL | re.MULTILINE
)
# "the available carts" and "can be available" say nothing of what is; "all available now" does.
UNSAID = re.compile(
    r"(?i)\b(?:be|becom\w+|mak\w+|made)\s+(?:\w+\s+)?available\b"
    r"|\b(?:the|an?y?|all|every|each|its|their|our|your|these|those|other|more|next|first)[\s*_\[]+available[*_\]]*\s+"
    r"(?!now\b|today\b|already\b|and\b|since\b|to\b|in\b|on\b|at\b|for\b|from\b|here\b)(?=\w)"
)
BLOCK = re.compile(r"\s*(?:[-*+] |\d+[.)] |[|#>])")  # a line that goes on no sentence
OPEN, CLOSE = r"[\s\"'`*_(\[]*", r"[\"'`*_)\]]*"
BEFORE = rf"(?:^\W*(?:x\]\W*)?|[|:,;(\u2013\u2014]\W{{0,9}}|\band\s+{OPEN})(?:(?:the|both|our)\s+{OPEN})?"
OTHERS = rf"(?:(?:\s*[,&](?:\s+(?:and|or)\b)?|\s+(?:and|or)\b){OPEN}(?!(?:and|or)\b)\w[\w-]*{CLOSE}){{0,9}}"
IS = r"(?:\s+(?:is|are)\s+|\s*(?:[:=(|\u2013\u2014]|\s-+\s)\s*)(?:(?:now|already|fully|also|both|all|still)\s+)*"
# "under a licence" and "as an image" is said of what is handed out.
THERE = r"\W{0,9}available\b(?!\s+(?:under|as|from|for|by|to|upon|on\s+request)\b)"
# In "the `orders` service" it is the service that something is said of.
ALONE = rf"(?!{CLOSE}\s+(?!(?:is|are|has|have|works?|runs?|and|or|as|which|that|now|already)\b)\w)"
LISTED = r"^\W*available(?:\s+(?:now|today|already))?\W*[:\u2013\u2014]\W*(?:[^.]*[,;&/]\s*|[^.]*\sand\s+)?"


def boasts(text: str, capabilities: Iterable[Capability]) -> Iterator[tuple[int, Capability]]:
    """Yield line and capability where prose outside the table calls available by name what is not claimed proven."""
    unproven = [each for each in capabilities if each.level != PROVEN]
    names = {name.lower() for each in unproven for name in (each.id, each.title.rstrip("."))}
    for start, block in _blocks(text, names):
        for found in re.finditer(r".+?(?:[.;!?](?=\s)|\Z)", block, re.DOTALL):
            sentence = UNSAID.sub(_blank, found[0].replace("\u2019", "'"))
            said = re.search(rf"(?i)\b{WORD}\b", sentence)
            if said and not sentence.rstrip(" \r\n\"'*_`)").endswith("?"):
                line = start + block.count("\n", 0, found.start() + said.start())
                yield from ((line, each) for each in unproven if _is_said(each, sentence))


def _blocks(text: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """Yield each paragraph, item, row and heading of `text` that has the word, and its first line.

    What is hidden is blank there, and so are spans of code but for those that are one of `names`.
    """
    first, last = place(text) or (0, 0)
    lines = ["" if first <= number < last else line for number, line in enumerate(prose(text))]
    plain = HIDDEN.sub(_blank, "\n".join(lines))
    plain = re.sub(r"`([^`\n]+)`", lambda span: span[0] if span[1].strip().lower() in names else _blank(span), plain)
    start, block = 1, ""
    for number, line in enumerate([*plain.split("\n"), ""], 1):
        if block and line.strip() and not BLOCK.match(line) and not block.lstrip().startswith(("|", "#")):
            block += f"\n{line}"
            continue
        if WORD in block.lower():
            yield start, block
        start, block = number, line


def _is_said(capability: Capability, sentence: str) -> bool:
    """Whether `sentence`, which has the word, says it of `capability` and without a doubt.

    A title of several words may stand anywhere, and so may an id as code or in bold. One plain word has to be what is
    called available: many sentences have such a word and speak of something else.
    """
    title = capability.title.rstrip(".")
    phrase = r"\s+".join(map(re.escape, title.split()))
    plain = r"[-_ ]".join(map(re.escape, re.split("[-_]", capability.id)))
    anywhere = [rf"(?<!\w){phrase}(?!\w)"] if " " in title.strip() else []
    alone = plain if anywhere else f"{plain}|{phrase}"
    patterns = [
        *anywhere,
        rf"[`*]{re.escape(capability.id)}[`*]{ALONE}",
        rf"{BEFORE}(?P<name>{alone}){CLOSE}{OTHERS}{IS}{THERE}",
        rf"{LISTED}{OPEN}(?P<name>{alone})(?![\w-])",
    ]
    for pattern in patterns:
        found = re.search(f"(?i){pattern}", sentence)
        if found:
            begin, end = found.span("name" if "name" in found.groupdict() else 0)
            words = re.findall(r"[\w'-]+", f"{sentence[:begin]} {sentence[end:]}".lower())
            return not any(word in DOUBTS or word.endswith("n't") for word in words)
    return False


def _blank(found: re.Match[str]) -> str:
    """Return blanks in place of a match: lines and columns stay what they are."""
    return re.sub(r"\S", " ", found[0])
