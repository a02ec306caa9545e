"""Collisions of rigid bodies in batches: arrays of contacts in, arrays of impulses out.

carom.solve resolves contacts, each by itself, under one of thirteen laws. carom.SceneSolver and carom.solve_scene solve
scenes: bodies, contacts and joints of one step. carom.solve_system solves contact systems given by a matrix. Keywords are
the names of columns; one number applies to all contacts. All units are SI. docs/python.md has examples.
"""

from . import _carom, _docs, _methods, _results
from ._base import Columns, ColumnsByName
from ._carom import (
    ArgumentError,
    Error,
    MechanismContact,
    Mechanisms,
    Scene,
    SceneSolver,
    Solver,
    ball_joint,
    check,
    check_planar,
    combine,
    contact_space,
    differentiate,
    distance_joint,
    fixed_joint,
    hinge,
    linear_motor,
    motor,
    pull_back,
    select,
    slider,
    solve,
    solve_planar,
    solve_scene,
)
from ._methods import BenderSchmitt, Ncp, Pgs, PositionCorrection, SequentialImpacts, Substeps
from ._names import (
    Bodies,
    ContactState,
    Contacts,
    GradientStatus,
    IslandAlgorithm,
    IslandStatus,
    Joints,
    Law,
    RestitutionLaw,
    Status,
)
from ._reports import GradientReport, RegionReport, Report, SceneReport, SystemIsland, SystemReport
from ._results import ContactSpace, Gradients, PairGradients, Region, Result, SceneResult, SystemResult
from ._system import BlockRows, SystemSolver, block_rows, solve_system

__version__: str = _carom.version

__all__ = [
    "ArgumentError",
    "BenderSchmitt",
    "BlockRows",
    "Bodies",
    "Columns",
    "ColumnsByName",
    "ContactSpace",
    "ContactState",
    "Contacts",
    "Error",
    "GradientReport",
    "GradientStatus",
    "Gradients",
    "IslandAlgorithm",
    "IslandStatus",
    "Joints",
    "Law",
    "MechanismContact",
    "Mechanisms",
    "Ncp",
    "PairGradients",
    "Pgs",
    "PositionCorrection",
    "Region",
    "RegionReport",
    "Report",
    "RestitutionLaw",
    "Result",
    "Scene",
    "SceneReport",
    "SceneResult",
    "SceneSolver",
    "SequentialImpacts",
    "Solver",
    "Status",
    "Substeps",
    "SystemIsland",
    "SystemReport",
    "SystemResult",
    "SystemSolver",
    "ball_joint",
    "block_rows",
    "check",
    "check_planar",
    "combine",
    "contact_space",
    "differentiate",
    "distance_joint",
    "fixed_joint",
    "hinge",
    "linear_motor",
    "motor",
    "pull_back",
    "select",
    "slider",
    "solve",
    "solve_planar",
    "solve_scene",
    "solve_system",
]

_carom.document(_docs.TEXTS)
for _name, _text in _docs.CLASSES.items():
    getattr(_carom, _name).__doc__ = _text
_carom.begin(_results, _methods)
