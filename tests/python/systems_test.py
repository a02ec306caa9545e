"""Contact systems have the same solution for every form of matrix."""

import unittest

import carom
import numpy as np
import scipy.sparse


def system(count=6, seed=3):
    """W = H M⁻¹ Hᵀ of contacts in a chain, each coupled with the next, and approaching velocities."""
    draw = np.random.default_rng(seed)
    H = np.zeros((3 * count, 3 * (count + 2)))
    for i in range(count):
        H[3 * i : 3 * i + 3, 3 * i : 3 * i + 9] = draw.normal(size=(3, 9))
    q = draw.normal(size=(count, 3)) - [0, 0, 1]
    return H @ H.T, q, draw.uniform(0, 1, count)


def error_of(W, q, mu, r):
    """|r − P(r − û)| / |q| as in docs/contact-systems.md, with the projection onto the cone written out."""
    u = (W @ r.ravel()).reshape(-1, 3) + q
    u[:, 2] += mu * np.hypot(u[:, 0], u[:, 1])
    v = r - u
    projected = []
    for (x, y, z), m in zip(v, mu):
        t = np.hypot(x, y)
        if t <= m * z:
            projected.append((x, y, z))
        elif m * t <= -z:
            projected.append((0, 0, 0))
        else:
            n = (m * t + z) / (1 + m * m)
            projected.append((m * n * x / t, m * n * y / t, n))
    return np.linalg.norm(r - projected) / np.linalg.norm(q)


class Systems(unittest.TestCase):
    def setUp(self):
        self.W, self.q, self.mu = system()
        self.expected = carom.solve_system(self.W, self.q, self.mu)

    def test_the_answer_solves_the_system(self):
        self.assertTrue(self.expected.report.ok)
        self.assertRegex(str(self.expected.report), r"^6 contacts: .*; \d islands?, error \d\.?\d*e-\d\d, \d+ iterations?$")
        # The tolerance in double, plus the rounding of the residual computed here.
        self.assertLess(error_of(self.W, self.q, self.mu, self.expected.impulse), 1.01e-8)
        np.testing.assert_allclose(self.expected.velocity.ravel(), self.W @ self.expected.impulse.ravel() + self.q.ravel(), atol=1e-12)
        self.assertEqual(sum(island.contacts for island in self.expected.islands), 6)

    def test_every_form_of_the_matrix_gives_the_same_bits(self):
        n = len(self.mu)
        forms = [scipy.sparse.bsr_matrix(self.W, blocksize=(3, 3))]
        forms += [scipy.sparse.csr_matrix(self.W), scipy.sparse.coo_matrix(self.W), scipy.sparse.csc_array(self.W)]
        forms += [self.W.reshape(n, 3, n, 3).transpose(0, 2, 1, 3), carom.block_rows(self.W)]
        forms += [np.asfortranarray(self.W), np.kron(self.W, np.ones((1, 2)))[:, ::2], self.W.astype(">f8"), self.W.astype(np.longdouble)]
        for form in forms:
            result = carom.solve_system(form, self.q, self.mu)
            np.testing.assert_array_equal(result.impulse, self.expected.impulse)

    def test_contact_bench_has_flat_vectors(self):
        result = carom.solve_system(self.W, self.q.ravel(), list(self.mu))
        np.testing.assert_array_equal(result.impulse, self.expected.impulse)

    def test_normals_may_come_first(self):
        first = [2, 0, 1]
        turned = (3 * np.arange(6)[:, None] + first).ravel()
        result = carom.solve_system(self.W[np.ix_(turned, turned)], self.q[:, first], self.mu, normal_first=True)
        np.testing.assert_array_equal(result.impulse, self.expected.impulse[:, first])
        # The caller's arrays use the same frame with any stride, and may be the warm impulses.
        warm, velocity = np.zeros((6, 3)), np.zeros((6, 6))[:, ::2]
        out = {"impulse": warm, "velocity": velocity}
        again = carom.solve_system(self.W[np.ix_(turned, turned)], self.q[:, first], self.mu, normal_first=True, warm_impulse=warm, out=out)
        self.assertIs(again.impulse, warm)
        np.testing.assert_array_equal(warm, result.impulse)
        np.testing.assert_array_equal(velocity, result.velocity)

    def test_warm_impulses_save_sweeps(self):
        warm = carom.SystemSolver().solve(self.W, self.q, self.mu, warm_impulse=self.expected.impulse)
        self.assertLess(warm.report.pgs_iterations, self.expected.report.pgs_iterations)

    def test_contacts_have_models(self):
        compliance = np.linspace(0, 1, 6)
        soft = self.W + np.diag(np.outer(compliance, [0, 0, 1]).ravel())
        expected = carom.solve_system(soft, self.q, self.mu)
        result = carom.solve_system(self.W, self.q, self.mu, normal_compliance=compliance, friction_2=self.mu)
        np.testing.assert_array_equal(result.impulse, expected.impulse)
        # A quarter turn of the ellipse exchanges its axes.
        one = carom.solve_system(self.W, self.q, self.mu, friction_2=0.1, friction_direction=[0, 2])
        other = carom.solve_system(self.W, self.q, np.full(6, 0.1), friction_2=self.mu)
        self.assertTrue(one.report.ok)
        np.testing.assert_allclose(one.velocity, other.velocity, atol=1e-6)

    def test_contacts_have_moments(self):
        # A ball with m = 1 kg, R = 0.1 m and I = 0.4 m R² rolls at 1 m/s for a step of gravity: R μ_r p_n / (I + m R²) slows it down.
        radius, inertia, weight, rolling = 0.1, 0.004, 0.0981, 0.002
        arm = np.array([[0, -radius, 0], [radius, 0, 0], [0, 0, 0]])  # u = v + arm ω
        H = np.block([[np.eye(3), arm], [np.zeros((3, 3)), np.eye(3)]])
        v = np.array([1, 0, -weight, 0, 1 / radius, 0])
        W, q = H @ np.diag([1] * 3 + [1 / inertia] * 3) @ H.T, H @ v
        options = {"moment": 0, "rolling_friction": rolling, "tolerance": 1e-12}
        result = carom.solve_system(W, q[:3], 0.5, angular_velocity=q[3:], **options)
        self.assertTrue(result.report.ok)
        slowing = radius * rolling * weight / (inertia + radius**2)
        np.testing.assert_allclose(result.angular_velocity, [[0, (1 - slowing) / radius, 0]], atol=1e-10)
        np.testing.assert_allclose(result.angular_impulse, [[0, -rolling * weight, 0]], atol=1e-12)
        first = [2, 0, 1]
        turned = first + [5, 3, 4]
        other = carom.solve_system(
            W[np.ix_(turned, turned)], q[first], 0.5, angular_velocity=q[3:][first], normal_first=True, **options
        )
        np.testing.assert_array_equal(other.angular_impulse, result.angular_impulse[:, first])
        with self.assertRaisesRegex(carom.Error, "angular_velocity is missing"):
            carom.solve_system(W, q[:3], 0.5, moment=[0])
        for moment, named in ([0.7], "whole numbers"), ([True], "bool"), (["0"], "moment"), ([2**32], "4294967296"):
            with self.subTest(moment=moment), self.assertRaisesRegex(carom.Error, named):
                carom.solve_system(W, q[:3], 0.5, moment=moment, angular_velocity=q[3:])

    def test_errors_name_column_and_row(self):
        with self.assertRaisesRegex(carom.Error, r"friction\[2\] is -1"):
            carom.solve_system(self.W, self.q, [0, 0, -1, 0, 0, 0])
        with self.assertRaisesRegex(carom.Error, r"shape \(5, 5\)"):
            carom.solve_system(np.eye(5), self.q, self.mu)
        with self.assertRaisesRegex(carom.Error, "tolerance is -1"):
            carom.solve_system(self.W, self.q, self.mu, tolerance=-1)
        with self.assertRaisesRegex(TypeError, "solve_system has no argument or column 'sweeps'"):
            carom.solve_system(self.W, self.q, self.mu, sweeps=3)
        with self.assertRaisesRegex(TypeError, r"'bugdet'; did you mean 'budget'\?"):
            carom.solve_system(self.W, self.q, self.mu, bugdet=3)

    def test_numbers_are_real_and_named(self):
        rows = carom.block_rows(self.W)
        for wrong, why in (
            ({"W": self.W * 1j}, "W has elements of type complex128"), ({"W": scipy.sparse.csr_matrix(self.W * 1j)}, "W .*complex128"),
            ({"W": rows._replace(block=rows.block * 1j)}, "W .*complex128"), ({"W": [[1], [2, 3]]}, "W: .*inhomogeneous"),
            ({"W": rows._replace(row_start=rows.row_start + 0.5)}, "row_start .*float64, not whole numbers"),
            ({"W": rows._replace(column=rows.column * 1.0)}, "column .*float64, not whole numbers"),
            ({"q": self.q * 1j}, "q .*complex128"), ({"q": "x"}, "q .*U1"), ({"q": [object()]}, "q: float"), ({"mu": 1j}, "mu .*complex128"),
            ({"friction_2": 1j}, "friction_2 .*complex128"), ({"warm_impulse": self.q * 1j}, "warm_impulse .*complex128"),
            ({"normal_first": "yes"}, "normal_first is 'yes'"), ({"threads": 3}, "threads"),
        ):  # fmt: skip
            with self.subTest(why), self.assertRaisesRegex(carom.Error, why):
                carom.solve_system(**{"W": self.W, "q": self.q, "mu": self.mu} | wrong)


if __name__ == "__main__":
    unittest.main()
