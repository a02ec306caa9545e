#include "hdf5_file.hpp"

#include <carom/status.hpp>

#include "hdf5_handle.hpp"

namespace carom::io {
namespace {

/// Equal runs write equal bytes, at any hour.
Hdf5Handle without_times(hid_t kind) {
  Hdf5Handle creation(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

Hdf5Handle access_in_memory() {
  silence_hdf5();
  constexpr std::size_t growth = 1 << 16;
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  return H5Pset_fapl_core(access, growth, 0) < 0 ? Hdf5Handle() : std::move(access);
}

/// HDF5 wants no file of the name.
std::string name_in_memory(const std::string& name) {
  return name + "\nin memory";
}

}  // namespace

Hdf5File::Hdf5File(std::string name, const std::string& bytes) : name_(std::move(name)) {
  const Hdf5Handle access = access_in_memory();
  std::string image = bytes;
  if (access.is_open() && H5Pset_file_image(access, image.data(), image.size()) >= 0)
    file_ = H5Fopen(name_in_memory(name_).c_str(), H5F_ACC_RDWR, access);
  if (file_ < 0) fail("is not a sound HDF5 file");
}

Hdf5File::Hdf5File(std::string name) : name_(std::move(name)) {
  file_ = H5Fcreate(name_in_memory(name_).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_in_memory());
  if (file_ < 0) fail("can't be made");
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::fail(const std::string& what) const {
  throw Error("carom: " + name_ + " " + what);
}

bool Hdf5File::has(const std::string& path) const {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

template <class T>
std::vector<T> Hdf5File::read(const std::string& path, hid_t type, bool integers_only) const {
  if (!has(path)) fail("has no " + path);
  const Hdf5Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.is_open()) fail("has no dataset " + path);
  const Hdf5Handle own_type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  const H5T_class_t kind = H5Tget_class(own_type);
  if (kind != H5T_INTEGER && (integers_only || kind != H5T_FLOAT))
    fail("has something else than " + std::string(integers_only ? "integers" : "numbers") + " in " + path);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  // A damaged file may announce any number, whose storage then is not there. HDF5's filters make nothing smaller than
  // by a factor of 1032.
  constexpr double max_packed = 1032;
  const auto size = static_cast<double>(count) * static_cast<double>(H5Tget_size(own_type));
  if (count < 0 || size > max_packed * static_cast<double>(H5Dget_storage_size(set)))
    fail("has not the values in " + path + " that it announces");
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail("can't be read at " + path);
  return values;
}

std::vector<double> Hdf5File::numbers(const std::string& path) const {
  return read<double>(path, H5T_NATIVE_DOUBLE, false);
}

std::vector<std::int64_t> Hdf5File::integers(const std::string& path) const {
  return read<std::int64_t>(path, H5T_NATIVE_INT64, true);
}

std::int64_t Hdf5File::integer(const std::string& path) const {
  const std::vector<std::int64_t> values = integers(path);
  if (values.size() != 1) fail("has not one number in " + path);
  return values.front();
}

void Hdf5File::make_group(const std::string& path) {
  const Hdf5Handle creation = without_times(H5P_GROUP_CREATE);
  const Hdf5Handle group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  if (!group.is_open()) fail("can't take a group " + path);
}

void Hdf5File::write(const std::string& path, hid_t type_in_file, hid_t type, std::size_t count, const void* values) {
  const hsize_t extent = count;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose), made = without_times(H5P_DATASET_CREATE);
  const Hdf5Handle set(H5Dcreate2(file_, path.c_str(), type_in_file, space, H5P_DEFAULT, made, H5P_DEFAULT), H5Dclose);
  if (!set.is_open() || (count > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    fail("can't take a dataset " + path);
}

void Hdf5File::write(const std::string& path, const std::vector<double>& values) {
  write(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Hdf5File::write(const std::string& path, const std::vector<std::int32_t>& values) {
  write(path, H5T_STD_I32LE, H5T_NATIVE_INT32, values.size(), values.data());
}

void Hdf5File::write(const std::string& path, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose),
      made = without_times(H5P_DATASET_CREATE);
  if (!type.is_open() || H5Tset_size(type, text.size() + 1) < 0) fail("can't take a text " + path);
  const Hdf5Handle set(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, made, H5P_DEFAULT), H5Dclose);
  if (!set.is_open() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0)
    fail("can't take a text " + path);
}

void Hdf5File::remove(const std::string& path) {
  if (H5Ldelete(file_, path.c_str(), H5P_DEFAULT) < 0) fail("can't do without " + path);
}

std::string Hdf5File::bytes() {
  H5Fflush(file_, H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  std::string image(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (size <= 0 || H5Fget_file_image(file_, image.data(), image.size()) < 0) fail("can't be written again");
  return image;
}

}  // namespace carom::io
