#include "check_planar.hpp"

#include <string>
#include <type_traits>

namespace carom {
namespace {

// Compares every column with the first one it meets. Names come in two pieces, so that a call allocates nothing.
class Checker {
 public:
  /// `some` elements are known to be wanted.
  explicit Checker(bool some = false) : some_(some) {}

  template <class T>
  void need(const Column<T>& column, const char* name, const char* part = "") {
    // An empty batch may come as null pointers: an empty std::vector has no data.
    if (!column && (some_ || column.count > 0 || (known_ && count_ > 0)))
      throw Error("carom: the column " + joined(name, part) + " is missing");
    if (!known_) {
      known_ = true;
      count_ = column.count;
      first_ = name;
      first_part_ = part;
    }
    same_length(column.count, name, part);
  }
  template <class T>
  void need(const planar::Vector2Columns<T>& v, const char* name, const char* x = ".x", const char* y = ".y") {
    need(v.x, name, x);
    need(v.y, name, y);
  }
  template <class T>
  void need(const planar::BodyColumns<T>& body, const char* name) {
    need(body.inverse_mass, name, ".inverse_mass");
    need(body.inverse_inertia, name, ".inverse_inertia");
    need(body.velocity, name, ".velocity.x", ".velocity.y");
    need(body.angular_velocity, name, ".angular_velocity");
  }

  template <class T>
  void accept(const Column<T>& column, const char* name, const char* part = "") {
    if (!column && column.count > 0)
      throw Error("carom: the column " + joined(name, part) + " has elements, but no address");
    if (column) same_length(column.count, name, part);
    if (column && !std::is_const_v<T> && column.stride == 0 && column.count > 1)
      throw Error("carom: the result column " + joined(name, part) + " has stride 0, so its contacts share one place");
  }
  template <class T>
  void accept(const planar::Vector2Columns<T>& v, const char* name) {
    accept(v.x, name, ".x");
    accept(v.y, name, ".y");
  }

  template <class T>
  void contact(const ContactColumns<T>& contacts) {
    need(contacts.friction, "friction");
    need(contacts.restitution, "restitution");
    accept(contacts.restitution_law, "restitution_law");
    accept(contacts.law, "law");
    accept(contacts.tangential_restitution, "tangential_restitution");
    accept(contacts.impulse_ratio_1, "impulse_ratio_1");
    accept(contacts.polar_angle, "polar_angle");
    accept(contacts.fraction, "fraction");
    accept(contacts.candidate_x, "candidate_x");
    accept(contacts.candidate_y, "candidate_y");
    const auto& weight = contacts.weight;
    accept(weight.incremental, "weight", ".incremental");
    accept(weight.frictionless, "weight", ".frictionless");
    accept(weight.chatterjee_ruina, "weight", ".chatterjee_ruina");
    accept(weight.bilinear, "weight", ".bilinear");
    accept(weight.smith, "weight", ".smith");
    accept(weight.anitescu_potra, "weight", ".anitescu_potra");
    accept(weight.pfeiffer_glocker, "weight", ".pfeiffer_glocker");
    accept(weight.brach, "weight", ".brach");
    accept(weight.projected, "weight", ".projected");
    accept(weight.polar, "weight", ".polar");
  }

  template <class T>
  void results(const planar::Results<T>& results, bool bodies) {
    accept(results.impulse, "results.impulse");
    accept(results.separation_velocity, "results.separation_velocity");
    accept(results.velocity_a, "results.velocity_a");
    accept(results.angular_velocity_a, "results.angular_velocity_a");
    accept(results.velocity_b, "results.velocity_b");
    accept(results.angular_velocity_b, "results.angular_velocity_b");
    accept(results.status, "results.status");
    accept(results.path, "results.path");
    accept(results.work_compression, "results.work_compression");
    accept(results.work_decompression, "results.work_decompression");
    if (bodies) return;
    if (results.velocity_a.x || results.velocity_a.y || results.angular_velocity_a || results.velocity_b.x ||
        results.velocity_b.y || results.angular_velocity_b)
      throw Error("carom: contacts in contact space have no bodies, so there is no result for their velocities");
  }

  std::size_t count() const { return count_; }

 private:
  static std::string joined(const char* name, const char* part) { return std::string(name) + part; }
  void same_length(std::size_t count, const char* name, const char* part) const {
    if (count != count_)
      throw Error("carom: the column " + joined(name, part) + " has " + std::to_string(count) + " elements, but " +
                  joined(first_, first_part_) + " has " + std::to_string(count_));
  }

  const char* first_ = "";
  const char* first_part_ = "";
  std::size_t count_ = 0;
  bool some_, known_ = false;
};

}  // namespace

template <class T>
std::size_t check_columns(const planar::InlineContacts<T>& contacts, const planar::Results<T>& results) {
  Checker checker;
  checker.need(contacts.normal, "normal");
  checker.contact(contacts);
  checker.need(contacts.a, "a");
  checker.need(contacts.lever_a, "lever_a");
  checker.need(contacts.b, "b");
  checker.need(contacts.lever_b, "lever_b");
  checker.results(results, true);
  return checker.count();
}

template <class T>
std::size_t check_columns(const planar::IndexedContacts<T>& contacts, const planar::Results<T>& results) {
  Checker checker;
  checker.need(contacts.normal, "normal");
  checker.contact(contacts);
  checker.need(contacts.body_a, "body_a");
  checker.need(contacts.body_b, "body_b");
  checker.need(contacts.lever_a, "lever_a");
  checker.need(contacts.lever_b, "lever_b");
  checker.results(results, true);
  // A host without bodies has empty columns. Where there is no column at all it has forgotten them.
  Checker bodies(checker.count() > 0);
  bodies.need(contacts.bodies, "bodies");
  return checker.count();
}

template <class T>
std::size_t check_columns(const planar::SpaceContacts<T>& contacts, const planar::Results<T>& results) {
  Checker checker;
  checker.need(contacts.k_xx, "k_xx");
  checker.need(contacts.k_xy, "k_xy");
  checker.need(contacts.k_yy, "k_yy");
  checker.contact(contacts);
  checker.need(contacts.separation_velocity, "separation_velocity");
  checker.results(results, false);
  return checker.count();
}

template std::size_t check_columns(const planar::InlineContacts<float>&, const planar::Results<float>&);
template std::size_t check_columns(const planar::InlineContacts<double>&, const planar::Results<double>&);
template std::size_t check_columns(const planar::IndexedContacts<float>&, const planar::Results<float>&);
template std::size_t check_columns(const planar::IndexedContacts<double>&, const planar::Results<double>&);
template std::size_t check_columns(const planar::SpaceContacts<float>&, const planar::Results<float>&);
template std::size_t check_columns(const planar::SpaceContacts<double>&, const planar::Results<double>&);

}  // namespace carom
