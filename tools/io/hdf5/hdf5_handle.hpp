// Handles and errors of HDF5.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace carom::io {

/// Closes an object of HDF5.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Stops HDF5 from printing errors in this thread; carom::Error reports them.
inline void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// The reason for the last failure of HDF5 in this thread, as ": truncated file"; may be empty.
inline std::string reason_of_hdf5() {
  std::string reason;
  const auto take = [](unsigned number, const H5E_error2_t* error, void* to) -> herr_t {
    if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(to) = ": " + std::string(error->desc);
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  return reason;
}

}  // namespace carom::io
