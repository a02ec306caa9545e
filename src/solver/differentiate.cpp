// Solver::differentiate: a tile of contacts at a time goes through the kernels of its laws. Columns of the host's that
// are contiguous are read and written in place, the others by way of the tile.
#include <algorithm>
#include <atomic>
#include <carom/solver.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "access.hpp"
#include "check.hpp"
#include "gradient_columns.hpp"
#include "range.hpp"

namespace carom {
namespace {

using columns::derivative_count, columns::derivatives_by_own, columns::gradient_rows;
using gradients::Input, gradients::Output, gradients::Workspace, gradients::variables, gradients::members;

template <class T>
const kernel::GradientFunctions<T>& functions_of(const kernel::GradientKernels& kernels) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.of_float;
  else
    return kernels.of_double;
}

constexpr unsigned bit_of(Law law) {
  return 1u << static_cast<unsigned>(law);
}
constexpr unsigned closed_forms =
    bit_of(Law::frictionless) | bit_of(Law::no_slip) | bit_of(Law::chatterjee_ruina) | bit_of(Law::bilinear);
constexpr unsigned readers_of_restitution = columns::readers_of(columns::Parameter::tangential_restitution, false);
constexpr unsigned with_impulses = bit_of(Law::whittaker) | bit_of(Law::smith) | bit_of(Law::anitescu_potra);

template <class T>
class TileOfGradients {
  using Tile = kernel::GradientTile<T>;
  static constexpr std::size_t size = Tile::size;

 public:
  TileOfGradients(const IsaEntry& entry, const SpaceContacts<T>& contacts, const Gradients<T>& gradients,
                  const Options& options, T tolerance, std::array<std::size_t, gradient_status_count>& counts,
                  Workspace<T>& memory)
      : entry_(entry),
        functions_(functions_of<T>(*entry.gradients)),
        contacts_(contacts),
        gradients_(gradients),
        input_(contacts),
        output_(gradients),
        options_(options),
        counts_(counts),
        memory_(&memory) {
    tile_.tolerance = tolerance;
    std::fill_n(memory_->zeros, size, T(0));
  }

  void run(std::size_t first, std::size_t n) {
    first_ = first;
    count_ = n;
    tile_.count = (n + 15) / 16 * 16;
    load();
    whole_jacobian_ =
        output_.any_of_u || output_.any_product || output_.any_by_weight || (laws_ & bit_of(Law::composite)) != 0;
    const bool uniform = has_one_law();
    set_output(uniform);
    if (!uniform) clear();
    for (std::size_t law = 0; law < law_count; ++law)
      if ((laws_ >> law & 1u) != 0) differentiate(static_cast<Law>(law), uniform);
    settle();
    follow();
    store();
  }

 private:
  bool in_place(std::size_t i) const { return count_ == tile_.count && is_contiguous(input_.of[i]); }
  template <class U>
  static bool is_contiguous(const Column<U>& column) {
    return column && column.stride == sizeof(T);
  }

  void load() {
    Workspace<T>& m = *memory_;
    for (std::size_t i = 0; i < variables; ++i) {
      const Column<const T>& column = input_.of[i];
      tile_.in[i] = !column ? m.zeros : in_place(i) ? &column[first_] : m.in[i];
      if (tile_.in[i] != m.in[i]) continue;
      if (is_contiguous(column))
        std::copy_n(&column[first_], count_, m.in[i]);
      else
        for (std::size_t k = 0; k < count_; ++k) m.in[i][k] = column[first_ + k];
      // What fills the last vector up separates.
      const bool one = i == Tile::k_xx || i == Tile::k_yy || i == Tile::k_zz || i == Tile::u0_z;
      std::fill(m.in[i] + count_, m.in[i] + tile_.count, one ? T(1) : T(0));
    }
    laws_ = contacts_.laws.law ? 0u : bit_of(options_.law);
    if (contacts_.laws.law)
      for (std::size_t k = 0; k < count_; ++k) {
        m.laws[k] = contacts_.laws.law[first_ + k];
        if (static_cast<std::size_t>(m.laws[k]) < law_count) laws_ |= bit_of(m.laws[k]);
      }
    else if (options_.law == Law::composite)
      std::fill_n(m.laws, count_, options_.law);
    if ((laws_ & (bit_of(Law::incremental) | bit_of(Law::composite))) != 0) {
      const Column<const RestitutionLaw>& column = contacts_.laws.restitution_law;
      for (std::size_t k = 0; k < count_; ++k)
        m.restitution_law[k] = static_cast<T>(column ? column[first_ + k] : options_.restitution_law);
      std::fill(m.restitution_law + count_, m.restitution_law + tile_.count, T(0));
    }
    if (laws_ == 0) laws_ = bit_of(Law::pfeiffer_glocker);
  }

  bool has_one_law() const {
    const Law* laws = memory_->laws;
    return !contacts_.laws.law || std::all_of(laws, laws + count_, [&](Law law) { return law == laws[0]; });
  }

  /// True where columns that the kernels of gradients do not look at may put contacts at fault.
  bool is_doubtful() const {
    const LawColumns<T>& laws = contacts_.laws;
    const bool lacks = (laws_ & readers_of_restitution) != 0 && !laws.tangential_restitution;
    const auto is_unknown = [](RestitutionLaw law) { return static_cast<std::size_t>(law) >= restitution_law_count; };
    bool unknown = false;
    if (laws.restitution_law)
      for (std::size_t k = 0; k < count_; ++k) unknown = unknown || is_unknown(laws.restitution_law[first_ + k]);
    return lacks || unknown || laws.step;
  }

  /// True of variables that others than derivatives of p are made of.
  bool is_part_of_jacobian(std::size_t v) const {
    if (v < derivatives_by_own || (laws_ & (bit_of(Law::composite) | bit_of(Law::projected))) != 0) return true;
    return std::any_of(output_.of + 3, output_.of + gradient_rows + 1, [&](const auto& row) { return bool(row[v]); });
  }

  /// Where the derivatives of p go at first: to the host, if nothing else is made of them.
  void set_output(bool uniform) {
    direct_ = uniform && count_ == tile_.count && !whole_jacobian_;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t v = 0; v < variables; ++v) {
        const Column<T>& column = output_.of[r][v];
        const bool wanted = column || (whole_jacobian_ && is_part_of_jacobian(v));
        tile_.out[r][v] = !wanted ? nullptr : direct_ && is_contiguous(column) ? &column[first_] : memory_->out[r][v];
      }
    tile_.status = memory_->status;
    tile_.plain = memory_->plain;
    for (std::size_t c = 0; c < 3; ++c) tile_.impulse[c] = memory_->impulse[c];
  }

  void clear() {
    std::fill_n(memory_->plain, tile_.count, T(0));
    std::fill_n(memory_->status, tile_.count, T(0));
  }

  void differentiate(Law law, bool uniform) {
    Workspace<T>& m = *memory_;
    if (!uniform) {
      for (std::size_t k = 0; k < tile_.count; ++k) m.chosen[k] = k < count_ && m.laws[k] == law ? T(1) : T(0);
    }
    tile_.chosen = uniform ? nullptr : m.chosen;
    tile_.law = law;
    zero_own_columns(law);
    if (law == Law::composite)
      differentiate_composites();
    else
      differentiate_one(law);
  }

  /// Columns of parameters that a law does not read; its kernel writes the others.
  void zero_own_columns(Law law) {
    const bool closed = (closed_forms & bit_of(law)) != 0;
    for (std::size_t v = derivatives_by_own; v < variables; ++v) {
      const auto parameter = static_cast<columns::Parameter>(v - derivatives_by_own);
      if (closed && (columns::readers_of(parameter, false) >> static_cast<unsigned>(law) & 1u) != 0) continue;
      for (std::size_t r = 0; r < 3; ++r)
        if (T* to = tile_.out[r][v]) {
          if (tile_.chosen == nullptr)
            std::fill_n(to, tile_.count, T(0));
          else
            for (std::size_t k = 0; k < tile_.count; ++k) to[k] = tile_.chosen[k] > 0 ? T(0) : to[k];
        }
    }
  }

  void differentiate_one(Law law) {
    Workspace<T>& m = *memory_;
    tile_.law = law;
    for (std::size_t c = 0; c < 3; ++c) tile_.p[c] = tile_.compression[c] = nullptr;
    const T largest = static_cast<T>(options_.largest_restitution);
    if (law == Law::incremental) {
      if (!m.slide) m.slide = std::make_unique_for_overwrite<kernel::SlideMemory<T>>();
      functions_.incremental(tile_, {m.restitution_law, options_.step_budget, largest}, *m.slide);
    } else if ((closed_forms & bit_of(law)) != 0) {
      functions_.closed_form(tile_, largest);
    } else {
      if ((with_impulses & bit_of(law)) != 0) {
        solve(law, input_.of[Tile::restitution], m.impulse);
        for (std::size_t c = 0; c < 3; ++c) tile_.p[c] = m.impulse[c];
        if (law == Law::anitescu_potra) {
          solve(Law::whittaker, Column<const T>::repeat(m.zeros[0], input_.of[0].count), m.compression);
          for (std::size_t c = 0; c < 3; ++c) tile_.compression[c] = m.compression[c];
        }
      }
      functions_.other_laws(tile_);
    }
  }

  /// Σ w_i p_i / Σ w, member by member.
  void differentiate_composites() {
    Workspace<T>& m = *memory_;
    T sum[size];
    std::fill_n(sum, size, T(0));
    const auto is_composite = [&](std::size_t k) { return k < count_ && m.laws[k] == Law::composite; };
    const auto weight = [&](std::size_t i, std::size_t k) {
      const Column<const T>& column = input_.of[variables + i];
      const T w = column && is_composite(k) ? column[first_ + k] : T(0);
      return w > 0 && w <= std::numeric_limits<T>::max() ? w : T(0);
    };
    for (std::size_t i = 0; i < members; ++i)
      for (std::size_t k = 0; k < count_; ++k) sum[k] += weight(i, k);
    for (auto& row : m.composite)
      for (auto& column : row) std::fill_n(column, tile_.count, T(0));
    std::fill_n(m.member_status, tile_.count, T(0));
    for (std::size_t i = 0; i < members; ++i) {
      const Law law = columns::members[i].law;
      bool any = false;
      for (std::size_t k = 0; k < tile_.count; ++k) {
        m.chosen[k] = weight(i, k) > 0 ? T(1) : T(0);
        any = any || m.chosen[k] > 0;
      }
      if (!any || law == Law::pfeiffer_glocker) continue;
      tile_.chosen = m.chosen;
      zero_own_columns(law);
      differentiate_one(law);
      find_impulses();
      for (std::size_t k = 0; k < count_; ++k) {
        if (!(m.chosen[k] > 0)) continue;
        const T share = weight(i, k) / sum[k];
        m.member_status[k] = std::max(m.member_status[k], m.status[k]);
        for (std::size_t r = 0; r < 3; ++r) {
          for (std::size_t v = 0; v < variables; ++v) m.composite[r][v][k] += share * tile_.out[r][v][k];
          m.composite[r][variables + i][k] = m.impulse[r][k];
        }
      }
    }
    for (std::size_t k = 0; k < count_; ++k) {
      if (!is_composite(k)) continue;
      m.status[k] = m.member_status[k];
      m.plain[k] = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        T p = 0;
        for (std::size_t i = 0; i < members; ++i) p += weight(i, k) / sum[k] * m.composite[r][variables + i][k];
        for (std::size_t v = 0; v < variables; ++v) tile_.out[r][v][k] = m.composite[r][v][k];
        // A member without weight is not evaluated.
        for (std::size_t i = 0; i < members; ++i)
          m.by_weight[r][i][k] = weight(i, k) > 0 ? (m.composite[r][variables + i][k] - p) / sum[k] : T(0);
      }
    }
  }

  /// p is homogeneous in velocities and impulses: it is Σ u0 ∂p/∂u0 + Σ candidate ∂p/∂candidate.
  void find_impulses() {
    constexpr std::size_t candidate = derivatives_by_own + static_cast<std::size_t>(columns::Parameter::candidate_x);
    for (std::size_t r = 0; r < 3; ++r) {
      T* const p = memory_->impulse[r];
      std::fill_n(p, tile_.count, T(0));
      for (const std::size_t first : {std::size_t{Tile::u0_x}, candidate})
        for (std::size_t v = first; v < first + 3 && tile_.out[r][v] != nullptr; ++v)
          for (std::size_t k = 0; k < tile_.count; ++k)
            p[k] += tile_.in[v][k] == 0 || tile_.out[r][v][k] == 0 ? T(0) : tile_.in[v][k] * tile_.out[r][v][k];
    }
  }

  /// Derivatives by weights, and what follows from them for u and the products.
  T by_weight(std::size_t row, std::size_t i, std::size_t k) const {
    const Workspace<T>& m = *memory_;
    if ((laws_ & bit_of(Law::composite)) == 0 || m.laws[k] != Law::composite)
      return std::isnan(tile_.out[0][0][k]) ? tile_.out[0][0][k] : T(0);
    const T dp[3] = {m.by_weight[0][i][k], m.by_weight[1][i][k], m.by_weight[2][i][k]};
    const auto of_u = [&](std::size_t r) {
      constexpr std::size_t entry[3][3] = {{Tile::k_xx, Tile::k_xy, Tile::k_xz},
                                           {Tile::k_xy, Tile::k_yy, Tile::k_yz},
                                           {Tile::k_xz, Tile::k_yz, Tile::k_zz}};
      T du = 0;
      for (std::size_t c = 0; c < 3; ++c) du += tile_.in[entry[r][c]][k] * dp[c];
      return du;
    };
    if (row < 3) return dp[row];
    if (row < gradient_rows) return of_u(row - 3);
    const VectorJacobianProduct<T>& vjp = gradients_.cotangent;
    const Column<const T>* const of_p[] = {&vjp.impulse.x, &vjp.impulse.y, &vjp.impulse.z};
    const Column<const T>* const of_v[] = {&vjp.separation_velocity.x, &vjp.separation_velocity.y,
                                           &vjp.separation_velocity.z};
    T product = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      if (*of_p[r]) product += (*of_p[r])[first_ + k] * dp[r];
      if (*of_v[r]) product += (*of_v[r])[first_ + k] * of_u(r);
    }
    return product;
  }

  /// The contacts' impulses and statuses under a law; all of them, whatever theirs is.
  void solve(std::optional<Law> law, const Column<const T>& restitution, T (*impulse)[size]) {
    Workspace<T>& m = *memory_;
    const auto make = [](auto& part) {
      if (!part) part = std::make_unique_for_overwrite<typename std::decay_t<decltype(part)>::element_type>();
    };
    make(m.sliding);
    make(m.law);
    make(m.group);
    make(m.member_results);
    SpaceContacts<T> contacts = contacts_;
    contacts.restitution = restitution;
    contacts = columns::sliced(contacts, first_, count_);
    Options options = options_;
    if (law) {
      contacts.laws.law = {};
      options.law = *law;
    }
    Results<T> results;
    if (impulse != nullptr) results.impulse = {{impulse[0], count_}, {impulse[1], count_}, {impulse[2], count_}};
    results.status = {m.statuses, count_};
    const RangeKernels<T, SpaceContacts> kernels = {kernel_for<T, SpaceContacts>(*entry_.kernels),
                                                    kernel_for<T, SpaceContacts>(*entry_.algebraic)};
    const kernel::Job<T, SpaceContacts> job{contacts, results, parameters_for<T>(options)};
    kernel::OwnTally tally;
    MemberResults<T>* members_of =
        has_incremental_members(contacts.laws, options.law) ? m.member_results.get() : nullptr;
    solve_range(job, kernels, 0, count_, {m.sliding.get(), m.law.get(), m.group.get()}, members_of, tally);
    if (impulse != nullptr)
      for (std::size_t c = 0; c < 3; ++c) std::fill(impulse[c] + count_, impulse[c] + tile_.count, T(0));
  }

  /// Contacts that are not plainly in order may be at fault.
  void settle() {
    Workspace<T>& m = *memory_;
    // Comparisons are summed up side by side, where a least and a greatest number wait for each other.
    int doubtful = is_doubtful() ? 1 : 0, inexact = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      doubtful |= m.plain[k] > 0 ? 0 : 1;
      inexact |= m.status[k] > 0 ? 1 : 0;
    }
    if (doubtful == 0 && inexact == 0) {
      counts_[0] += count_;
      if (gradients_.status)
        for (std::size_t k = 0; k < count_; ++k) gradients_.status[first_ + k] = GradientStatus::exact;
      return;
    }
    if (doubtful != 0) {
      solve(std::nullopt, contacts_.restitution, nullptr);
      for (std::size_t k = 0; k < count_; ++k) {
        const Status status = m.statuses[k];
        if (status == Status::separating)
          set(k, GradientStatus::zero, T(0));
        else if (!is_resolved(status) || !(contacts_.friction[first_ + k] <= std::numeric_limits<T>::max()))
          set(k, GradientStatus::none, std::numeric_limits<T>::quiet_NaN());
      }
    }
    for (std::size_t k = 0; k < count_; ++k) {
      const auto status = static_cast<GradientStatus>(static_cast<std::uint8_t>(m.status[k]));
      if (status == GradientStatus::none) set(k, status, std::numeric_limits<T>::quiet_NaN());
      ++counts_[static_cast<std::size_t>(status)];
      if (gradients_.status) gradients_.status[first_ + k] = status;
    }
  }

  void set(std::size_t k, GradientStatus status, T value) {
    memory_->status[k] = static_cast<T>(status);
    for (auto& row : tile_.out)
      for (T* to : row)
        if (to != nullptr) to[k] = value;
    for (auto& row : memory_->by_weight)
      for (auto& column : row) column[k] = value;
  }

  /// What follows for u, and the products.
  void follow() {
    if (!output_.any_of_u && !output_.any_product) return;
    Workspace<T>& m = *memory_;
    kernel::VelocityTile<T> tile;
    tile.count = tile_.count;
    std::copy_n(tile_.in, variables, tile.in);
    find_impulses();
    for (std::size_t r = 0; r < 3; ++r) {
      tile.p[r] = m.impulse[r];
      for (std::size_t v = 0; v < variables; ++v) {
        tile.of_p[r][v] = tile_.out[r][v];
        tile.of_u[r][v] = output_.of[3 + r][v] ? m.out[3 + r][v] : nullptr;
      }
    }
    const VectorJacobianProduct<T>& vjp = gradients_.cotangent;
    const Column<const T> cotangents[] = {vjp.impulse.x,
                                          vjp.impulse.y,
                                          vjp.impulse.z,
                                          vjp.separation_velocity.x,
                                          vjp.separation_velocity.y,
                                          vjp.separation_velocity.z};
    for (std::size_t c = 0; c < 6; ++c) {
      if (!cotangents[c]) continue;
      for (std::size_t k = 0; k < count_; ++k) m.velocity[c][k] = cotangents[c][first_ + k];
      std::fill(m.velocity[c] + count_, m.velocity[c] + tile.count, T(0));
      tile.cotangent[c] = m.velocity[c];
    }
    for (std::size_t v = 0; v < variables; ++v)
      tile.product[v] = output_.of[gradient_rows][v] ? m.out[gradient_rows][v] : nullptr;
    functions_.velocities(tile);
  }

  void store() {
    for (std::size_t i = 0; i < output_.count; ++i) {
      const auto [r, v] = output_.there[i];
      const Column<T>& column = output_.of[r][v];
      if (v >= variables) {
        for (std::size_t k = 0; k < count_; ++k) column[first_ + k] = by_weight(r, v - variables, k);
        continue;
      }
      const T* from = r < 3 ? tile_.out[r][v] : memory_->out[r][v];
      if (from == &column[first_]) continue;
      if (is_contiguous(column))
        std::copy_n(from, count_, &column[first_]);
      else
        for (std::size_t k = 0; k < count_; ++k) column[first_ + k] = from[k];
    }
  }

  const IsaEntry& entry_;
  const kernel::GradientFunctions<T>& functions_;
  const SpaceContacts<T>& contacts_;
  const Gradients<T>& gradients_;
  Input<T> input_;
  Output<T> output_;
  const Options& options_;
  std::array<std::size_t, gradient_status_count>& counts_;
  Workspace<T>* memory_;
  Tile tile_;
  std::size_t first_ = 0, count_ = 0;
  unsigned laws_ = 0;
  bool whole_jacobian_ = false, direct_ = false;
};

}  // namespace

template <class T>
GradientReport Solver::differentiate(const SpaceContacts<T>& contacts,
                                     const std::type_identity_t<Gradients<T>>& gradients, const Options& options,
                                     double tolerance) {
  const Call call(*this, options);
  const std::size_t count = check_gradients(contacts, gradients, options, tolerance);
  std::array<std::atomic<std::size_t>, gradient_status_count> sums{};
  const auto range = [&](std::size_t first, std::size_t n, void* workspace) {
    std::array<std::size_t, gradient_status_count> counts{};
    TileOfGradients<T> tile(call.entry(), contacts, gradients, options, static_cast<T>(tolerance), counts,
                            *static_cast<Workspace<T>*>(workspace));
    constexpr std::size_t size = kernel::GradientTile<T>::size;
    // Whole vectors are read and written where the host has them.
    for (std::size_t i = first, taken = 0; i < first + n; i += taken) {
      const std::size_t left = first + n - i;
      taken = left >= 16 ? std::min(size, left / 16 * 16) : left;
      tile.run(i, taken);
    }
    for (std::size_t s = 0; s < counts.size(); ++s) sums[s].fetch_add(counts[s], std::memory_order_relaxed);
  };
  call.run_gradients<T>(
      count, [] { return std::shared_ptr<void>(std::make_shared_for_overwrite<Workspace<T>>()); }, std::cref(range));
  GradientReport report;
  report.contacts = count;
  for (std::size_t s = 0; s < sums.size(); ++s) report.by_status[s] = sums[s].load(std::memory_order_relaxed);
  return report;
}
template GradientReport Solver::differentiate(const SpaceContacts<float>&, const Gradients<float>&, const Options&,
                                              double);
template GradientReport Solver::differentiate(const SpaceContacts<double>&, const Gradients<double>&, const Options&,
                                              double);

}  // namespace carom
