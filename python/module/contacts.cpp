// Contacts that are resolved alone: solve, check and differentiate, of Solver and of the module.
#include <array>
#include <cstring>

#include "arrays.hpp"
#include "derivative_columns.hpp"
#include "describe.hpp"
#include "module.hpp"
#include "options.hpp"

namespace carom::python {
namespace {

struct Names {
  PyObject *k = interned("k"), *bodies = interned("bodies"), *a = interned("a"), *b = interned("b"),
           *lever_b = interned("lever_b"), *tolerance = interned("tolerance");
};
const Names& names() {
  static const Names all;
  return all;
}

/// The solver of calls of the module itself.
Solver& solver_of_thread() {
  static thread_local Solver solver;
  return solver;
}

Solver& solver_of(PyObject* self) {
  // Functions of the module get the module.
  return PyModule_Check(self) ? solver_of_thread() : py::cast<Solver&>(py::handle(self));
}

/// Contacts of a form with what else a call reads beside them.
template <class Contacts_, class More_ = char>
struct CallOf {
  using Contacts = Contacts_;
  Contacts contacts{};
  More_ more{};
};

/// The lever arm of the immovable world, which lives as long as the program.
PyObject* no_lever(npy_intp dimension) {
  const auto make = [](npy_intp size) { return owned(PyArray_ZEROS(1, &size, NPY_FLOAT32, 0)).release().ptr(); };
  static PyObject *const in_plane = make(2), *const in_space = make(3);
  return dimension == 2 ? in_plane : in_space;
}

/// Reads the columns of contacts and of `more`, whose record may be null, and calls work.operator()<T>(call, count) in
/// the precision of the arrays.
template <template <class> class Contacts, template <class> class More, class Work>
py::object with_columns(Arguments& arguments, const Record* of_more, const Work& work) {
  using InDouble = CallOf<Contacts<double>, More<double>>;
  static_assert(sizeof(InDouble) == sizeof(CallOf<Contacts<float>, More<float>>));
  const Record& record = contacts_record<Contacts<double>>();
  Batch contacts("contacts"), bodies("bodies");
  Inputs inputs;
  bool immovable = false;
  std::vector<Arguments> of_bodies;
  if (of_more != nullptr)
    for (const Field& field : of_more->fields) {
      PyObject* const value = arguments.take(field.name);
      if (value != nullptr)
        inputs.add(contacts, field, value, offsetof(InDouble, more));
      else if (field.is_needed)
        throw Error("carom: the column " + text_of(field.name) + " is missing");
    }
  constexpr bool has_pairs = requires(Contacts<double> c) {
    c.a;
  };
  constexpr bool has_indices = requires(Contacts<double> c) {
    c.bodies;
  };
  if constexpr (has_pairs) {
    const Record& of_body = bodies_record<decltype(Contacts<double>::a)>();
    const auto add = [&](PyObject* body, std::size_t place, const char* owner) {
      const Arguments columns = Arguments::of(body, owner);
      inputs.add_all(contacts, of_body, columns, place, owner);
    };
    PyObject* const a = arguments.take(names().a);
    if (a == nullptr) throw Error("carom: contacts have k and separation_velocity, bodies a and b, or bodies by index");
    add(a, offsetof(Contacts<double>, a), "a");
    if (PyObject* const b = arguments.take(names().b); b != nullptr) {
      add(b, offsetof(Contacts<double>, b), "b");
    } else {
      immovable = true;
      if (!arguments.has(names().lever_b))
        arguments.give(names().lever_b, no_lever(is_planar<Contacts<double>>() ? 2 : 3));
    }
  } else if constexpr (has_indices) {
    PyObject* const given = arguments.take(names().bodies);
    const Arguments columns = Arguments::of(given, "bodies");
    inputs.add_all(bodies, bodies_record<decltype(Contacts<double>::bodies)>(), columns,
                   offsetof(Contacts<double>, bodies), "bodies");
  }
  inputs.add_all(contacts, record, arguments, 0, "");
  const auto run = [&]<class T>() {
    CallOf<Contacts<T>, More<T>> call;
    inputs.write(&call, sizeof(T) == sizeof(float));
    if constexpr (has_pairs)
      if (immovable) call.contacts.b = decltype(call.contacts.b)::immovable(static_cast<std::size_t>(contacts.size()));
    return work.template operator()<T>(call, contacts.size());
  };
  return inputs.in_float() ? run.template operator()<float>() : run.template operator()<double>();
}

template <class T>
using Nothing = char;

/// Calls work.operator()<Contacts>() with the form that the arguments are of.
template <class Work>
py::object with_form(const Arguments& arguments, bool planar, const Work& work) {
  if (arguments.has(names().k))
    return planar ? work.template operator()<planar::SpaceContacts>() : work.template operator()<SpaceContacts>();
  if (arguments.has(names().bodies))
    return planar ? work.template operator()<planar::IndexedContacts>() : work.template operator()<IndexedContacts>();
  return planar ? work.template operator()<planar::InlineContacts>() : work.template operator()<InlineContacts>();
}

template <class Results, class Contacts>
const Record& results_record() {
  static const Record record = record_of<Results>([](RecordMaker& maker, const Results& results) {
    const auto adds = maker.adds(false);
    if constexpr (requires(Contacts c) { c.k; }) {
      columns::each(adds, columns::Label{"results", "impulse"}, results.impulse);
      columns::each(adds, columns::Label{"results", "separation_velocity"}, results.separation_velocity);
    } else {
      columns::each_vector_result(adds, results);
    }
    columns::each_scalar_result(adds, results);
  });
  return record;
}

bool is_usual_result(const Field& field) {
  // All but works and steps: scalars that are no bytes, and not the angular velocities of the plane.
  static PyObject* const others[] = {interned("work_compression"), interned("work_decompression"), interned("steps")};
  return field.name != others[0] && field.name != others[1] && field.name != others[2];
}

py::object solve(Solver& solver, Arguments& arguments, bool planar) {
  Outputs outputs(arguments, is_usual_result);
  Options options;
  take_options(collision_options(), arguments, &options);
  return with_form(arguments, planar, [&]<template <class> class Contacts>() {
    return with_columns<Contacts, Nothing>(arguments, nullptr, [&]<class T>(const auto& call, npy_intp count) {
      using Results = ResultsOf<Contacts<T>>;
      py::object result = new_result("Result");
      Results results;
      outputs.add(results_record<ResultsOf<Contacts<double>>, Contacts<double>>(), count, sizeof(T) == sizeof(float),
                  &results, result);
      outputs.check_all_known(arguments.function());
      Report report;
      {
        const py::gil_scoped_release others_may_run;
        report = solver.solve(call.contacts, results, options);
      }
      result.attr("_report") = py::cast(std::move(report));
      return result;
    });
  });
}

template <class T, class Contacts>
struct RegionOutputs {
  RegionMargins<T> margins{};
  ImpulseSpaceOf<Contacts> space{};
};

bool is_margin(const Field& field) {
  static const Record margins = record_of<RegionMargins<double>>(
      [](RecordMaker& maker, const auto& object) { columns::each_margin(maker.adds(false), object); });
  return margins.find(field.name) != nullptr;
}

template <class Results>
const Record& region_record() {
  static const Record record = record_of<Results>([](RecordMaker& maker, const Results& results) {
    columns::each_margin(maker.adds(false), results.margins);
    columns::each_landmark(maker.adds(false), results.space);
  });
  return record;
}

template <template <class> class Contacts>
struct ImpulsesFor {
  template <class T>
  using Type = ImpulsesOf<Contacts<T>>;
};

template <class Impulses>
const Record& impulse_record() {
  static const Record record = record_of<Impulses>([](RecordMaker& maker, const Impulses& impulses) {
    columns::each(maker.adds(true), columns::Label{"", "impulse"}, impulses);
  });
  return record;
}

py::object check(Solver& solver, Arguments& arguments, bool planar) {
  Outputs outputs(arguments, is_margin);
  Options options;
  take_options(collision_options(), arguments, &options);
  double tolerance = 0;
  const bool has_tolerance = take_number(arguments, names().tolerance, tolerance);
  return with_form(arguments, planar, [&]<template <class> class Contacts>() {
    const Record& impulses = impulse_record<ImpulsesOf<Contacts<double>>>();
    return with_columns<Contacts, ImpulsesFor<Contacts>::template Type>(
        arguments, &impulses, [&]<class T>(const auto& call, npy_intp count) {
          py::object result = new_result("Region");
          RegionOutputs<T, Contacts<T>> to;
          outputs.add(region_record<RegionOutputs<double, Contacts<double>>>(), count, sizeof(T) == sizeof(float), &to,
                      result);
          outputs.check_all_known(arguments.function());
          RegionReport report;
          {
            const py::gil_scoped_release others_may_run;
            report = has_tolerance
                         ? solver.find_margins(call.contacts, call.more, to.margins, to.space, options, tolerance)
                         : solver.find_margins(call.contacts, call.more, to.margins, to.space, options);
          }
          result.attr("_report") = py::cast(report);
          return result;
        });
  });
}

template <class T>
struct Cotangent {
  Vector3Columns<const T> impulse{}, separation_velocity{};
};

const Record& cotangent_record() {
  static const Record record = record_of<Cotangent<double>>([](RecordMaker& maker, const auto& cotangent) {
    columns::each(maker.adds(false), columns::Label{"", "of_impulse"}, cotangent.impulse);
    columns::each(maker.adds(false), columns::Label{"", "of_separation_velocity"}, cotangent.separation_velocity);
  });
  return record;
}

const Record& derivatives_record() {
  static const Record record = record_of<Derivatives<double>>(
      [](RecordMaker& maker, const auto& by) { columns::each_derivative(maker.adds(false), "", by); });
  return record;
}

/// Arrays of derivatives of three numbers, (n, 3) or (n, 3, parts), or of one: (n,) or (n, parts). Columns are
/// contiguous, for these are written in place.
template <class T, class... Rows>
py::dict derivative_arrays(const std::vector<PyObject*>& by, npy_intp count, Rows&... rows) {
  py::dict arrays;
  void* const places[] = {&rows...};
  constexpr npy_intp row_count = sizeof...(Rows);
  for (PyObject* name : by) {
    const Field& field = *derivatives_record().find(name);
    npy_intp shape[3], order[3] = {0, 0, 1};
    int rank = 0;
    if (row_count > 1) shape[rank++] = row_count;
    if (field.parts > 1) shape[rank++] = field.parts;
    shape[rank] = count;
    order[0] = rank++;
    const py::object columns =
        owned(PyArray_SimpleNew(rank, shape, sizeof(T) == sizeof(float) ? NPY_FLOAT32 : NPY_FLOAT64));
    auto* const numbers = static_cast<T*>(PyArray_DATA(as_array(columns.ptr())));
    for (npy_intp row = 0; row < row_count; ++row)
      for (npy_intp part = 0; part < field.parts; ++part) {
        const Column<T> column(numbers + (row * field.parts + part) * count, static_cast<std::size_t>(count));
        std::memcpy(static_cast<char*>(places[row]) + field.offset[part], static_cast<const void*>(&column),
                    sizeof column);
      }
    PyArray_Dims axes = {order, rank};
    arrays[py::handle(name)] = owned(PyArray_Transpose(as_array(columns.ptr()), &axes));
  }
  return arrays;
}

std::vector<PyObject*> names_in(PyObject* given, const char* what) {
  std::vector<PyObject*> names;
  if (PyUnicode_Check(given)) throw py::type_error(std::string("carom: ") + what + " is a sequence of names");
  for (const py::handle name : py::reinterpret_borrow<py::object>(given)) {
    if (!PyUnicode_Check(name.ptr())) throw py::type_error(std::string("carom: ") + what + " is a sequence of names");
    names.push_back(interned(text_of(name.ptr())));
  }
  return names;
}

py::object differentiate(Solver& solver, Arguments& arguments) {
  static PyObject *const by_name = interned("by"), *const of_name = interned("of"),
                         *const impulse = interned("impulse"), *const velocity = interned("separation_velocity");
  static const std::vector<PyObject*> usual = {interned("friction"), interned("restitution"), names().k, velocity};
  const Record& known = derivatives_record();
  PyObject* const by_given = arguments.take(by_name);
  const std::vector<PyObject*> by = by_given != nullptr ? names_in(by_given, "by") : usual;
  for (PyObject* name : by)
    if (known.find(name) == nullptr) throw py::type_error("carom: there are no derivatives by '" + text_of(name) + "'");
  bool has_cotangent = false;
  for (const Field& field : cotangent_record().fields) has_cotangent = has_cotangent || arguments.has(field.name);
  bool of_impulse = !has_cotangent, of_velocity = !has_cotangent;
  if (PyObject* const of = arguments.take(of_name); of != nullptr) {
    of_impulse = of_velocity = false;
    for (PyObject* name : names_in(of, "of")) {
      if (name != impulse && name != velocity)
        throw py::type_error("carom: of names impulse and separation_velocity, not '" + text_of(name) + "'");
      (name == impulse ? of_impulse : of_velocity) = true;
    }
  }
  Options options;
  take_options(collision_options(), arguments, &options);
  double tolerance = 0;
  const bool has_tolerance = take_number(arguments, names().tolerance, tolerance);
  return with_columns<SpaceContacts,
                      Cotangent>(arguments, &cotangent_record(), [&]<class T>(const auto& call, npy_intp count) {
    py::object result = new_result("Gradients");
    Gradients<T> to;
    if (of_impulse) result.attr("impulse") = derivative_arrays<T>(by, count, to.impulse_x, to.impulse_y, to.impulse_z);
    if (of_velocity)
      result.attr("separation_velocity") = derivative_arrays<T>(by, count, to.velocity_x, to.velocity_y, to.velocity_z);
    if (has_cotangent) result.attr("product") = derivative_arrays<T>(by, count, to.cotangent.product);
    to.cotangent.impulse = call.more.impulse;
    to.cotangent.separation_velocity = call.more.separation_velocity;
    npy_intp shape = count;
    const py::object statuses = owned(PyArray_SimpleNew(1, &shape, NPY_UINT8));
    to.status = {static_cast<GradientStatus*>(PyArray_DATA(as_array(statuses.ptr()))), static_cast<std::size_t>(count)};
    result.attr("status") = statuses;
    GradientReport report;
    {
      const py::gil_scoped_release others_may_run;
      report = has_tolerance ? solver.differentiate(call.contacts, to, options, tolerance)
                             : solver.differentiate(call.contacts, to, options);
    }
    result.attr("_report") = py::cast(report);
    return result;
  });
}

PyObject* solve_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments("solve", values, positional, keywords);
    return solve(solver_of(self), arguments, false);
  });
}
PyObject* solve_planar_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments("solve_planar", values, positional, keywords);
    return solve(solver_of(self), arguments, true);
  });
}
PyObject* check_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments("check", values, positional, keywords);
    return check(solver_of(self), arguments, false);
  });
}
PyObject* check_planar_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments("check_planar", values, positional, keywords);
    return check(solver_of(self), arguments, true);
  });
}
PyObject* differentiate_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments("differentiate", values, positional, keywords);
    return differentiate(solver_of(self), arguments);
  });
}

template <class Inline, class Indexed, class Space>
void describe_contacts(const char* solve_name, const char* check_name) {
  for (const char* name : {solve_name, check_name}) {
    describe(name, "space", "SpaceContacts InlineContacts LawColumns Weights", contacts_record<Space>());
    describe(name, "inline", "InlineContacts LawColumns Weights", contacts_record<Inline>());
    describe(name, "indexed", "IndexedContacts InlineContacts LawColumns Weights", contacts_record<Indexed>());
    describe(name, "bodies", "BodyColumns", bodies_record<decltype(Inline::a)>());
    describe(name, collision_options());
  }
  describe(solve_name, "results", "ResultColumns", results_record<ResultsOf<Inline>, Inline>());
  describe(check_name, "impulse", "ResultColumns", impulse_record<ImpulsesOf<Inline>>());
  describe(check_name, "results", "RegionMargins ImpulseSpaceColumns", region_record<RegionOutputs<double, Inline>>());
}

py::dict fields_of(const Report& report) {
  py::dict paths;
  for (const auto& [path, count] : report.paths()) paths[py::str(to_string(path))] = count;
  py::dict fields;
  fields["contacts"] = report.contacts;
  fields["by_status"] = counts_of(report.by_status);
  fields["by_path"] = paths;
  fields["isa"] = std::string(to_string(report.isa));
  fields["threads"] = report.threads;
  fields["sliding_steps"] = report.sliding_steps;
  fields["lane_steps"] = report.lane_steps;
  fields["largest_energy_gain"] = report.largest_energy_gain;
  fields["largest_energy_gain_contact"] = report.largest_energy_gain_contact;
  return fields;
}

py::dict fields_of_region(const RegionReport& report) {
  py::dict fields;
  fields["contacts"] = report.contacts;
  fields["faults"] = report.faults;
  fields["outside"] = report.outside;
  fields["gains_energy"] = report.gains_energy;
  fields["penetrates"] = report.penetrates;
  fields["pulls"] = report.pulls;
  fields["leaves_cone"] = report.leaves_cone;
  return fields;
}

py::dict fields_of_gradients(const GradientReport& report) {
  py::dict counts;
  for (std::size_t i = 0; i < gradient_status_count; ++i)
    if (report.by_status[i] > 0) counts[py::int_(i)] = report.by_status[i];
  py::dict fields;
  fields["contacts"] = report.contacts;
  fields["by_status"] = counts;
  return fields;
}

}  // namespace

Execution execution_of(const std::string& isa, int threads) {
  return {isa_from_string(isa), threads};
}

void add_contacts(py::module_& module) {
  py::class_<Report>(module, "_Report").def("fields", fields_of);
  py::class_<RegionReport>(module, "_RegionReport").def("fields", fields_of_region);
  py::class_<GradientReport>(module, "_GradientReport").def("fields", fields_of_gradients);
  py::class_<Solver> solver(module, "Solver");
  solver
      .def(py::init([](const std::string& isa, int threads) { return Solver(execution_of(isa, threads)); }),
           py::kw_only(), py::arg("isa") = "auto", py::arg("threads") = 0)
      .def_property_readonly("isa", [](const Solver& self) { return std::string(to_string(self.isa())); })
      .def_property_readonly("threads", [](const Solver& self) { return self.execution().threads; });
  struct Named {
    const char* name;
    Function function;
  };
  for (const Named& each : {Named{"solve", solve_of},
                            {"solve_planar", solve_planar_of},
                            {"check", check_of},
                            {"check_planar", check_planar_of},
                            {"differentiate", differentiate_of}}) {
    add_function(module, each.name, each.function);
    add_method(solver, each.name, each.function);
  }
  describe_contacts<InlineContacts<double>, IndexedContacts<double>, SpaceContacts<double>>("solve", "check");
  describe_contacts<planar::InlineContacts<double>, planar::IndexedContacts<double>, planar::SpaceContacts<double>>(
      "solve_planar", "check_planar");
  describe("differentiate", "contacts", "SpaceContacts InlineContacts LawColumns Weights",
           contacts_record<SpaceContacts<double>>());
  describe("differentiate", "cotangent", "VectorJacobianProduct", cotangent_record());
  describe("differentiate", collision_options());
}

}  // namespace carom::python
