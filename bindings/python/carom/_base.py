"""Base classes and types of the package."""

import difflib
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Union

from numpy.typing import ArrayLike, NDArray

from ._carom import ArgumentError

_Class = TypeVar("_Class")
#: Fields of the classes with options, by the names of the classes.
_options: dict[str, list[str]] = {}


def nearest(name: str, names: Sequence[str]) -> str:
    """Returns "; did you mean 'friction'?", or nothing if no name is near."""
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def options(cls: type[_Class]) -> type[_Class]:
    """Decorates a dataclass: its constructor takes keywords, and names the nearest option if one is unknown."""
    initialise: Any = cls.__dict__["__init__"]
    fields = _options[cls.__name__] = list(getattr(cls, "__dataclass_fields__"))

    @functools.wraps(initialise)
    def __init__(self: Any, **values: Any) -> None:
        for name in values:
            if name not in fields:
                others = [f"carom.{other}" for other, names in _options.items() if name in names]
                hint = nearest(name, fields) or (f"; it is an option of {', '.join(others)}" if others else "")
                raise ArgumentError(f"carom: {cls.__name__} has no option '{name}'{hint}")
        initialise(self, **values)

    setattr(cls, "__init__", __init__)
    return cls


class ColumnsByName:
    """Columns by name. A column is an array or one number for all elements."""

    def __init__(self, **columns: Any) -> None:
        self.__dict__.update((name, column) for name, column in columns.items() if column is not None)

    def __repr__(self) -> str:
        return f"carom.{type(self).__name__}({', '.join(self.__dict__)})"


#: Columns by name: an object, a dict or a structured array.
Columns = Union[ColumnsByName, Mapping[str, Any], NDArray[Any]]
#: The name of one law for all contacts, or a name or a number (carom.Law) for each contact.
Laws = Union[str, Sequence[str], ArrayLike]


class Arrays:
    """Requested arrays of results, as attributes."""

    _report: Any

    if not TYPE_CHECKING:  # type checkers know the possible arrays

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(f"there is no array '{name}': it was not requested by results= or out=")

    def __getstate__(self) -> dict[str, Any]:
        # A report that has not been read yet is a C++ object, which cannot be pickled.
        state = {name: value for name, value in self.__dict__.items() if name != "_report"}
        if "_report" in self.__dict__:
            state["report"] = getattr(self, "report")
        return state

    def __repr__(self) -> str:
        arrays = ", ".join(name for name in self.__dict__ if not name.startswith("_") and name != "report")
        return f"<carom.{type(self).__name__}: {arrays}>"
