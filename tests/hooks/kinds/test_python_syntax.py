"""Python: sources of the same meaning are told from others by their trees, comments that tools obey by their place."""

from __future__ import annotations

import pytest

from groundrules_hooks.kinds import python_syntax
from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, UNKNOWN

ABOVE = "'''A text.'''\n\nimport os\n\n\n@d\ndef f():\n    return '''a\nx  =  1\n'''\n\n\nf(); f()\n\n"
BELOW = "\nclass A:  # a\n    if f():\n        pass\n\n\n@d(\n    1\n)\nclass B: ...\n"


def judged(before: str, after: str) -> str:
    """Return the verdict on two sources: the same the other way round, and with others around them."""
    verdict = compare("a.py", before.encode(), after.encode())
    assert compare("a.py", after.encode(), before.encode()) == verdict
    around = [(ABOVE, ""), ("", BELOW), (ABOVE, BELOW)] if "coding" not in before + after else []
    for above, below in around:
        assert compare("a.py", *(f"{above}{text}{below}".encode() for text in (before, after))) == verdict
    return verdict


# HYG-08
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, b)\n", "f(\n    a,\n    b,\n)\n"),
        ("x = 'a'\n", 'x = "a"\n'),
        ("x = 'say \"a\"'\n", 'x = "say \\"a\\""\n'),
        ("x = u'a'\n", 'x = "a"\n'),
        ("x = ('a' 'b')\n", 'x = "ab"\n'),
        ("x = (1)\n", "x = 1\n"),
        ("x = 0XFF\n", "x = 0xff\n"),
        ("x = a\\\n    + b\n", "x = (\n    a\n    + b\n)\n"),
        ("if a :\n  b( )\n", "if a:\n    b()\n"),
        ("a; b\n", "a\nb\n"),
        ("class A(): pass\n", "class A:\n    pass\n"),
        ("#a\nx = 1\n", "# a\nx = 1\n"),
        ("x = 1 # a\n", "x = 1  # a\n"),
        ("x = 1  # a\n", "# a\nx = 1\n"),
        ("with (a) as b: c\n", "with a as b:\n    c\n"),
        ("for (a) in (1, 2): b\n", "for a in 1, 2:\n    b\n"),
        ("def f():\n  '''A.\n\n  B.'''\n", 'def f():\n    """A.\n\n    B."""\n'),
        ("def f():\n    ''' A.  \n    '''\n", "def f():\n    '''A.'''\n"),
        ("x = 1\n\x0c\ny = 2\n", "x = 1\ny = 2\n"),
        ("x = '\\d'\n", 'x = "\\d"\n'),
        ("f(x) # noqa\n", "f(\n    x,\n)  # noqa\n"),
        ("async def f():\n await a\n", "async def f():\n    await a\n"),
        ("x = f'{a}'\n", 'x = f"{a}"\n'),
        ("del (a), (b, c)\n", "del a, b, c\n"),
        ("lambda:(yield)\n", "lambda: (yield)\n"),
        ("# coding: latin-1\nx='\xe4'\n", '# coding: latin-1\nx = "\xe4"\n'),
        ("# coding: latin-1\na\nx='\xe4'\n", '# coding: latin-1\na\nx = "\xe4"\n'),
        ("a\rb\rc\rd\rx = (1)\ne\n", "a\rb\rc\rd\rx = 1\ne\n"),
    ],
)
def test_a_reformat_is_formatting(before: str, after: str) -> None:
    assert judged(before, after) == FORMATTING


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = 1.0\n"),
        ("x = 1\n", "x = True\n"),
        ("x = 0\n", "x = 0.0\n"),
        ("x = 'a'\n", "x = b'a'\n"),
        ("x = 'a b'\n", "x = 'a  b'\n"),
        ("x = 'ab'\n", "x = 'a' 'b', \n"),
        ("x = a\n", "x = a,\n"),
        ("x = '''a\n  b'''\n", "x = '''a\n b'''\n"),
        ("x = f'{a}'\n", "x = '{a}'\n"),
        ("x = f'{a=}'\n", "x = f'{a =}'\n"),
        ("x = f'{a!r}'\n", "x = f'{a!s}'\n"),
        ("a - (b - c)\n", "a - b - c\n"),
        ("a - b\n", "b - a\n"),
        ("a < b\n", "a > b\n"),
        ("if a:\n    b\n    c\n", "if a:\n    b\nc\n"),
        ("if a:\n    b\nelse:\n    c\n", "if a:\n    c\nelse:\n    b\n"),
        ("for a in b:\n    c\nelse:\n    d\n", "for a in b:\n    c\nd\n"),
        ("def f(a, b): g\n", "def f(b, a): g\n"),
        ("def f(a, *, b): g\n", "def f(a, b): g\n"),
        ("x[a, b]\n", "x[(a, b), ]\n"),
        ("return_(a)\n", "return_\n(a)\n"),
        ("del a, b\n", "del a\n"),
        ("a: int\n", "a: str\n"),
        ("x = 1\n", "import a\nx = 2\n"),
        ("@a\n@b\ndef f(): g\n", "@b\n@a\ndef f(): g\n"),
        ("x = 1  # a\n", "x = 2  # b\n"),
        ("def f():\n    'a'\n    g\n", "def f():\n    'b'\n    h\n"),
        ("x = 1\nprint(x)\n", "print(x)\nx = 1\n"),
        ("not a in b\n", "not (a) in c\n"),
    ],
)
def test_a_change_of_meaning_is_functional(before: str, after: str) -> None:
    assert judged(before, after) == FUNCTIONAL


# HYG-09
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = 1  # a\n"),
        ("# a\nx = 1\n", "# b\nx=1\n"),
        ("def f():\n    '''A.'''\n    g\n", "def f():\n    '''B.'''\n    g\n"),
        ("def f():\n    g\n", "def f():\n    '''B.'''\n    g\n"),
        ("a = 1\n'''On a.'''\n", "a = 1\n'''About a.'''\n"),
        ("def f():\n    '''A  b.'''\n", "def f():\n    '''A b.'''\n"),
        ("def g():\n    'f'\n    b()\n", "def g():\n    b()\n    'f'\n"),
        ("'''A.'''\n", "'''B.'''\n# c\n"),
        ("x = '#a'\n", "x = '#a'  # b\n"),
        ("x = '''\n#a'''\n", "x = '''\n#a'''  # b\n"),
    ],
)
def test_comments_are_neither(before: str, after: str) -> None:
    assert judged(before, after) == COMMENTS


# HYG-09
@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa: E501",
        "# type: ignore[attr]",
        "# pragma: no cover",
        "# pylint: disable=all",
        "# fmt: off",
        "# nosec",
        "# mypy: strict",
        "# ruff: noqa",
        "# isort: skip",
        "# -*- coding: utf-8 -*-",
        "#!/usr/bin/python3",
        "# pyright: basic",
    ],
)
def test_comments_that_tools_obey_are_more_than_comments(comment: str) -> None:
    assert judged("x = 1\n", f"{comment}\nx = 1\n") == UNKNOWN
    assert judged(f"x = 1  {comment}\ny = 2\n", f"x = 1\ny = 2  {comment}\n") == UNKNOWN
    assert judged(f"x = 1 {comment}\ny = 2\n", f"x = (1)  {comment}\ny = 2\n") == FORMATTING


# HYG-10
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import b\nimport a\n", "import a\nimport b\n"),
        ("from a import c, b\nx = 1\n", "from a import b, c\nx = 1\n"),
        ("import a\nimport b\nx = 1\n", "import a\nx = 1\n"),
        ("from a import b\nfrom a import c\n", "from a import (\n    b,\n    c,\n)\n"),
        ("def f():\n    import a\n    return 1\n", "import a\n\n\ndef f():\n    return 1\n"),
        ("def f():\n    '''A.'''\n    pass\n", "def f():\n    '''A.'''\n"),
        ("from a import (\n    b,\n    c,\n)\n", "from a import (\n    b,\n    d,\n    c,\n)\n"),
    ],
)
def test_imports_alone_are_not_certain(before: str, after: str) -> None:
    assert judged(before, after) == UNKNOWN


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print 'a'\n", "print  'a'\n"),
        ("x = (\n", "x = ( \n"),
        ("if a:\n\tb\n        c\n", "if a:\n    b\n    c\n"),
        ("x = 1\n", "x = \x011\n"),
    ],
)
def test_what_this_python_cannot_read_is_unknown(before: str, after: str) -> None:
    assert judged(before, after) == UNKNOWN


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nif a:\n    b\nc\nd\n", "a\nif a:\n    b\nelse:\n    c\nd\n"),
        ("a\nb\n@c\ndef f(): d\n", "a\nb\n@c\n@e\ndef f(): d\n"),
        ("a\nb\n@c\ndef f(): d\ne\n", "a\nb\n@c\nclass f: d\ne\n"),
        ("a\nb\nc\nd\n", "a\nb = \\\nc\nd\n"),
        ("a\nb; c\nd\n", "a\nb; c; c\nd\n"),
        ("a\nx = '''\nb\nc  =  1\nd\n'''\ne\n", "a\nx = '''\nb\nc = 1\nd\n'''\ne\n"),
        ("a\nb\n\nc\nd\n", "a\nb\n\nb\n\nc\nd\n"),
        ("a\n@(\nb\n)\ndef f(): c\nd\n", "a\n@(\nb\n)\ndef f(): d\nd\n"),
        ("# coding: utf-8\nx = 1\ny = '\xe4'\nz\n", "# coding: latin-1\nx = (1)\ny = '\xe4'\nz\n"),
        ("# c\nx = 1\ny = '\xe4'\nz\n", "# coding: latin-1\nx = (1)\ny = '\xe4'\nz\n"),
    ],
)
def test_what_stands_around_a_change_of_meaning_hides_none(before: str, after: str) -> None:
    assert judged(before, after) == FUNCTIONAL


def test_the_mark_of_utf_8_in_mid_file_cannot_be_read() -> None:
    assert python_syntax.compare(b"a\nb\nc\n", "a\n\ufeffb\nc\n".encode()) == UNKNOWN


@pytest.mark.parametrize("codec", ["latin-1", "utf7"])
def test_a_remark_about_a_codec_in_mid_file_is_one(codec: str) -> None:
    before = "import os\nimport sys\n\nx = 1\nc = '\xe9 +AOk-'\n"
    after = before.replace("c =", f"# encoding: {codec}\nc =")
    assert compare("a.py", before.encode(), after.encode()) == UNKNOWN  # a remark that tools obey


def test_nothing_is_printed_of_warnings(capfd: pytest.CaptureFixture[str]) -> None:
    assert judged("x = '\\d' is 1\nassert (a, b)\n", 'x = "\\d" is 1\nassert (a, b)\n') == FORMATTING
    assert capfd.readouterr() == ("", "")
