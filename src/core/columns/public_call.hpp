// Common parts of public calls: one call at a time, errors of objects that have been moved from, and exceptions.
// Running out of memory becomes an Error, and try_solve throws nothing.
#pragma once

#include <atomic>
#include <carom/error.hpp>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "text.hpp"

namespace carom {

/// The state of an object. Throws Error if the object has been moved from.
template <class State>
State& state_of(const std::unique_ptr<State>& state) {
  if (!state) throw Error("carom: this object has been moved from", {.kind = ErrorKind::moved_from});
  return *state;
}

/// Gives a call exclusive use of a solver, of which `busy` is a member. Throws Error if another call has it.
class OneCall {
 public:
  explicit OneCall(std::atomic<bool>& busy) : busy_(busy) {
    if (busy.exchange(true, std::memory_order_acquire))
      throw Error("carom: another call is at work in this solver; a solver serves one call at a time",
                  {.kind = ErrorKind::busy});
  }
  ~OneCall() { busy_.store(false, std::memory_order_release); }
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;

 private:
  std::atomic<bool>& busy_;
};

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
