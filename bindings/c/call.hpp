// Common parts of the functions in C: error codes for exceptions, checks of pointers, and structs of other versions.
#pragma once

#include <carom/carom.h>

#include <algorithm>
#include <carom/status.hpp>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "core/columns/text.hpp"

namespace carom::c {

/// Keeps the message of the exception that is being handled, for carom_error_message.
carom_error failed() noexcept;

/// Calls f. Returns the code of an exception that it throws.
template <class F>
carom_error guarded(F&& f) noexcept {
  try {
    f();
    return CAROM_OK;
  } catch (...) {
    return failed();
  }
}

/// Dereferences a pointer. Throws Error if it is null.
template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) throw Error(Text("carom: ", name, " is a null pointer"));
  return *pointer;
}

/// Calls f(std::type_identity<T>) for the T of a precision.
template <class F>
decltype(auto) in_precision(std::int32_t precision, F&& f) {
  if (precision == CAROM_FLOAT) return f(std::type_identity<float>{});
  if (precision == CAROM_DOUBLE) return f(std::type_identity<double>{});
  throw Error(Text("carom: the precision is ", precision, ", which is neither CAROM_FLOAT nor CAROM_DOUBLE"),
              {.option = "precision"});
}

/// The name of a struct of C: "carom_options".
template <class C>
consteval std::string_view struct_name() {
  constexpr std::string_view function = __PRETTY_FUNCTION__;  // "... [with C = carom_options; ...]"
  constexpr std::size_t first = function.find("carom_", function.find("C = "));
  return function.substr(first, function.find_first_of(";]", first) - first);
}
static_assert(struct_name<carom_options>() == "carom_options");

/// True for the structs of methods.
template <class C>
inline constexpr bool has_head = requires(C& c) {
  c.head;
};

/// The struct_size of a struct, which may be in its head.
template <class C>
auto& size_of(C& c) {
  if constexpr (has_head<C>)
    return c.head.struct_size;
  else
    return c.struct_size;
}

/// Throws Error if the caller has not set the struct_size.
template <class C>
void check_struct_size(const C& c) {
  constexpr bool is_method = has_head<C> || std::is_same_v<C, carom_method>;
  constexpr std::size_t least = is_method ? sizeof(carom_method) : sizeof(std::size_t);
  if (size_of(c) < least)
    throw Error(Text("carom: struct_size of a ", struct_name<C>(), " is ", size_of(c), ", but should be its sizeof"));
}

/// A struct of the caller as this version has it: in place if the sizes are the same. If the caller's struct is
/// smaller, the other fields come from `rest`. If it is larger, its additional bytes must be zero.
template <class C>
class Given {
 public:
  explicit Given(
      const C& from, C (*rest)() = [] { return C{}; })
      : used_(&from) {
    if (size_of(from) != sizeof(C)) take(from, rest);
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  const C& operator*() const { return *used_; }
  const C* operator->() const { return used_; }

 private:
  [[gnu::noinline]] void take(const C& from, C (*rest)()) {
    const std::size_t size = size_of(from);
    check_struct_size(from);
    own_ = rest();
    const auto* bytes = reinterpret_cast<const unsigned char*>(&from);
    std::memcpy(static_cast<void*>(&own_), bytes, std::min(size, sizeof(C)));
    for (std::size_t i = sizeof(C); i < size; ++i)
      if (bytes[i] != 0)
        throw Error(Text("carom: this library does not know byte ", i, " of a ", struct_name<C>(), ", which is not 0"));
    used_ = &own_;
  }

  const C* used_;
  C own_;
};

/// Clears the additional bytes of a larger struct, so that the caller can pass it back.
template <class C>
void clear_rest(C& to) {
  if (size_of(to) > sizeof(C)) std::memset(reinterpret_cast<char*>(&to) + sizeof(C), 0, size_of(to) - sizeof(C));
}

/// Copies the fields for which the caller's struct has room.
template <class C>
void put(const C& from, C& to) {
  const std::size_t size = size_of(to);
  std::memcpy(static_cast<void*>(&to), &from, std::min(size, sizeof(C)));
  size_of(to) = size;
}

}  // namespace carom::c
