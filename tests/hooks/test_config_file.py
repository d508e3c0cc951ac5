"""groundrules.toml: what is accepted, and errors that name file, line, key, expectation and an example."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from groundrules_hooks.config import Config, of_text
from groundrules_hooks.failure import BAD_USE, GroundrulesError

# Spec §11, whole.
EXAMPLE = """
[ports]                       # slot 0: the historical port table
web = 3000
api = 8000
db  = 5432

[slots]
stride = 10
max = 30

[tasks]
branches = ["task/{id}-{slug}", "task/{id}", "worktree-{id}", "claude/{id}", "codex/{id}", "cursor/{id}"]   # the first
path = "../{repo}.{id}"
max_live = 8
max_waiting = 5

[commits]
style = "plain"               # or "conventional"
max_lines = 400
max_files = 25

[[check]]
name = "unit"
tier = "quick"                # quick, deep, integration
run = ["make", "test"]
paths = ["**"]
env = []                      # names passed through beside PATH, HOME, locale and the slot's values
"""


def test_example_of_the_specification_is_accepted_and_holds_the_defaults() -> None:
    config = of_text(EXAMPLE.encode())
    defaults = Config({})
    assert config.ports == {"web": 3000, "api": 8000, "db": 5432}
    assert (config.slots, config.tasks, config.commits) == (defaults.slots, defaults.tasks, defaults.commits)
    assert [(check.name, check.run, check.tier) for check in config.checks] == [("unit", ("make", "test"), "quick")]


def test_generated_files_are_named_with_what_they_are_made_from() -> None:
    text = '[[generated]]\npaths = ["api/*.pb.go"]\nsources = ["proto/**"]\n[[generated]]\npaths = ["dist/"]\n'
    rows = of_text(text.encode()).generated
    assert [(row.paths, row.sources) for row in rows] == [(("api/*.pb.go",), ("proto/**",)), (("dist/",), ())]


class Wrong(NamedTuple):
    """A file, the line and the words that its error must hold, and the example it must give."""

    text: str | bytes
    line: int
    words: tuple[str, ...]
    example: str


WRONG = [
    Wrong("[prots]\nweb = 1\n", 1, ("[prots] is unknown", "nearest is ports"), "[ports]"),
    Wrong("[ports]\n\n[taks]\n", 3, ("[taks] is unknown", "nearest is tasks"), "[tasks]"),
    Wrong("[slots]\nstride = 10\nstrid = 9\n", 3, ("[slots] strid is unknown", "nearest is stride"), "stride = 10"),
    Wrong("[tasks]\ntargets = 'main'\n", 2, ("[tasks] targets is unknown", "nearest is target"), 'target = "main"'),
    Wrong("[slots]\nstride = '10'\n", 2, ('stride is "10"', "a number from 1 to 1000"), "stride = 10"),
    Wrong("[slots]\n\nstride = true\n", 3, ("stride is true", "a number from 1 to 1000"), "stride = 10"),
    Wrong("[slots]\nstride = 10.0\n", 2, ("stride is 10.0", "a number"), "stride = 10"),
    Wrong("[slots]\nmax = 0\n", 2, ("max is 0", "a number from 1 to 500"), "max = 30"),
    Wrong("[ports]\nweb = 0\n", 2, ("web is 0", "a number from 1 to 65535"), "web = 3000"),
    Wrong("[ports]\nweb = 65536\n", 2, ("web is 65536", "a number from 1 to 65535"), "web = 3000"),
    Wrong("[ports]\nweb = true\n", 2, ("web is true", "a number from 1 to 65535"), "web = 3000"),
    Wrong("[ports]\nWeb-1 = 3000\n", 2, ("'Web-1'", "small letters, digits and _"), "web = 3000"),
    Wrong("[ports]\n1a = 3000\n", 2, ("'1a'", "a name"), "web = 3000"),
    Wrong("ports = 3\n", 1, ("ports is not a table", "a table"), "[ports]"),
    Wrong("\n[[slots]]\nstride = 1\n", 2, ("slots is not a table", "a table"), "[slots]"),
    Wrong("[check]\nname = 'a'\n", 1, ("check is not a table", "a table"), "[[check]]"),
    Wrong("[tasks]\nbranches = []\n", 2, ("branches is []", "patterns with {id}"), 'branches = ["task/{id}-{slug}"'),
    Wrong("[tasks]\nbranches = ['x']\n", 2, ("branches", "patterns with {id}"), 'branches = ["task'),
    Wrong("[tasks]\nbranches = ['{id}{id}']\n", 2, ("branches",), 'branches = ["task'),
    Wrong("[tasks]\nbranches = ['task/{id}', 'a b/{id}']\n", 2, ("branches",), 'branches = ["task'),
    Wrong("[tasks]\nbranches = ['{id}']\n", 2, ("branches",), 'branches = ["task'),
    Wrong("[tasks]\nbranches = ['t/{name}-{id}']\n", 2, ("branches",), 'branches = ["task'),
    Wrong("[tasks]\npath = '../x'\n", 2, ("path", "with {id} in it"), 'path = "../{repo}.{id}"'),
    Wrong("[tasks]\nprotect_target = 1\n", 2, ("protect_target is 1", "true or false"), "protect_target = true"),
    Wrong("[tasks]\ntarget = ''\n", 2, ("target", "a text"), 'target = "main"'),
    Wrong("[tasks]\n[tasks.more]\nx = 1\n", 2, ("[tasks] more is unknown", "nearest is target"), 'target = "main"'),
    Wrong("[commits]\nstyle = 'loose'\n", 2, ('style is "loose"', '"plain" or "conventional"'), 'style = "plain"'),
    Wrong("[commits]\nstyle = ['plain']\n", 2, ("style is", '"plain" or "conventional"'), 'style = "plain"'),
    Wrong("commits.max_lines = 'x'\n", 1, ('max_lines is "x"',), "max_lines = 400"),
    Wrong("[ports]\n[slots]\nstride.x = 1\n", 3, ("stride is",), "stride = 10"),
    Wrong("[rules]\nstrict = ['one-tsk']\n", 2, ("strict is", "one-task"), 'strict = ["one-task"'),
    Wrong("[[check]]\nrun = ['a']\n", 1, ("[[check]] has no name", "a name"), 'name = "unit"'),
    Wrong("[[check]]\nname = 'a'\n", 1, ("[[check]] has no run", "a run"), 'run = ["make", "test"]'),
    Wrong("[[check]]\nname = 'a'\nrun = 'make'\n", 3, ('run is "make"', "a list of words"), 'run = ["make"'),
    Wrong("[[check]]\nname = 'a'\nrun = []\n", 3, ("run is []", "a list of words"), 'run = ["make"'),
    Wrong("[[check]]\nname = 'a'\nrun = ['a']\ntier = 'slow'\n", 4, ("tier", '"quick" or "deep"'), 'tier = "quick"'),
    Wrong(
        "[[check]]\nname = 'a'\nrun = ['a']\n[[check]]\nname = 'b'\nrun = ['b']\npaths = '*'\n", 7, ("paths",), "paths"
    ),
    Wrong(
        "[[check]]\nname = 'a'\nrun = ['a']\n[[check]]\nname = 'a'\nrun = ['b']\n",
        4,
        ("two checks are named a", "a name of its own"),
        'name = "unit"',
    ),
    Wrong("[generated]\npaths = ['a']\n", 1, ("generated is not a table",), "[[generated]]"),
    Wrong("\n[[generated]]\nsources = ['a']\n", 2, ("[[generated]] has no paths",), 'paths = ["api/*.pb.go"]'),
    Wrong("[[generated]]\npaths = []\n", 1, ("[[generated]] has no paths",), 'paths = ["api/*.pb.go"]'),
    Wrong("[[generated]]\npaths = ['!a']\n", 2, ("paths is", "a list of patterns"), 'paths = ["api/*.pb.go"]'),
    Wrong("[[generated]]\npaths = ['a']\nsources = 'b'\n", 3, ("sources is",), 'sources = ["proto/**"]'),
    Wrong("[[check]]\nrun = ['a']\nname = '../a'\n", 3, ("name is", "letters, digits, dot"), 'name = "unit"'),
    Wrong("[[check]]\nname = 'a'\nrun = ['a']\npaths = ['!a']\n", 4, ("paths is", "patterns of paths"), "paths"),
    Wrong("[[check]]\nname = 'a'\nrun = ['a']\npaths = ['{a,b}']\n", 4, ("paths is",), "paths"),  # TOPO-06
    Wrong("[[check]]\nname = 'a'\nrun = ['a']\nenv = ['A B']\n", 4, ("env is", "names of variables"), "env ="),
    Wrong("[tasks]\nchecks = 'some'\n", 2, ('checks is "some"', '"changed" or "all"'), 'checks = "changed"'),
    Wrong(
        "[mirror]\naccept = ['orders:sheet']\n", 2, ("accept is", "document:kind:name"), 'accept = ["orders:sheet:1"]'
    ),
    Wrong("[mirror]\naccept = ['orders::1']\n", 2, ("accept is", "document:kind:name"), "accept"),
    Wrong("[mirror]\nfolder = 1\n", 2, ("folder is 1", "a text"), 'folder = "../export"'),
    Wrong("[capabilities]\nprograms = ['/..']\n", 2, ("programs is", "patterns"), 'programs = ["web/app/**/page.tsx"]'),
    Wrong("[ports\nweb = 1\n", 1, ("not TOML",), "web = 3000"),
    Wrong("[ports]\nweb = 1\nweb = 2\n", 3, ("not TOML",), "web = 3000"),
    Wrong("[ports]\nweb =\n", 2, ("not TOML",), "web = 3000"),
    Wrong("[ports]\n\n'''", 3, ("not TOML",), "web = 3000"),
    Wrong(b"[ports]\nweb = 1\n# caf\xe9\n", 3, ("not UTF-8", "UTF-8 text"), "[ports]"),
    Wrong("[slots]\r\nstride = true\r\n", 2, ("stride is true",), "stride = 10"),
    Wrong("[slots]\n# \x85 \u2028\nstride = true\n", 3, ("stride is true",), "stride = 10"),
    Wrong("[slots]\nstride = " + "9" * 5000, 2, ("not TOML",), "web = 3000"),
    Wrong("[slots]\nstride = 0x" + "f" * 5000, 2, ("stride is too large",), "stride = 10"),
    Wrong("[slots]\nstride = " + "[" * 3000 + "]" * 3000, 2, ("not TOML",), "web = 3000"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: repr(wrong.text[:40]))
def test_wrong_file_names_line_key_expectation_and_example(wrong: Wrong) -> None:
    content = wrong.text if isinstance(wrong.text, bytes) else wrong.text.encode()
    with pytest.raises(GroundrulesError) as caught:
        of_text(content)
    said = str(caught.value)
    assert said.startswith(f"groundrules: groundrules.toml:{wrong.line}: ")
    assert all(words in said for words in wrong.words), said
    assert "expected " in said
    assert f"example  {wrong.example}" in said
    assert said.splitlines()[-1].strip() == f"${{EDITOR:-vi}} +{wrong.line} groundrules.toml"
    assert (caught.value.code, len(said) < 500) == (BAD_USE, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "[ports]\n",
        "[ports]\nweb = 65535\napi_2 = 1\n",
        "[slots]\nmax = 500\nstride = 1000\n",
        "slots.stride = 7\n",
        'check = [{name = "a", run = ["a"]}]\n',
        "[rules]\nstrict = []\n",
        "[[generated]]\npaths = ['api/*.pb.go']\nsources = []\n",
        "[tasks]\nbranches = ['{id}-{slug}-wip']\nprotect_target = true\n",
        "[ports]\r\nweb = 1\r\n",
    ],
)
def test_every_table_and_key_is_optional(text: str) -> None:
    assert isinstance(of_text(text.encode()), Config)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["{id}", "main"])
)
WORDS = st.sampled_from(
    [
        "ports",
        "slots",
        "tasks",
        "commits",
        "check",
        "rules",
        "stack",
        "generated",
        "service",
        "needs",
        "env",
        "ready",
        "name",
        "run",
        "stride",
        "max",
        "branches",
        "strict",
        "web",
        "style",
    ]
) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)


def toml(value: Any) -> str:  # noqa: ANN401
    """Write `value` as an inline TOML value; None stands for a date."""
    match value:
        case None:
            written = "2026-01-02T03:04:05Z"
        case bool():
            written = str(value).lower()
        case float():
            written = str(value) if math.isfinite(value) else "nan"
        case str():
            written = '"' + "".join(f"\\U{ord(char):08X}" if char.isprintable() else "?" for char in value) + '"'
        case list():
            written = f"[{', '.join(map(toml, value))}]"
        case dict():
            written = "{" + ", ".join(f"{toml(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
        case _:
            written = str(value)
    return written


def outcome(content: bytes) -> Config | str:
    """Return the configuration, or what its error says is wrong."""
    try:
        return of_text(content)
    except GroundrulesError as error:
        return error.what


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)
@given(st.dictionaries(WORDS, VALUES, max_size=4))
@example({"check": [{}]})
@example({"check": [[]]})
@example({"check": [{"name": [], "run": {}}]})
@example({"rules": {"strict": [[]]}})
@example({"ports": {"": 1}})
@example({"stack": {"service": [{"name": "a", "run": ["a"], "needs": [""]}]}})
@example({"stack": {"service": [[]], "infrastructure": {}}})
def test_any_nesting_of_values_parses_or_is_an_error_for_people(tables: dict[str, Any]) -> None:
    text = "".join(f"{toml(key)} = {toml(value)}\n" for key, value in tables.items())
    found = outcome(text.encode())
    if isinstance(found, Config):
        assert set(tables) <= {"ports", "slots", "tasks", "commits", "check", "rules", "stack", "generated"}
    else:
        assert found.startswith("groundrules.toml:")


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=60))
def test_any_bytes_parse_or_are_an_error_for_people(content: bytes) -> None:
    found = outcome(content)
    assert isinstance(found, Config) or found.startswith("groundrules.toml:")
