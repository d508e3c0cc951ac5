"""record.NamedTuple stands in for typing.NamedTuple: same fields, defaults, copies, equality, and errors for misuse."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from groundrules_hooks.record import NamedTuple


class Ours(NamedTuple):
    name: str
    size: int = 1
    tags: tuple[str, ...] = ()

    @property
    def doubled(self) -> int:
        return self.size * 2


class Theirs(typing.NamedTuple):
    name: str
    size: int = 1
    tags: tuple[str, ...] = ()


class Empty(NamedTuple):
    pass


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("a",), {}),
        (("a", 2), {}),
        (("a", 2, ("x",)), {}),
        ((), {"name": "a"}),
        ((), {"tags": ("x",), "name": "a"}),
        (("a",), {"size": 3}),
    ],
)
def test_same_values_as_typing_namedtuple(args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any]) -> None:
    ours, theirs = Ours(*args, **kwargs), Theirs(*args, **kwargs)
    assert tuple(ours) == tuple(theirs)
    assert (ours.name, ours.size, ours.tags) == (theirs.name, theirs.size, theirs.tags)
    assert ours._asdict() == theirs._asdict()
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert {tuple(ours), ours, theirs} == {ours}


def test_fields_are_those_of_typing_namedtuple() -> None:
    assert Ours._fields == Theirs._fields
    assert tuple(Empty()) == ()


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}),
        ((), {"size": 2}),
        (("a", 1, (), "more"), {}),
        (("a",), {"name": "b"}),
        (("a",), {"colour": "red"}),
    ],
)
def test_misuse_is_a_type_error_that_names_the_record(
    args: tuple[typing.Any, ...], kwargs: dict[str, typing.Any]
) -> None:
    with pytest.raises(TypeError, match="Theirs"):
        Theirs(*args, **kwargs)
    with pytest.raises(TypeError, match="Ours"):
        Ours(*args, **kwargs)


def test_replace_makes_a_changed_copy_and_refuses_unknown_fields() -> None:
    first = Ours("a")
    second = first._replace(size=5)
    assert (first.size, second) == (1, Ours("a", 5))
    assert isinstance(second, Ours)
    with pytest.raises(TypeError, match="colour"):
        first._replace(colour="red")  # type: ignore[call-arg]


def test_fields_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        Ours("a").name = "b"  # type: ignore[misc]


def test_properties_and_isinstance_work_on_subclasses() -> None:
    assert Ours("a", 4).doubled == 8
    assert isinstance(Ours("a"), tuple)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])  # noqa: S301 (ours)
def test_copies_are_equal_and_of_the_same_type(again: typing.Callable[[Ours], Ours]) -> None:
    copied = again(Ours("a", 2, ("x",)))
    assert (copied, type(copied)) == (Ours("a", 2, ("x",)), Ours)
