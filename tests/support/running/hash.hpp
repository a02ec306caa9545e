// FNV-1a, 64 bits: one number for all bits of many results.
#pragma once

#include <cstdint>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <string>
#include <type_traits>

namespace carom::support {

class Hash {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>, "no padding");
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3u;
  }
  std::string text() const {
    std::ostringstream text;
    text << "0x" << std::hex << std::setfill('0') << std::setw(16) << hash_;
    return text.str();
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace carom::support
