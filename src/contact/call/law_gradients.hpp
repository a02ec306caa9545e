// Derivatives of a tile's impulses under one law, by the kernels of gradients. The kernels of collisions compute the
// impulses and faults that these need.
#pragma once

#include <algorithm>

#include "core/jobs/dispatch.hpp"
#include "gradient_columns.hpp"

namespace carom::gradients {

using columns::bit_of, columns::bits_of;

inline constexpr unsigned closed_forms = bits_of(Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear);
inline constexpr unsigned with_impulses = bits_of(Law::whittaker, Law::smith, Law::anitescu_potra);

template <class T>
const kernel::GradientFunctions<T>& functions_of(const kernel::GradientKernels& kernels) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.of_float;
  else
    return kernels.of_double;
}

template <class T>
class LawGradients {
  using Tile = kernel::GradientTile<T>;
  static constexpr std::size_t size = Tile::size;

 public:
  /// `tile` has the contacts and where their derivatives go.
  LawGradients(const IsaEntry& entry, const KContacts<T>& contacts, const Options& options, Workspace<T>& memory,
               Tile& tile)
      : entry_(entry),
        functions_(functions_of<T>(*entry.gradients)),
        contacts_(contacts),
        options_(options),
        memory_(memory),
        tile_(tile) {}

  void begin_tile(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    solved_ = false;
  }

  /// Differentiates the contacts that the tile has chosen. `as_members`: as components of composites.
  void differentiate(Law law, bool as_members) {
    tile_.law = law;
    zero_own_columns(law);
    for (std::size_t c = 0; c < 3; ++c) tile_.p[c] = tile_.compression[c] = nullptr;
    const T largest = static_cast<T>(options_.data.max_restitution);
    if (law == Law::incremental) {
      functions_.incremental(tile_, {memory_.restitution_law, options_.step_budget, largest}, *memory_.slide);
    } else if ((closed_forms & bit_of(law)) != 0) {
      functions_.closed_form(tile_, largest);
    } else {
      if ((with_impulses & bit_of(law)) != 0) {
        if (as_members) {
          solve(law, contacts_.restitution, memory_.impulse);
          give(memory_.impulse, tile_.p);
        } else {
          solve();
          give(memory_.solution, tile_.p);
        }
        if (law == Law::anitescu_potra) {
          solve(Law::whittaker, Column<const T>(&memory_.zeros[0], contacts_.friction.count, 0), memory_.compression);
          give(memory_.compression, tile_.compression);
        }
      }
      functions_.other_laws(tile_);
    }
  }

  /// p is homogeneous in velocities and impulses: it is Σ u0 ∂p/∂u0 + Σ candidate ∂p/∂candidate.
  void find_impulses() {
    constexpr std::size_t candidate =
        columns::derivatives_by_own + static_cast<std::size_t>(columns::Parameter::candidate_x);
    for (std::size_t r = 0; r < 3; ++r) {
      T* const p = memory_.impulse[r];
      std::fill_n(p, tile_.count, T(0));
      for (const std::size_t first : {std::size_t{Tile::u0_x}, candidate})
        for (std::size_t v = first; v < first + 3 && tile_.out[r][v] != nullptr; ++v)
          for (std::size_t k = 0; k < tile_.count; ++k)
            p[k] += tile_.in[v][k] == 0 || tile_.out[r][v][k] == 0 ? T(0) : tile_.in[v][k] * tile_.out[r][v][k];
    }
  }

  /// Solves the contacts as they are, once a tile: the workspace gets their impulses and statuses.
  void solve() {
    if (solved_) return;
    solved_ = true;
    run(contacts_, options_, memory_.solution, {memory_.statuses, count_});
  }

 private:
  /// Columns of parameters that the law does not read; its kernel writes the others.
  void zero_own_columns(Law law) {
    for (std::size_t v = columns::derivatives_by_own; v < variables; ++v) {
      if (columns::reads(law, static_cast<columns::Parameter>(v - columns::derivatives_by_own), false)) continue;
      for (std::size_t r = 0; r < 3; ++r)
        if (T* to = tile_.out[r][v]) {
          if (tile_.chosen == nullptr)
            std::fill_n(to, tile_.count, T(0));
          else
            for (std::size_t k = 0; k < tile_.count; ++k) to[k] = tile_.chosen[k] > 0 ? T(0) : to[k];
        }
    }
  }

  using Impulse = T[3][size];

  /// The impulses of all contacts as if they had this law and restitution.
  void solve(Law law, const Column<const T>& restitution, Impulse& impulse) {
    KContacts<T> contacts = contacts_;
    contacts.restitution = restitution;
    contacts.laws.law = {};
    Options options = options_;
    options.law = law;
    run(contacts, options, impulse, {});
  }

  void give(Impulse& impulse, const T* (&to)[3]) {
    for (std::size_t c = 0; c < 3; ++c) {
      std::fill(impulse[c] + count_, impulse[c] + tile_.count, T(0));
      to[c] = impulse[c];
    }
  }

  void run(const KContacts<T>& all, const Options& options, Impulse& impulse, Column<Status> status) {
    const KContacts<T> contacts = columns::sliced(all, first_, count_);
    Results<T> results;
    results.impulse = {{impulse[0], count_}, {impulse[1], count_}, {impulse[2], count_}};
    results.status = status;
    const RangeKernels<T, KContacts> kernels = {kernel_for<T, KContacts>(*entry_.kernels),
                                                kernel_for<T, KContacts>(*entry_.algebraic)};
    const kernel::Job<T, KContacts> job{contacts, results, parameters_for<T>(options)};
    kernel::OwnTally tally;
    ComponentResults<T>* members_of =
        has_incremental_components(contacts.laws, options.law) ? memory_.component_results.get() : nullptr;
    solve_range(job, kernels, 0, count_, {memory_.sliding.get(), memory_.law.get(), memory_.group.get()}, members_of,
                tally);
  }

  const IsaEntry& entry_;
  const kernel::GradientFunctions<T>& functions_;
  const KContacts<T>& contacts_;
  const Options& options_;
  Workspace<T>& memory_;
  Tile& tile_;
  std::size_t first_ = 0, count_ = 0;
  bool solved_ = false;
};

}  // namespace carom::gradients
