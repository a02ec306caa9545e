#include "range.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "core/columns/columns.hpp"
#include "core/columns/instantiate.hpp"

namespace carom {
namespace {

using columns::bit_of;

/// Returns bits of Law. A number that is not an enumerator counts as a law that this dimension does not have.
template <class T>
unsigned laws_of(const LawColumns<T>& columns, Law otherwise, std::size_t first, std::size_t n) {
  if (!columns.law) return bit_of(otherwise);
  bool seen[256] = {};
  for (std::size_t i = first; i < first + n; ++i) seen[static_cast<std::uint8_t>(columns.law[i])] = true;
  unsigned laws = 0;
  for (std::size_t i = 0; i < 256; ++i)
    if (seen[i]) laws |= i < law_count ? 1u << i : bit_of(Law::pfeiffer_glocker);
  return laws;
}

template <class T, template <class> class AnyContacts>
void solve_components(const kernel::Job<T, AnyContacts>& job, kernel::SolveRange<T, AnyContacts> solve,
                      std::size_t first, std::size_t n, const kernel::Workspace<T>& workspace,
                      ComponentResults<T>& components) {
  AnyContacts<T> contacts = columns::sliced(job.contacts, first, n, job.layout.block_bytes);
  contacts.laws.step = {};
  Results<T> results;
  results.impulse = {{components.impulse[0], n}, {components.impulse[1], n}, {components.impulse[2], n}};
  results.status = {components.status, n};
  kernel::Job<T, AnyContacts> alone{contacts, results, job.parameters, job.layout, kernel::Selection::composite};
  alone.parameters.integrator = Integrator::series;
  kernel::OwnTally uncounted;
  solve(alone, 0, n, workspace, uncounted);
}

}  // namespace

template <class T, template <class> class AnyContacts>
void solve_range(const kernel::Job<T, AnyContacts>& job, const RangeKernels<T, AnyContacts>& kernels, std::size_t first,
                 std::size_t n, const kernel::Workspace<T>& workspace, ComponentResults<T>* components,
                 kernel::Tally& tally) {
  const unsigned laws = laws_of(job.contacts.laws, job.parameters.law, first, n);
  const bool incremental = (laws & bit_of(Law::incremental)) != 0;
  if (incremental) kernels.incremental(job, first, n, workspace, tally);
  if (laws == bit_of(Law::incremental)) return;
  kernel::Job<T, AnyContacts> others = job;
  others.laws = laws;
  if (incremental) others.layout.stream = false;  // lines are not whole where they have contacts of both kernels
  if ((laws & bit_of(Law::composite)) == 0 || components == nullptr)
    return kernels.algebraic(others, first, n, workspace, tally);
  others.components.status = components->status;
  for (std::size_t c = 0; c < 3; ++c) others.components.impulse[c] = components->impulse[c];
  for (std::size_t i = first; i < first + n; i += ComponentResults<T>::chunk) {
    const std::size_t m = std::min(ComponentResults<T>::chunk, first + n - i);
    others.components.first = i;
    solve_components(job, kernels.incremental, i, m, workspace, *components);
    kernels.algebraic(others, i, m, workspace, tally);
  }
}

template <class T>
kernel::Parameters<T> parameters_for(const Options& options) {
  return {static_cast<T>(1.0 / options.steps),
          options.step_budget,
          options.law,
          options.integrator,
          options.restitution_law,
          static_cast<T>(options.data.normal_tolerance),
          static_cast<T>(options.data.inertia_tolerance),
          static_cast<T>(options.data.max_restitution)};
}
template kernel::Parameters<float> parameters_for(const Options&);
template kernel::Parameters<double> parameters_for(const Options&);

template <class T>
void pack_bodies(const std::type_identity_t<BodyColumns<const T>>& bodies, std::size_t first, std::size_t n, T* rows) {
  const Column<const T>* in_order[kernel::BodyRecord::numbers];
  std::size_t count = 0;
  columns::each([&](const columns::Label&, const Column<const T>& column) { in_order[count++] = &column; },
                columns::Label{}, bodies);
  for (std::size_t i = first; i < first + n; ++i)
    for (std::size_t c = 0; c < count; ++c) rows[i * kernel::BodyRecord::size + c] = (*in_order[c])[i];
}

namespace {

/// Sizes of a core's second-level cache and of the shared third-level cache [bytes]. Defaults are for a typical
/// machine, if the system does not report them.
struct CacheSizes {
  std::size_t own = std::size_t{1} << 20, shared = std::size_t{1} << 25;

  CacheSizes() {
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
    if (const long size = sysconf(_SC_LEVEL2_CACHE_SIZE); size > 0) own = static_cast<std::size_t>(size);
    if (const long size = sysconf(_SC_LEVEL3_CACHE_SIZE); size > 0) shared = static_cast<std::size_t>(size);
#endif
#ifdef __linux__
    // On processors with several third-level caches, glibc returns their sum.
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
    std::size_t kibibytes = 0;
    if (char unit = 0; file >> kibibytes >> unit && unit == 'K' && kibibytes > 0) shared = kibibytes << 10;
#endif
  }
};

}  // namespace

kernel::Layout layout_for(std::size_t bytes) {
  static const CacheSizes caches;
  kernel::Layout layout;
  // From a small part of the shared cache numbers come in time without being asked for.
  layout.prefetch = bytes > std::max(caches.own, caches.shared / 8);
  layout.stream = bytes > caches.shared;
  return layout;
}

#define CAROM_INSTANTIATE(T, AnyContacts)                                                                         \
  template void solve_range(const kernel::Job<T, AnyContacts>&, const RangeKernels<T, AnyContacts>&, std::size_t, \
                            std::size_t, const kernel::Workspace<T>&, ComponentResults<T>*, kernel::Tally&);
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

template void pack_bodies(const BodyColumns<const float>&, std::size_t, std::size_t, float*);
template void pack_bodies(const BodyColumns<const double>&, std::size_t, std::size_t, double*);

}  // namespace carom
