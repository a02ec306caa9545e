#include <carom/carom.h>

#include <carom/scene.hpp>

#include "scene_columns.hpp"
#include "scene_fields.hpp"
#include "solver.hpp"

using namespace carom;

namespace carom::c {
namespace {

/// Returns the caller's struct as this version has it. NULL: zeros.
template <class C>
C copied(const C* from) {
  return from == nullptr ? C{} : *Given<C>(*from);
}

}  // namespace
}  // namespace carom::c

struct carom_scene_solver {
  SceneSolver solver;
};

carom_error carom_scene_solver_create(const carom_execution* execution, carom_scene_solver** solver) {
  return c::create(execution, solver);
}

void carom_scene_solver_destroy(carom_scene_solver* solver) {
  delete solver;
}

std::int32_t carom_scene_solver_isa(const carom_scene_solver* solver) {
  return c::isa_of(solver);
}

std::size_t carom_scene_solver_memory(const carom_scene_solver* solver) {
  return c::memory_of(solver);
}

carom_error carom_scene_solver_reserve(carom_scene_solver* solver, std::int32_t precision, std::size_t bodies,
                                       std::size_t contacts, std::size_t joint_rows,
                                       const carom_scene_options* options) {
  return c::guarded([&] {
    SceneSolver& of = c::given(solver, "solver").solver;
    const SceneOptions options_of_calls = c::taken_scene_options(options);
    c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      of.reserve<T>(bodies, contacts, joint_rows, options_of_calls);
    });
  });
}

carom_error carom_scene_solver_forget(carom_scene_solver* solver) {
  return c::guarded([&] { c::given(solver, "solver").solver.forget(); });
}

carom_error carom_scene_solver_save(const carom_scene_solver* solver, void* state, std::size_t capacity,
                                    std::size_t* size) {
  return c::guarded([&] {
    const SceneSolver& of = c::given(solver, "solver").solver;
    c::given(size, "size") = of.save(std::span<std::byte>{});
    if (capacity > 0) of.save({&c::given(static_cast<std::byte*>(state), "state"), capacity});
  });
}

carom_error carom_scene_solver_restore(carom_scene_solver* solver, const void* state, std::size_t size) {
  return c::guarded([&] {
    c::given(solver, "solver").solver.restore({&c::given(static_cast<const std::byte*>(state), "state"), size});
  });
}

carom_error carom_scene_solve(carom_scene_solver* solver, std::int32_t precision, const carom_scene* scene,
                              const carom_scene_results* results, const carom_scene_options* options,
                              carom_scene_report* report) {
  return c::report_of(solver, report, [&](SceneSolver& with) {
    const SceneOptions options_of_call = c::taken_scene_options(options);
    return c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      return with.solve(c::taken_scene<T>(scene), c::taken_scene_results<T>(results), options_of_call);
    });
  });
}

carom_error carom_scene_select(carom_scene_contacts* contacts, carom_joint_rows* joints, const carom_method* method) {
  return c::guarded([&] {
    const columns::Reader reader = columns::reader_of(c::taken_method(method));
    // All errors come before the first change.
    auto read_contacts = c::copied(contacts);
    auto read_joints = c::copied(joints);
    columns::each_unread(reader, read_contacts, read_joints,
                         [](const columns::Label&, carom_column& column) { column = {}; });
    if ((columns::readers_of_laws & reader) == 0) read_contacts.laws = nullptr;
    if (contacts != nullptr) c::put(read_contacts, *contacts);
    if (joints != nullptr) c::put(read_joints, *joints);
  });
}

void carom_scene_options_init(carom_scene_options* options, std::size_t struct_size) {
  c::init<SceneOptions>(options, struct_size);
}
void carom_position_correction_init(carom_position_correction* correction, std::size_t struct_size) {
  c::init<PositionCorrection>(correction, struct_size);
}
void carom_substeps_init(carom_substeps* method, std::size_t struct_size) {
  c::init_method<Substeps>(method, struct_size);
}
void carom_pgs_init(carom_pgs* method, std::size_t struct_size) {
  c::init_method<Pgs>(method, struct_size);
}
void carom_ncp_init(carom_ncp* method, std::size_t struct_size) {
  c::init_method<Ncp>(method, struct_size);
}
void carom_sequential_impacts_init(carom_sequential_impacts* method, std::size_t struct_size) {
  c::init_method<SequentialImpacts>(method, struct_size);
}
void carom_bender_schmitt_init(carom_bender_schmitt* method, std::size_t struct_size) {
  c::init_method<BenderSchmitt>(method, struct_size);
}

std::int64_t carom_scene_report_first(const carom_scene_report* report, std::int32_t status) {
  return c::first_of(report, &carom_scene_report::by_status, &carom_scene_report::first, status);
}

std::int64_t carom_scene_report_first_joint(const carom_scene_report* report, std::int32_t status) {
  return c::first_of(report, &carom_scene_report::joints_by_status, &carom_scene_report::first_joint, status);
}
