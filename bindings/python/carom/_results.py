"""Results of calls: arrays as attributes, and a report."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Optional

from numpy.typing import NDArray

from ._base import Arrays
from ._names import Bodies, RegionArrays, ResultArrays, SceneResultArrays, SystemResultArrays

_NO_FAULTS = ("ok", "separating", "several_solutions")


def _faults(by_status: dict[str, int]) -> int:
    return sum(count for status, count in by_status.items() if status not in _NO_FAULTS)


@dataclass(frozen=True)
class _CountedReport:
    """Counts of contacts by the name of their status."""

    contacts: int
    #: number of contacts by the name of their status, without zeros
    by_status: dict[str, int]
    #: first contact by the name of its status
    first_by_status: dict[str, int]
    #: whether all is well: see the class
    ok: bool
    #: the report as a line
    text: str = field(repr=False)

    def count(self, status: str) -> int:
        """Returns the number of contacts with this status, a name such as "normal_not_unit"."""
        return self.by_status.get(status, 0)

    def first(self, status: str) -> Optional[int]:
        """Returns the index of the first contact with this status, or None."""
        return self.first_by_status.get(status)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class _ContactReport(_CountedReport):
    """What reports of contacts have in common."""

    @property
    def faults(self) -> int:
        """Number of contacts with any status except ok, separating and several_solutions."""
        return _faults(self.by_status)


@dataclass(frozen=True)
class Report(_ContactReport):
    """Summary of a batch of contacts. ok: no contact is at fault."""

    #: number of contacts by the name of the path, the most frequent first
    by_path: dict[str, int]
    #: instruction set of the kernel
    isa: str
    #: number of threads that took part
    threads: int
    #: integration steps, summed over the contacts
    sliding_steps: int
    #: steps that the lanes had room for; contacts took sliding_steps of them
    lane_steps: int
    #: [J] max. gain of kinetic energy; 0 if no contact gained energy
    max_energy_gain: float
    #: the first contact with that gain
    max_energy_gain_contact: int


@dataclass(frozen=True)
class RegionReport(_ContactReport):
    """How many impulses leave the permissible region, and by which bound. ok: no contact is at fault."""

    #: number of impulses that violate at least one bound
    outside: int
    gains_energy: int
    penetrates: int
    pulls: int
    leaves_cone: int


@dataclass(frozen=True)
class GradientReport(_CountedReport):
    """Number of gradients by GradientStatus. ok: every contact has a gradient."""


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


@dataclass(frozen=True)
class SceneReport(_ContactReport):
    """Report of a scene. ok: no contact and no joint row is at fault and, under Ncp, SequentialImpacts and BenderSchmitt,
    all islands have converged."""

    bodies: int
    joint_rows: int
    #: number of joint rows by the name of their Status, without zeros
    joints_by_status: dict[str, int]
    #: first joint row by the name of its Status
    first_joint_by_status: dict[str, int]
    #: name of the method: "substeps"
    method: str
    isa: str
    threads: int
    #: max. number of iterations over an island
    iterations: int
    #: max. number of substeps of an island
    substeps: int
    #: impacts of all islands together; SequentialImpacts
    impacts: int
    #: [m/s] max. approach speed before the step, relative to the targets
    max_approach_speed: float
    #: [m/s] max. violation after the step
    residual: float
    #: [1] max. relative error of an island; Ncp
    relative_error: float
    #: [J] kinetic energy of bodies with mass before the step
    energy_before: float
    #: [J] kinetic energy of bodies with mass after the step
    energy_after: float
    #: [J] work of the impulses of rows
    joint_work: float
    #: [J] kinetic energy that Substeps has removed, because iterations that end early had added it
    energy_removed: float
    islands: int
    #: contacts and rows of the largest island
    max_island_size: int
    #: True if the manifolds, joints and islands of the last call were reused
    same_graph: bool
    #: islands that have not converged
    not_converged: int
    #: of these, islands whose impacts had stopped losing energy; SequentialImpacts
    stalled: int
    #: islands that were solved by PGS alone; Substeps, Ncp
    pgs_islands: int

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
class SystemReport:
    """Report of a call for a contact system. ok: every island is solved to the tolerance."""

    contacts: int
    #: number of contacts by the name of their ContactState, without zeros
    by_state: dict[str, int]
    #: first contact by the name of its ContactState
    first_by_state: dict[str, int]
    islands: int
    #: contacts of the largest island
    max_island_size: int
    #: number of islands that are not solved to the tolerance
    unsolved: int
    #: error of the whole system, relative to |q|
    error: float
    #: sums over the islands
    pgs_iterations: int
    interior_point_iterations: int
    newton_iterations: int
    #: [s] time of the call
    seconds: float
    threads: int
    #: |q - P q| of all islands together, relative to |q|, with P the projection onto the range of W
    range_distance: float

    ok: bool
    #: the report as a line
    text: str = field(repr=False)

    def count(self, state: str) -> int:
        """Returns the number of contacts in this ContactState: "open", "stick" or "slip"."""
        return self.by_state.get(state, 0)

    def first(self, state: str) -> Optional[int]:
        """Returns the index of the first contact in this ContactState, or None."""
        return self.first_by_state.get(state)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class SystemIsland:
    """An island: contacts that the matrix connects. Each island is solved by itself."""

    contacts: int
    solved: bool
    error: float
    pgs_iterations: int
    interior_point_iterations: int
    newton_iterations: int
    #: |q - P q|, relative as error is. 0 if the island is solved with q; otherwise it is solved with P q or not solved
    range_distance: float


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
        return [SystemIsland(*island) for island in self._islands]
