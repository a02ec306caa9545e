// Columns that are fields of the caller's structs give the same bits as contiguous columns. Only these fields are read
// and written: a guard page is directly after or before the structs.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "core/columns/columns.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/planar/same_bits.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

/// Bytes between two guard pages. They end at the second page or begin at the first.
class GuardedMemory {
 public:
  GuardedMemory(std::size_t bytes, bool at_end)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), size_((bytes + page_ - 1) / page_ * page_ + 2 * page_) {
    memory_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    std::byte* const begin = static_cast<std::byte*>(memory_) + page_;
    if (mprotect(begin, size_ - 2 * page_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = at_end ? begin + (size_ - 2 * page_) - bytes : begin;
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(memory_, size_); }

  std::byte* data() const { return data_; }

 private:
  std::size_t page_, size_;
  void* memory_;
  std::byte* data_;
};

/// Order and padding of the fields in a struct.
struct Arrangement {
  std::string name;
  std::size_t step;             // increment of the field's index from place to place; prime to the number of fields
  std::size_t padded, padding;  // after every `padded` fields come `padding` unused numbers
  bool backwards, at_end;
};
const Arrangement arrangements[] = {{"in order", 1, 1000, 0, false, true},
                                    {"in order, behind a page", 1, 1000, 0, false, false},
                                    {"shuffled with padding", 11, 3, 1, false, true},
                                    {"shuffled with padding, backwards", 7, 5, 2, true, false},
                                    {"backwards", 13, 1000, 0, true, true},
                                    {"far apart", 3, 2, 5, false, true},
                                    {"alone", 1, 1, 9, false, false}};

/// An array of structs whose fields are the columns. Copies `inputs` to it.
template <class T>
class Structs {
 public:
  Structs(const std::vector<Column<const T>*>& inputs, const std::vector<Column<T>*>& results, std::size_t count,
          const Arrangement& arrangement)
      : count_(count), results_(results) {
    const std::size_t fields = inputs.size() + results.size();
    std::vector<std::size_t> place(fields);
    std::size_t at = 0;
    for (std::size_t k = 0, f = 0; k < fields; ++k) {
      std::vector<std::size_t>::iterator found = place.begin() + static_cast<std::ptrdiff_t>(f);
      *found = at + 1;
      at += 1 + ((k + 1) % arrangement.padded == 0 && k + 1 < fields ? arrangement.padding : 0);
      f = (f + arrangement.step) % fields;
      while (k + 1 < fields && place[f] != 0) f = (f + 1) % fields;
    }
    size_ = at;
    memory_ = std::make_unique<GuardedMemory>(count * size_ * sizeof(T), arrangement.at_end);
    numbers_ = reinterpret_cast<T*>(memory_->data());
    std::fill_n(numbers_, count * size_, T(-777));
    const auto bytes = static_cast<std::ptrdiff_t>(size_ * sizeof(T));
    const std::ptrdiff_t stride = arrangement.backwards ? -bytes : bytes;
    T* const first = arrangement.backwards ? numbers_ + (count - 1) * size_ : numbers_;
    for (std::size_t c = 0; c < inputs.size(); ++c) {
      Column<T> field{first + place[c] - 1, count, stride};
      for (std::size_t i = 0; i < count; ++i) field[i] = (*inputs[c])[i];
      *inputs[c] = field;
    }
    for (std::size_t c = 0; c < results.size(); ++c) {
      wanted_.push_back(*results[c]);
      *results[c] = {first + place[inputs.size() + c] - 1, count, stride};
    }
    before_.assign(numbers_, numbers_ + count * size_);
  }

  /// Copies the results back to the caller's columns. Expects that no other number has changed.
  void take(const std::string& what) {
    for (std::size_t c = 0; c < wanted_.size(); ++c) {
      const Column<T> field = *results_[c];
      for (std::size_t i = 0; i < count_; ++i) {
        wanted_[c][i] = field[i];
        field[i] = T(-777);
      }
    }
    EXPECT_EQ(std::memcmp(before_.data(), numbers_, before_.size() * sizeof(T)), 0) << what;
  }

 private:
  std::size_t count_, size_;
  std::vector<Column<T>*> results_;
  std::vector<Column<T>> wanted_;
  std::unique_ptr<GuardedMemory> memory_;
  T* numbers_;
  std::vector<T> before_;
};

template <class T, class AnyContacts>
std::vector<Column<const T>*> numbers_of(AnyContacts& contacts) {
  std::vector<Column<const T>*> found;
  columns::each_number([&](const columns::Label&, Column<const T>& column) { found.push_back(&column); }, contacts);
  return found;
}

/// Solves `contacts` from contiguous columns, and from structs that also hold the results.
template <class T, class Arrays, class AnyContacts>
void expect_bits_of_columns(const AnyContacts& drawn, std::size_t count, const Options& options, bool bodies,
                            const std::string& what) {
  const AnyContacts contacts = select(drawn, options);
  for (const Isa isa : available_isas()) {
    Solver solver({.isa = isa, .threads = 1});
    Arrays expected(count, bodies);
    solver.solve(contacts, expected.results(), options);
    for (const Arrangement& arrangement : arrangements) {
      const std::string name = what + ", " + arrangement.name + ", " + std::string(to_string(isa));
      AnyContacts view = contacts;
      Arrays found(count, bodies);
      auto results = found.results();
      std::vector<Column<T>*> wanted;
      const auto want = [&](const auto&, auto& column) {
        if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Column<T>>)
          if (column) wanted.push_back(&column);
      };
      columns::each_vector_result(want, results);
      columns::each_scalar_result(want, results);
      Structs<T> structs(numbers_of<T>(view), wanted, count, arrangement);
      std::unique_ptr<Structs<T>> of_bodies;
      if constexpr (requires { view.bodies; }) {
        std::vector<Column<const T>*> numbers;
        columns::each([&](const columns::Label&, Column<const T>& column) { numbers.push_back(&column); },
                      columns::Label{}, view.bodies);
        of_bodies = std::make_unique<Structs<T>>(numbers, std::vector<Column<T>*>{}, view.bodies.inverse_mass.count,
                                                 arrangement);
      }
      solver.solve(view, results, options);
      structs.take(name);
      if constexpr (std::is_same_v<Arrays, support::ResultArrays<T>>)
        support::expect_same_bits(expected, found, name);
      else
        EXPECT_TRUE(support::same(expected, found)) << name;
    }
  }
}

template <class T>
class FieldsOfStructs : public testing::Test {
 protected:
  /// Compares under laws of each kind. Adds the columns that these laws read to `contacts`.
  template <class AnyContacts>
  void expect_bits(AnyContacts contacts, std::size_t count, bool bodies, const std::string& what) {
    using Arrays = std::conditional_t < requires {
      contacts.normal.z;
    }
    || requires {
      contacts.k.zz;
    }
    , support::ResultArrays<T>, support::PlanarResultArrays < T >> ;
    const std::vector<T> tangential(count, T(0.25));
    contacts.laws.tangential_restitution = tangential;
    contacts.laws.law = {};
    for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::smith, Law::brach}) {
      Options options;
      options.law = law;
      expect_bits_of_columns<T, Arrays>(contacts, count, options, bodies, what + ", " + std::string(to_string(law)));
    }
    std::vector<Law> laws(count);
    const Law mixed[] = {Law::incremental, Law::chatterjee_ruina, Law::smith, Law::frictionless};
    for (std::size_t i = 0; i < count; ++i) laws[i] = mixed[i * i % 7 % 4];
    contacts.laws.law = laws;
    expect_bits_of_columns<T, Arrays>(contacts, count, {}, bodies, what + ", mixed");
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FieldsOfStructs, Precisions);

// Less than a vector; some vectors, which are loaded field by field; several tiles and a remainder.
constexpr std::size_t counts[] = {3, 45, 333};

TYPED_TEST(FieldsOfStructs, of_inline_contacts_have_the_bits_of_columns) {
  for (const std::size_t count : counts) {
    const support::RandomContacts<TypeParam> drawn(count, 21);
    this->expect_bits(drawn.inline_contacts(), count, true, "inline");
  }
}

TYPED_TEST(FieldsOfStructs, of_indexed_contacts_and_their_bodies_have_the_bits_of_columns) {
  for (const std::size_t count : counts)
    for (const std::size_t bodies : {count / 3 + 1, 3 * count}) {
      const support::RandomIndexedContacts<TypeParam> drawn(count, bodies, 22);
      this->expect_bits(drawn.indexed_contacts(), count, true, "indexed");
    }
}

TYPED_TEST(FieldsOfStructs, of_contacts_in_contact_space_have_the_bits_of_columns) {
  for (const std::size_t count : counts) {
    const support::RandomSpaceContacts<TypeParam> drawn(count, 23);
    this->expect_bits(drawn.space_contacts(), count, false, "space");
  }
}

TYPED_TEST(FieldsOfStructs, of_planar_contacts_have_the_bits_of_columns) {
  for (const std::size_t count : counts) {
    const support::RandomPlanarBodies<TypeParam> drawn(count, 24), indexed(count, 25, count / 3 + 2);
    const support::RandomPlanarSpace<TypeParam> space(count, 26);
    this->expect_bits(drawn.inline_contacts(), count, true, "planar inline");
    this->expect_bits(indexed.indexed_contacts(), count, true, "planar indexed");
    this->expect_bits(space.view(), count, false, "planar space");
  }
}

// One field is used as two columns. Results replace the velocities that they are computed from.
TYPED_TEST(FieldsOfStructs, may_be_two_columns_and_may_be_replaced_by_results) {
  using T = TypeParam;
  constexpr std::size_t count = 203;
  support::RandomContacts<T> drawn(count, 27);
  for (T& friction : drawn.friction) friction = std::min(friction, T(1));
  drawn.restitution = drawn.friction;
  const std::vector<T> tangential(count, T(0.25));
  for (const Law law : {Law::incremental, Law::chatterjee_ruina}) {
    Contacts<T> contacts = drawn.inline_contacts();
    contacts.laws.tangential_restitution = tangential;
    Options options;
    options.law = law;
    contacts = select(contacts, options);
    Solver solver({.threads = 1});
    support::ResultArrays<T> expected(count), found(count);
    solver.solve(contacts, expected.results(), options);
    Structs<T> structs(numbers_of<T>(contacts), {}, count, arrangements[2]);
    contacts.restitution = contacts.friction;
    Results<T> results = found.results();
    const auto over = [](const Column<const T>& c) { return Column<T>{const_cast<T*>(c.data), c.count, c.stride}; };
    const auto replace = [&](const Vector3Columns<const T>& v) {
      return Vector3Columns<T>{over(v.x), over(v.y), over(v.z)};
    };
    results.velocity_a = replace(contacts.a.velocity);
    results.angular_velocity_a = replace(contacts.a.angular_velocity);
    results.velocity_b = replace(contacts.b.velocity);
    results.angular_velocity_b = replace(contacts.b.angular_velocity);
    solver.solve(contacts, results, options);
    for (std::size_t i = 0; i < count; ++i) {
      found.velocity_a[0][i] = results.velocity_a.x[i];
      found.velocity_a[1][i] = results.velocity_a.y[i];
      found.velocity_a[2][i] = results.velocity_a.z[i];
      found.angular_velocity_a[0][i] = results.angular_velocity_a.x[i];
      found.angular_velocity_a[1][i] = results.angular_velocity_a.y[i];
      found.angular_velocity_a[2][i] = results.angular_velocity_a.z[i];
      found.velocity_b[0][i] = results.velocity_b.x[i];
      found.velocity_b[1][i] = results.velocity_b.y[i];
      found.velocity_b[2][i] = results.velocity_b.z[i];
      found.angular_velocity_b[0][i] = results.angular_velocity_b.x[i];
      found.angular_velocity_b[1][i] = results.angular_velocity_b.y[i];
      found.angular_velocity_b[2][i] = results.angular_velocity_b.z[i];
    }
    support::expect_same_bits(expected, found, std::string(to_string(law)));
  }
}

/// Copies of columns that all begin at the same offset in a page.
template <class T>
class ColumnsOnPages {
 public:
  ColumnsOnPages(const std::vector<Column<const T>*>& columns, std::size_t count) {
    constexpr std::size_t page = 4096, place = 16;
    const std::size_t bytes = (place + count * sizeof(T) + page - 1) / page * page;
    memory_ = std::make_unique<GuardedMemory>(columns.size() * bytes, false);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Column<T> copy{reinterpret_cast<T*>(memory_->data() + c * bytes + place), count};
      for (std::size_t i = 0; i < count; ++i) copy[i] = (*columns[c])[i];
      *columns[c] = copy;
    }
  }

 private:
  std::unique_ptr<GuardedMemory> memory_;
};

// These columns map to the same cache sets, so they are read from copies.
TYPED_TEST(FieldsOfStructs, and_columns_that_begin_with_a_page_have_the_bits_of_others) {
  using T = TypeParam;
  constexpr std::size_t count = 1203;
  const std::vector<T> tangential(count, T(0.25));
  std::vector<Law> mixed(count);
  for (std::size_t i = 0; i < count; ++i) mixed[i] = i % 3 == 0 ? Law::smith : Law::chatterjee_ruina;
  const auto expect = [&](auto contacts, auto expected, auto found, const std::string& what) {
    contacts.laws.tangential_restitution = tangential;
    auto view = contacts;
    const ColumnsOnPages<T> copies(numbers_of<T>(view), count);
    for (const Law law : {Law::incremental, Law::chatterjee_ruina, Law::smith, Law::composite}) {
      Options options;
      options.law = law;
      contacts.laws.law = view.laws.law = law == Law::composite ? Column<const Law>(mixed) : Column<const Law>();
      for (const Isa isa : available_isas()) {
        Solver solver({.isa = isa, .threads = 1});
        solver.solve(select(contacts, options), expected.results(), options);
        solver.solve(select(view, options), found.results(), options);
        const std::string name = what + ", " + std::string(to_string(law)) + ", " + std::string(to_string(isa));
        if constexpr (std::is_same_v<decltype(found), support::ResultArrays<T>>)
          support::expect_same_bits(expected, found, name);
        else
          EXPECT_TRUE(support::same(expected, found)) << name;
      }
    }
  };
  const support::RandomContacts<T> drawn(count, 28);
  expect(drawn.inline_contacts(), support::ResultArrays<T>(count), support::ResultArrays<T>(count), "inline");
  const support::RandomSpaceContacts<T> space(count, 29);
  expect(space.space_contacts(), support::ResultArrays<T>(count, false), support::ResultArrays<T>(count, false),
         "space");
  const support::RandomPlanarBodies<T> planar(count, 30);
  expect(planar.inline_contacts(), support::PlanarResultArrays<T>(count, true),
         support::PlanarResultArrays<T>(count, true), "planar");
}

}  // namespace
}  // namespace carom
