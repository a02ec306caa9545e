// The interface of a method. scene/call/scene_call.cpp runs the steps of a call and asks the method for its own part.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>

#include "scene/graph/islands.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// The data of a call before it has threads.
template <class T>
struct CallData : IslandCall<T> {
  Workspace<T>& workspace;
};

/// The initial impulses of contacts and rows. The impulses of contacts are in JobInput::warm_impulse.
template <class T>
struct InitialImpulses {
  bool any = false;                                               ///< one may be nonzero. Set for Method::solve
  bool contacts_have_history = false, rows_have_history = false;  ///< found by key
  const T* rows = nullptr;                                        ///< [N s] before the joint warm start
  T* stored = nullptr;  ///< the solver's memory for the impulses of contacts, by component; null: it needs none
};

/// A call at work. Its scene is validated.
template <class T>
struct Call : CallData<T> {
  ThreadTeam& team;
  InitialImpulses<T> initial;
  SceneReport& report;
  bool is_first_try = true;   ///< false: an earlier try has found faults or has overflowed, and may have stored results
  bool same_options = false;  ///< as in the last call
};

/// The functions are called in this order. From validate() to solve() they are repeated if solve() finds faults, and
/// once if islands overflow that began with impulses.
template <class T>
class Method {
 public:
  /// Sets the job's target, and makes room for the call and for the largest graph of its size.
  virtual void reserve(const CallData<T>& call) const = 0;
  /// Adds faults of contacts that only the method finds.
  virtual void validate(const Call<T>&) const {}
  /// True if the graph of the last call is the graph of this call, too. Then prepare() is not called.
  virtual bool keeps_graph(const Call<T>&) const { return false; }
  /// Builds the graph, whose manifolds and islands are known, and whatever solve() needs of it.
  virtual void prepare(const Call<T>& call) const { build_graph(call); }
  /// Solves every island. Sets the members of the report that only this method has.
  virtual SweepOutcome solve(const Call<T>& call) const = 0;
  /// All results are stored, and the report is complete.
  virtual void finish(const Call<T>&) const {}

 protected:
  Method() = default;
  ~Method() = default;

  static void build_graph(const Call<T>& call);
  /// Makes room for a block of every contact and row, up to a limit.
  static void reserve_blocks(const CallData<T>& call);
};

template <class T>
const Method<T>& substeps_method();
template <class T>
const Method<T>& pgs_method();
template <class T>
const Method<T>& ncp_method();
template <class T>
const Method<T>& sequential_impacts_method();
template <class T>
const Method<T>& collisions_method();
template <class T>
const Method<T>& resting_method();
/// Collisions, then resting contacts.
template <class T>
const Method<T>& both_phases_method();

template <class T>
const Method<T>& method_of(Procedure procedure);

/// Gives the job the graph's lists.
template <class T>
void set_graph(kernel::SceneJob<T>& job, const Graph& graph) {
  job.manifolds = graph.manifolds.data();
  job.groups = graph.groups.data();
  job.contact_at = graph.of_contacts.at();
  job.row_at = graph.of_rows.at();
}

}  // namespace carom::scene
