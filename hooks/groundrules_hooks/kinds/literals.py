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
LUA_UNCLOSED = rb"(?:--)?\[=*\["
RUST_UNCLOSED = UNCLOSED + rb'|[bc]?r#*"'
C_UNCLOSED = UNCLOSED + rb'|(?:u8|[uUL])?R"'
SWIFT_UNCLOSED = UNCLOSED + rb'|#+"'
PHP_UNCLOSED = UNCLOSED + rb"|<<<"
TERRAFORM_UNCLOSED = UNCLOSED + rb"|<<"
SQL_UNCLOSED = UNCLOSED + rb"|\$(?!\d)\w*\$"

OPERATORS = (
    rb">>>=|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|\.\.\.|\.\.=|\.\.<|<=>|=>|->|::|\+\+|--|&&|\|\||\?\?|\?\.(?!\d)"
    rb"|\?:|!!|==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\.\.|:="
)
# `char **argv` and `char* *argv` are one.
C_OPERATORS = rb"<<=|>>=|\.\.\.|<=>|->\*|->|::|\+\+|--|&&|\|\||==|!=|<=|>=|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|##"

CSHARP_STRINGS = (
    rb'\$?"""+.*?"""+|(?:\$@|@\$|@)"(?:[^"]|"")*"|\$"(?:[^"\\{\n]|\\.|\{\{|\{[^{}\n]*+\})*"|' + DOUBLE + b"|" + SINGLE
)
C_STRINGS = (
    rb'(?:u8|[uUL])?R"(?P<raw>[^ ()\\\t\n]{0,16})\(.*?\)(?P=raw)"|' + DOUBLE + b"|" + SINGLE + rb"|\d\w*(?:'\w+)+"
)
RUST_STRINGS = (
    rb'[bc]?r(?P<raw>#*)".*?"(?P=raw)|' + DOUBLE_LONG + rb"|'(?:[^'\\\n]|[\x80-\xff]{2,4}|\\[^\n]{1,10}?)'|'\w+(?!')"
)
KOTLIN_STRINGS = TRIPLE_RAW + rb'|"(?:[^"\\$\n]|\\.|\$\{[^{}]*+\}|\$(?!\{))*"|' + SINGLE + b"|" + BACKTICKS
SWIFT_STRINGS = (
    rb'(?P<raw>#+)".*?"(?P=raw)|'
    + TRIPLE
    + rb'|"(?:[^"\\\n]|\\\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*+\))*\))*\)|\\[^(])*"|'
    + BACKTICKS
)
PHP_STRINGS = (
    rb"\?>.*?(?:<\?(?:php\b|=)|\Z)|<<<[ \t]*(?P<quote>['\"]?)(?P<here>\w+)(?P=quote)\n(?:.*?\n)??[ \t]*(?P=here)\b|"
    + DOUBLE_LONG
    + b"|"
    + SINGLE_LONG
    + rb"|`[^`]*`"
)
SQL_STRINGS = (
    rb"[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^'\\]|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`"
    rb"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|#[^\w>-][^\n]*"
)
LUA_STRINGS = rb"\[(?P<level>=*)\[.*?\](?P=level)\]|" + DOUBLE + b"|" + SINGLE
TERRAFORM_STRINGS = HERE + rb'|"(?:[^"\\$%\n]|\\.|[$%](?!\{)|[$%]\{(?:[^{}"]|"[^"\n]*")*\})*"'
