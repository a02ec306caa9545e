#include "theme.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace carom_scenes {

namespace {

// The scene that the arguments choose, before each scene reads them for itself.
std::string chosen(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--scene" && i + 1 < argc) return argv[i + 1];
    if (argument.starts_with("--scene=")) return std::string(argument.substr(8));
  }
  return {};
}

}  // namespace

int show_all(int argc, char** argv, const std::string& program, std::vector<Scene> scenes) {
  std::vector<std::string> names;
  for (const Scene& scene : scenes) names.push_back(scene.name);
  const std::string only = chosen(argc, argv);
  const bool known = std::find(names.begin(), names.end(), only) != names.end();
  int worst = 0;
  for (Scene& scene : scenes) {
    if (known && scene.name != only) continue;
    scene.name = program + "_" + scene.name;
    std::string ignored;
    scene.add_options = [&, add = scene.add_options](CLI::App& app) {
      app.add_option("--scene", ignored, "One of the program's scenes, all if not told")->check(CLI::IsMember(names));
      auto* const substeps = std::get_if<carom::Substeps>(&scene.options.solver.scene.method);
      if (substeps != nullptr) {
        app.add_option("--min-substeps", substeps->min_substeps, "Minimum number of carom's substeps")
            ->capture_default_str();
        app.add_option("--max-substeps", substeps->max_substeps, "Maximum number")->capture_default_str();
        app.add_option("--inner-iterations", substeps->inner_iterations,
                       "Passes of carom over a manifold or a joint in an iteration")
            ->capture_default_str();
        app.add_option("--slop", substeps->position_correction.slop,
                       "Overlap that substeps do not correct [m]; 0: by the size of bodies")
            ->capture_default_str();
      }
      if (add) add(app);
    };
    const int result = show(argc, argv, scene);
    std::puts("");
    std::fflush(stdout);
    worst = std::max(worst, result);
    if (result == 2) break;
  }
  return worst;
}

}  // namespace carom_scenes
