"""Literals: the regular expressions of comments, strings and operators, by language."""

from __future__ import annotations

SLASHES = rb"//[^\n]*"
# A backslash at the end of the line takes the next one into the comment. Compilers differ where blanks follow it, so
# that such a comment is none, and its file is not read.
SPLICED = rb"//(?:[^\n\\]++|\\\n|\\(?![ \t\r\f\v]*\n))*"
HASH = rb"#[^\n]*"
BLOCK = rb"/\*.*?\*/"
NESTED = rb"/\*(?:[^*/]++|\*(?!/)|/(?!\*)|/\*(?:[^*/]++|\*(?!/)|/(?!\*))*\*/)*\*/"
DOUBLE = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"'
SINGLE = rb"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*'"
DOUBLE_LONG = rb'"[^"\\]*+(?:\\.[^"\\]*+)*"'
SINGLE_LONG = rb"'[^'\\]*+(?:\\.[^'\\]*+)*'"
TRIPLE = rb'"""(?:[^"\\]++|\\.|"(?!""))*"""+'
TRIPLE_RAW = rb'""".*?"""+'
BACKTICKS = rb"`[^`]*`"
HERE = rb"<<[-~]?(?P<here>[A-Za-z_]\w*)\n(?:.*?\n)??[ \t]*(?P=here)(?![^\n])"
# What opens a comment or a string that has to end: where it does not, nothing that follows is certain.
UNCLOSED = rb"/\*"
KOTLIN_UNCLOSED = UNCLOSED + rb'|"""'
STYLE_UNCLOSED = UNCLOSED + rb"|[uU][rR][lL]\([^'\"()\n]*//"
LUA_UNCLOSED = rb"(?:--)?\[=*\["
RUST_UNCLOSED = UNCLOSED + rb'|[bc]?r#*"'
# With the other spellings of # and brackets.
C_UNCLOSED = UNCLOSED + rb'|(?:u8|[uUL])?R"|%:|<%|%>|<:(?!:)|:>'
SWIFT_UNCLOSED = UNCLOSED + rb'|(?<!#)#+["/]|"""'
PHP_UNCLOSED = UNCLOSED + rb"|<<<"
TERRAFORM_UNCLOSED = UNCLOSED + rb"|<<"
SQL_UNCLOSED = UNCLOSED + rb"|\$(?!\d)\w*\$"

OPERATORS = (
    rb">>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|\.\.\.|\.\.=|\.\.<|<=>|=>|->|::|\+\+|--|&&|\|\||\?\?|\?\.(?!\d)"
    rb"|\?:|!!|==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\.\.|:="
)
# `char **argv` and `char* *argv` are one.
C_OPERATORS = (
    rb"<<<|>>>|<<=|>>=|\.\.\.|\.\*|<=>|->\*|->|::|\+\+|--|&&|\|\||==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|##"
)

# What stands in a string as code, with plain strings in it. Where more is nested there, the file is not read.
IN_HOLE = rb"(?:[^{}\"'\n]|\"[^\"\\{}\n]*+\"|'[^'\\{}\n]*+')*\}"
CSHARP_STRINGS = (
    rb'\$*(?P<fence>"{3,})(?!").*?(?P=fence)"*|@"(?:[^"]|"")*"(?!")|(?:\$@|@\$)"(?:[^"{}]|""|\{\{|\}\}|\{[^{}"]*+\})*"(?!")'
    rb'|\$"(?:[^"\\{\n]|\\.|\{\{|\{' + IN_HOLE + rb')*"|(?!""")' + DOUBLE + b"|" + SINGLE
)
CSHARP_UNCLOSED = UNCLOSED + rb'|"""|\$+@?"|@\$"'
C_STRINGS = (
    rb'(?:u8|[uUL])?R"(?P<raw>[^ ()\\\t\n]{0,16})\(.*?\)(?P=raw)"|' + DOUBLE + b"|" + SINGLE + rb"|\d\w*(?:'\w+)+"
)
RUST_STRINGS = (
    rb'[bc]?r(?P<raw>#*)".*?"(?P=raw)|r#[A-Za-z_]\w*|'
    + DOUBLE_LONG
    + rb"|'(?:[^'\\\n]|[\x80-\xff]{2,4}|\\[^\n]{1,10}?)'|'\w+(?!')"
)
KOTLIN_HOLE = rb"\$(?!\{)|\$\{" + IN_HOLE
KOTLIN_STRINGS = (
    rb'"""(?:[^"$]|"(?!"")|'
    + KOTLIN_HOLE
    + rb')*"""+|"(?!"")(?:[^"\\$\n]|\\.|'
    + KOTLIN_HOLE
    + rb')*"|'
    + SINGLE
    + b"|"
    + BACKTICKS
)
DART_STRINGS = rb"r'''.*?'''|r\"\"\".*?\"\"\"|r'[^'\n]*'|r\"[^\"\n]*\"" + b"".join(
    rb"|Q(?!QQ)(?:[^Q\\$\n]|\\.|HOLE)*Q|QQQ(?:[^Q\\$]|\\.|Q(?!QQ)|HOLE)*QQQ".replace(b"HOLE", KOTLIN_HOLE).replace(
        b"Q", each
    )
    for each in (b"'", b'"')
)
SWIFT_PLAIN = rb'[^()"\n]|"[^"\\()\n]*+"'
SWIFT_HOLE = rb"\\\((?:" + SWIFT_PLAIN + rb"|\((?:" + SWIFT_PLAIN + rb"|\((?:" + SWIFT_PLAIN + rb")*\))*\))*\)|\\[^(]"
SWIFT_STRINGS = (
    rb'(?P<raw>(?<!#)#++)".*?"(?P=raw)|"""(?:[^"\\]|"(?!"")|'
    + SWIFT_HOLE
    + rb')*"""+|"(?!"")(?:[^"\\\n]|'
    + SWIFT_HOLE
    + rb')*"|'
    + BACKTICKS
)
PHP_HOLE = rb'(?:[^{}"]|"[^"\\{}$]*+")*\}'
# A name with its namespaces is one token: `return\a` is none with `return`.
PHP_STRINGS = (
    rb"\?>.*?(?:<\?(?:php\b|=)|\Z)|<<<[ \t]*(?P<quote>['\"]?)(?P<here>\w+)(?P=quote)\n(?:.*?\n)??[ \t]*(?P=here)\b|"
    rb'"(?:[^"\\{$]|\\.|\{(?!\$)|\$(?!\{)|\{\$'
    + PHP_HOLE
    + rb"|\$\{"
    + PHP_HOLE
    + b')*"|'
    + SINGLE_LONG
    + rb"|`[^`]*`|(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*+)?(?:\\[A-Za-z_\x80-\xff][\w\x80-\xff]*+)+"
)
GRAPHQL_STRINGS = rb'"""(?:[^"\\]|\\"""|\\(?!""")|"(?!""))*"""|(?!""")' + DOUBLE
STYLE_STRINGS = (
    b"".join(rb"Q(?:[^Q\\\n#]|\\.|#(?!\{)|#\{[^{}\"']*+\})*Q|".replace(b"Q", each) for each in (b"'", b'"'))
    + rb"[uU][rR][lL]\([^'\"()\n]*\)|[#@]\{[^{}]*\}|\.\d\w*"
)
SQL_STRINGS = (
    rb"[eE]'(?:[^'\\]|''|\\.)*'|(?:[uU]&)?(?:'(?:[^'\\]|'')*'|\"(?:[^\"\\]|\"\")*\")|`(?:[^`]|``)*`"
    rb"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|#[^\w>-][^\n]*"
)
LUA_STRINGS = rb"\[(?P<level>=*)\[.*?\](?P=level)\]|" + DOUBLE + b"|" + SINGLE
# A name may have a - in it.
TERRAFORM_STRINGS = HERE + rb'|[A-Za-z_]\w*-[\w-]*|"(?:[^"\\$%\n]|\\.|[$%](?!\{)|[$%]\{(?:[^{}"]|"[^"\n]*")*\})*"'
