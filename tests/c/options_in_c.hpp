// Options of C++ as structs of C, by the lines of option_table.hpp.
#pragma once

#include <carom/carom.h>

#include <array>
#include <carom/scene_options.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

#include "core/columns/option_table.hpp"

namespace carom {

/// Sets the options of a struct of C. Position corrections are put into `correction`.
struct PutOptions {
  carom_position_correction* correction = nullptr;

  template <class From, class To>
  void operator()(const OptionInfo&, const From& from, To& to) const {
    to = static_cast<To>(from);
  }
  void operator()(const OptionInfo&, const std::array<double, 3>& from, double (&to)[3]) const {
    for (std::size_t i = 0; i < 3; ++i) to[i] = from[i];
  }
  void operator()(const OptionInfo&, const std::optional<double>& from, double& to) const {
    to = from ? *from : std::numeric_limits<double>::quiet_NaN();
  }
  void operator()(const OptionInfo&, const PositionCorrection& from, const carom_position_correction*& to) const {
    correction->struct_size = sizeof *correction;
    each_option(*this, from, *correction);
    to = correction;
  }
  void operator()(const OptionInfo& info, const std::optional<PositionCorrection>& from,
                  const carom_position_correction*& to) const {
    to = nullptr;
    if (from) (*this)(info, *from, to);
  }
};

/// A SceneOptions in C.
struct SceneOptionsInC {
  explicit SceneOptionsInC(const SceneOptions& from) {
    carom_scene_options_init(&options, sizeof options);
    each_option(PutOptions{}, from, options);
    const auto put = [&](const auto& method, auto& to) {
      to.head = {sizeof to, static_cast<std::int32_t>(from.selected())};
      each_option(PutOptions{&correction}, method, to);
      options.method = &to.head;
    };
    std::visit(
        [&]<class M>(const M& method) {
          if constexpr (std::is_same_v<M, Substeps>) put(method, substeps);
          if constexpr (std::is_same_v<M, Pgs>) put(method, pgs);
          if constexpr (std::is_same_v<M, Ncp>) put(method, ncp);
          if constexpr (std::is_same_v<M, SequentialImpacts>) put(method, sequential_impacts);
          if constexpr (std::is_same_v<M, BenderSchmitt>) put(method, bender_schmitt);
        },
        from.method);
  }
  SceneOptionsInC(const SceneOptionsInC&) = delete;
  SceneOptionsInC& operator=(const SceneOptionsInC&) = delete;

  carom_scene_options options{};
  carom_position_correction correction{};
  carom_substeps substeps{};
  carom_pgs pgs{};
  carom_ncp ncp{};
  carom_sequential_impacts sequential_impacts{};
  carom_bender_schmitt bender_schmitt{};
};

}  // namespace carom
