"""Languages: what of a file's text is comment, string and line to its language, as data, by the name of the file."""

from __future__ import annotations

from groundrules_hooks.kinds.endings import GO, KOTLIN, SWIFT, TERRAFORM
from groundrules_hooks.kinds.literals import (
    BACKTICKS,
    BLOCK,
    C_OPERATORS,
    C_STRINGS,
    C_UNCLOSED,
    CSHARP_STRINGS,
    CSHARP_UNCLOSED,
    DART_STRINGS,
    DOUBLE,
    GRAPHQL_STRINGS,
    HASH,
    KOTLIN_STRINGS,
    KOTLIN_UNCLOSED,
    LUA_STRINGS,
    LUA_UNCLOSED,
    NESTED,
    OPERATORS,
    PHP_STRINGS,
    PHP_UNCLOSED,
    RUST_STRINGS,
    RUST_UNCLOSED,
    SINGLE,
    SLASHES,
    SPLICED,
    SQL_STRINGS,
    SQL_UNCLOSED,
    STYLE_STRINGS,
    STYLE_UNCLOSED,
    SWIFT_STRINGS,
    SWIFT_UNCLOSED,
    TERRAFORM_STRINGS,
    TERRAFORM_UNCLOSED,
    TRIPLE,
    UNCLOSED,
)
from groundrules_hooks.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.endings import Lines

# How a language's files are compared, beside the table below: by which module.
SYNTAX = "syntax"
VALUES = "values"
SCRIPT = "script"
TOKENS = "tokens"
LINES = "lines"
WORDS = "words"


# Traits: what only some languages have.
#   unordered: the order of imports says nothing     tuples: `(a,)` is not `(a)`      arms: as in Rust's `match`
#   quotes: 'a' and "a" are one                       directives: lines of a preprocessor
#   sided: `a -b` is not `a - b`                       template: code stands in a text, as in PHP
#   style: a blank joins selectors, or parts them     no-commas: commas are blanks    folds: case says nothing
#   documented: documentation is an attribute          placed: an empty line parts a comment from what it is about
#   prefixed: a word right before a string says what it is, right after it too
#   braced: "${a}" is "$a"    elements: JSX    blocks: texts that are told by their indentation    ruby, markup: those


class Language(NamedTuple):
    """One language: `comments`, `strings` and `operators` are regular expressions.

    `unclosed` begins one of those that does not end. A comma right before one of `closers` may be left out. `lines`
    is None where the end of a line is white space. `marks` begin a comment that lasts for the line, `imports` are the
    words that begin a statement whose place is free.
    """

    reader: str
    marks: tuple[bytes, ...] = ()
    comments: bytes = b""
    strings: bytes = b""
    operators: bytes = OPERATORS
    closers: bytes = b""
    unclosed: bytes = UNCLOSED
    lines: Lines | None = None
    imports: tuple[bytes, ...] = ()
    traits: frozenset[str] = frozenset()


def _tokens(strings: bytes, closers: bytes = b"", *imports: bytes, traits: str = "") -> Language:
    return Language(
        TOKENS, (b"//",), BLOCK + b"|" + SLASHES, strings, closers=closers, imports=imports, traits=_set(traits)
    )


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _named(names: str, each: Language) -> dict[str, Language]:
    return dict.fromkeys(names.split(), each)


C = Language(
    TOKENS,
    (b"//",),
    BLOCK + b"|" + SPLICED,
    C_STRINGS,
    C_OPERATORS,
    b"}",
    C_UNCLOSED,
    imports=(b"using", b"import"),
    traits=_set("directives prefixed"),
)
CSS = Language(
    TOKENS,
    comments=BLOCK,
    strings=STYLE_STRINGS,
    operators=rb"[~|^$*]=|::",
    unclosed=STYLE_UNCLOSED,
    traits=_set("style quotes folds"),
)
SCSS = CSS._replace(marks=(b"//",), comments=BLOCK + b"|" + SLASHES)
SCRIPT_LANGUAGE = Language(SCRIPT, (b"//",), imports=(b"import",))
JSX = SCRIPT_LANGUAGE._replace(traits=_set("elements"))
SHELL = Language(LINES, (b"#",))
RUBY = SHELL._replace(traits=_set("ruby"))
MARKUP = Language(WORDS, (b"//",), traits=_set("markup"))
TEXT = Language(WORDS, (b"#", b";"))

BY_SUFFIX = {
    **_named("py pyi pyw", Language(SYNTAX, (b"#",), imports=(b"import", b"from"))),
    **_named("json webmanifest geojson topojson ipynb jsonld har", Language(VALUES)),
    **_named("jsonc json5 code-workspace", _tokens(DOUBLE + b"|" + SINGLE, b"]}")),
    "toml": Language(VALUES, (b"#",)),
    **_named("ts mts cts", SCRIPT_LANGUAGE),
    **_named("js mjs cjs jsx tsx", JSX),
    "go": Language(
        TOKENS,
        (b"//",),
        BLOCK + b"|" + SLASHES,
        BACKTICKS + b"|" + DOUBLE + b"|" + SINGLE,
        OPERATORS + rb"|<-|&\^=|&\^",
        b")]}",
        UNCLOSED,
        GO,
        (b"import",),
        _set("unordered placed"),
    ),
    "rs": Language(
        TOKENS,
        (b"//",),
        NESTED + b"|" + SLASHES,
        RUST_STRINGS,
        unclosed=RUST_UNCLOSED,
        closers=b")]}>",
        imports=(b"use", b"mod", b"extern"),
        traits=_set("tuples arms unordered documented prefixed"),
    ),
    "java": _tokens(TRIPLE + b"|" + DOUBLE + b"|" + SINGLE, b"}", b"import", traits="unordered"),
    "cs": _tokens(CSHARP_STRINGS, b"}", b"using", traits="directives unordered")._replace(unclosed=CSHARP_UNCLOSED),
    **_named("c h cc cpp cxx hh hpp hxx ipp inl cu cuh m mm", C),
    "dart": _tokens(DART_STRINGS, b")]}", b"import")._replace(
        comments=NESTED + b"|" + SLASHES, traits=_set("tuples quotes unordered")
    ),
    **_named(
        "kt kts",
        Language(
            TOKENS,
            (b"//",),
            NESTED + b"|" + SLASHES,
            KOTLIN_STRINGS,
            closers=b")]}",
            unclosed=KOTLIN_UNCLOSED,
            lines=KOTLIN,
            imports=(b"import",),
            traits=_set("unordered braced"),
        ),
    ),
    "swift": Language(
        TOKENS,
        (b"//",),
        NESTED + b"|" + SLASHES,
        SWIFT_STRINGS,
        rb"\.[-+*/%<>=!&|^~?.]*|[-+*/%<>=!&|^~?]+",
        b"]",
        SWIFT_UNCLOSED,
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
        unclosed=PHP_UNCLOSED,
        closers=b")]",
        imports=(b"use",),
        traits=_set("template unordered"),
    ),
    "css": CSS,
    "scss": SCSS,
    "less": SCSS,
    "sql": Language(
        TOKENS, (b"--",), BLOCK + rb"|--[^\n]*", SQL_STRINGS, unclosed=SQL_UNCLOSED, traits=_set("folds prefixed")
    ),
    **_named(
        "graphql gql",
        Language(TOKENS, (b"#",), HASH, GRAPHQL_STRINGS, traits=_set("no-commas")),
    ),
    "proto": _tokens(DOUBLE + b"|" + SINGLE, b"", b"import", traits="quotes"),
    "lua": Language(
        TOKENS,
        (b"--",),
        rb"--\[(?P<rank>=*)\[.*?\](?P=rank)\]|--(?!\[=*\[)[^\n]*",
        LUA_STRINGS,
        unclosed=LUA_UNCLOSED,
        closers=b"}",
        traits=_set("quotes"),
    ),
    **_named(
        "tf tfvars hcl",
        Language(
            TOKENS,
            (b"#", b"//"),
            BLOCK + b"|" + SLASHES + b"|" + HASH,
            TERRAFORM_STRINGS,
            unclosed=TERRAFORM_UNCLOSED,
            closers=b"]",
            lines=TERRAFORM,
        ),
    ),
    **_named("sh bash zsh", SHELL),
    **_named("rb rake gemspec", RUBY),
    **_named("yaml yml", Language(LINES, (b"#",), traits=_set("blocks"))),
    **_named("mk dockerfile cmake nix pl pm r ex exs properties cfg ini", TEXT),
    **_named("html htm xml svg vue svelte xhtml xaml csproj props targets", MARKUP),
}
BY_NAME = {
    **_named("Makefile GNUmakefile makefile Dockerfile Containerfile CMakeLists.txt", TEXT),
    **_named("Gemfile Rakefile Vagrantfile Podfile", RUBY),
    **_named(".babelrc .swcrc composer.lock deno.lock flake.lock Package.resolved Pipfile.lock", Language(VALUES)),
    **_named("uv.lock poetry.lock pdm.lock Cargo.lock Pipfile", BY_SUFFIX["toml"]),
}


def language(path: str) -> Language | None:
    """Return the language of the file at `path`; None when nothing is known of it."""
    name = path.rpartition("/")[2]
    return BY_NAME.get(name) or BY_SUFFIX.get(name.rpartition(".")[2].lower() if "." in name else "")
