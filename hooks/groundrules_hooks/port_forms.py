"""Port forms: how a line names a port of this machine, and what makes it another thing, as regular expressions."""

from __future__ import annotations

import re

# Forms with NUMBER for the numbers that are looked for; after one, nothing that makes it longer or another thing.
END = r"(?![\w-]|\.\d)"
LOCAL = r"(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)"
HOST = rf"(?:{LOCAL}|0\.0\.0\.0|\[::\])"
OTHERS_PORT = r"(?i:\w*(?:container|target|internal|exposed?|find|free|avail|get|random))"
NAME = rf"(?<![\w${{])(?!{OTHERS_PORT})(?:(?:\w+[_.-])*(?:port|PORT|Port)|\w*[a-z]Port)"
TYPE = r"(?:: (?:number|u16|u32|usize))?"
CALL = r"(?i:\b(?:listen(?:andserve)?|bind)\s*\(\s*|\b(?:runserver|http\.server|kill-port)\s+|(?<![\w-])tcp:)"
OPTION = r"(?:^|[\s'\"])(?:-[pP]|--(?:\w+-)*port|--publish)['\"]?[\s=,]*"
ADDRESS = {
    "address": rf"(?<![\w.-]){HOST}:(NUMBER){END}",  # localhost:3000
    "pair": rf"['\"](?:|localhost|127\.0\.0\.1|0\.0\.0\.0|::1?)['\"],\s*(NUMBER){END}",  # ("localhost", 3000)
    "quoted": r"['\"]:(NUMBER)['\"/]",  # ":3000"
    "bare": r"[\s=(]:(NUMBER)(?=['\"\s)/,]|$)",  # lsof -i :3000
    "option": rf"{OPTION}['\"]?(?:{HOST}:)?(NUMBER){END}",  # --port 3000, -p 3000:3000
    "name": rf"{NAME}{TYPE}['\"\]]*\s*(?:=>|:=|===?|=|:|\()\s*['\"]?(NUMBER){END}(?!:\d)",  # PORT=3000, port: 3000
    "statement": r"^\s*port\s+(NUMBER)\s*(?:#.*)?$",  # port 3000
}
BINDING = {
    # listen(3000), bind("localhost", 3000), runserver 3000
    "call": rf"{CALL}\(?(?:['\"][^'\"]*['\"],\s*)?['\"]?(?:{HOST}?:)?(NUMBER){END}",
}
# In a compose file all but the left side of a mapping, and what a browser asks for, is inside a container.
PUBLISHING = {
    "mapping": r"(?:^\s*-\s*|[\[,]\s*|['\"])['\"]?(?:[\d.]+:|\[::1?\]:)?(NUMBER):\d+(?:/\w+)?(?=['\"\s,\]]|$)",
    "published": rf"\bpublished['\"]?:\s*['\"]?(NUMBER){END}",
    "url": rf"://(?:[^/\s]*@)?{LOCAL}:(NUMBER){END}",
}
INSIDE_KEYS = ("healthcheck", "command", "entrypoint", "test")

# Before a number that is used when nothing else is given, or beside the reading of the environment.
FALLBACK = re.compile(
    r"\|\||\?\?|\?=|\bor\b|unwrap_or|[!=]=+ \S+ \? |^\s*[:?]\s|^\s+\w+: [\w\[\], .|]+ = |\bOption\(|\bhelp ?="
    r"|(?i:[ef]ault|fallback|environ|getenv|\benv(?:iron)?[.(\[:]|\benv::|EnvironmentVariable)"
)
# A line that opens a table of such, or one that asks whether nothing is given.
DEFAULTS = re.compile(r"(?<!export )(?i:\bdefaults?\b|_defaults?\b).*[=:({\[]\s*$")
NOTHING = r"==+ ?(?:\"\"|''|nil|null|undefined|0\b)|\bis None|\bnot\b|!\w*(?i:port|addr|url|host|uri)|[Ee]mpty|-z "
NOTHING_GIVEN = re.compile(rf"\bif\b.*(?:{NOTHING})")
# A line that only says something.
PRINT = r"@?(?:echo|printf?|puts|(?:console|fmt|tracing|log|logger|logging)(?:\.|::)\w+|\w+(?:ln|fo|ug|rn|or)?!)"
SAYS = re.compile(
    rf"^\s*{PRINT}[ (!](?!.*(?i:listen\w*\(|serve\())|(?i:xample|placeholder|\be\.g\.|such as|navigate to)"
)
# What is carried out in a container, and a host that is not this machine.
EXECUTED = re.compile(r"\b(?:docker|podman|kubectl|compose) (?:\S+ )?exec\b")
THIS_HOST = re.compile(HOST)
OTHER_HOST = re.compile(
    rf"(?:(?i:host(?:name)?s?)['\"]?\s*[:=]|\s-h)\s*['\"]?(?!{HOST}|::|['\"\s$({{\[]|$)[A-Za-z][\w.-]*"
)

COMMENTS = ("#", "//", "*", "/*", "<!--", "--", ";", '"""', "'''", "%", ">>>")
TRAILING_COMMENTS = (" #", "\t#", " //", "\t//", " /*")
BLOCKS = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->"}
