// Refusal: the error by which a solver of scenes answers misuse.
#pragma once

#include <gtest/gtest.h>

#include <carom/reference_scene.hpp>
#include <carom/scene.hpp>
#include <string>

#include "support/running/errors.hpp"
#include "support/scenes/method_options.hpp"

namespace carom::scenes {

/// The message of the solver and, which is the same, of the reference; empty if there is no error. No result is touched
/// where there is one.
inline std::string refusal(const Scene<double>& scene, const SceneResults<double>& results,
                           const MethodOptions& options) {
  const auto error_of = [&](auto&& call) -> std::string {
    try {
      call();
      return "";
    } catch (const Error& error) {
      support::expect_names(error);
      return error.what();
    }
  };
  const std::string text = error_of([&] { SceneSolver({.threads = 1}).solve(scene, results, options); });
  EXPECT_EQ(error_of([&] { reference::solve_scene(scene, results, options); }), text);
  return text;
}

inline void expect_named(const std::string& message, const std::string& name) {
  EXPECT_NE(message.find(name), std::string::npos) << "\"" << message << "\" does not name " << name;
}

}  // namespace carom::scenes
