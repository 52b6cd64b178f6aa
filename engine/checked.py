"""Dataclasses whose values are checked when they are made: types, and ranges of numbers."""

from __future__ import annotations

from dataclasses import Field, field, fields
from typing import Any, ClassVar

LARGEST = 10**15  # milliseconds or nodes: fits everywhere, and more makes no sense


def number(default: int | None, least: int, most: int = LARGEST) -> Any:
    """A field with a whole number in this range; None is a value if it is the default."""
    return field(default=default, metadata={"range": (least, most)})


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
        self._check(self.__dataclass_fields__[name], value)
        super().__setattr__(name, value)

    def _check(self, one: Field[Any], value: Any) -> None:
        if value is None and one.default is None:
            return
        expected = int if one.metadata else type(one.default)
        if type(value) is not expected:
            given = type(value).__name__
            raise TypeError(f"{one.name} must be {expected.__name__}, not {given}")
        if one.metadata:
            least, most = one.metadata["range"]
            if not least <= value <= most:
                raise ValueError(f"{one.name} must be {least} to {most}, not {value}")
