// Contacts that are resolved alone: solve and check, of Solver and of the module.
#include "contact_call.hpp"
#include "describe.hpp"
#include "options.hpp"

namespace carom::python {
namespace {

/// Calls work.operator()<Contacts>() with the form of the arguments.
template <bool in_plane, class Work>
py::object with_form(const Arguments& arguments, const Work& work) {
  if constexpr (in_plane) {
    if (arguments.has(names().k)) return work.template operator()<planar::KContacts>();
    if (arguments.has(names().bodies)) return work.template operator()<planar::IndexedContacts>();
    return work.template operator()<planar::Contacts>();
  } else {
    if (arguments.has(names().k)) return work.template operator()<KContacts>();
    if (arguments.has(names().bodies)) return work.template operator()<IndexedContacts>();
    return work.template operator()<Contacts>();
  }
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
  // All results except the works and the steps.
  static PyObject* const others[] = {interned("work_compression"), interned("work_decompression"), interned("steps")};
  return field.name != others[0] && field.name != others[1] && field.name != others[2];
}

template <bool in_plane>
py::object solve(PyObject* self, Arguments& arguments) {
  Solver& solver = solver_of(self);
  Outputs outputs(arguments, is_usual_result);
  Options options;
  take_options(options_of<Options>(), arguments, &options);
  const bool selects = take_bool(arguments, names().select);
  return with_form<in_plane>(arguments, [&]<template <class> class Contacts>() {
    return with_columns<Contacts, Nothing>(arguments, nullptr, [&]<class T>(const auto& call, Py_ssize_t count) {
      using Results = ResultsOf<Contacts<T>>;
      py::object result = new_result("Result");
      Results results;
      outputs.add(results_record<ResultsOf<Contacts<double>>, Contacts<double>>(), count, sizeof(T) == sizeof(float),
                  &results, result);
      outputs.check_all_known(arguments.function());
      Report report;
      {
        const py::gil_scoped_release others_may_run;
        report = solver.solve(selects ? carom::select(call.contacts, options) : call.contacts, results, options);
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

template <bool in_plane>
py::object check(PyObject* self, Arguments& arguments) {
  Solver& solver = solver_of(self);
  Outputs outputs(arguments, is_margin);
  Options options;
  take_options(options_of<Options>(), arguments, &options);
  const std::optional<double> tolerance = take_number(arguments, names().tolerance);
  const bool selects = take_bool(arguments, names().select);
  return with_form<in_plane>(arguments, [&]<template <class> class Contacts>() {
    const Record& impulses = impulse_record<ImpulsesOf<Contacts<double>>>();
    return with_columns<Contacts, ImpulsesFor<Contacts>::template Type>(
        arguments, &impulses, [&]<class T>(const auto& call, Py_ssize_t count) {
          py::object result = new_result("Region");
          RegionOutputs<T, Contacts<T>> to;
          outputs.add(region_record<RegionOutputs<double, Contacts<double>>>(), count, sizeof(T) == sizeof(float), &to,
                      result);
          outputs.check_all_known(arguments.function());
          Contacts<T> contacts = call.contacts;
          if (selects) contacts.laws = {};
          RegionReport report;
          {
            const py::gil_scoped_release others_may_run;
            report = tolerance ? solver.find_margins(contacts, call.more, to.margins, to.space, options, *tolerance)
                               : solver.find_margins(contacts, call.more, to.margins, to.space, options);
          }
          result.attr("_report") = py::cast(report);
          return result;
        });
  });
}

template <class Inline, class Indexed, class Space>
void describe_contacts(const char* solve_name, const char* check_name) {
  for (const char* name : {solve_name, check_name}) {
    describe(name, "space", "KContacts Contacts LawColumns Weights", contacts_record<Space>());
    describe(name, "inline", "Contacts LawColumns Weights", contacts_record<Inline>());
    describe(name, "indexed", "IndexedContacts Contacts LawColumns Weights", contacts_record<Indexed>());
    describe(name, "bodies", "BodyColumns", bodies_record<decltype(Inline::a)>());
    describe(name, "sides", "BodyColumns", side_record<decltype(Inline::a), 'a'>());
    describe(name, "sides", "BodyColumns", side_record<decltype(Inline::b), 'b'>());
    describe(name, options_of<Options>());
    describe_keywords(name, {"a", "b", "bodies", "select", "out", "results"});
  }
  describe_keywords(check_name, {"tolerance"});
  describe(solve_name, "results", "ResultColumns", results_record<ResultsOf<Inline>, Inline>());
  describe(check_name, "impulse", "ResultColumns", impulse_record<ImpulsesOf<Inline>>());
  describe(check_name, "results", "RegionMargins ImpulseSpaceColumns", region_record<RegionOutputs<double, Inline>>());
}

}  // namespace

Solver& solver_of(PyObject* self) {
  static thread_local Solver of_thread;
  // Functions of the module receive the module as self.
  return PyModule_Check(self) ? of_thread : py::cast<Solver&>(py::handle(self));
}

Execution execution_of(const py::object& isa, const py::object& threads) {
  return {isa_from_string(value_of<std::string>(isa, "isa")), value_of<int>(threads, "threads")};
}

void add_contacts(py::module_& module) {
  add_class<Report>(module, "_Report").def("fields", fields_of<Report>);
  add_class<RegionReport>(module, "_RegionReport").def("fields", fields_of<RegionReport>);
  auto solver = add_solver<Solver>(module, "Solver");
  const auto add = [&](const char* name, Function function) {
    add_function(module, name, function);
    add_method(solver, name, function);
  };
  add("solve", function<"solve", solve<false>>);
  add("solve_planar", function<"solve_planar", solve<true>>);
  add("check", function<"check", check<false>>);
  add("check_planar", function<"check_planar", check<true>>);
  describe_contacts<Contacts<double>, IndexedContacts<double>, KContacts<double>>("solve", "check");
  describe_contacts<planar::Contacts<double>, planar::IndexedContacts<double>, planar::KContacts<double>>(
      "solve_planar", "check_planar");
}

}  // namespace carom::python
