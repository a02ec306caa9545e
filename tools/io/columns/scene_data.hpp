// Scenes of a file, converted to the precision of the solution, and arrays for their results.
#pragma once

#include <array>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "scene_rows.hpp"

namespace carom::io {

/// An optional column of the contacts of scenes.
struct SceneColumn {
  std::string name;    ///< name in files
  std::string vector;  ///< name of the vector that has this component; empty for scalars
  bool is_read;        ///< true if the method reads it
  bool is_key;         ///< true for integers of 64 bits
};

/// Returns all optional columns in the order of columns::each_of_scene.
std::vector<SceneColumn> optional_scene_columns(const SceneOptions::Method& method);

/// Holds one scene at a time. The arguments of the constructor must outlive it.
template <class T>
class SceneData {
 public:
  /// `with_laws`: reads the laws and their parameters from the rows. Sets the velocities in `results` to the initial
  /// ones, which rows without a scene keep.
  SceneData(const ContactNumbers& contacts, const SceneRows& rows, bool with_laws, ResultNumbers& results);
  SceneData(const SceneData&) = delete;
  SceneData& operator=(const SceneData&) = delete;

  /// Loads the scene; scene() and results() then view it.
  void load(const SceneOfRows& scene);
  const Scene<T>& scene() const { return view_; }
  const SceneResults<T>& results() const { return results_view_; }
  /// Stores the results of the loaded scene in its rows.
  void store() const;

 private:
  template <class Choice>
  struct ChoiceColumn {
    const std::vector<Choice>* from = nullptr;
    std::vector<Choice> values;

    void load(const std::vector<std::size_t>& rows, Column<const Choice>& to);
  };
  // Columns of the scene and of the file. There are two in the file, by side, for a column of bodies.
  struct Input {
    std::array<const std::vector<double>*, 2> from;
    Column<const T>* to;
    std::vector<T> values = {};
  };
  struct Output {
    std::array<std::vector<double>*, 2> to;
    Column<T>* from;
    std::vector<T> values = {};
  };

  void place_contacts(bool with_laws);
  void place_bodies();
  void place_results(ResultNumbers& results);

  const ContactNumbers& contacts_;
  const SceneOfRows* scene_ = nullptr;
  ResultNumbers& results_;
  Scene<T> view_;
  SceneResults<T> results_view_;
  std::list<Input> contact_columns_, body_columns_;
  ChoiceColumn<Law> laws_;
  ChoiceColumn<RestitutionLaw> restitution_laws_;
  ChoiceColumn<std::uint64_t> keys_;
  std::list<Output> contact_results_, body_results_;
  std::vector<Status> statuses_;
  std::vector<Path> paths_;
};

}  // namespace carom::io
