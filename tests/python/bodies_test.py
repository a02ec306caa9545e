"""Gradients by body data, coefficients of bodies, and mechanisms agree with the library's arithmetic."""

import unittest

import carom
import numpy as np


def pairs(count, seed=5):
    draw = np.random.default_rng(seed)

    def body():
        half = draw.normal(size=(count, 3, 3))
        return {
            "inverse_mass": draw.uniform(0.5, 2, count),
            "inverse_inertia": half @ half.transpose(0, 2, 1) + np.eye(3),
            "velocity": draw.normal(size=(count, 3)),
            "angular_velocity": draw.normal(size=(count, 3)),
        }

    normal = draw.normal(size=(count, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    pair = {"a": body(), "b": body(), "normal": normal, "r_a": draw.normal(size=(count, 3)), "r_b": draw.normal(size=(count, 3))}
    # All of them approach.
    pair["a"]["velocity"] -= 9 * normal
    return pair


COEFFICIENTS = {"friction": 0.3, "restitution": 0.6}


def pulled(pair, of_impulse, of_velocity):
    """Derivatives of a number by the bodies, given its cotangents in the world."""
    space = carom.contact_space(**pair)
    contacts = {"k": space.k, "separation_velocity": space.separation_velocity} | COEFFICIENTS
    cotangents = {
        "of_impulse": np.einsum("nij,nj->ni", space.frame, of_impulse),
        "of_separation_velocity": np.einsum("nij,nj->ni", space.frame, of_velocity),
    }
    after = carom.solve(**contacts)
    product = carom.differentiate(**contacts, **cotangents, by=["k", "separation_velocity"]).product
    return carom.pull_back(**pair, **cotangents, product=product, impulse=after.impulse, separation_velocity=after.separation_velocity)


class Bodies(unittest.TestCase):
    def setUp(self):
        self.pair = pairs(12)
        self.of_impulse, self.of_velocity = np.random.default_rng(6).normal(size=(2, 12, 3))

    def f(self, pair):
        after = carom.solve(**pair, **COEFFICIENTS)
        return (after.impulse * self.of_impulse + after.separation_velocity * self.of_velocity).sum(axis=1)

    def test_contact_space_has_the_answers_of_bodies(self):
        space = carom.contact_space(**self.pair)
        alone = carom.solve(k=space.k, separation_velocity=space.separation_velocity, **COEFFICIENTS)
        bodies = carom.solve(**self.pair, **COEFFICIENTS)
        # A few hundred operations on numbers from 10 to 100; the two frames may differ.
        np.testing.assert_allclose(np.einsum("nji,nj->ni", space.frame, alone.impulse), bodies.impulse, rtol=0, atol=1e-11)
        np.testing.assert_array_equal(space.frame[:, 2], self.pair["normal"])

    def test_derivatives_are_those_of_differences(self):
        found = pulled(self.pair, self.of_impulse, self.of_velocity)
        h = 1e-6

        def difference(change):
            return (self.f(change(h)) - self.f(change(-h))) / (2 * h)

        for side in "ab":
            for name, shape in (("inverse_mass", ()), ("velocity", (3,)), ("angular_velocity", (3,))):
                direction = np.random.default_rng(7).normal(size=(12, *shape))
                expected = difference(lambda t: self.pair | {side: self.pair[side] | {name: self.pair[side][name] + t * direction}})
                slope = (getattr(getattr(found, side), name) * direction).reshape(12, -1).sum(axis=1)
                # Errors: h² times the third derivative and ε/h times f, each about 1e-9 of numbers up to 100.
                np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-6, err_msg=f"{side}.{name}")
            direction = np.random.default_rng(8).normal(size=(12, 3, 3))
            direction += direction.transpose(0, 2, 1)
            expected = difference(
                lambda t: self.pair | {side: self.pair[side] | {"inverse_inertia": self.pair[side]["inverse_inertia"] + t * direction}}
            )
            # The derivative by an off-diagonal entry changes both symmetric entries.
            upper = direction[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
            np.testing.assert_allclose((getattr(found, side).inverse_inertia * upper).sum(axis=1), expected, rtol=1e-6, atol=1e-6)
            direction = np.random.default_rng(9).normal(size=(12, 3))
            r = f"r_{side}"
            expected = difference(lambda t: self.pair | {r: self.pair[r] + t * direction})
            np.testing.assert_allclose((getattr(found, r) * direction).sum(axis=1), expected, rtol=1e-6, atol=1e-6)
        turn = np.cross(np.random.default_rng(10).normal(size=(12, 3)), self.pair["normal"])

        def turned(t):
            normal = self.pair["normal"] + t * turn
            return self.pair | {"normal": normal / np.linalg.norm(normal, axis=1)[:, None]}

        np.testing.assert_allclose((found.normal * turn).sum(axis=1), difference(turned), rtol=1e-6, atol=1e-6)

    def test_float32_and_the_immovable_world(self):
        alone = {name: column for name, column in self.pair.items() if name not in ("b", "r_b")}
        alone["a"] = {name: column.astype(np.float32) for name, column in alone["a"].items()}
        alone = {name: column.astype(np.float32) if name != "a" else column for name, column in alone.items()}
        space = carom.contact_space(**alone)
        self.assertEqual(space.k.dtype, np.float32)
        world = {name: np.zeros_like(column) for name, column in alone["a"].items()}
        whole = carom.contact_space(**alone, b=world, r_b=np.zeros((12, 3), np.float32))
        np.testing.assert_array_equal(space.k, whole.k)

    def test_errors_name_what_is_missing(self):
        with self.assertRaisesRegex(carom.Error, "column r_b is missing"):
            carom.contact_space(**{name: column for name, column in self.pair.items() if name != "r_b"})
        with self.assertRaisesRegex(TypeError, "contact_space has no argument or column 'friction'"):
            carom.contact_space(**self.pair, friction=0.5)
        with self.assertRaisesRegex(carom.Error, "needs the product"):
            carom.pull_back(**self.pair)
        with self.assertRaisesRegex(carom.Error, "no derivatives by k"):
            carom.pull_back(**self.pair, product={"separation_velocity": np.zeros((12, 3))})
        product = {"k": np.zeros((12, 6)), "separation_velocity": np.zeros((12, 3))}
        with self.assertRaisesRegex(carom.Error, "of_impulse needs impulse"):
            carom.pull_back(**self.pair, product=product, of_impulse=np.zeros((12, 3)))


class Combine(unittest.TestCase):
    def test_rules(self):
        of_bodies = np.array([0.25, 1.0, 0.5])
        for rule, expected in (
            ("mean", [0.625, 0.375]),
            ("geometric-mean", [0.5, 0.5]),
            ("min", [0.25, 0.25]),
            ("max", [1.0, 0.5]),
            ("product", [0.25, 0.125]),
        ):
            found = carom.combine(of_bodies, [0, 0], [1, 2], rule=rule)
            if rule == "geometric-mean":
                expected = np.sqrt([0.25, 0.125])
            # A square root rounds once.
            np.testing.assert_allclose(found, expected, rtol=3e-16, err_msg=rule)

    def test_the_world_and_indices_beyond(self):
        of_bodies = np.array([0.25, 1.0], np.float32)
        found = carom.combine(of_bodies, [0, 1, 0], [-1, 7, 1], rule="max", of_world=0.5)
        self.assertEqual(found.dtype, np.float32)
        np.testing.assert_array_equal(found, [0.5, np.nan, 1.0])
        self.assertTrue(np.isnan(carom.combine(of_bodies, [0], [-1])).all())

    def test_into_an_array(self):
        rows = np.zeros(2, [("friction", "f8"), ("mark", "f8")])
        found = carom.combine(np.array([0.5, 0.25]), [0, 1], [1, 1], rule="min", out=rows["friction"])
        self.assertIs(found.base, rows)
        self.assertEqual(rows["friction"].tolist(), [0.25, 0.25])
        self.assertEqual(rows["mark"].tolist(), [0, 0])

    def test_errors(self):
        for wrong, why in ({"rule": 3}, "rule is 3"), ({"of_world": "x"}, "of_world is 'x'"), ({"out": 3}, "coefficients is 3, not an array"):
            with self.assertRaisesRegex(carom.Error, why):
                carom.combine([0.1, 0.2], [0], [1], **wrong)
        with self.assertRaisesRegex(carom.Error, r"'maxi' is no rule: mean, .*; did you mean 'max'\?"):
            carom.combine([0.5], [0], [0], rule="maxi")
        with self.assertRaisesRegex(carom.Error, "column body_b has 3 elements, but body_a has 2"):
            carom.combine([0.5], [0, 0], [0, 0, 0])


class Mechanisms(unittest.TestCase):
    """The double pendulum of docs/mechanisms.md, which derives the expected numbers by hand."""

    def setUp(self):
        self.bodies = carom.Bodies(
            inverse_mass=np.ones(2),
            inverse_inertia=12 * np.eye(3),
            velocity=np.array([[0.4, 0.3, 0], [1.4, 1.4, 0]]),
            angular_velocity=np.array([[0, 0, 1.0], [0, 0, 2.0]]),
        )
        joints = np.concatenate([
            carom.hinge(a=0, r_a=(-0.3, 0.4, 0), axis=(0, 0, 1)),
            carom.hinge(a=1, b=0, r_a=(-0.4, 0.3, 0), r_b=(0.3, -0.4, 0), axis=(0, 0, 1)),
        ])
        contacts = carom.Contacts(body_a=np.array([1], np.int32), body_b=np.array([-1], np.int32), normal=(-1.0, 0, 0),
                                  r_a=(0.4, -0.3, 0), r_b=(0.0, 0, 0), friction=0.3, restitution=0.5)
        self.rows = len(joints)
        self.scene = carom.Scene(bodies=self.bodies, contacts=contacts, joints=joints)

    def test_a_double_pendulum_hits_a_wall(self):
        mechanisms = carom.Mechanisms(self.scene)
        contact = mechanisms.contact(0)
        self.assertAlmostEqual(contact.k[5], 1.0864, delta=5e-5)
        self.assertEqual((contact.index, contact.friction, contact.restitution, contact.locked), (0, 0.3, 0.5, 1))
        r = carom.solve(**contact.columns())
        joint_impulse = np.zeros(self.rows)
        mechanisms.apply(contact, r.impulse[0], joint_impulse=joint_impulse)
        np.testing.assert_allclose(contact.in_world(r.impulse[0]), [-2.7875, 0.2399, 0], atol=5e-5)
        np.testing.assert_allclose(contact.in_frame(contact.in_world(r.impulse[0])), r.impulse[0], atol=1e-14)
        np.testing.assert_allclose(self.bodies.angular_velocity[:, 2], [1.0716, -2.5449], atol=5e-5)
        self.assertGreater(abs(joint_impulse).max(), 0.1)

    def test_rows_are_satisfied(self):
        self.bodies.velocity[:] = [0.4, 0.3, 0.5]
        carom.Mechanisms(self.scene).satisfy_rows()
        # The upper rod turns about its hinge: v = ω × (0.3, -0.4, 0).
        spin = self.bodies.angular_velocity[0, 2]
        np.testing.assert_allclose(self.bodies.velocity[0], [0.4 * spin, 0.3 * spin, 0], atol=1e-12)

    def test_options_and_errors(self):
        with self.assertRaisesRegex(carom.Error, "redundancy"):
            carom.Mechanisms(self.scene, redundancy=-1.0)
        with self.assertRaisesRegex(TypeError, "'tolerance'"):
            carom.Mechanisms(self.scene, tolerance=1.0)
        mechanisms = carom.Mechanisms(self.scene)
        with self.assertRaisesRegex(carom.Error, "contact 1"):
            mechanisms.contact(1)
        with self.assertRaisesRegex(carom.Error, "joint_impulse has the shape"):
            mechanisms.satisfy_rows(joint_impulse=np.zeros(3))
        self.assertRegex(carom.Mechanisms.__doc__, "redundancy")
        self.assertRegex(carom.MechanismContact.__doc__, r"\[1/kg\]")


if __name__ == "__main__":
    unittest.main()
