// An HDF5 file in memory, with datasets of numbers and text.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

namespace carom::io {

class Hdf5File {
 public:
  /// `bytes`: the whole file. `name`: its name in errors. Throws Error.
  Hdf5File(std::string name, const std::string& bytes);
  /// An empty file.
  explicit Hdf5File(std::string name);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  bool has(const std::string& path) const;
  /// All numbers of a dataset. Throws Error if it is missing or has another type.
  std::vector<double> numbers(const std::string& path) const;
  std::vector<std::int64_t> integers(const std::string& path) const;
  /// The number in a dataset of one number.
  std::int64_t integer(const std::string& path) const;

  void make_group(const std::string& path);
  void write(const std::string& path, const std::vector<double>& values);
  void write(const std::string& path, const std::vector<std::int32_t>& values);
  void write(const std::string& path, const std::string& text);
  void remove(const std::string& path);
  /// The bytes of the whole file.
  std::string bytes();

  [[noreturn]] void fail(const std::string& what) const;

 private:
  template <class T>
  std::vector<T> read(const std::string& path, hid_t type, bool integers_only) const;
  void write(const std::string& path, hid_t type_in_file, hid_t type, std::size_t count, const void* values);

  std::string name_;
  hid_t file_ = -1;
};

}  // namespace carom::io
