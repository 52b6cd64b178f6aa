"""Dataclasses whose values are checked when they are made: types, and ranges of numbers."""

from __future__ import annotations

import math
import operator
from dataclasses import Field, field, fields
from numbers import Real
from typing import Any, ClassVar

LARGEST = 10**15  # milliseconds or nodes: fits everywhere, and more makes no sense


def number(default: int | None, least: int, most: int = LARGEST) -> Any:
    """A field with a whole number in this range; None is a value if it is the default."""
    return field(default=default, metadata={"range": (least, most)})


def whole(name: str, value: Any, least: int, most: int = LARGEST) -> int:
    """The number `value`, which may be NumPy's. Raises TypeError if it is none, ValueError outside
    the range."""
    try:
        found = operator.index(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool):
        raise TypeError(f"{name} must be int, not {type_of(value)}")
    if not least <= found <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {found}")
    return found


def seconds(name: str, value: Any) -> float:
    """The number `value`, which may be NumPy's. Raises TypeError if it is none, ValueError if it is
    not finite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be int or float, not {type_of(value)}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a number of seconds, not {value}")
    return float(value)


def type_of(value: object) -> str:
    """The name of its type, for messages."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def ranges(checked: type[Checked]) -> dict[str, tuple[int, int]]:
    """Of the fields that are numbers, the least and the greatest value."""
    return {one.name: one.metadata["range"] for one in fields(checked) if one.metadata}


class Checked:
    """The base of a dataclass of numbers, each made with `number`, and of conditions.

    Raises TypeError for a value of the wrong type, ValueError for a number out of its range. Values
    do not change.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) or name not in self.__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__}.{name} cannot be assigned to")
        super().__setattr__(name, self._checked(self.__dataclass_fields__[name], value))

    def _checked(self, one: Field[Any], value: Any) -> Any:
        if value is None and one.default is None:
            return None
        if one.metadata:
            return whole(one.name, value, *one.metadata["range"])
        if not isinstance(value, bool):
            raise TypeError(f"{one.name} must be bool, not {type_of(value)}")
        return value
