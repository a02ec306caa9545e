#include "scene_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/columns/columns.hpp"

namespace carom::io {
namespace {

constexpr std::int32_t min_index = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t unknown = min_index;  // the row names no body and is left out

std::optional<double> to_step(std::string_view text) {
  const std::optional<double> step = to_number(text);
  return step && std::isfinite(*step) ? step : std::nullopt;
}

std::optional<std::int32_t> to_body(std::string_view text) {
  const std::optional<double> index = to_number(text);
  if (!index || std::trunc(*index) != *index || *index < min_index || *index > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(*index);
}

using Bodies = std::array<std::int32_t, 2>;

// Reads the scenes with all their rows.
class Reader {
 public:
  Reader(const Table& table, ContactNumbers& contacts, std::vector<std::uint64_t>* keys)
      : bodies(contacts.size(), {unknown, unknown}), table_(table) {
    const std::size_t step = table.find("scene_step"), a = table.find("body_a"), b = table.find("body_b");
    const std::size_t key = keys == nullptr ? Table::none : table.find("key");
    if (key != Table::none) keys->assign(contacts.size(), 0);
    for (std::size_t row = 0; row < contacts.size(); ++row) {
      if (table.width(row) != table.header().size()) continue;  // a fault of ContactNumbers
      if (const auto found = read(row, step, to_step, "a number")) scene_of(*found).rows.push_back(row);
      for (std::size_t side = 0; side < 2; ++side)
        if (const auto body = read(row, side == 0 ? a : b, to_body, "a body: a whole number from -1 to 2147483647"))
          bodies[row][side] = *body;
      if (key != Table::none && !table.text(row, key).empty())
        if (const auto found =
                read(row, key, to_integer<std::uint64_t>, "a key: a whole number from 0 to 18446744073709551615"))
          (*keys)[row] = *found;
    }
    contacts.refuse(std::move(faults_), unreadable);
  }

  std::vector<Bodies> bodies;
  std::vector<SceneOfRows> scenes;

 private:
  template <class Number>
  std::optional<Number> read(std::size_t row, std::size_t column, std::optional<Number> (*to)(std::string_view),
                             const char* kind) {
    const std::string text = table_.text(row, column);
    const std::optional<Number> number = to(text);
    if (!number)
      faults_.push_back(
          {row, "column " + table_.header()[column] +
                    (text.empty() ? ": the cell is empty" : fmt::format(": '{}' is not {}", text, kind))});
    return number;
  }

  SceneOfRows& scene_of(double step) {
    const auto [found, is_new] = scene_numbers_.try_emplace(step, scenes.size());
    if (is_new) scenes.emplace_back().step = step;
    return scenes[found->second];
  }

  const Table& table_;
  std::unordered_map<double, std::size_t> scene_numbers_;
  std::vector<ContactNumbers::Fault> faults_;
};

// Finds the bodies of scenes from the states in the rows.
class BodyFinder {
 public:
  BodyFinder(const Table& table, const ContactNumbers& contacts, const std::vector<Bodies>& bodies)
      : table_(table), contacts_(contacts), bodies_(bodies) {
    for (std::size_t side = 0; side < 2; ++side)
      for (std::string& name : body_state_columns(side)) {
        const std::vector<double>* values = &contacts.numbers().at(name);
        states_[side].push_back({std::move(name), values});
      }
  }

  /// Turns all rows of a scene into its contacts and bodies.
  void find(SceneOfRows& scene) {
    known_.clear();
    const std::vector<std::size_t> all = std::move(scene.rows);
    scene.rows.clear();
    for (const std::size_t row : all)
      if (contacts_.readable(row) && !is_of_one_body(row) && agrees(scene, row))
        for (std::size_t side = 0; side < 2; ++side) learn(scene, {row, side});
    for (const std::size_t row : all) {
      if (contacts_.readable(row) && !disagreeing_.contains(row)) {
        scene.rows.push_back(row);
        scene.body_a.push_back(index_for_contact(scene, {row, 0}));
        scene.body_b.push_back(index_for_contact(scene, {row, 1}));
      }
      for (std::size_t side = 0; side < 2; ++side)
        if (const auto found = known_.find(bodies_[row][side]); found != known_.end())
          scene.shown.push_back({{row, side}, found->second});
    }
  }

  std::vector<ContactNumbers::Fault> faults;

 private:
  struct StateColumn {
    std::string name;
    const std::vector<double>* values;
  };

  double state(RowSide at, std::size_t column) const { return (*states_[at.side][column].values)[at.row]; }
  std::int32_t body(RowSide at) const { return bodies_[at.row][at.side]; }
  bool is_of_one_body(std::size_t row) const { return bodies_[row][0] == bodies_[row][1]; }
  bool is_finite(RowSide at) const {
    for (std::size_t i = 0; i < states_[0].size(); ++i)
      if (!std::isfinite(state(at, i))) return false;
    return true;
  }

  // A state that is not finite never disagrees; the contact gets that fault instead.
  bool agrees(const SceneOfRows& scene, std::size_t row) {
    bool all = true;
    for (const RowSide at : {RowSide{row, 0}, RowSide{row, 1}}) {
      const std::int32_t index = body(at);
      const auto found = known_.find(index);
      if (index < -1 || (index >= 0 && (found == known_.end() || !is_finite(at)))) continue;
      for (std::size_t i = 0; i < states_[0].size(); ++i) {
        const double here = state(at, i),
                     there = index < 0 ? 0 : state(scene.bodies[static_cast<std::size_t>(found->second)], i);
        if (here == there) continue;
        add_fault(at, i, index < 0 ? nullptr : &scene.bodies[static_cast<std::size_t>(found->second)]);
        all = false;
        break;
      }
    }
    return all;
  }

  void add_fault(RowSide at, std::size_t column, const RowSide* first) {
    const auto name_of = [&](RowSide of) { return states_[of.side][column].name; };
    const auto text_of = [&](RowSide of) { return table_.text(of.row, table_.find(name_of(of))); };
    std::string message = fmt::format("column {}: {}", name_of(at), text_of(at));
    message += first == nullptr
                   ? ", but body -1 is the immovable world, with 0"
                   : fmt::format(" for body {}, but {} {} has {} in column {}", body(at), table_.unit_of_line(),
                                 table_.line(first->row), text_of(*first), name_of(*first));
    faults.push_back({at.row, message + fmt::format(" ({})", body_state_disagrees)});
    disagreeing_.insert(at.row);
  }

  void learn(SceneOfRows& scene, RowSide at) {
    if (body(at) >= 0 && is_finite(at) && !known_.contains(body(at))) known_.emplace(body(at), add(scene, at));
  }

  // A contact with a state that is not finite gets a body of its own, so that it does not affect other contacts.
  std::int32_t index_for_contact(SceneOfRows& scene, RowSide at) {
    if (body(at) < 0) return body(at);
    if (is_of_one_body(at.row) && at.side == 1) return scene.body_a.back();
    const auto found = known_.find(body(at));
    const bool is_known = found != known_.end() && (is_of_one_body(at.row) || is_finite(at));
    return is_known ? found->second : add(scene, at);
  }

  static std::int32_t add(SceneOfRows& scene, RowSide at) {
    scene.bodies.push_back(at);
    return static_cast<std::int32_t>(scene.bodies.size() - 1);
  }

  const Table& table_;
  const ContactNumbers& contacts_;
  const std::vector<Bodies>& bodies_;
  std::array<std::vector<StateColumn>, 2> states_;
  std::unordered_map<std::int32_t, std::int32_t> known_;  // bodies of the scene and their places in it
  std::unordered_set<std::size_t> disagreeing_;
};

}  // namespace

std::vector<std::string> body_state_columns(std::size_t side) {
  std::vector<std::string> names;
  const BodyColumns<const double> bodies;
  columns::each([&](const columns::Label& label, const auto&) { names.push_back(label.in_file()); },
                columns::Label{"", "", "", "", side == 0 ? "a" : "b"}, bodies);
  return names;
}

SceneRows::SceneRows(const Table& table, ContactNumbers& contacts, bool with_keys) {
  Reader reader(table, contacts, with_keys ? &keys_ : nullptr);
  scenes_ = std::move(reader.scenes);
  BodyFinder finder(table, contacts, reader.bodies);
  for (SceneOfRows& scene : scenes_) finder.find(scene);
  contacts.refuse(std::move(finder.faults), body_state_disagrees);
}

}  // namespace carom::io
