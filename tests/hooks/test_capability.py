"""What places show of a capability: the level of each, bounds that meet or leave room, and claims beside them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.capability import (
    ABSENT,
    COMPILES,
    HEALTHY,
    LEVELS,
    PROVEN,
    STUB,
    WIRED,
    Capability,
    Place,
    Shown,
    proofs,
    rank,
    shown,
    uncounted,
    wrong,
)

GONE = Place("a.py")
EMPTY = Place("a.py", ("a.py",))
BROKEN = Place("a.py", ("a.py",), ("a.py",), works=True, named=True, reached=True)
CODE = Place("a.py", ("a.py",), works=True)
BESIDE = CODE._replace(service="api")
NAMED = BESIDE._replace(named=True)
REACHED = CODE._replace(named=True, reached=True)


@pytest.mark.parametrize(
    ("places", "lacks", "expected"),
    [
        ([], [], Shown(ABSENT, ABSENT, "no entry point is named")),
        ([GONE], [], Shown(ABSENT, ABSENT, "a.py matches no file")),
        ([EMPTY], [], Shown(STUB, STUB, "a.py does nothing yet")),
        ([BROKEN], [], Shown(STUB, STUB, "a.py does not parse")),
        ([CODE], [], Shown(COMPILES, COMPILES, "nothing that runs uses a.py")),
        ([CODE._replace(lacks=True)], [], Shown(STUB, COMPILES, "nothing that runs uses a.py")),
        ([REACHED._replace(lacks=True)], [], Shown(STUB, PROVEN, "")),
        # HAND-22, HAND-26
        (
            [BESIDE],
            [],
            Shown(HEALTHY, HEALTHY, "nothing that runs uses a.py, and the health check of api does not show it"),
        ),
        ([NAMED], [], Shown(HEALTHY, PROVEN, "")),
        ([NAMED], ["no proof is named"], Shown(HEALTHY, WIRED, "no proof is named")),
        ([REACHED], ["no proof is named", "more"], Shown(WIRED, WIRED, "no proof is named")),
        ([REACHED], [], Shown(WIRED, PROVEN, "")),
        ([REACHED, GONE], [], Shown(ABSENT, ABSENT, "a.py matches no file")),
        ([REACHED, CODE], [], Shown(COMPILES, COMPILES, "nothing that runs uses a.py")),
        ([CODE], ["no proof is named"], Shown(COMPILES, COMPILES, "nothing that runs uses a.py")),
    ],
)
def test_weakest_place_is_what_can_be_shown(places: list[Place], lacks: list[str], expected: Shown) -> None:
    assert shown(places, lacks) == expected


flags = st.booleans()
names = st.lists(st.sampled_from(["a.py", "b.py"]), max_size=2, unique=True).map(tuple)
one = st.builds(
    lambda files, works, service, named, reached: Place(
        "p", files, (), works=works and bool(files), service=service, named=named or reached, reached=reached
    ),
    names,
    flags,
    st.sampled_from(["", "api"]),
    flags,
    flags,
)


@given(st.lists(one, min_size=1, max_size=4), st.data())
def test_taking_something_away_never_shows_more(places: list[Place], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(places) - 1))
    weaker: dict[str, Any] = data.draw(
        st.sampled_from(
            [
                {"files": (), "works": False, "named": False, "reached": False},
                {"works": False},
                {"service": ""},
                {"reached": False},
                {"named": False, "reached": False},
                {"broken": ("a.py",)},
            ]
        )
    )
    less = [*places[:index], places[index]._replace(**weaker), *places[index + 1 :]]
    before, after, unproved = shown(places), shown(less), shown(places, ["no proof is named"])
    assert rank(before.least) <= rank(before.most)
    assert rank(after.least) <= rank(before.least)
    assert rank(after.most) <= rank(before.most)
    assert rank(unproved.most) <= min(rank(before.most), rank(WIRED))
    assert unproved.least == before.least


@pytest.mark.parametrize("level", LEVELS)
def test_claim_passes_exactly_between_what_is_shown(level: str) -> None:
    each = Capability("orders", "Orders", level)
    assert (wrong(each, Shown(HEALTHY, WIRED, "why")) == "") == (level in (HEALTHY, WIRED))


def test_wrong_claims_say_in_which_direction() -> None:
    # HAND-23
    stale = wrong(Capability("orders", "Orders", STUB), Shown(WIRED, WIRED, ""))
    assert stale == "orders is claimed stub, which is stale: it is wired now"
    over = wrong(Capability("orders", "Orders", WIRED), Shown(STUB, STUB, "a.py does nothing yet"))
    assert over == "orders is claimed wired, at most stub can be shown: a.py does nothing yet"


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, ""),
        ({"passed": 3}, ""),
        ({"passed": 3, "xfailed": 1}, ""),
        ({"passed": 3, "skipped": 1}, "api skipped 1 test, and nobody can tell which"),
        ({"skipped": 2}, "api skipped 2 tests, and nobody can tell which"),
        ({"passed": 1, "pending": 1, "todo": 1}, "api skipped 2 tests, and nobody can tell which"),
        ({"passed": 0}, "api ran no test"),
        ({"deselected": 3, "warnings": 1}, "api ran no test"),
        ({"xfailed": 1}, ""),
        ({"packages passed": 1}, ""),
    ],
)
def test_skipped_tests_cover_nothing(counts: dict[str, int], expected: str) -> None:
    assert uncounted(counts, "api") == expected


def test_proofs_are_those_of_what_is_claimed_proven() -> None:
    rows = [
        Capability("a", "A", PROVEN, proof=("unit", "api")),
        Capability("b", "B", WIRED, proof=("deep",)),
        Capability("c", "C", PROVEN, proof=("api",)),
    ]
    assert proofs(rows) == ["unit", "api"]
