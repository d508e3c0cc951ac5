"""Port forms: how a line names a port of this machine, and what makes it another thing, as regular expressions.

They stay texts here: compiling all of them takes longer than most files, which need few.
"""

from __future__ import annotations

# After a number, nothing that makes it longer or another thing.
END = r"(?![\w-]|\.\d)"
LOCAL = r"(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)"
HOST = rf"(?:{LOCAL}|0\.0\.0\.0|\[::\])"
ZEROS = r"(?:0, ?0, ?0, ?0|(?:0, ?){7}[01])"  # a colour too
OCTETS = rf"(?:[\[({{]127, ?0, ?0, ?1|(?:\(\[|\{{|(?:new|from|[Aa]ddr(?:ess)?)\(){ZEROS})[\])}}]"
ANY = r"(?i:any|loopback|localhost|unspecified)"
CONSTANT = rf"\b(?:IPAddress|(?:Internet|Inet)Address|Ipv[46]Addr)\b[.:]+(?=\w*{ANY})\w++"
OTHERS_PORT = (
    r"(?i:[\w.-]*(?:container|target|internal|exposed?|find|avail|random)"
    r"|(?:[\w.-]*[_.-])?(?:get|free|(?:max|min|view)[_.-]?port))"
)
# No name begins inside another: each would be read to its end once for each of its characters.
START = r"(?:(?<![\w$.-])(?<![$#]\{)|(?<=\s-D)|(?<![\w.-])[.-]++)"
JOINED = r"(?i:pg|db|web|api|https?|redis|server|dev)"
WORD = rf"(?:(?:\w[\w.-]*[_.-]|_+)?{JOINED}?(?:port|PORT|Port|listen)|\w*[A-Za-z]Port)"
NAME = rf"{START}(?!{OTHERS_PORT}){WORD}"
PARSED = r"(?:(?:parseInt|Number|Integer\.\w+|int|str|String)\(\s*|\+)?"
DECLARED = r"(?:\s*(?:[a-z]+(?:\(\w+\))? )+)?"  # export const, private static, pub(crate) static
CLIENTS = r"createClient|createConnection|net\.connect|new (?:IO)?Redis|InetSocketAddress"
FUNCTIONS = (
    r"listen(?:andserve|localhost|anyip|tcp|udp)?|(?:server|datagram)socket|new (?!\w*observer)\w*server"
    r"|tcpserver\.(?:new|open)|htons|is_?port\w*|embeddedserver"
)
COMMANDS = (
    r"runserver|http\.server|simplehttpserver|(?:kill|wait|wait[-_]for)[-_]port|start-server-and-test (?:'[^']*'|\S+)"
    r"|ngrok (?:http|tcp)|fuser(?: -\w+){0,9}|n(?:et)?c(?:at)?(?=(?: -\w+){0,9}? -\w*l)(?: -\w+){1,9}"
    r"|port-forward(?: [^\s|;&]+){1,9}?|serve(?: [\w./-]+){0,9}? -l"
)
SETTER = r"(?i:\b(?:set|put|define)\w*+)\s*+(?:\(\s*+)?"
TAKES = r"(?i:(?:bind|listen|connect(?:ion|_ex)?|serve|server(?:\.new|\.open)?)\(|addr(?:ess)?\s*=\s*)"
ASKER = r"(?:\s-[\w-]+|\b(?:curl|https?|open|listen|bind|grep|wait-on|to|\w*proxy|serve|server))"
OPTION = r"(?:^|[\s'\"(])(?:-[pP]|--?(?:\w+[-.])*port|--publish|--listen)['\"]?[\s=,]*"
# A text that a line of that form holds, and the form, with NUMBER for the numbers that are looked for.
ADDRESS = (
    (":", rf"(?<![\w.-]){HOST}:(NUMBER){END}"),  # localhost:3000
    (":", rf"(?<=[\s='\"/])[*+]:(NUMBER){END}"),  # http://+:3000
    ("", rf"(?<![\w.-]){HOST}['\"]?(?: +|,)['\"]?(NUMBER){END}"),  # nc -z localhost 5432
    ("/dev/tcp/", rf"/dev/tcp/{HOST}/(NUMBER){END}"),
    (",", rf"['\"](?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1?)['\"]\)?,\s*(NUMBER){END}"),  # ("localhost", 3000)
    (",", rf"{TAKES}\(?(?:''|\"\"),\s*(NUMBER){END}"),  # HTTPServer(("", 8000))
    (",", rf"\(\s*(NUMBER),\s*['\"]{HOST}['\"]"),  # connect(5432, "localhost")
    (",", rf"(?:{OCTETS}|{CONSTANT}(?:\.into)?(?:\(\))?)\)*,\s*(NUMBER){END}"),  # ([127, 0, 0, 1], 3000)
    ("(", rf"\b(?:{CLIENTS})\(\s*(NUMBER){END}(?!,\s*['\"](?!{HOST}))"),  # createConnection(5432)
    (":", r"['\"]:(NUMBER)['\"/]"),  # ":3000"
    (":", rf"(?:{ASKER}\s|=\s?|\(|\s-\w*i(?:TCP|tcp)?):(NUMBER)(?=['\"\s)/,]|$)"),  # lsof -i :3000
    ("-", rf"{OPTION}['\"]?(?:{HOST}:)?(?:\d+-)?(NUMBER)(?:{END}|(?=-\d+:))"),  # --port 3000, -p 3000:3000
    ("-L", r"\s-L\s*(NUMBER):"),  # ssh -L 5432:db:5432
    ("", rf"{NAME}(?: u?int(?:16|32)?)?['\"\]]*\s*(?:=>|:=|=|:|\()\s*{PARSED}['\"]?(NUMBER){END}(?!:\d)"),  # PORT=3000
    (" = ", rf"^{DECLARED}{NAME}: ?[\w.<>\[\], |]+ = ['\"]?(NUMBER){END}"),  # PORT: int = 8000
    (",", rf"{SETTER}['\":]++(?!{OTHERS_PORT}){WORD}['\"]?,\s*['\"]?(NUMBER){END}"),  # set("port", 3000)
    ("", r"^\s*(?i:port|listen)\s+(NUMBER);?\s*(?:#.*)?$"),  # port 3000
    ("$", rf"^\s*\$(?!{OTHERS_PORT})\w*(?i:port)\s*=\s*['\"]?(NUMBER){END}"),  # $port = 3000;
    ("set", rf"\bset(?:env|x| -\w+)\s+{WORD}\s+['\"]?(NUMBER){END}"),  # set -x PORT 3000
    ("define", rf"^#\s*define\s+{WORD}\s+(NUMBER){END}"),  # #define PORT 3000
)
# Statements and observers bind numbers too.
BINDER = r"(?:(?<!ob)server?|sock(?:et)?|udp|tcp|bootstrap|listener|acceptor|httpd?|\bapp|\b[bs])\d?(?:\([^()]*\))?\."
BINDS = rf"(?i:{BINDER}|(?<![\w.>:]))bind\(\s*|\bbind\(\s*(?=\(?(?:['\"](?:{HOST}|[0*+]|::1?)?(?::\d|['\"])|[A-Z]\w+,))"
SERVED = rf"(?:{BINDS})|(?i:\b(?:{FUNCTIONS})\s*\(\s*|\b(?:{COMMANDS})\s+|(?<![\w-])tcp[46]?(?:-listen)?:)"
SERVED_AT = rf"\(?(?:['\"][^'\"]*['\"],\s*|[A-Z]\w+,\s*)?['\"]?(?:(?:{HOST}|[0*+])?:)?"
BINDING = (
    ("", rf"(?:{SERVED}){SERVED_AT}(NUMBER){END}"),  # listen(3000), bind("localhost", 3000), runserver 3000
    (
        "(",
        rf"\b(?:listen|serve|run|(?:new |start)\w*Server)\([^()]*\b(?i:port)['\"]?\s*[:=]\s*['\"]?(NUMBER){END}",
    ),  # run(port=80)
)
# In a compose file all but the left side of a mapping, and what a browser asks for, is inside a container.
LEFT = r"(?:^\s*-\s*|[\[,]\s*|['\"])['\"]?(?:[\d.]+:|\[::1?\]:)?"
PUBLISHING = (
    (":", rf"{LEFT}(NUMBER):(?:\$|\d+(?:/\w+)?(?=['\"\s,\]]|$))"),
    (":", rf"\bpublished['\"]?:\s*['\"]?(NUMBER){END}"),
    ("://", rf"://(?:[^/\s]*@)?{LOCAL}:(NUMBER){END}"),
)
RANGE = rf"(?:{LEFT}(?=[\d-]+:\d)|\bpublished['\"]?:\s*['\"]?)(\d{{1,5}})-(\d{{1,5}})\b"
INSIDE_KEYS = ("healthcheck", "command", "entrypoint", "test")

# Before a number that is used when nothing else is given, or beside the reading of the environment.
FALLBACK = (
    r"\|\||\?\?|\?=|\bor\b|unwrap_or|(?<![!=])[!=]=+ \S+ \? |^\s*[:?]\s|^\s+\w+: [\w\[\], .|]+ = |\bOption\(|\bhelp ?="
    r"|(?i:(?<!export de)(?<!axios\.de)fault(?!_url_)|fallback|getenv|\benv(?:[.(\[]|::|:\S)"
    r"|environ(?:ment)?[.(\[]|environ\b|EnvironmentVariable)"
    r"|\.(?:String|U?[Ii]nt\d*)(?:Var)?P?\([^)]*$"  # of a flag in Go
    r"|\b(?:def|function|constructor|fun|func|class)\b[^()]{0,200}\((?:[^()]|\([^()]*\))*$"  # of a parameter
)
ASSIGNED = r"^\s*(?:\w+[.:]+)*\$?(?:environ(?:ment)?|ENV|env)[.\[:]+['\"]?\w+['\"]?\]?\s*=(?![=>])|\benv::set_var\("
# After such a number, that of a parameter or of a name taken out of a record; and after one that a slot is added to.
FALLBACK_AFTER = (
    r"[^()]*\)\s*(?::[^=]*)?=>|[^{}]*\}\s*(?::\s*\w[\w<>]*\s*)?(?:=(?![=>])|\)\s*(?::[^=]*)?=>)"
    r"|\s*[+*-][^,;]*(?i:slot|offset)"
)
# Lines above that open a table of such, the parameters of a function, or a reading of the environment.
DEFAULTS = r"^(?>.*?(?<!export )(?i:(?:\b|_)defaults?\b|\b(?:def|fn|func|function) \w*default)).*[=:({\[]\s*$"
PARAMETERS = (
    r"(?:\b(?:def|function|constructor|fun)\b[^()]{0,200}|= (?:async )?|(?i:get_?env|\benv|environ\.get))\([^)]*$"
    r"|(?:\|\||\?\?|\bor)=?\s*$"
)
# A line that asks whether nothing is given: the one above, or the line itself, which has to ask for the port.
GIVEN = r"(?i:port|addr|url|host|uri)"
ASKS = r"^(?>.*?(?:\bif\b|\[|\btest\b))"
UNLESS = r"^(?>.*?\bunless\b)"
NONE = r"(?<!=)==+ ?(?:\"\"|''|nil|null|undefined|None|0\b)|\bis (?:None|null)"
LACKS = rf"\bnot \S*{GIVEN}|![\w.]*{GIVEN}|(?<=[\[t]) -z \S*{GIVEN}"
NOTHING_GIVEN = rf"{ASKS}.*(?:{NONE}|{LACKS}|[Ee]mpty)|{UNLESS}.*{GIVEN}"
NOT_GIVEN = rf"{ASKS}.*(?:{GIVEN}\S{{0,80}} (?:{NONE})|{LACKS})|{UNLESS}.*{GIVEN}"
# What a line only says, up to where its next command begins.
PRINT = r"@?(?:echo|printf?|puts|(?:console|fmt|tracing|log|logger|logging)(?:\.|::)\w+|\w+(?:ln|fo|ug|rn|or)?!)"
WORDS = r"(?:`[^`]*(?:`|$)|'[^']*(?:'|$)|\"(?:\\.|[^\"])*(?:\"|$)|(?!&&|;| \| )[^`'\"])*"
WRITES = r"(?i:listen\w{0,20}\(|serve\()|[^=>-]>>? ?['\"]?[\w./${}-]*\.\w"  # no mere words: echo PORT=3000 >.env
SAID = rf"^\s*{PRINT}[ (!](?!.*(?:{WRITES})){WORDS}"
SAYS = r"(?i:(?<![\w./:@=-])examples?(?![\w./@-])|placeholder|\be\.g\.|such as|navigate to)"
# A program whose -p is no port of this machine.
OTHERS = (
    r"parallel|user(?:add|mod)|mkdir|cp|install|touch|tar|ssh[\w-]*|scp|sftp|rsync|mosh|ps|top|pgrep|pkill|strace|gdb|perf|lsof|renice|ionice"
    r"|taskset|patch|xargs|unzip|read|git|go (?:test|build)|cargo|wget|grep|nmap|mysql\w*(?=[^|;&]{0,200} -p)"
)
OTHER_OPTION = rf"(?:(?:^|[\s|;&('\"`/])(?:{OTHERS})['\",]*\s[^|;&]*+$|\bcompose['\",\s]+-[pP]$)"
# What is carried out in a container, and a host that is not this machine.
EXECUTED = r"\b(?:docker|podman|kubectl|compose) (?:\S+ )?exec\b"
NO_HOST = rf"(?:\w+://)?{HOST}|::|['\"\s$({{\[]|$|(?i:true|false|null|none)\b"
OTHER_HOST = rf"(?:(?i:host(?:name)?s?)['\"]?\s*[:=]|\s-h)\s*['\"]?(?!{NO_HOST})[A-Za-z][\w.-]*|\s-h\s*['\"]?\$\{{?\w"

# What begins a comment; `#define`, the options of a command that goes on and `%dev.port` of Quarkus begin none.
COMMENT = r"\s*(?:#(?!\s*define\s)|//|\*|/\*|<!--|--(?![a-z])|;|\"\"\"|'{3}|%(?!(?!prod)\w+\.\w)|>>>)"
TRAILING_COMMENTS = (" #", "\t#", " //", "\t//", " /*")
BLOCKS = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->"}
