"""Results of calls: arrays as attributes, and a report."""

from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from ._base import Arrays
from ._names import Bodies, RegionArrays, ResultArrays, SceneResultArrays, SystemResultArrays
from ._reports import GradientReport, RegionReport, Report, SceneReport, SystemIsland, SystemReport


class Result(ResultArrays):
    """Impulses and other results of contacts. Only requested arrays are attributes."""

    @cached_property
    def report(self) -> Report:
        """Summary of the batch."""
        return Report(**self._report.fields())


class Region(RegionArrays):
    """Distances of impulses from the bounds of the permissible region; below zero they are outside."""

    @cached_property
    def report(self) -> RegionReport:
        """Number of impulses outside the region."""
        return RegionReport(**self._report.fields())


class Gradients(Arrays):
    """Derivatives by the names of the columns; off-diagonal entries of k move both entries of K."""

    #: of the impulse: (n, 3), or (n, 3, parts) by a vector or a matrix
    impulse: dict[str, NDArray[Any]]
    #: of the separation velocity after the collision, in the same shapes
    separation_velocity: dict[str, NDArray[Any]]
    #: of the number whose cotangent was given: (n,) or (n, parts)
    product: dict[str, NDArray[Any]]
    #: GradientStatus
    status: NDArray[Any]

    @cached_property
    def report(self) -> GradientReport:
        """Number of gradients by status."""
        return GradientReport(**self._report.fields())


class ContactSpace(Arrays):
    """Contacts in the form that laws use: arguments of solve and differentiate."""

    #: (n, 3, 3): rows are two tangents and the normal, from B to A
    frame: NDArray[Any]
    #: (n, 6) [1/kg] the collision matrix in the frame
    k: NDArray[Any]
    #: (n, 3) [m/s] u0 in the frame
    separation_velocity: NDArray[Any]


class PairGradients(Arrays):
    """Derivatives by the data of the bodies and their contact, with the same names and shapes as the data."""

    a: Bodies
    b: Bodies
    normal: NDArray[Any]
    r_a: NDArray[Any]
    r_b: NDArray[Any]


class SceneResult(SceneResultArrays):
    """Results of a step of a scene: new velocities of bodies, impulses and statuses of contacts and joints."""

    @cached_property
    def report(self) -> SceneReport:
        """Report of the step."""
        return SceneReport(**self._report.fields())


class SystemResult(SystemResultArrays):
    """Impulses and velocities of a contact system."""

    _islands: list[Any]

    @cached_property
    def report(self) -> SystemReport:
        """Report of the call."""
        return SystemReport(**self._report.fields())

    @cached_property
    def islands(self) -> list[SystemIsland]:
        """Islands in the order of their first contacts."""
        return [SystemIsland(**island) for island in self._islands]
