// Gradients of contacts: differentiate (of Solver and of the module), and pull_back to the data of the bodies.
#include <carom/body_gradients.hpp>
#include <cstring>

#include "contact_call.hpp"
#include "core/columns/derivative_columns.hpp"
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

/// Makes arrays of derivatives of three numbers, (n, 3) or (n, 3, parts), or of one number, (n,) or (n, parts). Columns
/// are contiguous, because they are written in place.
template <class T, class... Rows>
py::dict derivative_arrays(const std::vector<PyObject*>& by, Py_ssize_t count, Rows&... rows) {
  py::dict arrays;
  void* const places[] = {&rows...};
  constexpr Py_ssize_t row_count = sizeof...(Rows);
  for (PyObject* name : by) {
    const Field& field = *derivatives_record().find(name);
    Py_ssize_t shape[3], order[3] = {0, 0, 1};
    int rank = 0;
    if (row_count > 1) shape[rank++] = row_count;
    if (field.parts > 1) shape[rank++] = field.parts;
    shape[rank] = count;
    order[0] = rank++;
    const py::object columns = new_array(type_of(Element::number, sizeof(T) == sizeof(float)), rank, shape);
    auto* const numbers = reinterpret_cast<T*>(as_array(columns).data);
    for (Py_ssize_t row = 0; row < row_count; ++row)
      for (Py_ssize_t part = 0; part < field.parts; ++part) {
        const Column<T> column(numbers + (row * field.parts + part) * count, static_cast<std::size_t>(count));
        std::memcpy(static_cast<char*>(places[row]) + field.offset[part], static_cast<const void*>(&column),
                    sizeof column);
      }
    py::tuple axes(rank);
    for (int axis = 0; axis < rank; ++axis) axes[static_cast<std::size_t>(axis)] = order[axis];
    arrays[py::handle(name)] = columns.attr("transpose")(axes);
  }
  return arrays;
}

std::vector<PyObject*> names_in(PyObject* given, const char* what) {
  std::vector<PyObject*> names;
  each_name(given, what, [&](PyObject* name) { names.push_back(interned(text_of(name))); });
  return names;
}

py::object differentiate(PyObject* self, Arguments& arguments) {
  Solver& solver = solver_of(self);
  static PyObject *const by_name = interned("by"), *const of_name = interned("of"),
                         *const impulse = interned("impulse"), *const velocity = interned("separation_velocity");
  static const std::vector<PyObject*> usual = {interned("friction"), interned("restitution"), names().k, velocity};
  const Record& known = derivatives_record();
  PyObject* const by_given = arguments.take(by_name);
  const std::vector<PyObject*> by = by_given != nullptr ? names_in(by_given, "by") : usual;
  for (PyObject* name : by)
    if (known.find(name) == nullptr)
      throw ArgumentError("there are no derivatives by '" + text_of(name) + "'" +
                          nearest(text_of(name), keywords_of("differentiate")));
  bool has_cotangent = false;
  for (const Field& field : cotangent_record().fields) has_cotangent = has_cotangent || arguments.has(field.name);
  bool of_impulse = !has_cotangent, of_velocity = !has_cotangent;
  if (PyObject* const of = arguments.take(of_name); of != nullptr) {
    of_impulse = of_velocity = false;
    for (PyObject* name : names_in(of, "of")) {
      if (name != impulse && name != velocity)
        throw ArgumentError("of names impulse and separation_velocity, not '" + text_of(name) + "'");
      (name == impulse ? of_impulse : of_velocity) = true;
    }
  }
  Options options;
  take_options(options_of<Options>(), arguments, &options);
  const std::optional<double> tolerance = take_number(arguments, names().tolerance);
  const bool selects = take_bool(arguments, names().select);
  return with_columns<KContacts, Cotangent>(
      arguments, &cotangent_record(), [&]<class T>(const auto& call, Py_ssize_t count) {
        py::object result = new_result("Gradients");
        Gradients<T> to;
        if (of_impulse)
          result.attr("impulse") = derivative_arrays<T>(by, count, to.impulse_x, to.impulse_y, to.impulse_z);
        if (of_velocity)
          result.attr("separation_velocity") =
              derivative_arrays<T>(by, count, to.velocity_x, to.velocity_y, to.velocity_z);
        if (has_cotangent) result.attr("product") = derivative_arrays<T>(by, count, to.cotangent.product);
        to.cotangent.impulse = call.more.impulse;
        to.cotangent.separation_velocity = call.more.separation_velocity;
        Py_ssize_t shape = count;
        const py::object statuses = new_array(type_of(Element::gradient_status, false), 1, &shape);
        to.status = {reinterpret_cast<GradientStatus*>(as_array(statuses).data), static_cast<std::size_t>(count)};
        result.attr("status") = statuses;
        const KContacts<T> contacts = selects ? carom::select(call.contacts, options) : call.contacts;
        GradientReport report;
        {
          const py::gil_scoped_release others_may_run;
          report = tolerance ? solver.differentiate(contacts, to, options, *tolerance)
                             : solver.differentiate(contacts, to, options);
        }
        result.attr("_report") = py::cast(report);
        return result;
      });
}

/// Contacts of two bodies without their coefficients, to read and to write.
template <class T>
struct Pairs : Contacts<T> {};

void add_contacts(RecordMaker& maker, const Pairs<double>& pairs) {
  const auto adds = maker.adds(true);
  columns::each_number(
      [&](const columns::Label& label, const auto& column) {
        // Only the vectors of the contact; bodies have their own records.
        if (*label.side == '\0' && *label.part != '\0') adds(label, column);
      },
      pairs);
}

/// The columns of carom::ContactCotangent.
template <class T>
struct PairCotangent {
  SymmetricColumns<const T> k{};
  Vector3Columns<const T> separation_velocity{}, impulse{}, of_impulse{}, velocity{}, of_velocity{};
};

const Record& pair_cotangent_record() {
  static const Record record = record_of<PairCotangent<double>>([](RecordMaker& maker, const auto& cotangent) {
    const auto adds = maker.adds(false);
    columns::each(adds, columns::Label{"", "product_k"}, cotangent.k);
    columns::each(adds, columns::Label{"", "product_separation_velocity"}, cotangent.separation_velocity);
    columns::each(adds, columns::Label{"", "impulse"}, cotangent.impulse);
    columns::each(adds, columns::Label{"", "of_impulse"}, cotangent.of_impulse);
    columns::each(adds, columns::Label{"", "separation_velocity"}, cotangent.velocity);
    columns::each(adds, columns::Label{"", "of_separation_velocity"}, cotangent.of_velocity);
  });
  return record;
}

/// Calls f(column, number) for the numbers of element i. Columns that are missing are left out.
template <class T, class F>
void each_place(const Column<T>& column, std::size_t i, auto& number, const F& f) {
  if (column.data != nullptr) f(column[i], number);
}
template <class T, class F>
void each_place(const Vector3Columns<T>& v, std::size_t i, auto& numbers, const F& f) {
  each_place(v.x, i, numbers[0], f);
  each_place(v.y, i, numbers[1], f);
  each_place(v.z, i, numbers[2], f);
}
template <class T, class F>
void each_place(const SymmetricColumns<T>& m, std::size_t i, auto& numbers, const F& f) {
  std::size_t part = 0;
  for (const Column<T>* column : {&m.xx, &m.xy, &m.xz, &m.yy, &m.yz, &m.zz}) each_place(*column, i, numbers[part++], f);
}
template <class T, class F>
void each_place(const Pairs<T>& pairs, std::size_t i, auto& pair, const F& f) {
  const auto body = [&](const auto& columns, const auto& lever, auto& of) {
    each_place(columns.inverse_mass, i, of.inverse_mass, f);
    each_place(columns.inverse_inertia, i, of.inverse_inertia, f);
    each_place(columns.velocity, i, of.velocity, f);
    each_place(columns.angular_velocity, i, of.angular_velocity, f);
    each_place(lever, i, of.lever, f);
  };
  each_place(pairs.normal, i, pair.normal, f);
  body(pairs.a, pairs.r_a, pair.a);
  body(pairs.b, pairs.r_b, pair.b);
}

constexpr auto read = [](const auto& column, auto& number) { number = column; };

template <class T>
BodyPair<T> pair_at(const Pairs<T>& pairs, std::size_t i) {
  BodyPair<T> pair;
  each_place(pairs, i, pair, read);
  return pair;
}

py::object contact_spaces(PyObject*, Arguments& arguments) {
  return with_columns<Pairs, Nothing>(arguments, nullptr, [&]<class T>(const auto& call, Py_ssize_t count) {
    const py::object type = type_of(Element::number, sizeof(T) == sizeof(float));
    const py::object result = new_result("ContactSpace");
    const auto make = [&](const char* name, int rank, Py_ssize_t second) {
      Py_ssize_t shape[] = {count, second, 3};
      const py::object array = new_array(type, rank, shape);
      result.attr(name) = array;
      return as_array(array).data;
    };
    char *const frame = make("frame", 3, 3), *const k = make("k", 2, 6), *const u = make("separation_velocity", 2, 3);
    {
      const py::gil_scoped_release others_may_run;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const ContactSpace<T> space = contact_space(pair_at<T>(call.contacts, i));
        std::memcpy(frame + i * sizeof space.frame, &space.frame, sizeof space.frame);
        std::memcpy(k + i * sizeof space.k, &space.k, sizeof space.k);
        std::memcpy(u + i * sizeof space.separation_velocity, &space.separation_velocity,
                    sizeof space.separation_velocity);
      }
    }
    return result;
  });
}

py::object pulled_back(PyObject*, Arguments& arguments) {
  struct Words {
    PyObject *product = interned("product"), *velocity = interned("separation_velocity"),
             *product_k = interned("product_k"), *product_velocity = interned("product_separation_velocity");
  };
  static const Words words;
  PyObject* const product = arguments.take(words.product);
  if (product == nullptr) refuse("pull_back needs the product that differentiate gives");
  const Arguments products = Arguments::of(product, "product");
  for (const auto& [from, to] : {std::pair{names().k, words.product_k}, {words.velocity, words.product_velocity}}) {
    if (!products.has(from)) refuse("the product has no derivatives by " + text_of(from));
    arguments.give(to, products.value(from));
  }
  for (const char* after : {"impulse", "separation_velocity"})
    if (arguments.has(interned(std::string("of_") + after)) && !arguments.has(interned(after)))
      refuse(std::string("of_") + after + " needs " + after + ", the one after the collision");
  return with_columns<Pairs, PairCotangent>(
      arguments, &pair_cotangent_record(), [&]<class T>(const auto& call, Py_ssize_t count) {
        // Derivatives have the names and shapes of their variables.
        Pairs<T> to;
        const auto make = [&](const Record& record, std::size_t base, const py::object& result) {
          for (const Field& field : record.fields) {
            const py::object array = new_array(field, count, sizeof(T) == sizeof(float));
            write_into(field, array.ptr(), count, sizeof(T) == sizeof(float), reinterpret_cast<char*>(&to) + base);
            succeed(PyObject_SetAttr(result.ptr(), field.name, array.ptr()));
          }
        };
        const py::object result = new_result("PairGradients"), a = new_result("Bodies"), b = new_result("Bodies");
        make(contacts_record<Pairs<double>>(), 0, result);
        make(bodies_record<decltype(Pairs<double>::a)>(), offsetof(Pairs<T>, a), a);
        make(bodies_record<decltype(Pairs<double>::b)>(), offsetof(Pairs<T>, b), b);
        result.attr("a") = a;
        result.attr("b") = b;
        {
          const py::gil_scoped_release others_may_run;
          for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            const BodyPair<T> pair = pair_at<T>(call.contacts, i);
            ContactCotangent<T> cotangent;
            each_place(call.more.k, i, cotangent.k, read);
            each_place(call.more.separation_velocity, i, cotangent.separation_velocity, read);
            each_place(call.more.impulse, i, cotangent.impulse, read);
            each_place(call.more.of_impulse, i, cotangent.of_impulse, read);
            each_place(call.more.velocity, i, cotangent.velocity, read);
            each_place(call.more.of_velocity, i, cotangent.of_velocity, read);
            const BodyPair<T> by = pull_back(pair, contact_space(pair), cotangent);
            // The columns are const in Contacts, but they point into new arrays.
            each_place(to, i, by, [](const T& column, const T& number) { const_cast<T&>(column) = number; });
          }
        }
        return result;
      });
}

}  // namespace

void add_gradients(py::module_& module) {
  add_class<GradientReport>(module, "_GradientReport").def("fields", fields_of<GradientReport>);
  add_function(module, "differentiate", function<"differentiate", differentiate>);
  add_method(module.attr("Solver"), "differentiate", function<"differentiate", differentiate>);
  describe("differentiate", "contacts", "KContacts Contacts LawColumns Weights", contacts_record<KContacts<double>>());
  describe("differentiate", "cotangent", "VectorJacobianProduct", cotangent_record());
  describe("differentiate", options_of<Options>());
  add_function(module, "contact_space", function<"contact_space", contact_spaces>);
  add_function(module, "pull_back", function<"pull_back", pulled_back>);
  for (const char* function : {"contact_space", "pull_back"}) {
    describe(function, "pair", "Contacts", contacts_record<Pairs<double>>());
    describe(function, "bodies", "BodyColumns", bodies_record<decltype(Pairs<double>::a)>());
    describe(function, "sides", "BodyColumns", side_record<decltype(Pairs<double>::a), 'a'>());
    describe(function, "sides", "BodyColumns", side_record<decltype(Pairs<double>::b), 'b'>());
    describe_keywords(function, {"a", "b"});
  }
  describe_keywords("differentiate", {"by", "of", "select", "tolerance"});
  describe_keywords("pull_back", {"product"});
  Record by_name = pair_cotangent_record();
  // The two columns of the product are one argument.
  by_name.fields.erase(by_name.fields.begin(), by_name.fields.begin() + 2);
  describe("pull_back", "cotangent", "ResultColumns", by_name);
}

}  // namespace carom::python
