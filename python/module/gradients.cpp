// Gradients of the response of contacts: differentiate, of Solver and of the module.
#include <cstring>

#include "contact_call.hpp"
#include "derivative_columns.hpp"
#include "describe.hpp"
#include "options.hpp"

namespace carom::python {
namespace {

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

PyObject* differentiate_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments("differentiate", values, positional, keywords);
    return differentiate(solver_of(self), arguments);
  });
}

py::dict fields_of(const GradientReport& report) {
  py::dict counts;
  for (std::size_t i = 0; i < gradient_status_count; ++i)
    if (report.by_status[i] > 0) counts[py::int_(i)] = report.by_status[i];
  py::dict fields;
  fields["contacts"] = report.contacts;
  fields["by_status"] = counts;
  return fields;
}

}  // namespace

void add_gradients(py::module_& module) {
  py::class_<GradientReport>(module, "_GradientReport").def("fields", fields_of);
  add_function(module, "differentiate", differentiate_of);
  add_method(module.attr("Solver"), "differentiate", differentiate_of);
  describe("differentiate", "contacts", "SpaceContacts InlineContacts LawColumns Weights",
           contacts_record<SpaceContacts<double>>());
  describe("differentiate", "cotangent", "VectorJacobianProduct", cotangent_record());
  describe("differentiate", collision_options());
}

}  // namespace carom::python
