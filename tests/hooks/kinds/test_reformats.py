"""Properties: a reformat is never functional, and a change of meaning is never formatting, whatever the text."""

from __future__ import annotations

import ast
import io
import json
import os
import random  # noqa: TC003
import subprocess
import sys
import sysconfig
import tokenize
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from groundrules_hooks.kinds.formatting import compare
from groundrules_hooks.kinds.verdict import COMMENTS, FORMATTING, FUNCTIONAL, UNKNOWN

RUFF = os.path.join(sysconfig.get_path("scripts"), "ruff")
STANDARD = Path(sysconfig.get_path("stdlib"))
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
MODULES = ["abc", "bisect", "calendar", "colorsys", "contextlib", "fnmatch", "graphlib", "heapq", "keyword", "netrc"]
STYLES = [
    'line-length = 40\n[format]\nquote-style = "single"\n',
    "line-length = 200\n[format]\nskip-magic-trailing-comma = true\ndocstring-code-format = true\n",
    'indent-width = 2\n[format]\nindent-style = "tab"\nline-ending = "cr-lf"\n',
]

# Python


@pytest.mark.parametrize("style", STYLES)
def test_what_ruff_does_to_real_modules_is_never_functional(tmp_path: Path, style: str) -> None:
    (tmp_path / "ruff.toml").write_text(style)
    for name in MODULES:
        (tmp_path / f"{name}.py").write_bytes((STANDARD / f"{name}.py").read_bytes())
    subprocess.run([RUFF, "format", "-q", "--no-cache", "."], cwd=tmp_path, check=True)
    pairs = [((STANDARD / f"{name}.py").read_bytes(), (tmp_path / f"{name}.py").read_bytes()) for name in MODULES]
    verdicts = [compare("a.py", old, new) for old, new in pairs]
    assert all(old != new for old, new in pairs)
    assert set(verdicts) <= {FORMATTING, COMMENTS, UNKNOWN}
    assert verdicts.count(FORMATTING) >= len(MODULES) - 3  # code inside documentation changes, or a pragma moves


INFIX = st.sampled_from("+ - * / // % ** and or < >= == in is".split())  # noqa: SIM905
NAMES = st.sampled_from(["a", "b", "c", "d"])


def _expressions() -> st.SearchStrategy[str]:
    atoms = st.one_of(
        NAMES, st.integers(0, 99).map(str), st.sampled_from(["'x'", "'it'", "None", "1.5", "b'y'", "f'{a}'"])
    )
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.tuples(
                inner,
                INFIX,
                inner,
            ).map(lambda parts: f"({' '.join(parts)})"),
            st.tuples(NAMES, st.lists(inner, max_size=3)).map(lambda call: f"{call[0]}({', '.join(call[1])})"),
            st.lists(inner, min_size=1, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.lists(inner, min_size=2, max_size=3).map(lambda items: f"({', '.join(items)})"),
            st.tuples(inner, inner).map(lambda pair: f"{{{pair[0]}: {pair[1]}}}"),
            st.tuples(inner, inner, inner).map(lambda three: f"({three[0]} if {three[1]} else {three[2]})"),
            inner.map(lambda body: f"(lambda: {body})"),
            inner.map(lambda body: f"(not {body})"),
        ),
        max_leaves=6,
    )


def _indented(body: list[str]) -> str:
    return "".join(f"    {line}\n" for statement in body for line in statement.splitlines())


def _programs() -> st.SearchStrategy[str]:
    values = _expressions()
    simple = st.one_of(
        st.tuples(NAMES, values).map(lambda pair: f"{pair[0]} = {pair[1]}\n"),
        values.map(lambda value: f"{value}\n"),
        st.tuples(NAMES, NAMES).map(lambda pair: f"from {pair[0]} import {pair[1]}\n"),
        st.just("pass\n"),
    )
    statements = st.recursive(
        simple,
        lambda inner: st.one_of(
            st.tuples(values, st.lists(inner, min_size=1, max_size=3)).map(lambda p: f"if {p[0]}:\n{_indented(p[1])}"),
            st.tuples(NAMES, st.lists(inner, min_size=1, max_size=3)).map(
                lambda p: f"def {p[0]}(a, b=1):\n    'Say.'\n{_indented(p[1])}"
            ),
            st.tuples(NAMES, values, st.lists(inner, min_size=1, max_size=2)).map(
                lambda p: f"for {p[0]} in {p[1]}:\n{_indented(p[2])}"
            ),
        ),
        max_leaves=6,
    )
    return st.lists(statements, min_size=1, max_size=4).map("".join)


def _respaced(source: str, draw: random.Random) -> str:
    """Lay `source` out anew: blanks anywhere, line ends and comments in brackets, another quote."""
    out: list[str] = []
    depth, row, column = 0, 1, 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        if token.start[0] != row:
            row, column = token.start[0], 0
        at_start = not out or out[-1].endswith("\n")
        gap = " " * (token.start[1] - column)
        if not (at_start and depth == 0):
            gap += " " * draw.randrange(3) if gap or token.type == tokenize.OP else ""
            gap += draw.choice(["", "", "\n   "]) if depth else ""
        depth += (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        text = token.string
        if text[:1] == "'" and draw.random() < 0.5:
            text = f'"{text[1:-1]}"'
        out.append(gap + text)
        column = token.end[1]
    return "".join(out)


@PATIENT
@given(_programs(), st.randoms(use_true_random=False))
def test_python_laid_out_anew_is_formatting(source: str, draw: random.Random) -> None:
    other = _respaced(source, draw)
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse(other))
    assert compare("a.py", source.encode(), other.encode()) == FORMATTING
    assert compare("a.py", source.encode(), ast.unparse(ast.parse(source)).encode()) == FORMATTING


def _mutated(tree: ast.Module, draw: random.Random) -> str:
    """Change one thing in `tree` and return the source; the same source when the thing is not there."""
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    nodes = [node for node in ast.walk(tree) if id(node) not in within]
    bodies = [body for node in nodes if isinstance(body := getattr(node, "body", None), list)]
    kind = draw.choice(["operator", "constant", "drop", "dedent", "rename", "swap", "wrap", "add"])
    body = draw.choice(bodies)
    at = draw.randrange(len(body))
    if kind == "drop" and len(body) > 1:
        del body[at]
    elif kind == "swap" and len(body) > 1:
        body[at], body[at - 1] = body[at - 1], body[at]
    elif kind == "wrap":
        body[at] = ast.If(ast.Name("z"), [body[at]], [])
    elif kind == "add":
        body.insert(at, ast.parse("z(1)").body[0])
    elif kind == "dedent" and any(isinstance(each, ast.If) and len(each.body) > 1 for each in body):
        place = next(i for i, each in enumerate(body) if isinstance(each, ast.If) and len(each.body) > 1)
        body.insert(place + 1, body[place].body.pop())
    else:
        _mutate_leaf(draw.choice(nodes), draw)
    return ast.unparse(ast.fix_missing_locations(tree))


def _mutate_leaf(node: ast.AST, draw: random.Random) -> None:
    if isinstance(node, ast.BinOp):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.Compare):
        node.ops[0] = ast.NotEq() if isinstance(node.ops[0], ast.Eq) else ast.Eq()
    elif isinstance(node, ast.Constant):
        others: list[Any] = [1, 1.0, True, None, "1", b"1", " 1"]
        node.value = draw.choice([value for value in others if (type(value), value) != (type(node.value), node.value)])
    elif isinstance(node, ast.Name):
        node.id = "z"
    elif isinstance(node, ast.Call) and node.args:
        node.args.append(node.args.pop(0))
        node.keywords.append(ast.keyword("z", ast.Constant(1)))
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        node.name = "z"
    elif isinstance(node, ast.Tuple | ast.List):
        node.elts.append(ast.Name("z"))


def _spoken(source: str) -> str:
    """Return the tree of `source` as text, without its documentation."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, name, None), list):
                is_text = [isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in body]
                setattr(node, name, [each for each, text in zip(body, is_text, strict=True) if not text])
    return ast.dump(tree)


@PATIENT
@given(_programs(), st.randoms(use_true_random=False))
def test_python_of_another_meaning_is_never_formatting(source: str, draw: random.Random) -> None:
    other = _mutated(ast.parse(source), draw)
    assume(_spoken(source) != _spoken(other))
    assert compare("a.py", source.encode(), other.encode()) in {FUNCTIONAL, UNKNOWN}


@settings(PATIENT, max_examples=60)
@given(st.sampled_from(MODULES), st.randoms(use_true_random=False))
def test_real_modules_of_another_meaning_are_never_formatting(name: str, draw: random.Random) -> None:
    source = (STANDARD / f"{name}.py").read_bytes()
    tree = ast.parse(source)
    other = _mutated(ast.parse(source), draw)
    assume(_spoken(ast.unparse(tree)) != _spoken(other))
    assert compare("a.py", source, other.encode()) in {FUNCTIONAL, UNKNOWN}
    assert compare("a.py", ast.unparse(tree).encode(), other.encode()) in {FUNCTIONAL, UNKNOWN}


# Languages with braces

WORDS = ["alpha", "beta", "gamma", "x1", "42", '"text"', "7.5"]
INFIXES = ["+", "-", "*", "<", ">=", "==", "&&", "||", "="]
BRACKETS = ["(", "[", ")", "]"]
SCRIPTS = {"a.js", "a.ts", "a.tsx"}
STRICT = {*SCRIPTS, "a.go", "a.kt", "a.swift"}  # the end of a line may end a statement


def _streams() -> st.SearchStrategy[list[str]]:
    words = st.sampled_from(WORDS)
    values: st.SearchStrategy[list[str]] = st.recursive(
        words.map(lambda word: [word]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(INFIXES[:-1]), inner).map(lambda three: [*three[0], three[1], *three[2]]),
            st.tuples(st.sampled_from(WORDS[:3]), st.lists(inner, min_size=1, max_size=3)).map(
                lambda call: [call[0], "(", *_joined(call[1]), ")"]
            ),
            st.tuples(st.sampled_from(WORDS[:3]), inner).map(lambda part: [part[0], "[", *part[1], "]"]),
        ),
        max_leaves=5,
    )
    statements: st.SearchStrategy[list[str]] = st.recursive(
        st.tuples(st.sampled_from(WORDS[:3]), values).map(lambda pair: [pair[0], "=", *pair[1], ";"]),
        lambda inner: st.tuples(values, st.lists(inner, min_size=1, max_size=3)).map(
            lambda block: ["if", "(", *block[0], ")", "{", *[token for each in block[1] for token in each], "}"]
        ),
        max_leaves=5,
    )
    return st.lists(statements, min_size=1, max_size=4).map(lambda parts: [token for part in parts for token in part])


def _joined(items: list[list[str]]) -> list[str]:
    return [token for number, item in enumerate(items) for token in ([","] if number else []) + item]


def _spread(tokens: list[str], path: str, draw: random.Random) -> str:
    """Print `tokens` with blanks and, where they say nothing, line ends between them."""
    out, depth = "", 0
    for last, word in zip([";", *tokens], tokens, strict=False):
        depth += (word in BRACKETS[:2]) - (last in BRACKETS[2:])
        free = path not in STRICT or last in {*INFIXES, "(", "[", ",", ";", "{"} or (path in SCRIPTS and depth)
        gaps = [" ", "  ", "\t"] + (["\n", "\n    ", "\r\n"] if free else [])
        # In Swift a blank on one side makes another operator.
        out += (" " if path == "a.swift" and last not in {";", "{"} else draw.choice(gaps)) + word
    return out


PATHS = st.sampled_from(
    ["a.js", "a.ts", "a.tsx", "a.java", "a.go", "a.c", "a.cpp", "a.cs", "a.rs", "a.dart", "a.kt", "a.swift"]
)


@PATIENT
@given(PATHS, _streams(), st.randoms(use_true_random=False))
def test_tokens_spread_anew_are_formatting(path: str, tokens: list[str], draw: random.Random) -> None:
    first, second = (_spread(tokens, path, draw).encode() for _ in range(2))
    assert compare(path, first, second) == FORMATTING


@PATIENT
@given(PATHS, _streams(), st.randoms(use_true_random=False))
def test_other_tokens_are_never_formatting(path: str, tokens: list[str], draw: random.Random) -> None:
    place = draw.choice([number for number, token in enumerate(tokens) if token in {*WORDS, *INFIXES}])
    others = [token for token in (WORDS if tokens[place] in WORDS else INFIXES) if token != tokens[place]]
    changed = [*tokens[:place], draw.choice(others), *tokens[place + 1 :]]
    verdict = compare(path, _spread(tokens, path, draw).encode(), _spread(changed, path, draw).encode())
    assert verdict in {FUNCTIONAL, UNKNOWN}


@PATIENT
@given(PATHS, _streams(), st.randoms(use_true_random=False))
def test_statements_in_another_order_are_never_formatting(path: str, tokens: list[str], draw: random.Random) -> None:
    ends = [0, *(number + 1 for number, token in enumerate(tokens) if token in {";", "}"})]
    place = draw.randrange(len(ends))
    moved = [*tokens[ends[place] :], *tokens[: ends[place]]]
    assume(moved != tokens)
    verdict = compare(path, " ".join(tokens).encode(), _spread(moved, path, draw).encode())
    assert verdict in {FUNCTIONAL, UNKNOWN}


# Values

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text("ab \n\t\"'/*é", max_size=6)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text('ab/" ', max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@PATIENT
@given(VALUES, st.integers(0, 8), st.sampled_from([(",", ":"), (" ,  ", "  :\n")]))
def test_json_indented_anew_is_formatting(value: object, indent: int, separators: tuple[str, str]) -> None:
    first = json.dumps(value).encode()
    assert compare("a.json", first, json.dumps(value, indent=indent, separators=separators).encode()) == FORMATTING


@PATIENT
@given(VALUES, VALUES, st.integers(0, 8))
def test_json_of_another_value_is_never_formatting(before: object, after: object, indent: int) -> None:
    first, second = json.dumps(before), json.dumps(after)
    assume(first != second)
    verdict = compare("a.json", first.encode(), json.dumps(after, indent=indent).encode())
    assert verdict in {FUNCTIONAL, UNKNOWN}


def test_the_python_that_runs_is_the_one_that_reads() -> None:
    newer = (
        "type A = int\n" if sys.version_info < (3, 12) else "x = t'{a}'\n" if sys.version_info < (3, 14) else "x = (\n"
    )
    assert compare("a.py", newer.encode(), newer.replace(" = ", "  =  ").encode()) == UNKNOWN
