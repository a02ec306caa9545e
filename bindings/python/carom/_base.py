"""Base classes and types of the package."""

import difflib
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

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


_NO_FAULTS = ("ok", "separating", "several_solutions")


def _faults(by_status: dict[str, int]) -> int:
    return sum(count for status, count in by_status.items() if status not in _NO_FAULTS)


@dataclass(frozen=True)
class AnyReport:
    """What all reports have."""

    #: whether all is well: see the class
    ok: bool
    #: the report as a line
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class CountedReport(AnyReport):
    """A report with counts by status."""

    by_status: dict[str, int]
    first_by_status: dict[str, int]

    def count(self, status: str) -> int:
        """Returns the number of contacts with this status, a name such as "normal_not_unit"."""
        return self.by_status.get(status, 0)

    def first(self, status: str) -> Optional[int]:
        """Returns the index of the first contact with this status, or None."""
        return self.first_by_status.get(status)


@dataclass(frozen=True)
class ContactReport(CountedReport):
    """A report with counts by Status."""

    @property
    def faults(self) -> int:
        """Number of contacts with any status except ok, separating and several_solutions."""
        return _faults(self.by_status)


@dataclass(frozen=True)
class JointReport(ContactReport):
    """A report on contacts and joint rows."""

    joints_by_status: dict[str, int]
    first_joint_by_status: dict[str, int]

    def count_joints(self, status: str) -> int:
        """Returns the number of joint rows with this status."""
        return self.joints_by_status.get(status, 0)

    def first_joint(self, status: str) -> Optional[int]:
        """Returns the index of the first joint row with this status, or None."""
        return self.first_joint_by_status.get(status)

    @property
    def faults(self) -> int:
        """Number of contacts and joint rows with any status except ok, separating and several_solutions."""
        return _faults(self.by_status) + _faults(self.joints_by_status)


@dataclass(frozen=True)
class StateReport(AnyReport):
    """A report with counts by ContactState."""

    by_state: dict[str, int]
    first_by_state: dict[str, int]

    def count(self, state: str) -> int:
        """Returns the number of contacts in this ContactState: "open", "stick" or "slip"."""
        return self.by_state.get(state, 0)

    def first(self, state: str) -> Optional[int]:
        """Returns the index of the first contact in this ContactState, or None."""
        return self.first_by_state.get(state)
