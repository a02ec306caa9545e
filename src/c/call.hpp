// What every function of the C interface does with its arguments: exceptions become codes, pointers are looked at, and
// structs of other versions are read and written.
#pragma once

#include <carom/carom.h>

#include <algorithm>
#include <carom/status.hpp>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

namespace carom::c {

/// Keeps the message of the exception that is being handled, for carom_error_message.
carom_error failed() noexcept;

/// Calls f; what it throws becomes a code.
template <class F>
carom_error guarded(F&& f) noexcept {
  try {
    f();
    return CAROM_OK;
  } catch (...) {
    return failed();
  }
}

/// What a pointer that may not be null points to.
template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) throw Error(std::string("carom: ") + name + " is a null pointer");
  return *pointer;
}

/// Calls f(std::type_identity<T>) for the T of a precision.
template <class F>
decltype(auto) in_precision(std::int32_t precision, F&& f) {
  if (precision == CAROM_FLOAT) return f(std::type_identity<float>{});
  if (precision == CAROM_DOUBLE) return f(std::type_identity<double>{});
  throw Error("carom: the precision is " + std::to_string(static_cast<int>(precision)) +
              ", which is neither CAROM_FLOAT nor CAROM_DOUBLE");
}

inline void check_struct_size(std::size_t size, const char* name) {
  if (size < sizeof(std::size_t))
    throw Error(std::string("carom: struct_size of a ") + name + " is " + std::to_string(size) +
                ", but should be its sizeof");
}

/// A struct of the caller's as this version has it: in place if the sizes are the same. Otherwise what an older caller
/// lacks is that of `rest`, and what a newer one has more must be zero.
template <class C>
class Given {
 public:
  Given(
      const C& from, const char* name, C (*rest)() = [] { return C{}; })
      : used_(&from) {
    if (from.struct_size != sizeof(C)) take(from, name, rest);
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  const C& operator*() const { return *used_; }
  const C* operator->() const { return used_; }

 private:
  [[gnu::noinline]] void take(const C& from, const char* name, C (*rest)()) {
    const std::size_t size = from.struct_size;
    check_struct_size(size, name);
    own_ = rest();
    const auto* bytes = reinterpret_cast<const unsigned char*>(&from);
    std::memcpy(static_cast<void*>(&own_), bytes, std::min(size, sizeof(C)));
    for (std::size_t i = sizeof(C); i < size; ++i)
      if (bytes[i] != 0)
        throw Error(std::string("carom: this library does not know byte ") + std::to_string(i) + " of a " + name +
                    ", which is not 0");
    used_ = &own_;
  }

  const C* used_;
  C own_;
};

/// Sets to zero what a newer caller's struct has more, so that it may be handed back.
template <class C>
void clear_rest(C& to) {
  if (to.struct_size > sizeof(C)) std::memset(reinterpret_cast<char*>(&to) + sizeof(C), 0, to.struct_size - sizeof(C));
}

/// Writes to a struct of the caller's what it has room for.
template <class C>
void put(const C& from, C& to) {
  const std::size_t size = to.struct_size;
  std::memcpy(static_cast<void*>(&to), &from, std::min(size, sizeof(C)));
  to.struct_size = size;
}

}  // namespace carom::c
