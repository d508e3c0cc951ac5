"""Immutable records with named fields, without the 12 ms that importing `typing` costs a hook.

Type checkers see `typing.NamedTuple`; at run time a tuple with the same fields, defaults and `_replace` stands in.
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _operator import itemgetter

    class NamedTuple(tuple):
        """A tuple whose items are the annotated fields of the subclass, in order."""

        __slots__ = ()
        _fields = ()
        _defaults = {}
        _last = ()

        def __init_subclass__(cls) -> None:
            cls._fields = tuple(cls.__annotations__)
            cls._defaults = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}
            cls._last = tuple(cls._defaults.values())  # fields with a default come last
            for index, name in enumerate(cls._fields):
                setattr(cls, name, property(itemgetter(index)))

        def __new__(cls, *args, **kwargs):
            missing = len(cls._fields) - len(args)
            if not kwargs and 0 <= missing <= len(cls._last):
                return tuple.__new__(cls, args + cls._last[-missing:] if missing else args)
            values = dict(zip(cls._fields, args, strict=False))
            unknown = (set(kwargs) - set(cls._fields)) | (set(kwargs) & set(values))
            missing = [
                name for name in cls._fields if name not in values and name not in kwargs and name not in cls._defaults
            ]
            if unknown or missing or len(args) > len(cls._fields):
                message = (
                    f"{cls.__name__}({', '.join(cls._fields)}): unknown or doubled {sorted(unknown)}, missing {missing}"
                )
                raise TypeError(message)
            values = {**cls._defaults, **kwargs, **values}
            return tuple.__new__(cls, [values[name] for name in cls._fields])

        def __repr__(self) -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):  # `copy` and `pickle` call __new__ with these
            return tuple(self)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **changes):
            replaced = [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
            return type(self)(*replaced, **changes)
