// Exceptions of the public functions: running out of memory becomes an Error, and try_solve throws nothing.
#pragma once

#include <carom/error.hpp>
#include <exception>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "text.hpp"

namespace carom {

/// Returns f(). `call` names the call in the text of an error.
template <class F>
decltype(auto) public_call(const char* call, const F& f) {
  const auto fail = [call] {
    return Error(Text("carom: out of memory in ", call), {.kind = ErrorKind::out_of_memory});
  };
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw fail();
  } catch (const std::length_error&) {  // of containers: more elements than there are addresses
    throw fail();
  }
}

/// Returns f(), which is a public_call, or its error. Only a scheduler of the caller throws anything else.
template <class F>
Expected<std::invoke_result_t<F>> without_exceptions(const F& f) noexcept {
  try {
    return f();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(Text("carom: the scheduler has thrown an exception: ", error.what()), {.kind = ErrorKind::scheduler});
  } catch (...) {
    return Error("carom: the scheduler has thrown an exception", {.kind = ErrorKind::scheduler});
  }
}

}  // namespace carom
