// The factor of an island, made again from the matrix and the geometry of a saved state.
#include <algorithm>

#include "core/support/array.hpp"
#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

/// Reads a list of numbers.
class Numbers {
 public:
  explicit Numbers(const Array<double>& of) : of_(of) {}
  double next() { return at_ < of_.size() ? of_[at_++] : fail(); }
  /// An integer in [0, most].
  std::uint32_t count(std::size_t most) {
    const double number = next();
    if (!(number >= 0 && number <= static_cast<double>(most))) return static_cast<std::uint32_t>(fail());
    return static_cast<std::uint32_t>(number);
  }
  bool are_read() const { return is_sound_ && at_ == of_.size(); }
  bool is_sound() const { return is_sound_; }
  double fail() {
    is_sound_ = false;
    return 0;
  }

 private:
  const Array<double>& of_;
  std::size_t at_ = 0;
  bool is_sound_ = true;
};

}  // namespace

std::optional<std::size_t> DirectIsland::columns_of_matrix() const {
  const Certificate::Phase phase = certificate_.phase();
  if (has_factor_ || phase == Certificate::Phase::iterates) return factor_.bodies();
  if (phase == Certificate::Phase::factors) return certificate_.column();
  return {};
}

bool DirectIsland::read_matrix() {
  Numbers from(last_matrix_);
  const std::size_t n = factor_.bodies(), points = factored_.arms.size();
  manifolds_.clear();
  points_.clear();
  rows_.clear();
  bodies_.resize(n);
  if (from.count(factored_.axes.size()) != factored_.axes.size() || from.count(points) != points ||
      from.count(factored_.rows.size()) != factored_.rows.size())
    return false;
  for (std::size_t i = 0; i < n; ++i) {
    Body& body = bodies_[i];
    body.inverse_mass = from.next();
    body.mass = 1 / body.inverse_mass;
    body.inverse_inertia = factored_.inverse_inertia[i];
    body.inertia = factored_.inertia[i];
    body.locked = factored_.locked[i];
  }
  // Immovable bodies share row n. Returns the block between two bodies.
  const auto take_bodies = [&](std::int32_t& a, std::int32_t& b) -> std::size_t {
    a = static_cast<std::int32_t>(from.count(n));
    b = static_cast<std::int32_t>(from.count(n));
    if (!moves(a) || !moves(b)) return 0;
    const std::size_t block =
        factor_.between(static_cast<std::size_t>(std::min(a, b)), static_cast<std::size_t>(std::max(a, b)));
    if (a == b || block >= factor_.blocks()) from.fail();
    return block;
  };
  for (const auto& axis : factored_.axes) {
    Manifold& m = manifolds_.emplace_back();
    m.block = take_bodies(m.a, m.b);
    m.axis = axis;
    m.first = static_cast<std::uint32_t>(points_.size());
    const std::uint32_t count = from.count(points - points_.size());
    m.end = m.first + count;
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto& [r_a, r_b] = factored_.arms[points_.size()];
      Point& p = points_.emplace_back();
      p.r_a = r_a;
      p.r_b = r_b;
      p.weight = from.next();
      const bool sticks = from.count(1) == 1;
      p.state = !(p.weight > 0) ? State::open : sticks ? State::sticks : State::slips;
    }
  }
  for (std::size_t i = 0; i < factored_.rows.size(); ++i) {
    const JointVectors& of = factored_.rows[i];
    JointRow& row = rows_.emplace_back();
    row.block = take_bodies(row.a, row.b);
    row.linear_a = of.linear_a;
    row.angular_a = of.angular_a;
    row.linear_b = of.linear_b;
    row.angular_b = of.angular_b;
    row.weight = factored_.row_weights[i];
    if ((from.count(1) == 1) != (row.weight > 0)) from.fail();
  }
  return from.are_read() && points_.size() == points;
}

bool DirectIsland::factor_again(std::size_t columns) {
  const bool has_factor = has_factor_;
  assemble();
  has_factor_ = has_factor;
  return factor_.factor(0, columns);
}

}  // namespace carom::scene::direct
