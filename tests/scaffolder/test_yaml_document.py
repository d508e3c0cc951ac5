"""The door to YAML: lines of keys, nothing constructed, and an error with its place for what cannot be read."""

from __future__ import annotations

import pytest

from groundrules.yaml_document import documents
from groundrules_hooks.failure import GroundrulesError


def test_values_are_texts_with_lines() -> None:
    (found,) = documents("a.yml", b"on: yes\nn: 08\nempty:\nlist: [a, b]\nmap:\n  key: |\n    one\n    two\n")
    assert found.at("on").text == "yes"
    assert found.at("n").text == "08"
    assert found.at("empty").text == found.at("none").text == ""
    assert [item.text for item in found.at("list").items] == ["a", "b"]
    assert [item.text for item in found.at("on").items] == ["yes"]
    assert found.at("map", "key").text == "one\ntwo\n"
    assert (found.line_of("list"), found.at("map").line_of("key"), found.line_of("none")) == (4, 6, 1)
    assert [node.text for node in found.texts()] == ["yes", "08", "", "a", "b", "one\ntwo\n"]


def test_anchors_and_merge_keys_are_followed_and_the_own_key_wins() -> None:
    (found,) = documents("a.yml", b"a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  k: 3\nc: *x\nd:\n  <<: [{m: 4}, *x]\n")
    assert {name: node.text for name, node in found.at("b").keys.items()} == {"k": "3", "l": "2"}
    assert found.at("c") == found.at("a")
    assert {name: node.text for name, node in found.at("d").keys.items()} == {"m": "4", "k": "1", "l": "2"}


def test_tags_make_nothing() -> None:
    (found,) = documents("a.yml", b"a: !!python/object/apply:os.system [exit]\nb: !reference [x, y]\n")
    assert [item.text for item in found.at("b").items] == ["x", "y"]


def test_each_document_is_read() -> None:
    assert [node.at("a").text for node in documents("a.yml", b"a: 1\n---\na: 2\n")] == ["1", "2"]
    assert documents("a.yml", b"# nothing\n") == []


BOMB = b"a: &a [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (char, char, b", ".join([b"*%c" % (char - 1)] * 10)) for char in range(ord("b"), ord("j"))
)


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        (b"a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", 5, "the key c is here and in line 3"),
        (b"a: [\n", 1, "expected"),
        (b"a: 1\n\tb: 2\n", 2, ""),
        (b"a: *none\n", 1, "undefined alias"),
        (b"a: &a [*a]\n", 1, "leads into itself"),
        (b"\xff\xfe\xff", 1, "not text"),
        (b"a: \x00\n", 1, "not text"),
        (BOMB, 1, "more than a file may hold"),
        (b"[" * 20_000, 1, ""),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(content: bytes, line: int, why: str) -> None:
    with pytest.raises(GroundrulesError) as raised:
        documents("dir/a.yml", content)
    assert raised.value.code == 2
    if content != BOMB:
        assert raised.value.what == f"dir/a.yml:{line}: cannot read this file"
    assert why in raised.value.why
    assert raised.value.fix.endswith(" dir/a.yml")
