#include "solving.hpp"

#include <algorithm>
#include <array>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "cli/output/progress_bar.hpp"
#include "core/columns/law_columns.hpp"
#include "vectors.hpp"

namespace carom::apps {
namespace {

// Calls part(first, count) for parts of the batch. An empty batch is one part, so that misuse is found in it too.
template <class Part>
void in_parts(std::size_t contacts, const io::Progress& progress, Part&& part) {
  std::size_t first = 0;
  do {
    const std::size_t count = std::min(rows_at_once, contacts - first);
    part(first, count);
    first += count;
    if (progress) progress(first, contacts);
  } while (first < contacts);
}

// Contacts with places for their results.
template <class AnyContacts>
struct Batch {
  Batch(const io::ContactNumbers& numbers, io::ResultNumbers& results_, std::size_t first, std::size_t count)
      : contacts(numbers, first, count), results(results_, first, count) {}
  io::ContactData<AnyContacts> contacts;
  io::ResultData<AnyContacts> results;
};

// Solves in parts; solve(contacts, results, first) returns the report of one.
template <class AnyContacts, class Solve>
Solved solved(const io::ContactNumbers& contacts, const io::Progress& progress, Solve&& solve) {
  Solved solved{.results = io::ResultNumbers(contacts), .report = {}};
  in_parts(contacts.size(), progress, [&](std::size_t first, std::size_t count) {
    Batch<AnyContacts> part(contacts, solved.results, first, count);
    const Stopwatch watch;
    solved.report += solve(part.contacts.view(), part.results.view(), first);
    solved.seconds += watch.seconds();
    part.results.store();
  });
  return solved;
}

// Solves contacts of a file, which may have columns for other laws.
Report solve_selected(Solver& solver, const auto& contacts, const auto& results, const Options& options) {
  return solver.solve(select(contacts, options), results, options);
}

// Makes a function of work(contacts, results) on all contacts at once.
template <class AnyContacts, class Work>
std::function<void()> repeatable(const io::ContactNumbers& contacts, io::ResultNumbers& results, Work work) {
  return [whole = std::make_shared<Batch<AnyContacts>>(contacts, results, 0, contacts.size()), work] {
    work(whole->contacts.view(), whole->results.view());
  };
}

Report reference_solve(const auto& contacts, const Results<double>& results, const Options& options,
                       Column<double> boundary_distance = {}) {
  return reference::solve(select(contacts, options), results, options, boundary_distance);
}

Report reference_solve(const auto& contacts, const planar::Results<double>& results, const Options& options,
                       Column<double> = {}) {
  return reference::planar::solve(select(contacts, options), results, options);
}

// The columns of a region in files, filled with zeros.
io::Numbers region_columns(const io::ContactNumbers& contacts) {
  io::Numbers numbers;
  const auto add = [&](std::string name) {
    numbers.add(std::move(name), std::vector<double>(contacts.size()),
                contacts.in_float() ? io::digits_of_float : io::digits_of_double);
  };
  for (const Bound& bound : bounds) add(std::string(bound.column));
  const std::string axes = io::is_planar_form(contacts.form()) ? "xy" : "xyz";
  for (const std::string landmark : {"plastic_frictionless_", "plastic_sticking_"})
    for (const char axis : axes) add(landmark + axis);
  add("contact_energy");
  return numbers;
}

// Puts a part of the impulses to the region.
template <class AnyContacts>
void put_to_region(const io::ContactNumbers& contacts, const Vectors& impulses, Solver& solver, const Options& options,
                   std::size_t first, std::size_t count, io::Numbers& numbers, std::vector<Status>& statuses) {
  using T = NumberOf<AnyContacts>;
  const io::ContactData<AnyContacts> part(contacts, first, count);
  constexpr std::size_t axes = io::is_planar<AnyContacts> ? 2 : 3;
  std::array<std::vector<T>, 3> p;
  p.fill(std::vector<T>(count));
  for (std::size_t i = 0; i < axes; ++i)
    if (const io::NumberColumn* column = impulses.column(i)) {
      const auto values = std::span(column->values).subspan(first, count);
      p[i].assign(values.begin(), values.end());
    }

  // The margins, P_I, P_II and the energy.
  std::array<std::vector<T>, 4 + 2 * axes + 1> found;
  found.fill(std::vector<T>(count));
  auto& f = found;
  auto view = part.view();
  view.laws = {};
  Options of_data;
  of_data.data = options.data;
  const RegionMargins<T> margins{f[0], f[1], f[2], f[3], std::span(statuses).subspan(first, count)};
  if constexpr (io::is_planar<AnyContacts>)
    solver.find_margins(view, {p[0], p[1]}, margins, {{f[4], f[5]}, {f[6], f[7]}, f[8]}, of_data);
  else
    solver.find_margins(view, {p[0], p[1], p[2]}, margins, {{f[4], f[5], f[6]}, {f[7], f[8], f[9]}, f[10]}, of_data);
  for (std::size_t i = 0; i < found.size(); ++i)
    std::copy(found[i].begin(), found[i].end(), numbers.values(i).begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

Solved solve_on_lanes(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                      const io::Progress& progress) {
  return io::with_contacts(contacts.form(), contacts.in_float(), [&]<class AnyContacts>() {
    return solved<AnyContacts>(contacts, progress, [&](const auto& part, const auto& results, std::size_t) {
      return solve_selected(solver, part, results, options);
    });
  });
}

Solved solve_by_reference(const io::ContactNumbers& contacts, const Options& options, const io::Progress& progress,
                          std::vector<double>* boundary_distance) {
  if (boundary_distance != nullptr) boundary_distance->assign(contacts.size(), std::numeric_limits<double>::infinity());
  return io::with_contacts_in_double(contacts.form(), [&]<class AnyContacts>() {
    return solved<AnyContacts>(contacts, progress, [&](const auto& part, const auto& results, std::size_t first) {
      Column<double> distances;
      if (boundary_distance != nullptr) distances = std::span(*boundary_distance).subspan(first, part.friction.count);
      return reference_solve(part, results, options, distances);
    });
  });
}

std::function<void()> repeatable_on_lanes(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                                          io::ResultNumbers& results) {
  return io::with_contacts(contacts.form(), contacts.in_float(), [&]<class AnyContacts>() {
    return repeatable<AnyContacts>(contacts, results, [&solver, options](const auto& all, const auto& places) {
      solve_selected(solver, all, places, options);
    });
  });
}

std::function<void()> repeatable_by_reference(const io::ContactNumbers& contacts, const Options& options,
                                              io::ResultNumbers& results) {
  return io::with_contacts_in_double(contacts.form(), [&]<class AnyContacts>() {
    return repeatable<AnyContacts>(
        contacts, results, [options](const auto& all, const auto& places) { reference_solve(all, places, options); });
  });
}

std::vector<std::string> unread_columns(const io::Table& table, io::Form form, const Options& options) {
  LawColumns<double> there;
  columns::each_law_column(
      [&]<class T>(const columns::Label& label, Column<const T>& column) {
        if (table.find(label.in_file()) != io::Table::none) column = T{};
      },
      there);
  std::vector<std::string> names;
  columns::each_unread_law_column(
      [&](const columns::Label& label, const auto& column) {
        if (column) names.push_back(label.in_file());
      },
      there, columns::possible_laws(there, options.law), options.integrator, io::is_planar_form(form));
  return names;
}

ContactScales scales_of(const io::ContactNumbers& contacts) {
  ContactScales scales;
  io::with_contacts_in_double(contacts.form(), [&]<class AnyContacts>() {
    const io::ContactData<AnyContacts> all(contacts, 0, contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if constexpr (io::is_planar<AnyContacts>) {
        const auto c = reference::planar::collision_of(all.view(), i);
        scales.speed.push_back(std::hypot(c.u0[0], c.u0[1]));
        scales.trace_k.push_back(c.k_xx + c.k_yy);
      } else {
        const auto c = reference::collision_of(all.view(), i);
        scales.speed.push_back(std::hypot(c.u0[0], c.u0[1], c.u0[2]));
        scales.trace_k.push_back(c.k[0][0] + c.k[1][1] + c.k[2][2]);
      }
    }
  });
  return scales;
}

Region region_of(const io::ContactNumbers& contacts, const ContactScales& scales, const io::Numbers& impulses,
                 Solver& solver, const Options& options) {
  ProgressBar bar("checking");
  io::Numbers numbers = region_columns(contacts);
  std::vector<Status> statuses(contacts.size());
  const Vectors impulse(impulses, io::columns_of(contacts.form()).impulse);
  io::with_contacts(contacts.form(), contacts.in_float(), [&]<class AnyContacts>() {
    in_parts(contacts.size(), bar.function(), [&](std::size_t first, std::size_t count) {
      put_to_region<AnyContacts>(contacts, impulse, solver, options, first, count, numbers, statuses);
    });
  });
  return {scales, std::move(numbers), std::move(statuses)};
}

}  // namespace carom::apps
