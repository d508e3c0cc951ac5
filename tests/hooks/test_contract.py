"""contract: what a task may touch, as its file says; a key that is not known is an error, never ignored."""

from __future__ import annotations

import pytest

from groundrules_hooks.contract import Contract, parse, path_of
from groundrules_hooks.failure import GroundrulesError

WHOLE = """
title = "Sell things"
acceptance = ["CART-1"]
after = ["T0"]
risk = "high"
checks = ["smoke"]

[paths]
writes = ["services/cart/**", "tasks/"]
reads = ["docs/*.md"]

[contracts]
changes = { "schema:orders" = ["db/orders/**"] }
uses = ["api:prices"]
"""


def test_every_key_is_read() -> None:
    assert parse(WHOLE.encode(), path_of("T1")) == Contract(
        title="Sell things",
        acceptance=("CART-1",),
        after=("T0",),
        risk="high",
        checks=("smoke",),
        writes=("services/cart/**", "tasks/"),
        reads=("docs/*.md",),
        changes=(("schema:orders", ("db/orders/**",)),),
        uses=(("api:prices", ()),),
    )
    assert parse(b"", "tasks/T1.toml") == Contract()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("titel = 'x'", "titel is unknown"),
        ("[paths]\nwrite = ['a']", r"paths\.write is unknown"),
        ("[path]\nwrites = ['a']", "path is unknown"),
        ("paths = 3", "paths is unknown"),
        ("[paths]\nwrites = 'a'", r"paths\.writes is not a list of patterns"),
        ("[paths]\nwrites = ['!a']", r"paths\.writes is not a list of patterns"),  # TOPO-06
        ("[contracts]\nuses = { a = 'b' }", r"contracts\.uses is not a table of names"),
        ("[contracts]\nuses = [1]", r"contracts\.uses is not a table of names"),
        ("title = ''", "title is not a text"),
        ("title", "not TOML"),
        ("title = '\udcff'", "not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(text: str, words: str) -> None:
    with pytest.raises(GroundrulesError, match=f"^groundrules: tasks/T1.toml: {words}") as refused:
        parse(text.encode("utf-8", "surrogateescape"), "tasks/T1.toml")
    assert refused.value.fix == "${EDITOR:-vi} tasks/T1.toml"
