"""Languages: what of a file's text is comment, string and line to its language, as data, by the name of the file."""

from __future__ import annotations

from groundrules_hooks.record import NamedTuple

# How a language's files are compared, beside the table below: by which module.
SYNTAX = "syntax"
VALUES = "values"
SCRIPT = "script"
TOKENS = "tokens"
LINES = "lines"
WORDS = "words"

SLASHES = rb"//[^\n]*"
HASH = rb"#[^\n]*"
BLOCK = rb"/\*.*?\*/"
NESTED = rb"/\*(?:[^*/]++|\*(?!/)|/(?!\*)|/\*(?:[^*/]++|\*(?!/)|/(?!\*))*+\*/)*+\*/"
DOUBLE = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
SINGLE = rb"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
DOUBLE_LONG = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
SINGLE_LONG = rb"'[^'\\]*+(?:\\.[^'\\]*+)*+'"
TRIPLE = rb'"""(?:[^"\\]++|\\.|"(?!""))*+"""+'
TRIPLE_RAW = rb'""".*?"""+'
BACKTICKS = rb"`[^`]*`"
HERE = rb"<<[-~]?(?P<here>[A-Za-z_]\w*)\n.*?\n[ \t]*(?P=here)(?![^\n])"

OPERATORS = (
    rb">>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|\.\.\.|\.\.=|\.\.<|<=>|=>|->|::|\+\+|--|&&|\|\||\?\?|\?\.(?!\d)"
    rb"|\?:|!!|==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\.\.|:="
)
# `char **argv` and `char* *argv` are one.
C_OPERATORS = rb"<<=|>>=|\.\.\.|<=>|->\*|->|::|\+\+|--|&&|\|\||==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|##"


class Lines(NamedTuple):
    """Where the end of a line ends a statement: after words and strings, and after the operators `ends`.

    Not after the words `joining`, nor before the tokens `continued`; nor in brackets when those hide it.
    """

    ends: frozenset[bytes]
    joining: frozenset[bytes] = frozenset()
    continued: frozenset[bytes] = frozenset()
    is_hidden_in_brackets: bool = True


class Language(NamedTuple):
    """One language: `comments`, `strings` and `operators` are regular expressions.

    A comma right before one of `closers` may be left out. `lines` is None where the end of a line is white space.
    `marks` begin a comment that lasts for the line, `imports` are the words that begin a statement whose place is free.
    """

    reader: str
    marks: tuple[bytes, ...] = ()
    comments: bytes = b""
    strings: bytes = b""
    operators: bytes = OPERATORS
    closers: bytes = b""
    lines: Lines | None = None
    imports: tuple[bytes, ...] = ()
    traits: frozenset[str] = frozenset()


def _tokens(strings: bytes, closers: bytes = b"", *imports: bytes, traits: str = "") -> Language:
    return Language(
        TOKENS, (b"//",), BLOCK + b"|" + SLASHES, strings, closers=closers, imports=imports, traits=_set(traits)
    )


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _words(words: str) -> frozenset[bytes]:
    return frozenset(words.encode().split())


GO_JOINING = _words(
    "case chan const default defer else for func go goto if import interface map package range select struct switch"
    " type var"
)
KOTLIN = Lines(_words("++ -- !! ) ] } > ? *"), _words("else return"), _words(". ?. ?: && || , -> = as else : { )  ]"))
SWIFT = Lines(_words("++ -- ! ? ) ] } >"), _words("else"), _words(". ?. && || ?? , : = -> else { ) ]"))
TERRAFORM = Lines(_words(") ] } *"))
GO = Lines(_words("++ -- ) ] }"), GO_JOINING, is_hidden_in_brackets=False)

CSHARP_STRINGS = (
    rb'\$?"""+.*?"""+|(?:\$@|@\$|@)"(?:[^"]|"")*+"|\$"(?:[^"\\{\n]|\\.|\{\{|\{[^{}\n]*+\})*+"|' + DOUBLE + b"|" + SINGLE
)
C_STRINGS = rb'R"(?P<raw>[^ ()\\\t\n]{0,16})\(.*?\)(?P=raw)"|' + DOUBLE + b"|" + SINGLE + rb"|\d\w*(?:'\w+)+"
RUST_STRINGS = (
    rb'b?r(?P<raw>#*)".*?"(?P=raw)|' + DOUBLE_LONG + rb"|'(?:[^'\\\n]|[\x80-\xff]{2,4}|\\[^\n]{1,10}?)'|'\w+(?!')"
)
KOTLIN_STRINGS = TRIPLE_RAW + rb'|"(?:[^"\\$\n]|\\.|\$\{[^{}]*+\}|\$(?!\{))*+"|' + SINGLE + b"|" + BACKTICKS
SWIFT_STRINGS = (
    rb'(?P<raw>#+)".*?"(?P=raw)|' + TRIPLE + rb'|"(?:[^"\\\n]|\\\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*+\))*+\))*+\)|\\[^(])*+"|' + BACKTICKS
)
PHP_STRINGS = (
    rb"\?>.*?(?:<\?(?:php\b|=)|\Z)|<<<[ \t]*(?P<quote>['\"]?)(?P<here>\w+)(?P=quote)\n.*?\n[ \t]*(?P=here)\b|"
    + DOUBLE_LONG
    + b"|"
    + SINGLE_LONG
    + rb"|`[^`]*`"
)
SQL_STRINGS = rb"[eE]'(?:[^'\\]|''|\\.)*+'|'(?:[^'\\]|'')*+'|\"[^\"]*\"|`[^`]*`|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
LUA_STRINGS = rb"\[(?P<level>=*)\[.*?\](?P=level)\]|" + DOUBLE + b"|" + SINGLE
TERRAFORM_STRINGS = HERE + rb'|"(?:[^"\\$%\n]|\\.|[$%](?!\{)|[$%]\{(?:[^{}"]|"[^"\n]*")*+\})*+"'

C = Language(
    TOKENS,
    (b"//",),
    BLOCK + b"|" + SLASHES,
    C_STRINGS,
    C_OPERATORS,
    b"}",
    imports=(b"using", b"import"),
    traits=_set("directives"),
)
CSS = Language(
    TOKENS,
    comments=BLOCK,
    strings=DOUBLE + b"|" + SINGLE + rb"|url\([^'\"()\n]*\)|[#@]\{[^{}]*\}|\.\d\w*",
    operators=rb"[~|^$*]=|::",
    traits=_set("style quotes"),
)
SCSS = CSS._replace(marks=(b"//",), comments=BLOCK + b"|" + SLASHES)
SCRIPT_LANGUAGE = Language(SCRIPT, (b"//",), imports=(b"import",))
JSX = SCRIPT_LANGUAGE._replace(traits=_set("elements"))
SHELL = Language(LINES, (b"#",))
MARKUP = Language(WORDS, (b"//",), traits=_set("markup"))
TEXT = Language(WORDS, (b"#", b";"))

BY_SUFFIX = {
    **dict.fromkeys(("py", "pyi", "pyw"), Language(SYNTAX, (b"#",), imports=(b"import", b"from"))),
    **dict.fromkeys(("json", "webmanifest", "geojson", "topojson", "ipynb", "jsonld", "har"), Language(VALUES)),
    **dict.fromkeys(("jsonc", "json5", "code-workspace"), _tokens(DOUBLE + b"|" + SINGLE, b"]}")),
    "toml": Language(VALUES, (b"#",)),
    **dict.fromkeys(("ts", "mts", "cts"), SCRIPT_LANGUAGE),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "tsx"), JSX),
    "go": Language(
        TOKENS,
        (b"//",),
        BLOCK + b"|" + SLASHES,
        BACKTICKS + b"|" + DOUBLE + b"|" + SINGLE,
        OPERATORS + rb"|<-|&\^=|&\^",
        b")]}",
        GO,
        (b"import",),
        _set("unordered"),
    ),
    "rs": Language(
        TOKENS,
        (b"//",),
        NESTED + b"|" + SLASHES,
        RUST_STRINGS,
        closers=b")]}>",
        imports=(b"use", b"mod", b"extern"),
        traits=_set("tuples arms unordered"),
    ),
    "java": _tokens(TRIPLE + b"|" + DOUBLE + b"|" + SINGLE, b"}", b"import", traits="unordered"),
    "cs": _tokens(CSHARP_STRINGS, b"}", b"using", traits="directives unordered"),
    **dict.fromkeys(("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl", "cu", "cuh", "m", "mm"), C),
    "dart": _tokens(rb"r?'''.*?'''|r?" + TRIPLE_RAW + rb"|r?" + DOUBLE + b"|r?" + SINGLE, b")]}", b"import")._replace(
        comments=NESTED + b"|" + SLASHES, traits=_set("tuples quotes unordered")
    ),
    **dict.fromkeys(
        ("kt", "kts"),
        Language(
            TOKENS, (b"//",), NESTED + b"|" + SLASHES, KOTLIN_STRINGS, closers=b")]}", lines=KOTLIN, imports=(b"import",),
            traits=_set("unordered"),
        ),
    ),
    "swift": Language(
        TOKENS,
        (b"//",),
        NESTED + b"|" + SLASHES,
        SWIFT_STRINGS,
        rb"\.[-+*/%<>=!&|^~?.]*|[-+*/%<>=!&|^~?]+",
        b"]",
        SWIFT,
        (b"import",),
        _set("sided unordered"),
    ),
    "php": Language(
        TOKENS,
        (b"//", b"#"),
        BLOCK + rb"|(?://|#(?!\[))(?:(?!\?>)[^\n])*",
        PHP_STRINGS,
        OPERATORS + rb"|\\",
        closers=b")]",
        imports=(b"use",),
        traits=_set("template unordered"),
    ),
    "css": CSS,
    "scss": SCSS,
    "less": SCSS,
    "sql": Language(TOKENS, (b"--",), BLOCK + rb"|--[^\n]*", SQL_STRINGS, traits=_set("folds")),
    **dict.fromkeys(
        ("graphql", "gql"),
        Language(TOKENS, (b"#",), HASH, TRIPLE_RAW + b"|" + DOUBLE, traits=_set("no-commas")),
    ),
    "proto": _tokens(DOUBLE + b"|" + SINGLE, b"", b"import", traits="quotes"),
    "lua": Language(TOKENS, (b"--",), rb"--\[(?P<rank>=*)\[.*?\](?P=rank)\]|--[^\n]*", LUA_STRINGS, closers=b"}", traits=_set("quotes")),
    **dict.fromkeys(
        ("tf", "tfvars", "hcl"),
        Language(TOKENS, (b"#", b"//"), BLOCK + b"|" + SLASHES + b"|" + HASH, TERRAFORM_STRINGS, closers=b"]", lines=TERRAFORM),
    ),
    **dict.fromkeys(("sh", "bash", "zsh", "rb", "rake", "gemspec"), SHELL),
    **dict.fromkeys(("yaml", "yml"), Language(LINES, (b"#",), traits=_set("blocks"))),
    **dict.fromkeys(("mk", "dockerfile", "cmake", "nix", "pl", "pm", "r", "ex", "exs", "properties", "cfg", "ini"), TEXT),
    **dict.fromkeys(("html", "htm", "xml", "svg", "vue", "svelte", "xhtml", "xaml", "csproj", "props", "targets"), MARKUP),
}
BY_NAME = {
    **dict.fromkeys(("Makefile", "GNUmakefile", "makefile", "Dockerfile", "Containerfile", "CMakeLists.txt"), TEXT),
    **dict.fromkeys(("Gemfile", "Rakefile", "Vagrantfile", "Podfile"), SHELL),
    **dict.fromkeys((".babelrc", ".swcrc", "composer.lock"), Language(VALUES)),
    **dict.fromkeys(("uv.lock", "poetry.lock", "Cargo.lock", "Pipfile"), BY_SUFFIX["toml"]),
}


def language(path: str) -> Language | None:
    """Return the language of the file at `path`; None when nothing is known of it."""
    name = path.rpartition("/")[2]
    return BY_NAME.get(name) or BY_SUFFIX.get(name.rpartition(".")[2].lower() if "." in name else "")
