"""Base classes and types of the package."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from numpy.typing import ArrayLike, NDArray


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
            raise AttributeError(f"there is no array '{name}' here, for the call was not asked for it (results=, out=)")

    def __getstate__(self) -> dict[str, Any]:
        # A report that has not been read yet is a C++ object, which cannot be pickled.
        state = {name: value for name, value in self.__dict__.items() if name != "_report"}
        if "_report" in self.__dict__:
            state["report"] = getattr(self, "report")
        return state

    def __repr__(self) -> str:
        arrays = ", ".join(name for name in self.__dict__ if not name.startswith("_") and name != "report")
        return f"<carom.{type(self).__name__}: {arrays}>"
