// Solver::differentiate: runs the kernels of the laws on one tile of contacts at a time. Contiguous columns of the
// caller are read and written in place, other columns through the tile.
#include <algorithm>
#include <carom/solver.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>

#include "access.hpp"
#include "composite_gradients.hpp"
#include "core/columns/check.hpp"
#include "core/columns/public_call.hpp"
#include "core/support/array.hpp"

namespace carom {
namespace {

using columns::bit_of, columns::bits_of, columns::derivative_count, columns::derivatives_by_own, columns::gradient_rows;
using gradients::Input, gradients::Output, gradients::Workspace, gradients::variables;

constexpr unsigned readers_of_restitution = columns::readers_of(columns::Parameter::tangential_restitution, false);

using GradientCounts = decltype(GradientReport::by_status);

template <class T>
class TileOfGradients {
  using Tile = kernel::GradientTile<T>;
  static constexpr std::size_t size = Tile::size;

 public:
  TileOfGradients(const IsaEntry& entry, const KContacts<T>& contacts, const Gradients<T>& wanted,
                  const Options& options, T tolerance, GradientCounts& counts, Workspace<T>& memory)
      : functions_(gradients::functions_of<T>(*entry.gradients)),
        contacts_(contacts),
        gradients_(wanted),
        input_(contacts),
        output_(wanted),
        options_(options),
        counts_(counts),
        memory_(&memory),
        of_laws_(entry, contacts, options, memory, tile_),
        of_composites_(input_, of_laws_, memory, tile_) {
    tile_.tolerance = tolerance;
    std::fill_n(memory_->zeros, size, T(0));
  }

  void run(std::size_t first, std::size_t n) {
    first_ = first;
    count_ = n;
    tile_.count = (n + 15) / 16 * 16;
    of_laws_.begin_tile(first, n);
    load();
    const bool uniform = has_one_law();
    set_output(uniform);
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
      // Contacts that fill the last vector up separate.
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
    if ((laws_ & bits_of(Law::incremental, Law::composite)) != 0) {
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

  /// True if more than a derivative of p is made of this variable.
  bool is_part_of_jacobian(std::size_t v) const {
    if (v < derivatives_by_own || (laws_ & bits_of(Law::composite, Law::projected)) != 0) return true;
    return std::any_of(output_.of + 3, output_.of + gradient_rows + 1, [&](const auto& row) { return bool(row[v]); });
  }

  /// Sets the first destination of the derivatives of p: the caller's columns, if no other results depend on them.
  void set_output(bool uniform) {
    Workspace<T>& m = *memory_;
    const bool whole_jacobian =
        output_.any_of_u || output_.any_product || output_.any_by_weight || (laws_ & bit_of(Law::composite)) != 0;
    const bool direct = uniform && count_ == tile_.count && !whole_jacobian;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t v = 0; v < variables; ++v) {
        const Column<T>& column = output_.of[r][v];
        const bool wanted = column || (whole_jacobian && is_part_of_jacobian(v));
        tile_.out[r][v] = !wanted ? nullptr : direct && is_contiguous(column) ? &column[first_] : m.out[r][v];
      }
    tile_.status = m.status;
    tile_.plain = m.plain;
    if (output_.any_by_weight)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t v = variables; v < derivative_count; ++v) std::fill_n(m.out[r][v], tile_.count, T(0));
    if (uniform) return;
    std::fill_n(m.plain, tile_.count, T(0));
    std::fill_n(m.status, tile_.count, T(0));
  }

  void differentiate(Law law, bool uniform) {
    Workspace<T>& m = *memory_;
    if (law == Law::composite) return of_composites_.differentiate(first_, count_);
    tile_.chosen = uniform ? nullptr : m.chosen;
    if (!uniform)
      for (std::size_t k = 0; k < tile_.count; ++k) m.chosen[k] = k < count_ && m.laws[k] == law ? T(1) : T(0);
    of_laws_.differentiate(law, false);
  }

  /// Contacts that are not plainly in order may be at fault.
  void settle() {
    Workspace<T>& m = *memory_;
    // Sums of comparisons are vectorised; a running minimum and maximum would wait for each other.
    int doubtful = is_doubtful() ? 1 : 0, inexact = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      doubtful |= m.plain[k] > 0 ? 0 : 1;
      inexact |= m.status[k] > 0 ? 1 : 0;
    }
    if (doubtful == 0 && inexact == 0) {
      counts_.add(GradientStatus::exact, first_, count_);
      if (gradients_.status)
        for (std::size_t k = 0; k < count_; ++k) gradients_.status[first_ + k] = GradientStatus::exact;
      return;
    }
    if (doubtful != 0) {
      of_laws_.solve();
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
      counts_.add(status, first_ + k);
      if (gradients_.status) gradients_.status[first_ + k] = status;
    }
  }

  void set(std::size_t k, GradientStatus status, T value) {
    Workspace<T>& m = *memory_;
    m.status[k] = static_cast<T>(status);
    for (std::size_t r = 0; r < 3; ++r) {
      for (T* to : tile_.out[r])
        if (to != nullptr) to[k] = value;
      if (output_.any_by_weight)
        for (std::size_t v = variables; v < derivative_count; ++v) m.out[r][v][k] = value;
    }
  }

  /// The rows of u, and the products.
  void follow() {
    if (!output_.any_of_u && !output_.any_product) return;
    Workspace<T>& m = *memory_;
    kernel::VelocityTile<T> tile;
    tile.count = tile_.count;
    std::copy_n(tile_.in, derivatives_by_own, tile.in);
    of_laws_.find_impulses();
    for (std::size_t r = 0; r < 3; ++r) {
      tile.p[r] = m.impulse[r];
      for (std::size_t v = 0; v < derivative_count; ++v) {
        tile.of_p[r][v] = derivative_of_p(r, v);
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
    for (std::size_t v = 0; v < derivative_count; ++v)
      tile.product[v] = output_.of[gradient_rows][v] ? m.out[gradient_rows][v] : nullptr;
    functions_.velocities(tile);
  }

  const T* derivative_of_p(std::size_t row, std::size_t v) const {
    if (v < variables) return tile_.out[row][v];
    return output_.any_by_weight ? memory_->out[row][v] : nullptr;
  }

  void store() {
    for (std::size_t i = 0; i < output_.count; ++i) {
      const auto [r, v] = output_.there[i];
      const Column<T>& column = output_.of[r][v];
      const T* from = r < 3 ? derivative_of_p(r, v) : memory_->out[r][v];
      if (from == &column[first_]) continue;
      if (is_contiguous(column))
        std::copy_n(from, count_, &column[first_]);
      else
        for (std::size_t k = 0; k < count_; ++k) column[first_ + k] = from[k];
    }
  }

  const kernel::GradientFunctions<T>& functions_;
  const KContacts<T>& contacts_;
  const Gradients<T>& gradients_;
  Input<T> input_;
  Output<T> output_;
  const Options& options_;
  GradientCounts& counts_;
  Workspace<T>* memory_;
  Tile tile_;
  gradients::LawGradients<T> of_laws_;
  gradients::CompositeGradients<T> of_composites_;
  std::size_t first_ = 0, count_ = 0;
  unsigned laws_ = 0;
};

}  // namespace

template <class T>
GradientReport Solver::differentiate(const KContacts<T>& given, const std::type_identity_t<Gradients<T>>& to,
                                     const Options& options, double tolerance) {
  return public_call("Solver::differentiate", [&] {
    const Call call(*this, options);
    const GradientColumns<T> made = check_gradients(given, to, options, tolerance);
    const KContacts<T>& contacts = made.contacts;
    const Gradients<T>& gradients = made.gradients;
    GradientReport report;
    report.contacts = contacts.friction.count;
    std::mutex of_report;
    const auto range = [&](std::size_t first, std::size_t n, void* workspace) {
      GradientCounts counts;
      TileOfGradients<T> tile(call.entry(), contacts, gradients, options, static_cast<T>(tolerance), counts,
                              *static_cast<Workspace<T>*>(workspace));
      constexpr std::size_t size = kernel::GradientTile<T>::size;
      // Whole vectors are read and written in place.
      for (std::size_t i = first, taken = 0; i < first + n; i += taken) {
        const std::size_t left = first + n - i;
        taken = left >= 16 ? std::min(size, left / 16 * 16) : left;
        tile.run(i, taken);
      }
      const std::lock_guard lock(of_report);
      report.by_status.add(counts);
    };
    call.run_gradients<T>(
        report.contacts,
        [] {
          return std::shared_ptr<void>(std::allocate_shared_for_overwrite<Workspace<T>>(HeldAllocator<Workspace<T>>()));
        },
        std::cref(range));
    return report;
  });
}
template <class T>
Expected<GradientReport> Solver::try_differentiate(const KContacts<T>& contacts,
                                                   const std::type_identity_t<Gradients<T>>& gradients,
                                                   const Options& options, double tolerance) noexcept {
  return without_exceptions([&] { return differentiate(contacts, gradients, options, tolerance); });
}
#define CAROM_INSTANTIATE(T)                                                                                       \
  template GradientReport Solver::differentiate(const KContacts<T>&, const Gradients<T>&, const Options&, double); \
  template Expected<GradientReport> Solver::try_differentiate(const KContacts<T>&, const Gradients<T>&,            \
                                                              const Options&, double) noexcept;
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom
