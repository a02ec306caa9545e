"""Contact systems: converts matrices to the block rows that the solver reads."""

import threading
from typing import Any, NamedTuple

import numpy as np

from . import _carom, _docs
from ._carom import Error
from ._results import SystemResult


class BlockRows(NamedTuple):
    """A matrix of 3 x 3 blocks by rows. Row i has the blocks block[row_start[i]:row_start[i + 1]] in the block columns
    column[row_start[i]:row_start[i + 1]], in ascending order."""

    row_start: Any
    column: Any
    block: Any


def block_rows(matrix: Any) -> BlockRows:
    """Returns the blocks of a matrix: scipy.sparse (any format), (3n, 3n), (n, n, 3, 3), or BlockRows. Zero blocks are
    left out, except on the diagonal."""
    if isinstance(matrix, BlockRows):
        return matrix
    if hasattr(matrix, "tobsr"):
        if matrix.shape[0] % 3 or matrix.shape[0] != matrix.shape[1]:
            raise Error(f"carom: the matrix has the shape {matrix.shape}, not (3 n, 3 n)")
        rows = matrix.tobsr(blocksize=(3, 3))
        rows.sum_duplicates()
        rows.sort_indices()
        return BlockRows(rows.indptr, rows.indices, rows.data)
    dense = _numbers("W", matrix)
    if dense.ndim == 2 and dense.shape[0] == dense.shape[1] and dense.shape[0] % 3 == 0:
        n = len(dense) // 3
        return BlockRows(*_carom._block_rows(dense.reshape(n, 3, n, 3)))
    if dense.ndim == 4 and dense.shape[0] == dense.shape[1] and dense.shape[2:] == (3, 3):
        return BlockRows(*_carom._block_rows(dense.transpose(0, 2, 1, 3)))
    raise Error(f"carom: the matrix has the shape {dense.shape}, not (3 n, 3 n) or (n, n, 3, 3)")


def _numbers(name: str, numbers: Any, dtype: Any = None) -> Any:
    """Returns an array of real numbers. Python objects such as fractions become doubles."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise Error(f"carom: {name}: {error}") from error
    if array.dtype.kind not in "fiu":
        raise Error(f"carom: {name} has elements of type {array.dtype}, not numbers")
    return array if dtype is None or array.dtype is dtype else array.astype(dtype, copy=False)


def _vectors(name: str, numbers: Any, dtype: Any) -> Any:
    vectors = _numbers(name, numbers, dtype)
    if vectors.ndim == 1 and vectors.size % 3 == 0:
        vectors = vectors.reshape(-1, 3)
    if vectors.ndim != 2 or vectors.shape[1] != 3:
        raise Error(f"carom: {name} has the shape {vectors.shape}, not (n, 3) or (3 n,)")
    return vectors


class SystemSolver:
    """Solves contact systems. Keep the solver from call to call. One solver serves one call at a time.

    threads  maximum number of threads. In [0, 1024]. Default 0: all
    """

    def __init__(self, *, threads: int = 0) -> None:
        self._solver = _carom._SystemSolver(threads)

    @property
    def memory(self) -> int:
        """Number of bytes that the solver holds."""
        return self._solver.memory

    def solve(
        self,
        W: Any,
        q: Any,
        mu: Any,
        *,
        warm_impulse: Any = None,
        friction_2: Any = None,
        friction_direction: Any = None,
        normal_compliance: Any = None,
        tangential_compliance: Any = None,
        moment: Any = None,
        rolling_friction: Any = None,
        spinning_friction: Any = None,
        angular_velocity: Any = None,
        warm_angular_impulse: Any = None,
        normal_first: bool = False,
        **options: Any,
    ) -> SystemResult:
        W = block_rows(W)
        block = _numbers("W", W.block)
        if block.ndim != 3 or block.shape[1:] != (3, 3):
            raise Error(f"carom: the blocks have the shape {block.shape}, not (blocks, 3, 3)")
        if block.dtype != np.float32:
            block = block.astype(np.float64, copy=False)
        q = _vectors("q", q, block.dtype)
        mu = _numbers("mu", mu, block.dtype)
        if mu.ndim == 0:
            mu = np.full(len(q), mu)
        if warm_impulse is not None:
            warm_impulse = _vectors("warm_impulse", warm_impulse, block.dtype)
        models = {
            "friction_2": friction_2,
            "friction_direction": friction_direction,
            "normal_compliance": normal_compliance,
            "tangential_compliance": tangential_compliance,
            "rolling_friction": rolling_friction,
            "spinning_friction": spinning_friction,
        }
        models = {name: _numbers(name, numbers, block.dtype) for name, numbers in models.items() if numbers is not None}
        if moment is not None:
            models["moment"] = np.atleast_1d(_numbers("moment", moment))
        for name, numbers in (("angular_velocity", angular_velocity), ("warm_angular_impulse", warm_angular_impulse)):
            if numbers is not None:
                models[name] = _vectors(name, numbers, block.dtype)
        if normal_first:
            # In the solver the normal is last.
            turned = [1, 2, 0]
            block = block[:, turned][:, :, turned]
        return self._solver.solve(
            friction=mu,
            velocity=q,
            row_start=W.row_start,
            column=W.column,
            block=np.ascontiguousarray(block),
            warm_impulse=warm_impulse,
            normal_first=normal_first,
            **models,
            **options,
        )


#: One solver per thread, which keeps its workspace. Large systems get a new solver, freed after the call.
_kept = threading.local()
_kept_contacts = 256


def solve_system(W: Any, q: Any, mu: Any, **options: Any) -> SystemResult:
    if np.size(q) > 3 * _kept_contacts:
        return SystemSolver().solve(W, q, mu, **options)
    try:
        solver = _kept.solver
    except AttributeError:
        solver = _kept.solver = SystemSolver()
    result: SystemResult = solver.solve(W, q, mu, **options)
    return result


solve_system.__doc__ = SystemSolver.solve.__doc__ = f"""Solves u = W r + q with Coulomb friction for the impulses r.

    W   [1/kg] scipy.sparse of any format, (3n, 3n), (n, n, 3, 3) or BlockRows; frames have the normal last. Rows of
        moments follow the rows of contacts
    q   [m/s] (n, 3) or (3n,): velocities without impulses. Add restitution to q
    mu  [1] (n,) or one number: coefficient of friction. >= 0, may be infinite

    The following are optional. n is the number of contacts, m the number of moments.

    warm_impulse           [N s] (n, 3) or (3n,): initial r
    friction_2             [1] (n,) or one number, >= 0: coefficient across friction_direction; mu is the one along it
    friction_direction     [1] (n, 2) or one: components along the first and the second tangent; default (1, 0)
    normal_compliance      [1/kg] (n,) or one number, >= 0: part of u_n that the contact yields per unit impulse
    tangential_compliance  [1/kg] (n,) or one number, >= 0: part of the slip that the contact yields per unit impulse
    moment                 (m,) the contacts that resist rolling or spinning, ascending
    rolling_friction       [m] (m,) or one number, >= 0: max. moment of rolling per unit of normal impulse
    spinning_friction      [m] (m,) or one number, >= 0: max. moment of spinning per unit of normal impulse
    angular_velocity       [rad/s] (m, 3) with moment: o without impulses, q of its rows
    warm_angular_impulse   [N m s] (m, 3): initial moments
    normal_first           True: frames of arguments and results have the normal first, as in FCLIB. Default False
    out                    your arrays, by the names of results. They are written in place
    results                names of the results to make

ContactBench's G, g, mus are W, q, mu. docs/contact-systems.md has the equations. Raises carom.Error, which names the column
and the row, for wrong data.

{_docs.SYSTEM}
"""
