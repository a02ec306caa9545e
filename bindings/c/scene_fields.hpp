// Pairs the options of scenes with the structs of C: see fields.hpp.
#pragma once

#include <carom/scene.hpp>
#include <carom/scene_options.hpp>

#include "fields.hpp"

namespace carom::c {

/// Calls f(std::type_identity<method>, std::type_identity<struct in C>) for the method of a kind.
template <class F>
void with_method(std::int32_t kind, const F& f) {
  switch (kind) {
    case CAROM_METHOD_SUBSTEPS:
      return f(std::type_identity<Substeps>{}, std::type_identity<carom_substeps>{});
    case CAROM_METHOD_PGS:
      return f(std::type_identity<Pgs>{}, std::type_identity<carom_pgs>{});
    case CAROM_METHOD_NCP:
      return f(std::type_identity<Ncp>{}, std::type_identity<carom_ncp>{});
    case CAROM_METHOD_SEQUENTIAL_IMPACTS:
      return f(std::type_identity<SequentialImpacts>{}, std::type_identity<carom_sequential_impacts>{});
    case CAROM_METHOD_BENDER_SCHMITT:
      return f(std::type_identity<BenderSchmitt>{}, std::type_identity<carom_bender_schmitt>{});
    default:
      throw Error(Text("carom: the kind of a carom_method is ", kind, ", which is no carom_scene_method"),
                  {.option = "method"});
  }
}

/// Returns the method of a struct that begins with `method`. NULL: the default method.
inline SceneOptions::Method taken_method(const carom_method* method) {
  SceneOptions::Method made = SceneOptions{}.method;
  if (method == nullptr) return made;
  check_struct_size(*method);
  with_method(method->kind, [&]<class M, class C>(std::type_identity<M>, std::type_identity<C>) {
    made = taken<M>(reinterpret_cast<const C*>(method));
  });
  return made;
}

inline SceneOptions taken_scene_options(const carom_scene_options* from) {
  auto made = taken<SceneOptions>(from);
  if (from != nullptr) made.method = taken_method(Given<carom_scene_options>(*from)->method);
  return made;
}

/// Sets the defaults of a method in C.
template <class M, class C>
void init_method(C* to, std::size_t struct_size) {
  if (to == nullptr || struct_size < sizeof(carom_method)) return;
  init<M>(to, struct_size);
  to->head.kind = static_cast<std::int32_t>(SceneOptions{.method = M{}}.selected());
}

}  // namespace carom::c
