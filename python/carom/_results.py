"""What calls give back: arrays as attributes, and a report."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from ._base import Arrays
from ._names import Bodies, RegionArrays, ResultArrays, SceneResultArrays, SystemResultArrays


@dataclass(frozen=True)
class Report:
    """What happened to a batch of contacts."""

    contacts: int
    #: by Status, those that occurred
    by_status: dict[int, int]
    #: by the name of the path, the most frequent first
    by_path: dict[str, int]
    #: the instruction set of the kernel
    isa: str
    #: that took part
    threads: int
    #: integration steps, summed over the contacts
    sliding_steps: int
    #: steps that the lanes could have taken meanwhile
    lane_steps: int
    #: [J] 0 if no contact gained energy
    largest_energy_gain: float
    #: the first contact with that gain
    largest_energy_gain_contact: int

    @property
    def faults(self) -> int:
        """Contacts at fault: those of any status but ok, separating and several_solutions."""
        return sum(count for status, count in self.by_status.items() if status > 2)


@dataclass(frozen=True)
class RegionReport:
    """How many impulses leave the permissible region, and by which bound."""

    contacts: int
    #: of the data
    faults: int
    #: that leave the region by one bound or more
    outside: int
    gains_energy: int
    penetrates: int
    pulls: int
    leaves_cone: int


@dataclass(frozen=True)
class GradientReport:
    """How many gradients have each GradientStatus."""

    contacts: int
    #: by GradientStatus, those that occurred
    by_status: dict[int, int]


class Result(ResultArrays):
    """Impulses of contacts, and what they bring about. Arrays that the call was not asked for are no attributes."""

    @cached_property
    def report(self) -> Report:
        """What happened to the batch."""
        return Report(**self._report.fields())


class Region(RegionArrays):
    """How far impulses lie inside the permissible region: below zero they are outside."""

    @cached_property
    def report(self) -> RegionReport:
        """How many leave it."""
        return RegionReport(**self._report.fields())


class Gradients(Arrays):
    """Derivatives by the names of the columns; off-diagonal entries of k move both entries of K."""

    #: of the impulse: (n, 3), or (n, 3, parts) by a vector or a matrix
    impulse: dict[str, NDArray[Any]]
    #: of the separation velocity after the collision, likewise
    separation_velocity: dict[str, NDArray[Any]]
    #: of the number whose cotangent was given: (n,) or (n, parts)
    product: dict[str, NDArray[Any]]
    #: GradientStatus
    status: NDArray[Any]

    @cached_property
    def report(self) -> GradientReport:
        """How many gradients have each status."""
        return GradientReport(**self._report.fields())


class ContactSpace(Arrays):
    """Contacts as laws see them, and the arguments of solve and differentiate."""

    #: (n, 3, 3): rows are two tangents and the normal, from B to A
    frame: NDArray[Any]
    #: (n, 6) [1/kg] the collision matrix in the frame
    k: NDArray[Any]
    #: (n, 3) [m/s] u0 in the frame
    separation_velocity: NDArray[Any]


class PairGradients(Arrays):
    """Derivatives by the numbers of the bodies and their contact, with the names and shapes of these."""

    a: Bodies
    b: Bodies
    normal: NDArray[Any]
    lever_a: NDArray[Any]
    lever_b: NDArray[Any]


@dataclass(frozen=True)
class SceneReport:
    """The course of a scene."""

    bodies: int
    contacts: int
    joint_rows: int
    #: contacts by Status, those that occurred
    by_status: dict[int, int]
    #: rows of joints by Status
    joints_by_status: dict[int, int]
    method: str
    isa: str
    threads: int
    #: sweeps over the island that took the most
    iterations: int
    #: of the island that took the most
    substeps: int
    #: of a sequence, all islands together
    impacts: int
    #: [m/s] before the step, below the targets
    greatest_approach: float
    #: [m/s] after it
    residual: float
    #: [1] of the worst island, relative; coulomb
    error: float
    #: [J] kinetic, of bodies with mass
    energy_before: float
    #: [J]
    energy_after: float
    #: [J] of the impulses of rows
    joint_work: float
    islands: int
    #: contacts and rows of the largest
    largest_island: int
    #: nothing had to be built, for manifolds, joints and islands were those of the last call
    same_graph: bool
    #: islands that the iterations were not enough for
    not_converged: int
    #: those of them that had stopped losing energy; sequence
    stalled: int
    #: islands that have been left to sweeps; coulomb
    swept: int


@dataclass(frozen=True)
class SystemReport:
    """The course of a call for a contact system."""

    contacts: int
    islands: int
    #: contacts of the largest
    largest_island: int
    #: islands that are not solved to the tolerance
    missed: int
    #: of the whole system, relative to |q|
    error: float
    #: sums over the islands
    sweeps: int
    interior_steps: int
    newton_steps: int
    #: [s] that the call took
    seconds: float
    threads: int
    #: |q - P q| of the islands together, relative to |q|, with P the projection onto the range of W
    range_distance: float

    @property
    def solved(self) -> bool:
        """Whether every island is solved to the tolerance."""
        return self.missed == 0


@dataclass(frozen=True)
class SystemIsland:
    """Contacts that the matrix connects, which are solved by themselves."""

    contacts: int
    solved: bool
    error: float
    sweeps: int
    interior_steps: int
    newton_steps: int
    #: |q - P q|, relative as error is. 0 if the island is solved with q, else it is solved with P q, or missed
    range_distance: float


class SceneResult(SceneResultArrays):
    """What a step of a scene gives: new velocities of bodies, impulses and statuses of contacts and joints."""

    @cached_property
    def report(self) -> SceneReport:
        """The course of the step."""
        return SceneReport(**self._report.fields())


class SystemResult(SystemResultArrays):
    """Impulses and velocities of a contact system."""

    _islands: list[Any]

    @cached_property
    def report(self) -> SystemReport:
        """The course of the call."""
        return SystemReport(**self._report.fields())

    @cached_property
    def islands(self) -> list[SystemIsland]:
        """In the order of their first contacts."""
        return [SystemIsland(*island) for island in self._islands]
