#include "check.hpp"

#include <charconv>
#include <string>
#include <type_traits>

namespace carom {
namespace {

// A name in pieces: a text is made of it only where a message needs one, so that a call allocates nothing.
struct Name {
  const char* pieces[4] = {"", "", "", ""};

  Name(const char* first) : pieces{first, "", "", ""} {}  // NOLINT(google-explicit-constructor)
  Name operator+(const char* piece) const {
    Name longer = *this;
    std::size_t i = 0;
    while (i < 3 && *longer.pieces[i] != '\0') ++i;
    longer.pieces[i] = piece;
    return longer;
  }
  std::string text() const { return std::string(pieces[0]) + pieces[1] + pieces[2] + pieces[3]; }
};

// Compares every column with the first one it meets.
class Checker {
 public:
  /// `some` elements are known to be wanted.
  explicit Checker(bool some = false) : some_(some) {}

  template <class T>
  void need(const Column<T>& column, Name name) {
    // An empty batch may come as null pointers: an empty std::vector has no data.
    if (!column && (some_ || column.count > 0 || (known_ && count_ > 0)))
      throw Error("carom: the column " + name.text() + " is missing");
    if (!known_) {
      known_ = true;
      count_ = column.count;
      first_ = name;
    }
    same_length(column.count, name);
  }

  template <class T>
  void accept(const Column<T>& column, Name name) {
    if (!column && column.count > 0) throw Error("carom: the column " + name.text() + " has elements, but no address");
    if (column) same_length(column.count, name);
    if (column && !std::is_const_v<T> && column.stride == 0 && column.count > 1)
      throw Error("carom: the result column " + name.text() + " has stride 0, so its contacts share one place");
  }

  template <class T>
  void need(const Vector3Columns<T>& v, Name name) {
    need(v.x, name + ".x");
    need(v.y, name + ".y");
    need(v.z, name + ".z");
  }

  template <class T>
  void accept(const Vector3Columns<T>& v, Name name) {
    accept(v.x, name + ".x");
    accept(v.y, name + ".y");
    accept(v.z, name + ".z");
  }

  template <class T>
  void need(const SymmetricColumns<T>& m, Name name) {
    need(m.xx, name + ".xx");
    need(m.xy, name + ".xy");
    need(m.xz, name + ".xz");
    need(m.yy, name + ".yy");
    need(m.yz, name + ".yz");
    need(m.zz, name + ".zz");
  }

  template <class T>
  void need(const BodyColumns<T>& body, Name name) {
    need(body.inverse_mass, name + ".inverse_mass");
    need(body.inverse_inertia, name + ".inverse_inertia");
    need(body.velocity, name + ".velocity");
    need(body.angular_velocity, name + ".angular_velocity");
  }

  template <class T>
  void contact(const ContactColumns<T>& contacts) {
    need(contacts.friction, "friction");
    need(contacts.restitution, "restitution");
    accept(contacts.step, "step");
    accept(contacts.restitution_law, "restitution_law");
    accept(contacts.law, "law");
    parameters(contacts);
  }

  template <class T>
  void parameters(const LawColumns<T>& columns) {
    accept(columns.tangential_restitution, "tangential_restitution");
    accept(columns.impulse_ratio_1, "impulse_ratio_1");
    accept(columns.impulse_ratio_2, "impulse_ratio_2");
    accept(columns.polar_angle, "polar_angle");
    accept(columns.azimuth, "azimuth");
    accept(columns.fraction, "fraction");
    accept(columns.candidate_x, "candidate_x");
    accept(columns.candidate_y, "candidate_y");
    accept(columns.candidate_z, "candidate_z");
    const auto& weight = columns.weight;
    accept(weight.incremental, "weight.incremental");
    accept(weight.frictionless, "weight.frictionless");
    accept(weight.chatterjee_ruina, "weight.chatterjee_ruina");
    accept(weight.bilinear, "weight.bilinear");
    accept(weight.smith, "weight.smith");
    accept(weight.anitescu_potra, "weight.anitescu_potra");
    accept(weight.pfeiffer_glocker, "weight.pfeiffer_glocker");
    accept(weight.brach, "weight.brach");
    accept(weight.projected, "weight.projected");
    accept(weight.polar, "weight.polar");
  }

  template <class T>
  void results(const Results<T>& results, bool bodies) {
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
    accept(results.steps, "results.steps");
    if (bodies) return;
    for (const auto* v :
         {&results.velocity_a, &results.angular_velocity_a, &results.velocity_b, &results.angular_velocity_b})
      if (v->x || v->y || v->z)
        throw Error("carom: contacts in contact space have no bodies, so there is no result for their velocities");
  }

  std::size_t count() const { return count_; }

 private:
  void same_length(std::size_t count, Name name) const {
    if (count != count_)
      throw Error("carom: the column " + name.text() + " has " + std::to_string(count) + " elements, but " +
                  first_.text() + " has " + std::to_string(count_));
  }

  Name first_ = "";
  std::size_t count_ = 0;
  bool some_, known_ = false;
};

void in_range(double value, double low, double high, const char* name) {
  if (!(value >= low && value <= high))
    throw Error(std::string("carom: the option ") + name + " is " + in_words(value) + ", not in [" + in_words(low) +
                ", " + in_words(high) + "]");
}

template <class Enum>
void is_one_of(std::size_t count, Enum value, const char* name) {
  const auto number = static_cast<std::size_t>(value);
  if (number >= count)
    throw Error(std::string("carom: the option ") + name + " is number " + std::to_string(number) +
                ", of which there are " + std::to_string(count) + " from 0 on");
}

}  // namespace

std::string in_words(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 15).ptr);
}

void check_options(const Options& options) {
  is_one_of(isa_count, options.isa, "isa");
  is_one_of(law_count, options.law, "law");
  is_one_of(integrator_count, options.integrator, "integrator");
  is_one_of(restitution_law_count, options.restitution_law, "restitution_law");
  in_range(options.threads, 0, Options::most_threads, "threads");
  in_range(options.steps, 1, Options::most_steps, "steps");
  in_range(options.step_budget, 1, Options::most_steps, "step_budget");
  in_range(options.largest_restitution, 1, Options::most_restitution, "largest_restitution");
  in_range(options.normal_tolerance, 0, Options::most_tolerance, "normal_tolerance");
  in_range(options.inertia_tolerance, 0, Options::most_tolerance, "inertia_tolerance");
  if (options.integrator == Integrator::euler && options.restitution_law != RestitutionLaw::energetic)
    throw Error("carom: the option restitution_law is " + std::string(to_string(options.restitution_law)) +
                "; the integrator euler offers energetic only");
}

template <class T>
std::size_t check_columns(const InlineContacts<T>& contacts, const Results<T>& results) {
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
std::size_t check_columns(const IndexedContacts<T>& contacts, const Results<T>& results) {
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
std::size_t check_columns(const SpaceContacts<T>& contacts, const Results<T>& results) {
  Checker checker;
  checker.need(contacts.k, "k");
  checker.contact(contacts);
  checker.need(contacts.separation_velocity, "separation_velocity");
  checker.results(results, false);
  return checker.count();
}

template std::size_t check_columns(const InlineContacts<float>&, const Results<float>&);
template std::size_t check_columns(const InlineContacts<double>&, const Results<double>&);
template std::size_t check_columns(const IndexedContacts<float>&, const Results<float>&);
template std::size_t check_columns(const IndexedContacts<double>&, const Results<double>&);
template std::size_t check_columns(const SpaceContacts<float>&, const Results<float>&);
template std::size_t check_columns(const SpaceContacts<double>&, const Results<double>&);

}  // namespace carom
