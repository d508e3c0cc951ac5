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
# Before the word, and after it, one of these or none: with another, "orders available" or "available carts" are
# things, and "available at", "via", "on" or "as" tell where or how something is handed out.
SAYS = r"is|are|was|been|and|or|but|so|now|today|already|still|also|both|all|just|\w+ly|\w+'(?:s|re)"
EVERYBODY = r"(?:all|(?:every|any)(?:one|body)|(?:(?:the|our|all)\s+)?(?:users|customers))\b"
GOES_ON = (
    rf"now\b|today\b|already\b|again\b|everywhere\b|\w+ly\b|and\b|or\b|but\b|so\b|since\b|with(?:out|in)?\b"
    rf"|in\b(?!\s+\S*[/.]\w)|(?:to|for)\s+{EVERYBODY}"
)
UNSAID = re.compile(
    r"(?i)\b(?:be|becom\w+|mak\w+|made)\s+\w+\s+available\b"
    rf"|(?<![\w'-])(?!(?:{SAYS})\b)\w[\w'-]*\s+(?:(?:now|still|\w+ly)\s+)?[*_\[]*available\b"
    r"|\bwhat(?:ever)?\s+(?:is|are)\s+available\b"
    rf"|\bavailable[*_\]]*\s+\[?(?!{GOES_ON})(?=\w)"
)
# "available without a login" and "available, no login needed" doubt nothing.
NEEDLESS = (
    r"(?i)(\bavailable\b[^,;(\u2014]{0,80}?)"
    r"(?:\bwith(?:out|\s+no)\b|[,;(\u2014]\s*(?:and\s+)?no\b(?!\s+(?:longer|more|one)\b))"
)
BLOCK = re.compile(r"\s*(?:[-*+] |\d+[.)] |[|#>])")  # a line that goes on no sentence
OPEN, CLOSE = r"[\s\"'`*_(\[]*", r"[\"'`*_)\]]*"
BEFORE = rf"(?:^\W*(?:x\]\W*)?|[|:,;(\u2013\u2014]\W{{0,9}}|\band\s+{OPEN})(?:(?:the|both|our)\s+{OPEN})?"
OTHERS = rf"(?:(?:\s*[,&](?:\s+(?:and|or)\b)?|\s+(?:and|or)\b){OPEN}(?!(?:and|or)\b)\w[\w-]*{CLOSE}){{0,9}}"
IS = (
    r"(?:\s+(?:is|are)\s+|\s*(?:[:=(|\u2013\u2014]|\s-+\s)\s*)"
    r"(?:(?:now|already|fully|generally|currently|finally|also|both|all|still|just)\s+)*"
)
THERE = r"\W{0,9}available\b"
# In "the `orders` page" it is the page that something is said of, in "the `orders` service" it is both.
VERB = r"is|are|has|have|works?|runs?|and|or|as|which|that|now|already"
ALONE = rf"(?!{CLOSE}\s+(?!(?:{VERB}|(?:service|feature|capability)\s+(?:{VERB}))\b)\w)"
WHOLE = rf"(?!{CLOSE}\s+(?!(?:{VERB}|by|in|on|at|for|from|to|with|via)\b)\w)"
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
    anywhere = [rf"(?<!\w){phrase}(?!\w){WHOLE}"] if " " in title.strip() else []
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
            rest = re.sub(NEEDLESS, r"\1", sentence[end:])
            words = re.findall(r"[\w'-]+", f"{sentence[:begin]} {rest}".lower())
            return not any(word in DOUBTS or word.endswith("n't") for word in words)
    return False


def _blank(found: re.Match[str]) -> str:
    """Return blanks in place of a match: lines and columns stay what they are."""
    return re.sub(r"\S", " ", found[0])
